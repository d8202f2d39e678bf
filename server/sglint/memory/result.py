"""What the pool arithmetic yields."""

from __future__ import annotations

from ..records import dataclass


@dataclass(frozen=True)
class SubPool:
    """One kind of entry in the unified arena.

    ``entry_bytes`` is one token's (or state slot's) bytes over its layers; ``slots`` how many fit into the whole
    arena; ``first_slot`` and ``first_page`` the first that are not reserved.
    """

    name: str
    entry_bytes: int
    slots: int
    first_slot: int
    page_size: int

    @property
    def pages(self) -> int:
        return self.slots // self.page_size

    @property
    def first_page(self) -> int:
        return -(-self.first_slot // self.page_size)

    @property
    def page_bytes(self) -> int:
        return self.entry_bytes * self.page_size


@dataclass(frozen=True)
class Arena:
    """The unified buffer. ``virtual_ids`` is the highest token id its full side can hand out."""

    total_bytes: int
    reserved_bytes: int
    sub_pools: tuple[SubPool, ...]

    def sub_pool(self, name: str) -> SubPool:
        return next(pool for pool in self.sub_pools if pool.name == name)

    @property
    def virtual_ids(self) -> int:
        return self.sub_pool("full").slots - 1


@dataclass(frozen=True)
class StatePool:
    """Recurrent state. ``padding_slots`` ride along; ``intermediate_bytes`` are the per-step states of speculation."""

    slots: int
    bytes_per_slot: int
    padding_slots: int
    slots_per_request: int
    intermediate_bytes: int

    @property
    def bytes(self) -> int:
        return (self.slots + self.padding_slots) * self.bytes_per_slot


@dataclass(frozen=True)
class DraftPool:
    """Rows of the draft model's own KV pool; None bytes where its geometry is not known. Fused drafts have none."""

    rows: int
    row_bytes: int
    layers: int
    covers_virtual_ids: bool
    fused: bool = False

    @property
    def bytes(self) -> int:
        return 0 if self.fused else self.rows * self.row_bytes


_OF_BUDGET = frozenset(
    ("weights", "no-tokens", "state-cache", "swa-pool-small", "swa-cap-large", "arena-small", "arena-one-request")
)


@dataclass(frozen=True)
class Refusal:
    """The pool stage ends the launch. ``kind`` is ours; ``check`` the upstream id where one exists."""

    kind: str
    text: str
    check: str | None = None

    @property
    def depends_on_budget(self) -> bool:
        """Whether more bytes for the pools would avoid it, so that it is as certain as the byte budget is."""
        return self.kind in _OF_BUDGET


@dataclass(frozen=True)
class Pools:
    """Pool sizes of one launch.

    kv_budget_bytes
        bytes the token pools divide, after multimodal reservation and recurrent state.
    cell_bytes
        bytes one token of ``max_total_num_tokens`` costs (fractional where a ratio is in it).
    full_per_token, swa_per_token
        bytes per token of one full-attention layer and one sliding-window layer; None outside hybrid-SWA models.
    allocator_size, allocator_size_full, allocator_size_swa
        capacities the scheduler sees.
    """

    kv_budget_bytes: int
    reserved_bytes: int
    cell_bytes: float
    max_total_num_tokens: int
    max_running_requests: int
    full_tokens: int | None = None
    swa_tokens: int | None = None
    full_layers: int | None = None
    swa_layers: int | None = None
    full_per_token: int | None = None
    swa_per_token: int | None = None
    c4_tokens: int | None = None
    c128_tokens: int | None = None
    allocator_size: int | None = None
    allocator_size_full: int | None = None
    allocator_size_swa: int | None = None
    pool_size: int | None = None
    state: StatePool | None = None
    arena: Arena | None = None
    arena_budget_bytes: int | None = None
    draft: DraftPool | None = None
    refusal: Refusal | None = None
