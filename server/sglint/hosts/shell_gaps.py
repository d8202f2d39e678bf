"""Taking words out of a script so that blanks, continuations and comments around them stay right."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .shell_script import Script

_GAP = re.compile(r"(?:[ \t\n]|\\\n)*")
_BLANKS = re.compile(r"[ \t]*")
_LEFT_GAP = re.compile(r"(?:[ \t]|\\\n)+$")


class Region(NamedTuple):
    """Words to take out: ``[start, end)`` of a script; ``quote`` is not empty inside a string that is split."""

    script: Script
    start: int
    end: int
    quote: str = ""


def merged(regions: Iterable[Region]) -> list[Region]:
    """The regions with those joined that have nothing but a gap between them."""
    found: list[Region] = []
    for region in sorted(set(regions), key=lambda item: (id(item.script), item.start)):
        last = found[-1] if found else None
        if last is not None and last.script is region.script:
            between = region.script.text[last.end : region.start]
            if region.start < last.end or _GAP.fullmatch(between):
                found[-1] = last._replace(end=max(last.end, region.end))
                continue
        found.append(region)
    return found


def cut(region: Region, *, keep_right: bool = False) -> tuple[int, int]:
    """What to delete so that the region's words are gone and the text around still reads as before.

    ``keep_right``: leave everything from the region's end on, because text will be added there.
    """
    text = region.script.text
    start, end = region.start, region.end
    line = text.rfind("\n", 0, start) + 1
    blanks_after = _BLANKS.match(text, end)
    after = blanks_after.end() if blanks_after else end
    at_line_end = after >= len(text) or text[after] == "\n"
    leads_line = not text[line:start].strip(" \t")
    continued = text.endswith("\\\n", 0, line)
    if leads_line and line > 0 and not continued:
        return _own_line(text, line, start, end, after, at_line_end)
    left = _left_gap(text, start)
    goes_on = not at_line_end and not text.startswith("\\\n", after) and text[after] not in ")\"'`"
    if leads_line and continued and goes_on and not keep_right:
        return start, after
    if left < start:
        return left, end
    # Right behind an opening bracket or quote.
    return start, end if keep_right else after


def _own_line(text: str, line: int, start: int, end: int, after: int, at_line_end: bool) -> tuple[int, int]:
    """Words at the beginning of a line that no continuation brought there: an array's or a string's."""
    if at_line_end:
        return line, min(after + 1, len(text))
    if text[after] in ")\"'":
        return len(text[:start].rstrip(" \t\n")), end
    return start, after


def _left_gap(text: str, start: int) -> int:
    # A window, so that a long script is not searched from its beginning.
    window = text[max(0, start - 2000) : start]
    gap = _LEFT_GAP.search(window)
    return start - len(gap.group()) if gap else start
