"""Values that assignments give to variables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..records import replace
from ..text import Mapped, Span
from .origins import HOLE
from .shell_arithmetic import evaluate, number
from .shell_values import Item, Piece, State, Variable, certain, unknown

MAX_ITEMS = 4_000
"""Longer arrays are doubled ones, not somebody's arguments."""

MAX_PARAMETERS = 300
"""More positional parameters are doubled ones as well."""


def unclear_array(place: Span) -> Variable:
    """An array of which single elements were set."""
    return Variable(None, (Item((unknown(Mapped.whole(HOLE, place), many=True),)),), False, place)


def array_of(items: Sequence[Item], before: Variable | None, place: Span) -> Variable:
    """``NAME=(items)``; ``before`` is what ``+=`` adds to."""
    found = tuple(items)
    if before is not None and before.keys is not None:
        return unclear_array(place)
    if before is not None and before.items is not None:
        found = (*before.items, *found)
    elif before is not None and before.scalar:
        found = (Item(before.scalar), *found)
    return unclear_array(place) if len(found) > MAX_ITEMS else Variable(None, found, False, place)


def keyed(entries: Sequence[tuple[str, Item] | None], before: Variable | None, place: Span) -> Variable:
    """An associative array; an entry of which the key is not known is None. ``before`` is what it adds to."""
    found: dict[str, Item] = {}
    if before is not None:
        if before.keys is None or before.items is None:
            return unclear_array(place)
        found.update(zip(before.keys, before.items, strict=True))
    for entry in entries:
        if entry is None:
            return unclear_array(place)
        found[entry[0]] = entry[1]
    return Variable(None, tuple(found.values()), False, place, tuple(found))


def element(index: str | None, item: Item, before: Variable | None, place: Span) -> Variable:
    """``NAME[index]=item``."""
    if index is None or before is None or before.items is None or item.maybe:
        return unclear_array(place)
    if before.keys is not None:
        return keyed([(index, item)], before, place)
    at = number(index)
    if at is None or not certain(before.items) or not 0 <= at <= len(before.items):
        return unclear_array(place)
    return replace(before, items=(*before.items[:at], item, *before.items[at + 1 :]), place=place)


_CHANGED = re.compile(
    r"(?:\+\+|--)\s*([A-Za-z_]\w*)|([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*"
    r"(?:\+\+|--|(?:\*\*|<<|>>|[-+*/%&|^])?=(?!=))",
    re.ASCII,
)
_STEP = re.compile(
    r"\s*(?:([A-Za-z_]\w*)\s*(\+\+|--)|(\+\+|--)\s*([A-Za-z_]\w*))\s*|"
    r"\s*([A-Za-z_]\w*)\s*(\*\*|<<|>>|[-+*/%&|^])?=(?!=)(.*)",
    re.ASCII | re.DOTALL,
)


def changed_names(text: str) -> set[str]:
    """The variables that an arithmetic expression assigns."""
    return {found[1] or found[2] for found in _CHANGED.finditer(text)}


def calculate(text: str, state: State, place: Span) -> None:
    """What ``((text))`` does to variables."""
    names = changed_names(text)
    if not names:
        return
    value: int | None = None
    step = _STEP.fullmatch(text)
    if step and len(names) == 1 and "$" not in text:
        name = next(iter(names))
        sign, operand = (step[6], step[7]) if step[5] else ((step[2] or step[3])[0], "1")
        value = evaluate(f"{name} {sign} ({operand})" if sign else operand, lambda used: _number(state, used))
    for name in names:
        mapped = Mapped.whole(HOLE if value is None else str(value), place)
        piece = unknown(mapped) if value is None else Piece(mapped.text, mapped)
        state.set(name, Variable((piece,), None, False, place))


def _number(state: State, name: str) -> int | None:
    variable = state.variables.get(name)
    return None if variable is None or variable.text is None else number(variable.text)


def text_of(pieces: tuple[Piece, ...], before: Variable | None, empty: Span) -> Variable:
    """``NAME=text``; ``before`` is what ``+=`` adds to, ``empty`` the place of an empty text."""
    if before is not None and before.keys is not None:
        return unclear_array(empty)
    if before is not None and before.items is not None:
        first = Item((*(before.items[0].pieces if before.items else ()), *pieces))
        return replace(before, items=(first, *before.items[1:]))
    ahead = before.scalar if before is not None and before.scalar is not None else ()
    return Variable((*ahead, *pieces), None, False, _place(pieces) or empty)


def _place(pieces: Sequence[Piece]) -> Span | None:
    """The source of an assigned text: of its literal pieces, and of variables where they are used."""
    hull: Span | None = None
    for piece in pieces:
        span = piece.uses[0].span if piece.uses else piece.mapped.span()
        hull = span if hull is None else hull.hull(span)
    return hull
