"""Source excerpts: the lines of a text with the exact words underlined."""

from __future__ import annotations

from collections.abc import Iterable

from ..records import dataclass
from ..text import LineIndex, Span
from .columns import Cells, cells_of
from .style import Style

_LEAD_IN = 24
"""Columns kept before the first underlined character of a line that is too long to print whole."""


@dataclass(frozen=True)
class Mark:
    """A span to underline, with a word about it. ``role`` is its colour and, for severities, the caret."""

    span: Span
    role: str
    label: str = ""
    primary: bool = False


@dataclass(frozen=True)
class _Stretch:
    """The part of a mark that lies on one line, in characters of that line."""

    line: int
    start: int
    end: int
    mark: Mark
    last: bool


def excerpt(lines: LineIndex, marks: Iterable[Mark], style: Style) -> list[str]:
    """Numbered source lines and underlines, in source order; lines that are left out show as ``...``."""
    stretches = sorted(
        (stretch for mark in marks for stretch in _stretches(lines, mark)),
        key=lambda item: (item.line, not item.mark.primary, item.start),
    )
    if not stretches:
        return []
    digits = len(str(stretches[-1].line + 1))
    output = [_gutter("", digits, style)]
    previous: int | None = None
    for line in dict.fromkeys(stretch.line for stretch in stretches):
        if previous is not None and line > previous + 1:
            output.append(style.paint("...", "gutter"))
        here = [stretch for stretch in stretches if stretch.line == line]
        output += _line(lines, line, here, digits, style)
        previous = line
    return output


def _stretches(lines: LineIndex, mark: Mark) -> list[_Stretch]:
    """First and last line of a mark; what is between them adds nothing a reader needs."""
    first = lines.line_of(mark.span.start)
    last = lines.line_of(max(mark.span.start, mark.span.end - 1))
    found = []
    for line in dict.fromkeys((first, last)):
        whole = lines.line_span(line)
        start = max(mark.span.start, whole.start) - whole.start
        end = min(mark.span.end, whole.end) - whole.start
        if line != first:
            text = lines.line_text(line)
            start = min(len(text) - len(text.lstrip()), end)
        found.append(_Stretch(line, start, max(start, end), mark, line == last))
    return found


def _line(lines: LineIndex, line: int, stretches: list[_Stretch], digits: int, style: Style) -> list[str]:
    cells = cells_of(lines.line_text(line))
    room = max(40, style.width - digits - 3)
    output: list[str] = []
    waiting = stretches
    while waiting:
        first, last, lead = _window(cells, waiting[0], room)
        shown = [item for item in waiting if item is waiting[0] or (first <= item.start and item.end <= last)]
        waiting = [item for item in waiting if item not in shown]
        text = lead + "".join(cells.pieces[first:last]) + ("…" if last < len(cells.pieces) else "")
        output.append(_gutter(str(line + 1), digits, style, text.rstrip()))
        for item in shown:
            output.append(_gutter("", digits, style, _underline(cells, item, first, last, lead, style)))
    return output


def _window(cells: Cells, stretch: _Stretch, room: int) -> tuple[int, int, str]:
    """Characters ``[first, last)`` of a line that fit into ``room`` columns around a stretch, and their lead-in."""
    count = len(cells.pieces)
    if cells.width <= room:
        return 0, count, ""
    first = 0
    if cells.edges[stretch.end] > room - 1:
        while first < stretch.start and cells.edges[stretch.start] - cells.edges[first] > _LEAD_IN:
            first += 1
    lead = "…" if first else ""
    last = first
    while last < count and cells.edges[last + 1] - cells.edges[first] <= room - 2:
        last += 1
    return first, max(last, min(count, first + 1)), lead


def _underline(cells: Cells, stretch: _Stretch, first: int, last: int, lead: str, style: Style) -> str:
    start = cells.edges[min(max(stretch.start, first), last)] - cells.edges[first] + len(lead)
    end = cells.edges[min(max(stretch.end, first), last)] - cells.edges[first] + len(lead)
    line = ("^" if stretch.mark.primary else "-") * max(1, end - start)
    label = f" {stretch.mark.label}" if stretch.mark.label and stretch.last else ""
    return " " * start + style.paint(line + label, stretch.mark.role)


def _gutter(number: str, digits: int, style: Style, text: str = "") -> str:
    bar = style.paint(f"{number:>{digits}} |", "gutter")
    return f"{bar} {text}" if text else bar
