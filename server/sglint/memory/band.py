"""One side of the unified arena: a band of pages that grows from its end, its holes, and its two tables.

Source: ``mem_cache/multi_ended_allocator.py`` (0.5.15 to 0.5.19) and ``mem_cache/allocator/unified_sub_pool.py``
(0.5.20 and later), ``MultiEndedAllocator``. Ids and pages are counted from zero; page 0 takes the writes of padding.
Moves that a transfer to other servers or to host memory holds back are not modelled.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from ..catalogue import release_key
from ..records import dataclass
from .result import SubPool

UNBOUND = -1
MOVES_PER_IDLE = 4096
"""Pages one pass between forwards moves at most (SGLANG_LAZY_COMPACTION_MAX_MOVES_PER_CALL)."""


class ArenaFault(Exception):
    """The release itself fails here: an id outside a table, or a table entry that cannot be."""


@dataclass(frozen=True)
class Habits:
    """What differs between releases.

    holes_from_end
        holes are reused from the band's own end, not in the order they arose.
    batches_add_up
        two compactions during one forward both get their pages back; before, those of the first stay lost.
    whole_id_table
        the sliding-window table has a row for every id; before, only for as many as the side has pages.
    demand_gate
        an allocation is refused by the bytes of both sides together, and compacts only when that would help.
    """

    holes_from_end: bool
    batches_add_up: bool
    whole_id_table: bool
    demand_gate: bool


def habits(release: str) -> Habits:
    key = release_key(release)
    return Habits(
        holes_from_end=key >= release_key("0.5.23"),
        batches_add_up=key >= release_key("0.5.22"),
        whole_id_table=key >= release_key("0.5.20"),
        demand_gate=key >= release_key("0.5.21"),
    )


class Forward:
    """A forward pass on its way: it reads pages everywhere and writes those of ``ids`` until it is ``done``."""

    def __init__(self, ids: Sequence[int] = ()) -> None:
        self.ids = tuple(ids)
        self.done = False


class VirtualIds:
    """Page ids an owner hands out: each once in order, then the returned ones, longest returned first."""

    def __init__(self, first: int, end: int) -> None:
        self.first = first
        self.end = end
        self.issued = 0
        self._next = first
        self._returned: deque[int] = deque()

    def __len__(self) -> int:
        return self.end - self._next + len(self._returned)

    def take(self, count: int) -> list[int]:
        fresh = min(count, self.end - self._next)
        taken = list(range(self._next, self._next + fresh))
        self._next += fresh
        taken += [self._returned.popleft() for _ in range(count - fresh)]
        self.issued += count
        return taken

    def give_back(self, ids: Iterable[int]) -> None:
        self._returned.extend(ids)

    @property
    def highest(self) -> int:
        """The highest id handed out so far; 0 before the first."""
        return self._next - 1 if self._next > self.first else 0


class Band:
    """Pages of one sub-pool. An upward band starts at its first usable page, a downward one at the arena's top.

    ``frontier`` is the next page an upward band would take, and likewise downward. ``holes`` are free pages behind
    the frontier; ``in_transit`` pages were vacated by a move and wait for the forward that may still read them.
    """

    def __init__(
        self, sub_pool: SubPool, *, upward: bool, owner: bool, release_habits: Habits, lazy: bool = True, rows: int = 0
    ) -> None:
        self.pages = sub_pool.pages
        self.first = sub_pool.first_page
        self.page_size = sub_pool.page_size
        self.page_bytes = sub_pool.page_bytes
        self.upward = upward
        self.owner = owner
        self.lazy = lazy
        self.habits = release_habits
        self.rows = rows or self.pages
        self.moves_per_idle = MOVES_PER_IDLE
        self.peer: Band = self
        self.clear()

    def clear(self) -> None:
        self.frontier = self.first if self.upward else self.pages - 1
        self.ids = VirtualIds(self.first, self.pages)
        self.physical: dict[int, int] = {0: 0}
        self.virtual: dict[int, int] = {0: 0}
        self.holes: list[int] = []
        self.in_transit: set[int] = set()
        self._waiting: dict[Forward, list[int]] = {}
        self._live = 0
        self._latest: Forward | None = None
        self._writing: Forward | None = None

    # How much there is.

    @property
    def neighbour(self) -> Band:
        """The band next to this one's frontier; past one that holds nothing and stands in no way."""
        return self.peer.across(self) if self.peer.transparent else self.peer

    @property
    def transparent(self) -> bool:
        return False

    def across(self, band: Band) -> Band:
        """The band beyond this one, seen from ``band``."""
        return self.peer

    @property
    def span(self) -> int:
        """Pages between the band's end and its frontier, holes included."""
        return max(0, self.frontier - self.first if self.upward else self.pages - 1 - self.frontier)

    @property
    def live_pages(self) -> int:
        return self._live if self.lazy else self.span

    @property
    def live_tokens(self) -> int:
        return self.live_pages * self.page_size

    @property
    def low_byte(self) -> int:
        return (self.first if self.upward else self.frontier + 1) * self.page_bytes

    @property
    def high_byte(self) -> int:
        return (self.frontier if self.upward else self.pages) * self.page_bytes

    @property
    def gap_bytes(self) -> int:
        """Bytes between this band's frontier and its neighbour's."""
        low, high = (self, self.neighbour) if self.upward else (self.neighbour, self)
        return max(0, high.low_byte - low.high_byte)

    @property
    def index_room(self) -> int:
        return self.pages - self.first - self.span

    def available(self, *, after_compaction: bool = False) -> int:
        """Tokens to be had at once, or once the neighbour has closed its holes."""
        gap = self.gap_bytes
        if after_compaction and self.neighbour.lazy:
            gap += len(self.neighbour.holes) * self.neighbour.page_bytes
        extend = min(gap // self.page_bytes, self.index_room)
        return (extend + (len(self.holes) if self.lazy else 0)) * self.page_size

    # Taking and releasing.

    def allocate(self, tokens: int) -> list[int] | None:
        """Token ids of whole pages, or None for want of room."""
        if tokens > self.available():
            self.neighbour.compact(urgent=True)
            if tokens > self.available():
                self.neighbour.open_for(self, tokens // self.page_size)
            if tokens > self.available():
                return None
        ids = self.ids.take(tokens // self.page_size)
        self.bind(ids)
        return self.tokens_of(ids)

    def bind(self, ids: Sequence[int]) -> None:
        """Give each id a physical page. There must be room for them."""
        if not ids:
            return
        reused = self._reuse(min(len(ids), len(self.holes)))
        extended = self._extend(len(ids) - len(reused))
        pages = reused + (extended if self.upward or not reused else extended[::-1])
        self._live += len(ids)
        if max(ids) > self.rows:
            raise ArenaFault(f"id {max(ids)} lies outside a table of {self.rows} rows")
        self.physical.update(zip(ids, pages, strict=True))
        self.virtual.update(zip(pages, ids, strict=True))

    def open_for(self, band: Band, pages: int) -> None:
        """Make room for another band's pages. A band at an end stays where it is."""

    def _extend(self, count: int) -> list[int]:
        start = self.frontier
        self.frontier += count if self.upward else -count
        return list(range(start, self.frontier)) if self.upward else list(range(self.frontier + 1, start + 1))

    def _reuse(self, count: int) -> list[int]:
        if self.habits.holes_from_end and 0 < count < len(self.holes):
            self.holes.sort()
            if not self.upward:
                kept = len(self.holes) - count
                self.holes, taken = self.holes[:kept], self.holes[kept:]
                return taken
        taken, self.holes = self.holes[:count], self.holes[count:]
        return taken

    def free(self, tokens: Sequence[int]) -> None:
        """Release the pages of these token ids; an owner may hand the ids out again."""
        if not tokens:
            return
        ids: Sequence[int] = tokens
        if self.page_size > 1 or not self.lazy:
            ids = sorted({token // self.page_size for token in tokens})
        pages = [self.physical.pop(page_id) for page_id in ids]
        if self.owner:
            self.ids.give_back(ids)
        if self.lazy:
            for page in pages:
                del self.virtual[page]
            self.holes = self.holes + pages
            self._live -= len(pages)
        else:
            self._close(set(pages))

    def bound(self, token: int) -> bool:
        return self.physical.get(token // self.page_size, UNBOUND) > 0

    def tokens_of(self, ids: Sequence[int]) -> list[int]:
        size = self.page_size
        return list(ids) if size == 1 else [page_id * size + place for page_id in ids for place in range(size)]

    # Compaction.

    def begin_forward(self, forward: Forward, *, writes: bool = True) -> None:
        self._latest = forward
        if self.lazy:
            self._writing = forward if writes and forward.ids else None

    def compact(self, *, urgent: bool) -> None:
        """Move pages at the frontier into holes.

        Between forwards a pass stops at a page that the current forward writes and leaves the frontier; an urgent
        pass waits for the forward and draws the frontier back behind all live pages.
        """
        if not self.lazy:
            return
        self._collect(urgent=urgent)
        self.holes.sort()
        self._absorb()
        settled = urgent and bool(self.holes)
        if settled and self._latest is not None:
            self._writing = None
        guarded: set[int] | None = set() if settled else None
        moves = self._moves(guarded, None if urgent else self.moves_per_idle)
        waiting = not settled and self._latest is not None and not self._latest.done
        self._move(moves)
        if settled:
            self.frontier += -len(self.holes) if self.upward else len(self.holes)
            self.holes = []
            return
        filled = len(moves)
        self.holes = self.holes[filled:] if self.upward else self.holes[: len(self.holes) - filled]
        if waiting:
            self._park([source for source, _ in moves])
        else:
            self.holes += [source for source, _ in moves]

    def _collect(self, *, urgent: bool) -> None:
        for forward in [each for each in self._waiting if each.done or urgent]:
            pages = self._waiting.pop(forward)
            self.in_transit.difference_update(pages)
            self.holes = self.holes + pages

    def _absorb(self) -> None:
        """Draw the frontier back over holes next to it. The holes are in ascending order."""
        step = -1 if self.upward else 1
        at_frontier = -1 if self.upward else 0
        next_page = self.frontier - 1 if self.upward else self.frontier + 1
        while self.holes and self.holes[at_frontier] == next_page:
            del self.holes[at_frontier]
            self.frontier += step
            next_page += step

    def _moves(self, guarded: set[int] | None, limit: int | None) -> list[tuple[int, int]]:
        targets = self.holes if self.upward else self.holes[::-1]
        passed_over = self.in_transit.union(self.holes)
        step = -1 if self.upward else 1
        source = self.frontier + step
        moves: list[tuple[int, int]] = []
        for target in targets:
            if limit is not None and len(moves) >= limit:
                break
            while self.first <= source < self.pages and source in passed_over:
                source += step
            if not (source >= self.first if self.upward else source < self.pages):
                break
            if guarded is None:
                guarded = self._written_pages()
            if source in guarded or (source < target if self.upward else source > target):
                break
            moves.append((source, target))
            source += step
        return moves

    def _written_pages(self) -> set[int]:
        forward = self._writing
        if forward is None:
            return set()
        if forward.done:
            self._writing = None
            return set()
        return {max(0, self.physical.get(token // self.page_size, UNBOUND)) for token in forward.ids}

    def _move(self, moves: Sequence[tuple[int, int]]) -> None:
        for source, target in moves:
            page_id = self.virtual.pop(source, UNBOUND)
            if page_id == UNBOUND:
                raise ArenaFault(f"page {source} is in no table")
            self.physical[page_id] = target
            self.virtual[target] = page_id

    def _park(self, pages: list[int]) -> None:
        if not pages or self._latest is None:
            return
        earlier = self._waiting.get(self._latest, []) if self.habits.batches_add_up else []
        self._waiting[self._latest] = earlier + pages
        self.in_transit.update(pages)

    def _close(self, freed: set[int]) -> None:
        """Without lazy compaction a release closes its holes at once."""
        old = self.frontier
        if self.upward:
            self.frontier -= len(freed)
            sources = [page for page in range(self.frontier, old) if page not in freed]
            targets = sorted(page for page in freed if page < self.frontier)
            vacated = range(self.frontier, old)
        else:
            self.frontier += len(freed)
            sources = [page for page in range(old + 1, self.frontier + 1) if page not in freed]
            targets = sorted(page for page in freed if page > self.frontier)
            vacated = range(old + 1, self.frontier + 1)
        moved = [self.virtual[source] for source in sources]
        for page in vacated:
            del self.virtual[page]
        for page_id, target in zip(moved, targets, strict=True):
            self.physical[page_id] = target
            self.virtual[target] = page_id
