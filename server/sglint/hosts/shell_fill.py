"""Words that a program puts into the command it runs: what ``xargs`` reads, ``find`` finds, ``parallel`` is given.

Nothing is known of them but their places: the placeholder, or behind the last word where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..launch.model import Word
from ..text import Mapped, Span
from .origins import HOLE
from .shell_values import Item, Piece, unknown

FILLERS = frozenset(("xargs", "find", "parallel"))

_BRACES = re.compile(r"\{\}")
_PARALLEL = re.compile(r"\{(?:[#%.]|//?|/\.|\d+[./]*)?\}")


def filled(argv: Sequence[Word], items: Sequence[Item]) -> list[Item] | None:
    """The words of a command with what is filled in as unknown; None for any other command."""
    name = argv[0].text if argv else None
    if name not in FILLERS:
        return None
    pattern = _PARALLEL if name == "parallel" else _BRACES if name == "find" else _replaced_by_xargs(argv)
    if pattern is not None:
        return [item._replace(pieces=_filled(item.pieces, pattern)) for item in items]
    end = argv[-1].span.end
    return [*items, Item((unknown(Mapped.whole(HOLE, Span(end, end)), many=True),))]


def _replaced_by_xargs(argv: Sequence[Word]) -> re.Pattern[str] | None:
    """What ``xargs`` replaces; None where it adds its words behind the others."""
    for index, word in enumerate(argv[1:], 1):
        after = argv[index + 1] if index + 1 < len(argv) else None
        text = word.text or ""
        if not text.startswith("-"):
            continue
        if text in ("-I", "-J") and after is not None and after.text:
            return re.compile(re.escape(after.text))
        if text.startswith(("-i", "--replace")):
            sign = text[2:] if text.startswith("-i") else text.partition("=")[2]
            return re.compile(re.escape(sign)) if sign else _BRACES
        if text.startswith("-I"):
            return re.compile(re.escape(text[2:]))
    return None


def _filled(pieces: Sequence[Piece], pattern: re.Pattern[str]) -> tuple[Piece, ...]:
    if not pattern.search("".join(piece.text for piece in pieces)):
        return tuple(pieces)
    # A brace is a piece of its own in the shell's reading of a word.
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if last is not None and last.known and piece.known and not last.uses and not piece.uses:
            mapped = Mapped.join((last.mapped, piece.mapped))
            joined[-1] = last._replace(text=last.text + piece.text, mapped=mapped, raw=None)
        else:
            joined.append(piece)
    return tuple(part for piece in joined for part in _cut(piece, pattern))


def _cut(piece: Piece, pattern: re.Pattern[str]) -> list[Piece]:
    found: list[Piece] = []
    at = 0
    for match in pattern.finditer(piece.text) if piece.known else ():
        if match.start() > at:
            found.append(_part(piece, at, match.start()))
        found.append(unknown(piece.mapped.slice(*match.span())))
        at = match.end()
    if not at:
        return [piece]
    return [*found, _part(piece, at, len(piece.text))] if at < len(piece.text) else found


def _part(piece: Piece, start: int, end: int) -> Piece:
    return piece._replace(text=piece.text[start:end], mapped=piece.mapped.slice(start, end), raw=None)
