"""The text of a script that words or a here-document of another script make."""

from __future__ import annotations

from collections.abc import Sequence

from ..launch.model import Definition
from ..text import Mapped, Span
from .origins import HOLE, UNKNOWN, Origin
from .shell_values import Item, Piece, placed_use


def script_of(items: Sequence[Item]) -> tuple[list[Piece], Mapped, tuple[Origin, ...]]:
    """Words joined by blanks as the text of a script: its pieces, its places and what variables gave.

    Where a variable brings several words, the text stands where it is written, else at the use.
    """
    pieces: list[Piece] = []
    parts: list[Mapped] = []
    origins: list[Origin] = []
    at = 0
    for number, item in enumerate(items):
        if number:
            anchor = parts[-1].span().end if parts else 0
            pieces.append(Piece(" ", Mapped.whole(" ", Span(anchor, anchor))))
            parts.append(pieces[-1].mapped)
            at += 1
        for piece in item.pieces:
            part, names = _script_piece(piece)
            if part.text != piece.text:
                piece = piece._replace(text=part.text, raw=None)
            pieces.append(piece)
            parts.append(part)
            if names or piece.maybe or item.maybe:
                origins.append(Origin(at, at + len(part.text), names, piece.maybe or item.maybe))
            at += len(part.text)
    return pieces, Mapped.join(parts), tuple(origins)


def _script_piece(piece: Piece) -> tuple[Mapped, tuple[Definition, ...]]:
    if not piece.known:
        span = piece.uses[0].span if piece.uses else piece.mapped.span()
        return Mapped.whole(HOLE if piece.many and not piece.quoted else UNKNOWN, span), ()
    use = placed_use(piece)
    return (piece.mapped, ()) if use is None else (Mapped.whole(piece.text, use.span), use.names)
