"""What a condition makes of the values of shell variables: the ways of its branches put together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import compress, islice
from operator import is_, is_not
from typing import TypeVar

from ..records import replace
from ..text import Mapped, Span
from .origins import HOLE
from .programs import mentions_launcher
from .shell_values import MAX_WAYS, Item, Piece, State, Variable, unknown


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
        return Variable(None, items or (Item((_unclear(values),)),), exported, last.place)
    if any(value.scalar is None for value in given):
        return Variable((_unclear(values),), None, exported, last.place)
    scalars = [_scalar(value) for value in values]
    pieces = _grown(_scalar(before), scalars)
    if pieces is None and all(_is_flags(scalar) for scalar in scalars):
        pieces = _alternatives(scalars)
    return Variable((_unclear(values),) if pieces is None else pieces, None, exported, last.place)


_FROM_OUTSIDE = Piece("", Mapped("", ()), known=False, many=True)
"""A variable the script does not set on some way: the caller's environment may."""


def _scalar(variable: Variable | None) -> tuple[Piece, ...]:
    return (_FROM_OUTSIDE,) if variable is None or variable.scalar is None else variable.scalar


def _items(variable: Variable | None) -> tuple[Item, ...]:
    return () if variable is None or variable.items is None else variable.items


def _unclear(values: Sequence[Variable | None]) -> Piece:
    """A value that differs from way to way; one word where it is one on each."""
    place = next((value.place for value in reversed(values) if value is not None and value.place), Span(0, 0))
    return unknown(Mapped.whole(HOLE, place), many=not all(map(_is_word, values)))


def _is_word(variable: Variable | None) -> bool:
    if variable is None or not variable.scalar:
        return False
    if any(piece.many or piece.maybe or piece.gap for piece in variable.scalar):
        return False
    text = "".join(piece.text if piece.known else "x" for piece in variable.scalar)
    return bool(text) and not text.startswith("-") and not re.search(r"\s", text)


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
