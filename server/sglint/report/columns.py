"""Terminal columns of source text: what is printed for a line and where each of its characters stands."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from ..records import dataclass

TAB_STOP = 4
_JOINER = "\u200d"
_EMOJI_PRESENTATION = "\ufe0f"
_ZERO_WIDTH = frozenset(("Mn", "Me", "Cf"))
# Printed as they are these would reorder the line in a terminal and let a file show other words than it has.
_REORDERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


@dataclass(frozen=True)
class Cells:
    """A line as it is printed.

    ``pieces[i]`` is printed for character ``i`` of the line and begins at column ``edges[i]`` (zero-based);
    ``edges`` has one more entry, the width of the whole line.
    """

    pieces: tuple[str, ...]
    edges: tuple[int, ...]

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def width(self) -> int:
        return self.edges[-1]


@lru_cache(maxsize=8)
def cells_of(line: str) -> Cells:
    """Columns of a line without its line end: tabs expanded, control characters made visible, wide characters two."""
    if line.isascii() and line.isprintable():
        return Cells(tuple(line), tuple(range(len(line) + 1)))
    pieces: list[str] = []
    edges = [0]
    joined = False
    for char in line:
        piece, width = _printed(char, edges[-1])
        if char == _EMOJI_PRESENTATION and pieces and len(edges) > 1 and edges[-1] - edges[-2] == 1:
            width = 1
        elif joined:
            width = 0
        joined = char == _JOINER
        pieces.append(piece)
        edges.append(edges[-1] + width)
    return Cells(tuple(pieces), tuple(edges))


def width_of(text: str) -> int:
    """Columns a text takes on a terminal."""
    return cells_of(text).width


def printable(text: str) -> str:
    """The text with control characters made visible, so that a file cannot send orders to a terminal."""
    return text if text.isascii() and text.isprintable() else "".join(_printed(char, 0)[0] for char in text)


def _printed(char: str, column: int) -> tuple[str, int]:
    if char == "\t":
        gap = TAB_STOP - column % TAB_STOP
        return " " * gap, gap
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code), 1
    if code == 0x7F:
        return "\u2421", 1
    if 0x80 <= code < 0xA0 or 0xD800 <= code < 0xE000 or char in _REORDERING or char in "\u2028\u2029":
        return "\ufffd", 1
    if unicodedata.category(char) in _ZERO_WIDTH:
        return char, 0
    return char, 2 if unicodedata.east_asian_width(char) in "WF" else 1
