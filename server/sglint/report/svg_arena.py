"""The unified arena enlarged: bands that grow toward each other, the span of ids over them, the draft's rows below."""

from __future__ import annotations

from collections.abc import Iterator

from .memory_map import ArenaMap, MemoryMap, Segment
from .svg_parts import box, caption, gib, line, shown, text, text_width

_FUNNEL = 30
_IDS = 34
_BAND = 34
_DRAFT = 34
_ARROW = 26


def arena_height(arena: ArenaMap) -> float:
    return _FUNNEL + _IDS + _BAND + (_DRAFT if arena.draft_rows is not None else 0) + 18


def draw_arena(found: MemoryMap, left: float, y: float, width: float, scale: int) -> Iterator[str]:
    """The arena of ``found`` across ``width``; lines lead to its place in the bar above, drawn to ``scale`` bytes."""
    arena = found.arena
    assert arena is not None
    yield from _funnel(found.segments, left, y, width, scale)
    y += _FUNNEL
    yield from _ids(arena, left, y, width)
    y += _IDS
    yield from _bands(arena, left, y, width)
    y += _BAND
    if arena.draft_rows is not None:
        yield from _draft(arena, arena.draft_rows, left, y, width)


def _funnel(segments: tuple[Segment, ...], left: float, y: float, width: float, scale: int) -> Iterator[str]:
    before = inside = 0
    for segment in segments:
        if segment.arena:
            inside += segment.bytes
        elif not inside:
            before += segment.bytes
    start, end = left + before / scale * width, left + (before + inside) / scale * width
    yield line(f"M{start:.1f} {y - 20:.1f}V{y - 14:.1f}H{end:.1f}V{y - 20:.1f}", "bracket")
    # Upright along the ids, so that no line crosses their words.
    for near, far in ((start, left), (end, left + width)):
        yield line(f"M{near:.1f} {y - 14:.1f}L{far:.1f} {y + _FUNNEL:.1f}V{y + _FUNNEL + _IDS:.1f}")


def _ids(arena: ArenaMap, left: float, y: float, width: float) -> Iterator[str]:
    """Token ids along the arena: an id stands where its full entry would lie if the full side had it all."""
    level = y + 22
    end, budget = left + width, left + arena.budget / arena.ids * width
    yield f"<g><title>{shown(f'ids 1 to {arena.ids:,}; the token budget ends at {arena.budget:,}')}</title>"
    yield line(f"M{left:.1f} {level - 5:.1f}V{level + 5:.1f}M{left:.1f} {level:.1f}H{end:.1f}", "mark")
    yield line(f"M{end:.1f} {level - 5:.1f}V{level + 5:.1f}M{budget:.1f} {level - 5:.1f}V{level + 5:.1f}", "mark")
    yield "</g>"
    words = f"token budget {arena.budget:,}"
    fits = budget - left > text_width(words) + 8
    yield text(budget - 4 if fits else budget + 4, level - 8, words, "small", "end" if fits else "start")
    yield text(end - 6, level - 8, f"ids run to {arena.ids:,}", "small", "end")


def _bands(arena: ArenaMap, left: float, y: float, width: float) -> Iterator[str]:
    at = 0
    last = len(arena.bands) - 1
    for number, band in enumerate(arena.bands):
        x, wide = left + at / arena.bytes * width, band.bytes / arena.bytes * width
        unit = " slots" if band.kind == "state" else ""
        count = f", {band.tokens:,}{unit}" if band.tokens is not None else ""
        words = f"{band.title} {gib(band.bytes)}{count}"
        yield from box(band.kind, x, y, wide, _BAND, words)
        yield from caption(band.kind, x + _ARROW, y, wide - 2 * _ARROW, _BAND, (words,))
        if number == 0 and wide > 2 * _ARROW:
            yield _arrow(x + wide - 6, y + _BAND / 2, -1)
        elif number == last and wide > 2 * _ARROW:
            yield _arrow(x + 6, y + _BAND / 2, 1)
        at += band.bytes


def _arrow(tip: float, y: float, away: int) -> str:
    """An arrow whose tip is the band's moving end; ``away`` is the direction of its shaft."""
    shaft, wing = tip + away * 16, tip + away * 5
    return line(
        f"M{shaft:.1f} {y:.1f}H{tip:.1f}M{wing:.1f} {y - 4:.1f}L{tip:.1f} {y:.1f}L{wing:.1f} {y + 4:.1f}",
        "arrow",
    )


def _draft(arena: ArenaMap, rows: int, left: float, y: float, width: float) -> Iterator[str]:
    """The draft pool's rows under the ids they serve, and the ids that have none."""
    top, height = y + 6, 10
    covered = min(rows, arena.ids) / arena.ids * width
    yield from box("draft", left, top, covered, height, f"draft rows for ids up to {min(rows, arena.ids):,}")
    if rows >= arena.ids:
        yield text(left, top + height + 13, "the draft pool has a row for every id", "small")
        return
    past = arena.ids - rows
    yield from box("over", left + covered, top, width - covered, height, f"{past:,} ids without a draft row")
    yield text(left, top + height + 13, f"draft rows to id {rows:,}", "small")
    yield text(left + width, top + height + 13, f"{past:,} ids past the draft pool's end", "small alarm", "end")
