"""A flag of a release, and the table of all flags of one release."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, Literal

from ..records import dataclass, field

Nargs = int | Literal["?", "*", "+"] | None


@dataclass(frozen=True)
class Flag:
    """One argument of the server's parser.

    names
        option strings, long form first (``--tensor-parallel-size``, ``--tp-size``).
    action
        ``store``, ``store_true``, ``store_false``, ``store_const``, ``append``, ``boolean_optional``, ``help``;
        ``ignore`` takes its words and sets nothing, ``refuse`` ends the launch, ``adapters`` stores words or the
        JSON objects they hold, ``named_paths`` a mapping of ``NAME=PATH`` words, ``custom`` a value of its own making.
    action_class
        name of the action's class when the release defines it.
    type
        ``int``, ``float``, ``str``, ``bool``, ``json`` or the name of a converter function of the release.
    choices
        accepted values, None for any (or where the list cannot be told, then ``choices_open``); a release without
        plug-ins refuses all others. ``choices_open``: plug-ins may add to the list.
    default
        the declared default; ``default_computed`` names what computes it when it is not a constant.
    keys
        for JSON values with a fixed form: the keys allowed below each top-level key.
    refusal
        beginning of the message with which a retired flag ends the launch; None when it does not.
    """

    names: tuple[str, ...]
    dest: str
    action: str = "store"
    type: str = "str"
    nargs: Nargs = None
    choices: tuple[Any, ...] | None = None
    choices_open: bool = False
    default: Any = None
    default_computed: str | None = None
    const: Any = None
    required: bool = False
    deprecated: bool = False
    replacement: str | None = None
    action_class: str | None = None
    refusal: str | None = None
    keys: dict[str, list[str]] | None = None
    group: str | None = None
    source: str | None = None

    @property
    def takes_value(self) -> bool:
        """Whether the parser binds following words to it."""
        return self.nargs != 0


@dataclass(frozen=True)
class FlagTable:
    """All flags of one release."""

    release: str
    flags: tuple[Flag, ...] = field(repr=False)

    def __hash__(self) -> int:
        """Of the release alone: what is derived from a table is kept under it, and hashing all flags would cost."""
        return hash(self.release)

    @cached_property
    def by_name(self) -> dict[str, Flag]:
        return {name: flag for flag in self.flags for name in flag.names}

    @cached_property
    def by_dest(self) -> dict[str, Flag]:
        table: dict[str, Flag] = {}
        for flag in self.flags:
            table.setdefault(flag.dest, flag)
        return table

    def default(self, dest: str) -> Any:
        """The value of ``dest`` when no option sets it; None for a name no flag stores to."""
        for flag in self.flags:
            if flag.dest == dest and flag.default_computed != "argparse.SUPPRESS":
                return flag.default
        return None

    def candidates(self, written: str) -> tuple[str, ...]:
        """Option names ``written`` stands for: itself when declared, else all names it is a prefix of."""
        if written in self.by_name:
            return (written,)
        if not written.startswith("--"):
            return ()
        return self._begun(written)

    @cached_property
    def required(self) -> tuple[Flag, ...]:
        return tuple(flag for flag in self.flags if flag.required)

    @cached_property
    def _begun(self) -> Callable[[str], tuple[str, ...]]:
        """Names that begin so. The same few abbreviations (``--tp``) come in every launch."""

        @lru_cache(maxsize=256)
        def begun(written: str) -> tuple[str, ...]:
            return tuple(name for name in self.by_name if name.startswith(written))

        return begun
