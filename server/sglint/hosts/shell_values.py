"""Values of shell variables as far as a script's text tells them, and what a condition makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import compress, islice
from operator import is_, is_not
from sys import intern
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..launch.model import Definition
from ..records import dataclass, field, replace
from ..text import Mapped, Span
from .origins import HOLE
from .programs import mentions_launcher

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


def merge(before: State, branches: Sequence[State], *, exhaustive: bool) -> State:
    """The state after one of ``branches`` ran, or none of them unless ``exhaustive``."""
    live = [state for state in branches if not state.dead]
    states = live if exhaustive else [before, *live]
    if not states:
        result = branches[0].copy() if branches else before.copy()
        ways = {state.dead for state in branches}
        result.dead = ways.pop() if len(ways) == 1 else "loop" if "loop" in ways else "return"
        return result
    result = states[0].copy()
    for name in sorted(_differing([state.variables for state in states])):
        values = [state.variables.get(name) for state in states]
        first = values[0]
        if all(value is first for value in values[1:]):
            continue
        merged = _merge_variable(before.variables.get(name), values)
        if merged is None:
            result.variables.pop(name, None)
        else:
            assumed = any(value is not None and value.assumed for value in values)
            result.variables[name] = replace(merged, assumed=True) if assumed else merged
    result.positional = _merge_positional(before.positional, [state.positional for state in states])
    result.ways = _positional_ways(states) if result.positional is None else ()
    return result


def _positional_ways(states: Sequence[State]) -> tuple[tuple[Item, ...], ...]:
    found: list[tuple[Item, ...]] = []
    for state in states:
        for way in state.ways if state.positional is None else (state.positional,):
            if way not in found:
                found.append(way)
    return tuple(found) if len(found) <= MAX_WAYS and any(_starts_server(Variable(None, way)) for way in found) else ()


def _differing(ways: Sequence[dict[str, Variable]]) -> set[str]:
    """Names that may differ between ways. Scripts of thousands of lines set thousands of variables that do not."""
    first = ways[0]
    names: set[str] = set()
    for other in ways[1:]:
        # Copies of one dictionary hold its keys in the same order, and what they add behind.
        if all(map(is_, first, other)):
            names.update(compress(first, map(is_not, first.values(), other.values())))
            shared = min(len(first), len(other))
            names.update(islice(first, shared, None), islice(other, shared, None))
        else:
            names.update(name for name, value in first.items() if other.get(name) is not value)
            names.update(other.keys() - first.keys())
    return names


def _merge_variable(before: Variable | None, values: list[Variable | None]) -> Variable | None:
    given = [value for value in values if value is not None]
    if not given:
        return None
    if all(value == given[0] for value in values):
        return given[0]
    merged = _merge_values(before, values, given)
    ways = _ways(before, values, given)
    return replace(merged, ways=ways) if ways else merged


def _ways(
    before: Variable | None, values: Sequence[Variable | None], given: Sequence[Variable]
) -> tuple[Variable, ...]:
    """What a variable may hold, where branches give it command lines that do not just extend one."""
    if before is not None and before.ways and all(len(value.ways) == len(before.ways) for value in given):
        # Whatever the branches add, they add to each.
        each = zip(*(value.ways for value in given), strict=True)
        found = [_merge_variable(way, list(ways)) for way, ways in zip(before.ways, each, strict=True)]
        return tuple(way for way in found if way is not None)
    distinct: list[Variable] = []
    for value in given:
        distinct += [way for way in value.ways or (value,) if way not in distinct]
    if len(distinct) > MAX_WAYS or not any(map(_starts_server, distinct)):
        return ()
    if before is not None and not before.ways and (before.scalar or before.items):
        extended = (
            _grown(_scalar(before), map(_scalar, given))
            if before.items is None
            else _grown(_items(before), map(_items, given))
        )
        if extended is not None and len(given) == len(values):
            return ()
    return tuple(distinct)


def _starts_server(variable: Variable) -> bool:
    pieces = variable.scalar or ()
    if variable.items is not None:
        pieces = tuple(piece for item in variable.items for piece in (*item.pieces, _BLANK))
    return mentions_launcher("".join(piece.text for piece in pieces)) is not None


_BLANK = Piece(" ", Mapped("", ()))


def _merge_values(before: Variable | None, values: list[Variable | None], given: Sequence[Variable]) -> Variable:
    exported = any(value.exported for value in given)
    last = given[-1]
    if any(value.keys is not None or value.absent for value in given):
        return Variable((unknown(Mapped.whole(HOLE, last.place or Span(0, 0)), many=True),), None, exported, last.place)
    if all(value.items is not None for value in given) and (before is None or before.items is not None):
        sequences = [_items(value) for value in values]
        items = _grown(_items(before), sequences)
        if items is None and all(not sequence or _is_flags(sequence[0].pieces) for sequence in sequences):
            items = tuple(item._replace(maybe=True) for sequence in _distinct(sequences) for item in sequence)
        return Variable(None, items or (Item((_unclear(last),)),), exported, last.place)
    if any(value.scalar is None for value in given):
        return Variable((_unclear(last),), None, exported, last.place)
    scalars = [_scalar(value) for value in values]
    pieces = _grown(_scalar(before), scalars)
    if pieces is None and all(_is_flags(scalar) for scalar in scalars):
        pieces = _alternatives(scalars)
    return Variable((_unclear(last),) if pieces is None else pieces, None, exported, last.place)


_FROM_OUTSIDE = Piece("", Mapped("", ()), known=False, many=True)
"""A variable the script does not set on some way: the caller's environment may."""


def _scalar(variable: Variable | None) -> tuple[Piece, ...]:
    return (_FROM_OUTSIDE,) if variable is None or variable.scalar is None else variable.scalar


def _items(variable: Variable | None) -> tuple[Item, ...]:
    return () if variable is None or variable.items is None else variable.items


def _unclear(variable: Variable) -> Piece:
    """A value that differs from way to way."""
    place = variable.place or Span(0, 0)
    return unknown(Mapped.whole(HOLE, place), many=_is_flags(_scalar(variable)))


def _is_flags(pieces: Sequence[Piece]) -> bool:
    """Whether a value is empty or flags, so that leaving it out leaves whole words out."""
    if pieces and not pieces[0].known and pieces[0].many:
        return True
    text = "".join(piece.text for piece in pieces).lstrip()
    return not text or text.startswith("-")


def _merge_positional(
    before: tuple[Item, ...] | None, values: list[tuple[Item, ...] | None]
) -> tuple[Item, ...] | None:
    if all(value == values[0] for value in values):
        return values[0]
    known = [value for value in values if value is not None]
    return None if before is None or len(known) < len(values) else _grown(before, known)


T = TypeVar("T", Piece, Item)


def _grown(before: Sequence[T], values: Iterable[Sequence[T]]) -> tuple[T, ...] | None:
    """What ``before`` with additions at its ends on some branches is; None when a branch is no such thing."""
    keys = [item.key for item in before]
    heads: list[T] = []
    kept: list[T] = list(before)
    tails: list[T] = []
    for value in values:
        at = _find(keys, [item.key for item in value])
        if at is None:
            return None
        heads += [item._replace(maybe=True) for item in value[:at]]
        tails += [item._replace(maybe=True) for item in value[at + len(keys) :]]
    return tuple(heads + kept + tails)


def _find(needle: Sequence[object], hay: Sequence[object]) -> int | None:
    for at in range(len(hay) - len(needle) + 1):
        if hay[at : at + len(needle)] == needle:
            return at
    return None


def _distinct(sequences: Iterable[Sequence[T]]) -> list[Sequence[T]]:
    found: dict[tuple[object, ...], Sequence[T]] = {}
    for sequence in sequences:
        found.setdefault(tuple(item.key for item in sequence), sequence)
    return list(found.values())


def _alternatives(scalars: Iterable[Sequence[Piece]]) -> tuple[Piece, ...]:
    """One of several texts of flags: each of them maybe, kept apart by gaps."""
    pieces: list[Piece] = []
    for scalar in _distinct(scalars):
        for piece in scalar:
            pieces.append(piece._replace(maybe=piece.known))
        pieces.append(Piece(" ", Mapped("", ()), gap=True))
    return tuple(pieces)
