"""The unified arena of models with full attention, sliding windows and recurrent state, at work.

Source: ``UnifiedMambaSWATokenToKVPoolAllocator`` in ``mem_cache/multi_ended_allocator.py`` (0.5.19) and
``mem_cache/allocator/unified_hybrid_swa.py`` (0.5.20 and later).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from ..catalogue import release_key
from .band import ArenaFault, Band, Forward, habits
from .float_band import FloatBand
from .result import Arena

FIRST_RELEASE = "0.5.19"
CERTIFIES_FROM = "0.5.23"
"""First release that moves no more than it has shown to be enough."""


class ThreePartReplay:
    """State grows up from the low end, full attention down from the top, sliding windows float between them.

    ``full_cap``, ``swa_cap``: tokens of the budget's two parts, which limit what the scheduler is told.
    """

    def __init__(self, release: str, arena: Arena, *, full_cap: int, swa_cap: int, lazy: bool = True) -> None:
        self.arena = arena
        self.lazy = lazy
        self.certifies = release_key(release) >= release_key(CERTIFIES_FROM)
        found = habits(release)
        self.full = Band(arena.sub_pool("full"), upward=False, owner=True, release_habits=found, lazy=lazy)
        self.state = Band(arena.sub_pool("mamba"), upward=True, owner=True, release_habits=found, lazy=lazy)
        rows = self.full.pages if found.whole_id_table else 0
        self.swa = FloatBand(arena.sub_pool("swa"), release_habits=found, rows=rows)
        self.full.peer = self.state.peer = self.swa
        self.swa.below, self.swa.above = self.state, self.full
        self.full_cap, self.swa_cap = full_cap, swa_cap

    # What there is.

    def available(self) -> int:
        """Tokens that can be reserved now, each with a page of full attention and one of the window."""
        full, swa = self.full, self.swa
        most = min(self._full_holes + full.index_room, len(swa.holes) + swa.index_room)
        pages = bisect_left(range(1, most + 1), True, key=lambda count: not self._fits(count))
        return pages * full.page_size

    @property
    def _full_holes(self) -> int:
        return len(self.full.holes) if self.full.lazy else 0

    def _fits(self, pages: int) -> bool:
        """Whether both sides have so many pages: full attention takes the upper gap first, the window what is left."""
        full, swa = self.full, self.swa
        grown = max(0, pages - self._full_holes) * full.page_bytes
        more = max(0, pages - len(swa.holes))
        if pages > self._full_holes + full.index_room or more > swa.index_room or grown > full.gap_bytes:
            return False
        return more <= self._window_room(self.state.high_byte, full.low_byte - grown)

    def _window_room(self, low_byte: int, high_byte: int) -> int:
        """Pages the window can take at once between two bytes: all of them on one side of those it has."""
        swa = self.swa
        if swa.transparent:
            return swa.pages_between(low_byte, high_byte)
        return max(swa.pages_between(low_byte, swa.low_byte), swa.pages_between(swa.high_byte, high_byte))

    def full_available(self) -> int:
        return min(self.full_cap - self.full.live_tokens, self.full.available(after_compaction=True))

    def swa_available(self) -> int:
        return min(self.swa_cap - self.swa.live_tokens, self.swa.available(after_compaction=True))

    def slots_available(self) -> int:
        return self.state.available(after_compaction=True)

    # Taking and releasing.

    def reserve(self, tokens: int) -> list[int] | None:
        """Ids of so many tokens (whole pages), or None when they do not fit even after moving what may be moved."""
        if not (self._certified(tokens) if self.certifies else self._made_to_fit(tokens)):
            return None
        ids = self.full.allocate(tokens)
        if ids is None:
            raise ArenaFault("the full side refuses what the whole arena admitted")
        self.swa.bind([token // self.full.page_size for token in ids[:: self.full.page_size]])
        return ids

    def _made_to_fit(self, tokens: int) -> bool:
        if tokens <= self.available():
            return True
        for band in (self.swa, self.full, self.state):
            band.compact(urgent=True)
        if tokens <= self.available():
            return True
        pages = tokens // self.full.page_size
        self.swa.open_short_side({self.full: pages, self.swa: pages, self.state: 0})
        return tokens <= self.available()

    def _certified(self, tokens: int) -> bool:
        """As :meth:`_made_to_fit`, but the least movement that is known to do is tried first."""
        if not self._has_ids(tokens):
            return False
        if tokens <= self.available():
            return True
        if self._ends_suffice(tokens):
            self._close_ends()
            return tokens <= self.available()
        if self._upper_room(tokens, closed=True) is not None:
            self._close_ends()
            if not self._has_ids(tokens) or tokens <= self.available():
                return self._has_ids(tokens)
            target = self._upper_room(tokens, closed=False)
            if target is None:
                return False
            self.swa.make_room("high", target)
            return self._has_ids(tokens) and tokens <= self.available()
        return self._short_bytes(tokens) <= 0 and self._made_to_fit(tokens)

    def _close_ends(self) -> None:
        self.full.compact(urgent=True)
        self.state.compact(urgent=True)

    def _has_ids(self, tokens: int) -> bool:
        pages = tokens // self.full.page_size
        return pages <= len(self.full.ids) and pages <= self.swa.index_room

    def _frontiers(self, tokens: int, *, closed: bool) -> tuple[int, int, int]:
        """Bytes where full attention begins before and after the allocation, and where state ends.

        ``closed``: with the holes of both ends given back first.
        """
        full, state = self.full, self.state
        full_credit = len(full.holes) if closed and full.lazy else 0
        state_credit = len(state.holes) if closed and state.lazy else 0
        more = max(0, tokens // full.page_size - (self._full_holes - full_credit))
        before = full.low_byte + full_credit * full.page_bytes
        return before, before - more * full.page_bytes, state.high_byte - state_credit * state.page_bytes

    def _ends_suffice(self, tokens: int) -> bool:
        full, swa = self.full, self.swa
        _, after, state_end = self._frontiers(tokens, closed=True)
        pages = tokens // full.page_size
        if after < full.first * full.page_bytes:
            return False
        if swa.transparent:
            return pages <= swa.pages_between(state_end, after)
        return after >= swa.high_byte and max(0, pages - len(swa.holes)) <= self._window_room(state_end, after)

    def _upper_room(self, tokens: int, *, closed: bool) -> int | None:
        """Bytes the window has to leave above itself; None where fresh pages below cannot take what moves."""
        full, swa = self.full, self.swa
        if not self._has_ids(tokens) or swa.transparent:
            return None
        before, after, state_end = self._frontiers(tokens, closed=closed)
        if after < full.first * full.page_bytes:
            return None
        low = max(-(-state_end // swa.page_bytes), swa.first)
        high = min(before // swa.page_bytes, swa.pages)
        limit = min(after // swa.page_bytes, swa.pages) - tokens // full.page_size
        retreat = swa.high_page - limit
        if retreat <= 0 or swa.low_page - low < retreat:
            return None
        return (high - limit) * swa.page_bytes

    def _short_bytes(self, tokens: int) -> int:
        bands = (self.full, self.swa, self.state)
        live = sum(band.live_pages * band.page_bytes for band in bands)
        reserved = min(band.first * band.page_bytes for band in bands)
        wanted = tokens // self.full.page_size * (self.full.page_bytes + self.swa.page_bytes)
        return wanted + live + reserved - self.arena.total_bytes

    def reserve_slots(self, slots: int) -> list[int] | None:
        return self.state.allocate(slots)

    def release(self, ids: Sequence[int]) -> None:
        self.release_window(ids)
        self.full.free(ids)

    def release_window(self, ids: Sequence[int]) -> None:
        self.swa.free([token for token in ids if self.swa.bound(token)])

    def release_slots(self, ids: Sequence[int]) -> None:
        self.state.free(ids)

    # Between forwards.

    def begin_forward(self, forward: Forward) -> None:
        self.full.begin_forward(forward)
        self.swa.begin_forward(forward)
        self.state.begin_forward(forward, writes=False)

    def idle(self) -> None:
        for band in (self.full, self.state):
            if band.holes or band.in_transit:
                band.compact(urgent=False)
        self.swa.compact(urgent=False)

    def clear(self) -> None:
        for band in (self.full, self.swa, self.state):
            band.clear()
