"""Spans, positions and line index of a text.

Offsets count Unicode code points of the decoded text, zero-based; spans are half-open. Columns of positions
count units of a named encoding (``utf-16`` unless an editor negotiated another), zero-based.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Literal, NamedTuple

from ..patterns import lazy

Encoding = Literal["utf-8", "utf-16", "utf-32"]

# The language server protocol ends lines at these three and nothing else; str.splitlines knows more.
_LINE_END = lazy(r"\r\n|\n|\r")


class Span(NamedTuple):
    """A half-open stretch of a text, in code points."""

    start: int
    end: int

    def hull(self, other: Span) -> Span:
        """The smallest span that holds both."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def touches(self, other: Span) -> bool:
        """Whether the two share a character or meet at an end."""
        return self.start <= other.end and other.start <= self.end


class Position(NamedTuple):
    """Zero-based line and column; the column counts units of some encoding."""

    line: int
    character: int


class Range(NamedTuple):
    start: Position
    end: Position


class LineIndex:
    """Offsets of a text to positions and back. Lines end at LF, CRLF or CR only."""

    def __init__(self, text: str) -> None:
        self.text = text
        if "\r" in text:
            self.starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        else:
            self.starts = list(accumulate((len(line) + 1 for line in text.split("\n")[:-1]), initial=0))

    def line_of(self, offset: int) -> int:
        return bisect_right(self.starts, offset) - 1

    def line_span(self, line: int, *, with_end: bool = False) -> Span:
        """The characters of a line, without its line ending unless asked."""
        start = self.starts[line]
        stop = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        if with_end:
            return Span(start, stop)
        while stop > start and self.text[stop - 1] in "\r\n":
            stop -= 1
        return Span(start, stop)

    def line_text(self, line: int) -> str:
        span = self.line_span(line)
        return self.text[span.start : span.end]

    def position(self, offset: int, encoding: Encoding = "utf-16") -> Position:
        offset = max(0, min(offset, len(self.text)))
        line = self.line_of(offset)
        return Position(line, units(self.text[self.starts[line] : offset], encoding))

    def range(self, span: Span, encoding: Encoding = "utf-16") -> Range:
        return Range(self.position(span.start, encoding), self.position(span.end, encoding))

    def offset(self, position: Position, encoding: Encoding = "utf-16") -> int:
        """Offset of a position; beyond a line's end it is that end, beyond the text the text's end."""
        if position.line >= len(self.starts):
            return len(self.text)
        span = self.line_span(max(0, position.line))
        return span.start + _code_points(self.text[span.start : span.end], position.character, encoding)


def units(text: str, encoding: Encoding) -> int:
    """Length of ``text`` in units of ``encoding``."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text) + sum(1 for char in text if ord(char) > 0xFFFF)
    return len(text.encode("utf-8", "surrogatepass"))


def _code_points(line: str, count: int, encoding: Encoding) -> int:
    if encoding == "utf-32" or line.isascii():
        return max(0, min(count, len(line)))
    seen = 0
    for index, char in enumerate(line):
        if seen >= count:
            return index
        seen += units(char, encoding)
    return len(line)
