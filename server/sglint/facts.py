"""Named facts about one launch: known values, unknown ones with their reasons, and what each was derived from.

Truth has three values here. A fact is either a plain Python value or :class:`Unknown`; an unknown carries the
sentences that say what would settle it. Derived facts are functions from the space to a value. They read other
facts with ``facts[name]``, which raises :class:`Undecided` when that fact is unknown, so a derivation that
never looks at an unknown fact still has an answer (an explicit flag decides although the GPU is not known).
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from typing import Any

from .records import dataclass


@dataclass(frozen=True)
class Unknown:
    """A value that is not known. ``reasons`` are short sentences naming what would settle it."""

    reasons: tuple[str, ...]

    def __bool__(self) -> bool:
        raise TypeError("an unknown value has no truth; compare with isinstance(value, Unknown)")

    def __or__(self, other: Unknown) -> Unknown:
        return Unknown(tuple(dict.fromkeys(self.reasons + other.reasons)))


class Undecided(Exception):
    """Raised while deriving a fact from one that is unknown; becomes that fact's own ``Unknown``."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown)
        self.unknown = unknown


Value = Any
Derivation = Callable[["Facts"], Value]


class Facts:
    """Facts of one launch by dotted name (``args.*``, ``given.*``, ``model.*``, ``gpu.*``, ``resolved.*`` ...).

    ``leaves`` are given values (or :class:`Unknown`); ``derived`` maps a name to a function of this space. A
    derived fact is computed once, on first use. ``fallback(name)`` answers for leaf names that are not listed
    (an argument the release does not have, say) and must return a value or ``Unknown``. ``kept`` is for what other
    layers compute from all facts together and want once: it lives as long as they do.
    """

    def __init__(
        self,
        leaves: Mapping[str, Value],
        derived: Mapping[str, Derivation],
        fallback: Callable[[str], Value],
    ) -> None:
        self._leaves = leaves
        self._derived = derived
        self._fallback = fallback
        self.kept: dict[str, Any] = {}
        self._memo: dict[str, Value] = {}
        self._open: set[str] = set()
        self._traced: _Traced | None = None

    def look(self, name: str) -> Value:
        """The value of a fact, or :class:`Unknown`. Never raises :class:`Undecided`."""
        if name in self._memo:
            return self._memo[name]
        value = self._memo[name] = self._compute(name)
        return value

    def __getitem__(self, name: str) -> Value:
        value = self.look(name)
        if value.__class__ is Unknown:
            raise Undecided(value)
        return value

    def supposing(self, leaves: Mapping[str, Value]) -> Facts:
        """The space of the same launch if these leaves were others; nothing that was derived is kept."""
        return Facts(ChainMap(dict(leaves), dict(self._leaves)), self._derived, self._fallback)

    def leaves_of(self, name: str) -> frozenset[str]:
        """The leaf facts that are read to decide ``name`` (itself, when it is a leaf).

        Few are asked for, so they are found by deriving ``name`` once more, in a space that watches.
        """
        if self._traced is None:
            self._traced = _Traced(self._leaves, self._derived, self._fallback)
        return self._traced.leaves_of(name)

    def _compute(self, name: str) -> Value:
        derivation = self._derived.get(name)
        if derivation is None:
            return self._leaves[name] if name in self._leaves else self._fallback(name)
        if name in self._open:
            raise RuntimeError(f"fact {name} is derived from itself")
        self._open.add(name)
        try:
            return derivation(self)
        except Undecided as undecided:
            return undecided.unknown
        finally:
            self._open.discard(name)


class _Traced(Facts):
    """A space that knows of each fact from which leaves it came."""

    def __init__(
        self, leaves: Mapping[str, Value], derived: Mapping[str, Derivation], fallback: Callable[[str], Value]
    ) -> None:
        super().__init__(leaves, derived, fallback)
        self._from: dict[str, frozenset[str]] = {}
        self._reading: list[set[str]] = []

    def look(self, name: str) -> Value:
        if name not in self._memo:
            self._reading.append(set())
            try:
                self._memo[name] = self._compute(name)
            finally:
                read = self._reading.pop()
                self._from[name] = frozenset(read) if name in self._derived else frozenset((name,))
        if self._reading:
            self._reading[-1] |= self._from[name]
        return self._memo[name]

    def leaves_of(self, name: str) -> frozenset[str]:
        self.look(name)
        return self._from[name]
