"""The unified arena at work: requests come and go, and every id and page is where the release would put it.

Source: ``mem_cache/multi_ended_allocator.py`` (0.5.15 to 0.5.19), ``mem_cache/allocator/unified_hybrid_swa.py`` and
``unified_mamba.py`` (0.5.20 and later). The cost of a step is proportional to the tokens it touches.
"""

from __future__ import annotations

from collections.abc import Sequence

from .band import ArenaFault, Band, Forward, VirtualIds, habits
from .result import Arena

__all__ = ["ArenaFault", "Forward", "HybridMambaReplay", "HybridSwaReplay", "issued_before"]


def issued_before(arena: Arena, token_id: int) -> int:
    """Tokens handed out since start (or since the cache was flushed) before ``token_id`` is, whatever else runs.

    An id that is released waits until every other was handed out once, so the first round is in order. The pages of
    one allocation are handed out together: the count is exact where the page size is 1.
    """
    full = arena.sub_pool("full")
    return max(0, token_id // full.page_size - full.first_page) * full.page_size


class _Replay:
    """What the two kinds of arena share: the full side, which owns the token ids, above another."""

    def __init__(self, release: str, arena: Arena, low: str, *, low_owner: bool, lazy: bool) -> None:
        self.arena = arena
        self.lazy = lazy
        self.habits = habits(release)
        self.full = Band(arena.sub_pool("full"), upward=False, owner=True, release_habits=self.habits, lazy=lazy)
        rows = self.full.pages if self.habits.whole_id_table and not low_owner else 0
        self.low = Band(
            arena.sub_pool(low), upward=True, owner=low_owner, release_habits=self.habits, lazy=lazy, rows=rows
        )
        self.full.peer, self.low.peer = self.low, self.full

    @property
    def ids(self) -> VirtualIds:
        return self.full.ids

    @property
    def highest_token_id(self) -> int:
        """The highest token id handed out so far; 0 before the first."""
        highest = self.ids.highest
        return highest * self.full.page_size + self.full.page_size - 1 if highest else 0

    def overruns(self, draft_rows: int) -> bool:
        """Whether an id was handed out that a draft pool of so many rows does not have."""
        return self.highest_token_id >= draft_rows

    def clear(self) -> None:
        self.full.clear()
        self.low.clear()

    def idle(self) -> None:
        """A pause between forwards: both sides move what they may."""
        for band in (self.full, self.low):
            if band.holes or band.in_transit:
                band.compact(urgent=False)


class HybridSwaReplay(_Replay):
    """Full attention above sliding-window attention: a token has one id and a page on either side.

    ``full_cap``, ``swa_cap``: tokens of the budget's two parts, for what the scheduler is told; without them (0.5.21
    and later, no speculation) each side's limit is what the empty arena can give it.
    """

    def __init__(
        self,
        release: str,
        arena: Arena,
        *,
        full_cap: int | None = None,
        swa_cap: int | None = None,
        lazy: bool = True,
    ) -> None:
        super().__init__(release, arena, "swa", low_owner=False, lazy=lazy)
        self.swa = self.low
        self._empty_gap = self.full.gap_bytes
        self.full_cap = self.full.available() if full_cap is None else full_cap
        own = min(self.swa.available(), len(self.ids) * self.full.page_size)
        self.swa_cap = own if swa_cap is None else swa_cap

    def available(self) -> int:
        """Tokens that can be reserved now, each with a page on both sides."""
        full, swa, gap = self.full, self.swa, self.full.gap_bytes
        both = full.page_bytes + swa.page_bytes
        if not self.lazy:
            return min(gap // both, full.index_room, swa.index_room) * full.page_size
        fewer, more = sorted((len(full.holes), len(swa.holes)))
        one_sided = full.page_bytes if len(full.holes) <= len(swa.holes) else swa.page_bytes
        extended = min(more - fewer, gap // one_sided)
        pages = fewer + extended + (gap - extended * one_sided) // both
        return min(pages, len(full.holes) + full.index_room, len(swa.holes) + swa.index_room) * full.page_size

    def full_available(self) -> int:
        """Full-attention tokens as the scheduler counts them."""
        return min(self.full_cap - self.full.live_tokens, self.full.available(after_compaction=True))

    def swa_available(self) -> int:
        return min(self.swa_cap - self.swa.live_tokens, self.swa.available(after_compaction=True))

    def reserve(self, tokens: int) -> list[int] | None:
        """Ids of so many tokens (whole pages), or None when they do not fit even after compaction."""
        if not self._admits(tokens):
            return None
        ids = self.full.allocate(tokens)
        if ids is None:
            raise ArenaFault("the full side refuses what both sides admitted")
        self.swa.bind([token // self.full.page_size for token in ids[:: self.full.page_size]])
        return ids

    def _admits(self, tokens: int) -> bool:
        pages = tokens // self.full.page_size
        if not self.habits.demand_gate:
            if tokens <= self.available():
                return True
        elif self._fits(pages, compacted=False):
            return True
        elif not self.lazy or not self._fits(pages, compacted=True):
            return False
        self.full.compact(urgent=True)
        self.swa.compact(urgent=True)
        return self._fits(pages, compacted=False) if self.habits.demand_gate else tokens <= self.available()

    def _fits(self, pages: int, *, compacted: bool) -> bool:
        """Whether both sides have so many pages, as they lie or as they would after compaction (0.5.21 and later)."""
        full, swa = self.full, self.swa
        ids = self.ids.end - self.ids.first
        full_end = min(ids, full.pages - full.first)
        swa_end = min(ids, swa.pages - swa.first)
        if full.live_pages + pages > full_end or swa.live_pages + pages > swa_end:
            return False
        if compacted:
            live = full.live_pages * full.page_bytes + swa.live_pages * swa.page_bytes
            return pages * (full.page_bytes + swa.page_bytes) <= max(0, self._empty_gap - live)
        if pages > min(len(self.ids), len(full.holes) + full.index_room, len(swa.holes) + swa.index_room):
            return False
        needed = max(0, pages - len(full.holes)) * full.page_bytes + max(0, pages - len(swa.holes)) * swa.page_bytes
        return needed <= full.gap_bytes

    def release(self, ids: Sequence[int]) -> None:
        """Give tokens back on both sides."""
        self.release_window(ids)
        self.full.free(ids)

    def release_window(self, ids: Sequence[int]) -> None:
        """Give back only the sliding-window pages of tokens that left the window."""
        self.swa.free([token for token in ids if self.swa.bound(token)])

    def begin_forward(self, forward: Forward) -> None:
        self.full.begin_forward(forward)
        self.swa.begin_forward(forward)


class HybridMambaReplay(_Replay):
    """Full attention above recurrent state: tokens and state slots have ids of their own."""

    def __init__(self, release: str, arena: Arena, *, lazy: bool = True) -> None:
        super().__init__(release, arena, "mamba", low_owner=True, lazy=lazy)
        self.state = self.low

    def available(self) -> int:
        """Tokens that can be reserved, once the state side has closed its holes."""
        return self.full.available(after_compaction=True)

    def slots_available(self) -> int:
        return self.state.available(after_compaction=True)

    def reserve(self, tokens: int) -> list[int] | None:
        return self.full.allocate(tokens)

    def reserve_slots(self, slots: int) -> list[int] | None:
        return self.state.allocate(slots)

    def release(self, ids: Sequence[int]) -> None:
        self.full.free(ids)

    def release_slots(self, ids: Sequence[int]) -> None:
        self.state.free(ids)

    def begin_forward(self, forward: Forward) -> None:
        self.full.begin_forward(forward)
        self.state.begin_forward(forward, writes=False)
