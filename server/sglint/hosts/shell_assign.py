"""Values that assignments give to variables."""

from __future__ import annotations

from collections.abc import Sequence

from ..records import replace
from ..text import Mapped, Span
from .origins import HOLE
from .shell_values import Item, Piece, Variable, unknown

MAX_ITEMS = 4_000
"""Longer arrays are doubled ones, not somebody's arguments."""


def unclear_array(place: Span) -> Variable:
    """An array of which single elements were set."""
    return Variable(None, (Item((unknown(Mapped.whole(HOLE, place), many=True),)),), False, place)


def array_of(items: Sequence[Item], before: Variable | None, place: Span) -> Variable:
    """``NAME=(items)``; ``before`` is what ``+=`` adds to."""
    found = tuple(items)
    if before is not None and before.items is not None:
        found = (*before.items, *found)
    elif before is not None and before.scalar:
        found = (Item(before.scalar), *found)
    return unclear_array(place) if len(found) > MAX_ITEMS else Variable(None, found, False, place)


def text_of(pieces: tuple[Piece, ...], before: Variable | None, empty: Span) -> Variable:
    """``NAME=text``; ``before`` is what ``+=`` adds to, ``empty`` the place of an empty text."""
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
