"""The middle of a three-part arena: pages between two bands, moved aside on demand when a neighbour needs the room.

Source: ``mem_cache/multi_ended_allocator.py`` (0.5.19), ``mem_cache/allocator/unified_sub_pool.py`` (0.5.20 and later),
``FloatMultiEndedAllocator`` and ``_float_open_short_side``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from .band import ArenaFault, Band, Habits
from .result import SubPool

Side = Literal["low", "high"]


class FloatBand(Band):
    """Pages ``low_page`` to ``high_page`` (exclusive), with holes; empty, it is no obstacle to its neighbours.

    ``below`` and ``above`` are the bands at its ends. It binds ids of the full side and has none of its own.
    """

    def __init__(self, sub_pool: SubPool, *, release_habits: Habits, rows: int) -> None:
        self.below: Band = self
        self.above: Band = self
        self._next_end: Side = "low"
        super().__init__(sub_pool, upward=True, owner=False, release_habits=release_habits, lazy=False, rows=rows)

    def clear(self) -> None:
        super().clear()
        self._emptied()

    def _emptied(self) -> None:
        self.low_page = self.high_page = self.pages
        self.holes = []
        self._freed = False

    # How much there is.

    @property
    def transparent(self) -> bool:
        return self.live_pages == 0

    def across(self, band: Band) -> Band:
        return self.above if band is self.below else self.below

    @property
    def span(self) -> int:
        return self.high_page - self.low_page

    @property
    def live_pages(self) -> int:
        return self.span - len(self.holes)

    @property
    def low_byte(self) -> int:
        return self.low_page * self.page_bytes

    @property
    def high_byte(self) -> int:
        return self.high_page * self.page_bytes

    @property
    def index_room(self) -> int:
        return self.pages - self.first - self.live_pages

    def pages_between(self, low_byte: int, high_byte: int) -> int:
        """Whole pages of this band between two bytes."""
        low = max(-(-low_byte // self.page_bytes), self.first)
        return max(0, min(high_byte // self.page_bytes, self.pages) - low)

    def _region(self) -> tuple[int, int]:
        low = max(-(-self.below.high_byte // self.page_bytes), self.first)
        return low, min(self.above.low_byte // self.page_bytes, self.pages)

    def _gaps(self) -> tuple[int, int]:
        low, high = self._region()
        if self.transparent:
            return max(0, high - low), max(0, high - low)
        return max(0, self.low_page - low), max(0, high - self.high_page)

    def available(self, *, after_compaction: bool = False) -> int:
        low, high = self._gaps()
        if after_compaction:
            low += self._drainable(self.below)
            high += self._drainable(self.above)
        return (min(max(low, high), self.index_room) + len(self.holes)) * self.page_size

    def _drainable(self, end: Band) -> int:
        return len(end.holes) * end.page_bytes // self.page_bytes if end.lazy else 0

    # Taking and releasing.

    def bind(self, ids: Sequence[int]) -> None:
        if not ids:
            return
        pages = self._take(len(ids))
        if pages is None:
            raise ArenaFault("the middle refuses what the whole arena admitted")
        if max(ids) > self.rows:
            raise ArenaFault(f"id {max(ids)} lies outside a table of {self.rows} rows")
        self.physical.update(zip(ids, pages, strict=True))
        self.virtual.update(zip(pages, ids, strict=True))

    def _take(self, count: int) -> list[int] | None:
        reused = min(count, len(self.holes))
        fresh = self._grow(count - reused)
        if fresh is None:
            return None
        return self._from_holes(reused) + fresh

    def _grow(self, count: int) -> list[int] | None:
        """New pages on the roomier side; in the middle of the region when there were none."""
        if not count:
            return []
        low, high = self._region()
        if self.transparent:
            if count > high - low:
                return None
            self.low_page = low + (high - low - count) // 2
            self.high_page = self.low_page + count
            return list(range(self.low_page, self.high_page))
        below, above = self.low_page - low, high - self.high_page
        order: tuple[Side, Side] = ("high", "low") if above >= below else ("low", "high")
        for side in order:
            if side == "high" and count <= above:
                self.high_page += count
                return list(range(self.high_page - count, self.high_page))
            if side == "low" and count <= below:
                self.low_page -= count
                return list(range(self.low_page, self.low_page + count))
        return None

    def _from_holes(self, count: int) -> list[int]:
        if not count:
            return []
        if self.habits.holes_from_end:
            if count < len(self.holes):
                self.holes.sort()
            kept = len(self.holes) - count
            high = self._next_end == "high"
            self._next_end = "low" if high else "high"
            if high:
                self.holes, taken = self.holes[:kept], self.holes[kept:]
                return taken
        taken, self.holes = self.holes[:count], self.holes[count:]
        return taken

    def free(self, tokens: Sequence[int]) -> None:
        if not tokens:
            return
        ids = tokens if self.page_size == 1 else sorted({token // self.page_size for token in tokens})
        pages = [self.physical.pop(page_id) for page_id in ids]
        for page in pages:
            del self.virtual[page]
        self.holes = self.holes + pages
        self._freed = True
        if not self.live_pages:
            self._emptied()

    # Room for others.

    def compact(self, *, urgent: bool) -> None:
        """Give back the holes at both ends; nothing moves."""
        if not urgent and not (self._freed and self.holes):
            return
        if not self.live_pages:
            self._emptied()
            return
        freed, self._freed = self._freed, False
        if not freed or not self.holes:
            return
        holes = set(self.holes)
        before = len(holes)
        while self.low_page in holes:
            holes.remove(self.low_page)
            self.low_page += 1
        while self.high_page - 1 in holes:
            holes.remove(self.high_page - 1)
            self.high_page -= 1
        if len(holes) != before:
            self.holes = sorted(holes)

    def open_for(self, band: Band, pages: int) -> None:
        self.open_short_side({band: pages})

    def open_short_side(self, demand: Mapping[Band, int]) -> None:
        """Move aside for ``demand`` in pages of each band, on the one side that is short; nothing where both are."""
        wanted = {band: pages for band, pages in demand.items() if pages > 0}
        if self.transparent or not wanted or any(pages > band.index_room for band, pages in wanted.items()):
            return
        need = {"low": 0, "high": 0}
        for band, pages in wanted.items():
            if band is not self:
                fresh = max(0, pages - (len(band.holes) if band.lazy else 0))
                need["low" if band.upward else "high"] += fresh * band.page_bytes
        room = {
            "low": max(0, self.low_byte - self.below.high_byte),
            "high": max(0, self.above.low_byte - self.high_byte),
        }
        surplus = {side: room[side] - need[side] for side in room}
        own = max(0, wanted.get(self, 0) - len(self.holes)) * self.page_bytes
        slack = max(band.page_bytes for band in wanted)
        if surplus["low"] < 0 and surplus["high"] < 0:
            return
        if surplus["low"] < 0 or surplus["high"] < 0:
            short, far = ("low", "high") if surplus["low"] < 0 else ("high", "low")
            target = need[short] + max(0, own - max(0, surplus[far])) + slack
            if target > room[short]:
                self.make_room("low" if short == "low" else "high", target)
        elif own > max(surplus.values()):
            side: Side = "low" if surplus["low"] >= surplus["high"] else "high"
            self.make_room(side, need[side] + own + slack)

    def make_room(self, side: Side, least: int) -> None:
        """Leave ``least`` bytes free on one side, or nothing changed where that cannot be."""
        low, high = self._region()
        gaps = dict(zip(("low", "high"), self._gaps(), strict=True))
        open_bytes = gaps[side] * self.page_bytes
        live = self.live_pages
        if self.transparent or open_bytes >= least or (high - low - live) * self.page_bytes < least:
            return
        needed = -(-(least - open_bytes) // self.page_bytes)
        holes = set(self.holes)
        pages = [page for page in range(self.low_page, self.high_page) if page not in holes]
        if needed >= live:
            self._pack(pages, list(range(low, low + live) if side == "high" else range(high - live, high)))
            return
        self._retreat(side, pages, holes, needed, gaps["low" if side == "high" else "high"])

    def _retreat(self, side: Side, pages: list[int], holes: set[int], needed: int, far_gap: int) -> None:
        """Move the pages next to ``side`` into holes behind them, then past the other end."""
        sources = pages[::-1][:needed] if side == "high" else pages[:needed]
        if side == "high":
            behind = sorted(hole for hole in holes if hole < min(sources))
        else:
            behind = sorted((hole for hole in holes if hole > max(sources)), reverse=True)
        targets = behind[: len(sources)]
        fresh = len(sources) - len(targets)
        if fresh > far_gap:
            return
        if side == "high":
            targets += range(self.low_page - 1, self.low_page - 1 - fresh, -1)
        else:
            targets += range(self.high_page, self.high_page + fresh)
        self._move(list(zip(sources, targets, strict=True)))
        live = sorted((set(pages) - set(sources)) | set(targets))
        self.low_page, self.high_page = live[0], live[-1] + 1
        self.holes = sorted(set(range(self.low_page, self.high_page)) - set(live))
        self._freed = True
        self.compact(urgent=True)

    def _pack(self, pages: list[int], final: list[int]) -> None:
        """All live pages, in order, onto a block without holes."""
        moves = [(source, target) for source, target in zip(pages, final, strict=True) if source != target]
        ahead = not final or final[0] <= pages[0]
        self._move(moves if ahead else moves[::-1])
        self.low_page, self.high_page = (final[0], final[-1] + 1) if final else (self.pages, self.pages)
        self.holes = []
