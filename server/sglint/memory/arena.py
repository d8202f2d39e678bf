"""The unified buffer: sub-pools over one range of bytes, their reserved pages and virtual ids.

Source: ``mem_cache/unified_memory_pool.py`` (``UnifiedKVPool``, ``init_unified_swa_pools``,
``init_unified_mamba_pools``, ``init_unified_mamba_swa_pools``) and the allocators of each release.
"""

from __future__ import annotations

from ..records import dataclass
from .result import Arena, Refusal, SubPool

PAGE_ALIGN = 4096
"""A profiled budget is rounded down to this many bytes before it becomes the arena."""


@dataclass(frozen=True)
class Entry:
    """What a sub-pool stores: ``page_size`` 1 for state slots."""

    name: str
    entry_bytes: int
    page_size: int


def build(total_bytes: int, entries: tuple[Entry, ...], *, by_pages: bool = True) -> Arena | Refusal:
    """The arena of ``total_bytes``, or why it cannot be built.

    ``by_pages``: a whole page takes the writes of padding (0.5.17 and later), not just an entry.
    """
    reserved = reserved_bytes(entries) if by_pages else max(entry.entry_bytes for entry in entries)
    pools = []
    for entry in entries:
        slots = total_bytes // entry.entry_bytes
        first = -(-reserved // entry.entry_bytes)
        if slots <= first:
            return Refusal("arena-small", f"{total_bytes:,} bytes leave no usable {entry.name} entry")
        pools.append(SubPool(entry.name, entry.entry_bytes, slots, first, entry.page_size))
    return Arena(total_bytes, reserved, tuple(pools))


def reserved_bytes(entries: tuple[Entry, ...]) -> int:
    """Bytes at the low end that take the writes of padding: the widest entry or page of any sub-pool."""
    return max(entry.entry_bytes * entry.page_size for entry in entries)


def full_available(arena: Arena, low: SubPool) -> int:
    """Tokens the empty arena can give to the full side, which grows down toward ``low``."""
    full = arena.sub_pool("full")
    gap = full.pages * full.page_bytes - low.first_page * low.page_bytes
    return min(max(0, gap) // full.page_bytes, full.pages - full.first_page) * full.page_size


def swa_available(arena: Arena) -> int:
    """Tokens the empty arena can give to the sliding-window side, which binds ids of the full side."""
    full, swa = arena.sub_pool("full"), arena.sub_pool("swa")
    gap = full.pages * full.page_bytes - swa.first_page * swa.page_bytes
    own = min(max(0, gap) // swa.page_bytes, swa.pages - swa.first_page) * swa.page_size
    return min(own, (full.pages - full.first_page) * full.page_size)


def joint_available(arena: Arena) -> int:
    """Tokens that can hold both sides at once, starting from the empty arena."""
    full, swa = arena.sub_pool("full"), arena.sub_pool("swa")
    gap = full.pages * full.page_bytes - swa.first_page * swa.page_bytes
    pages = max(0, gap) // (full.page_bytes + swa.page_bytes)
    return min(pages, full.pages - full.first_page, swa.pages - swa.first_page) * full.page_size


def one_request_floor(entries: tuple[Entry, ...], context: int, window: int | None, page: int) -> int:
    """Bytes one request needs before the release builds the pool at all (0.5.19 and later).

    ``window`` is the configuration's sliding window; without one the whole context counts.
    """
    floor = reserved_bytes(entries)
    for entry in entries:
        if entry.name == "swa":
            floor += (context if window is None else min(context, window + page)) * entry.entry_bytes
        if entry.name == "mamba":
            floor += 3 * entry.entry_bytes
    return floor
