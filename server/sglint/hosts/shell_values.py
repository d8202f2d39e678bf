"""Values of shell variables as far as a script's text tells them, and what a condition makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from ..launch.model import Definition
from ..records import dataclass, field, replace
from ..text import Mapped, Span

if TYPE_CHECKING:
    from .shell_script import Script

MAX_PIECES = 300
MAX_WAYS = 40
"""Command lines in one variable that are followed each for itself: the branches of a long ``case``."""
MAX_CHARS = 100_000
_KEPT_USES = 6


class Use(NamedTuple):
    """An expansion a text came through: its place, what it names, all the text it gave there, and how it is written."""

    span: Span
    names: tuple[Definition, ...]
    default: bool
    text: str
    written: str = ""


class Raw(NamedTuple):
    """Where a literal piece is written in a script's own text, and in which quotes."""

    script: Script
    start: int
    end: int
    quote: str


class Piece(NamedTuple):
    """A stretch of a value.

    ``mapped`` places the text in the document where it is written; ``uses`` are the expansions it went through,
    the outermost first. An unknown piece holds its source text. ``many``: may be any number of words where it is
    not quoted. ``maybe``: a condition decides whether it is there. ``gap``: separates alternatives. ``assumed``: it
    holds unless the script's caller sets a variable that has a default. ``first``: where what is not known was
    written before expansions brought it here.
    """

    text: str
    mapped: Mapped
    uses: tuple[Use, ...] = ()
    known: bool = True
    many: bool = False
    maybe: bool = False
    quoted: bool = False
    gap: bool = False
    assumed: bool = False
    raw: Raw | None = None
    first: Span | None = None

    def through(self, use: Use, quoted: bool) -> Piece:
        """The piece as one more expansion brings it."""
        uses = (use, *self.uses)
        if len(uses) > _KEPT_USES:
            uses = (*uses[:2], *uses[2 - _KEPT_USES :])
        return self._replace(uses=uses, quoted=quoted)

    def cut(self, start: int, end: int) -> Piece:
        """The piece's own ``[start, end)``."""
        raw = self.raw
        if raw is not None and raw.end - raw.start == len(self.text):
            raw = raw._replace(start=raw.start + start, end=raw.start + end)
        elif (start, end) != (0, len(self.text)):
            raw = None
        return self._replace(text=self.text[start:end], mapped=self.mapped.slice(start, end), raw=raw)

    @property
    def key(self) -> tuple[str, Span, bool]:
        if self.first is not None:
            return "", self.first, False
        return self.text if self.known else "", self.mapped.span(), self.known


class Item(NamedTuple):
    """An element of an array, or a word of a command: its pieces, and the word's own place in a script."""

    pieces: tuple[Piece, ...]
    maybe: bool = False
    node: Raw | None = None

    def behind(self, count: int) -> Item:
        """The item without its first characters."""
        found: list[Piece] = []
        for piece in self.pieces:
            size = len(piece.text)
            found += [piece.cut(count, size) if count else piece] if count < size else []
            count = max(0, count - size)
        return Item(tuple(found), self.maybe)

    @property
    def key(self) -> tuple[tuple[str, Span, bool], ...]:
        return tuple(piece.key for piece in self.pieces)


@dataclass(frozen=True)
class Variable:
    """``scalar`` or ``items`` (an array). ``place``: of the assigned text, in the document.

    ``keys``: of an associative array, one for each item. ``absent``: surely not set. ``assumed``: as of
    a piece. ``ways``: the values it may have, where one of them is a server's command line.
    """

    scalar: tuple[Piece, ...] | None = None
    items: tuple[Item, ...] | None = None
    exported: bool = False
    place: Span | None = None
    keys: tuple[str, ...] | None = None
    absent: bool = False
    assumed: bool = False
    ways: tuple[Variable, ...] = ()

    @property
    def known(self) -> bool:
        return self.scalar is not None and all(piece.known and not piece.maybe for piece in self.scalar)

    @property
    def text(self) -> str | None:
        if not self.known or self.scalar is None:
            return None
        return "".join(piece.text for piece in self.scalar)


def placed_use(piece: Piece) -> Use | None:
    """The expansion at which a script's text has a known piece; None where it has it as and where it is written.

    Flags and several words stand where they are written, so that they can be changed there.
    """
    uses = (use for use in piece.uses if not (_BLANKS.search(use.text.strip()) or use.text.lstrip().startswith("-")))
    return next(uses, None) if piece.text else None


_BLANKS = re.compile(r"[ \t\n]+")


def unknown(mapped: Mapped, *, many: bool = False, maybe: bool = False) -> Piece:
    """A piece nothing is known of but its place."""
    return Piece(mapped.text, mapped, known=False, many=many, maybe=maybe)


def certain(items: Iterable[Item]) -> bool:
    """Whether it is sure which words there are, if not what each of them is."""
    return not any(item.maybe or any(piece.maybe or piece.many or piece.gap for piece in item.pieces) for item in items)


@dataclass
class State:
    """Variables at a point of a script.

    ``dead``: nothing that follows is reached, because of ``exit``, ``return`` or ``loop`` (``break``, ``continue``).
    ``ways``: where the positional parameters are not known, the server's command lines they may be.
    """

    variables: dict[str, Variable] = field(default_factory=dict)
    positional: tuple[Item, ...] | None = None
    dead: str = ""
    export_all: bool = False
    ways: tuple[tuple[Item, ...], ...] = ()

    @property
    def splits_at_blanks(self) -> bool:
        """Whether unquoted values are split at blanks and line ends, as they are unless the script sets ``IFS``."""
        separators = self.variables.get("IFS")
        return separators is None or separators.absent or separators.text == " \t\n"

    def copy(self) -> State:
        return State(dict(self.variables), self.positional, "", self.export_all, self.ways)

    def ways_of(self, name: str) -> tuple[Variable, ...]:
        """The command lines that variable ``name`` may hold; ``@`` are the positional parameters."""
        if name in "@*":
            return tuple(Variable(None, way) for way in self.ways) if self.positional is None else ()
        variable = self.variables.get(name)
        return variable.ways if variable is not None else ()

    def variable(self, name: str) -> Variable | None:
        """The variable or numbered parameter ``name``; None when the script does not tell it."""
        if not name[0].isdigit() and name != "#":
            return self.variables.get(name)
        if self.positional is None or name == "0" or not certain(self.positional):
            return None
        if name == "#":
            count = str(len(self.positional))
            return Variable((Piece(count, Mapped("", ())),))
        index = int(name) - 1
        if index >= len(self.positional):
            return Variable((), absent=True)
        return Variable(self.positional[index].pieces)

    def set(self, name: str, variable: Variable) -> None:
        before = self.variables.get(name)
        if self.export_all or (before is not None and before.exported):
            variable = replace(variable, exported=True)
        # One object a name: names that two branches set are then found to be the same at once.
        self.variables[intern(name)] = variable

    def take(self, other: State) -> None:
        """Become ``other``."""
        self.variables = other.variables
        self.positional = other.positional
        self.dead = other.dead
        self.export_all = other.export_all
        self.ways = other.ways
