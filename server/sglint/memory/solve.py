"""Pool sizes of a launch from its inputs: which family applies, token caps, the arena, the draft.

Source: ``KVCacheConfigurator`` (``_profile_available_bytes``, ``config_from_budget``, ``resolve_max_num_reqs``,
``_init_pools``) of 0.5.16 and later, the same steps in ``model_runner_kv_cache_mixin.py`` of 0.5.15.
"""

from __future__ import annotations

from ..records import dataclass, replace
from . import arena as arenas
from . import fusion
from .cells import cell_with_draft, target_cell
from .dsv4 import Dsv4Sizer, page_refusal
from .early import CONFIGURED_FROM, early_requests, early_tokens
from .inputs import FP4, NotModelled, PoolInputs
from .result import Arena, DraftPool, Pools, Refusal, StatePool
from .state import GIB, solve_state
from .swa import Split, SwaSizer, align_down, align_up


@dataclass(frozen=True)
class _Tokens:
    """Token capacities before the arena is laid out. ``profiled``: those before any cap, where a release asks."""

    cell: float
    split: Split
    capped: bool
    sizer: SwaSizer | None = None
    c4: int | None = None
    c128: int | None = None
    profiled: int | None = None


def solve(inputs: PoolInputs, *, sm: int | None = None) -> Pools:
    """Every pool of the launch. Raises :class:`NotModelled` for settings outside the model.

    ``sm`` is the GPU's compute capability times ten; only DeepSeek-V4 from 0.5.21 depends on it.
    """
    if inputs.unmodelled:
        raise NotModelled("; ".join(inputs.unmodelled))
    if inputs.kv_dtype == "fp4_e2m1" and inputs.since("0.5.16"):
        text = "fp4_e2m1 does not say how its scales are kept: nvfp4 and fp4_mx_block16 do"
        return _refused(inputs, 0, Refusal("fp4-name", text))
    if inputs.counted_only and (inputs.traits.mla or inputs.hybrid_swa or inputs.state or inputs.kv_dtype in FP4):
        text = "--prefill-only-disable-kv-cache is for plain attention with a cache of 8 or 16 bits"
        return _refused(inputs, 0, Refusal("counted-only-kind", text))
    reserved = multimodal_reservation(inputs)
    rest = inputs.rest_bytes / GIB - reserved / GIB
    fused = _fusion(inputs)
    state: StatePool | None = None
    if inputs.state is not None:
        solved = solve_state(inputs, rest, None)
        if isinstance(solved, Refusal):
            return _refused(inputs, reserved, solved)
        state, rest = solved
    budget = int(rest * GIB)
    if budget <= 0:
        return _refused(inputs, reserved, Refusal("weights", "the weights leave nothing for the KV cache"), state)
    tokens = _tokens(inputs, budget, fused if isinstance(fused, fusion.Fusion) else None, sm)
    if isinstance(tokens, Refusal):
        return _refused(inputs, reserved, tokens, state, budget)
    if tokens.split.max_total <= 0:
        return _refused(
            inputs, reserved, Refusal("no-tokens", "the budget holds not one page of tokens"), state, budget
        )
    pools = _static(inputs, budget, reserved, tokens, state)
    if inputs.unified:
        return _unified(inputs, pools, tokens, fused)
    if inputs.hisparse_ratio is not None:
        # Ids address the host's rows; the device keeps a part of them.
        addressed = pools.max_total_num_tokens * inputs.dcp * inputs.hisparse_ratio
        pools = replace(pools, allocator_size=addressed, allocator_size_full=addressed)
    return replace(pools, draft=_static_draft(inputs, tokens))


def multimodal_reservation(inputs: PoolInputs) -> int:
    """Bytes kept for multimodal caches (0.5.18 and later; ``mm_runtime_reservation_gb``)."""
    if not inputs.multimodal or not inputs.since("0.5.18"):
        return 0
    transport = inputs.feature_cache_mib if inputs.feature_transport in ("cuda_ipc", "cuda_vmm") else 0
    return (inputs.vlm_cache_mib + transport) << 20


def _refused(
    inputs: PoolInputs, reserved: int, refusal: Refusal, state: StatePool | None = None, budget: int = 0
) -> Pools:
    return Pools(budget, reserved, 0.0, 0, 0, state=state, refusal=refusal)


def _fusion(inputs: PoolInputs) -> fusion.Fusion | fusion.Declined | None:
    if not inputs.unified or not inputs.since("0.5.22"):
        return None
    layers = _full_side_layers(inputs, 0)
    return fusion.decide(inputs, fusion.host_full_entry(inputs, len(layers)))


def _full_side_layers(inputs: PoolInputs, rank: int) -> tuple[int, ...]:
    """Layers of a stage that keep keys and values at full lifetime."""
    stage = inputs.stage_layers(rank)
    if inputs.hybrid_swa and inputs.model.full_layer_ids is not None:
        return tuple(layer for layer in inputs.model.full_layer_ids if layer in stage)
    if inputs.state is not None:
        return tuple(layer for layer in inputs.state.attention_layer_ids if layer in stage)
    return tuple(stage)


def _tokens(inputs: PoolInputs, budget: int, fused: fusion.Fusion | None, sm: int | None) -> _Tokens | Refusal:
    """Sizes of stage 0, lowered to what every pipeline stage and ``--max-total-tokens`` allow."""
    if not inputs.since(CONFIGURED_FROM):
        early = early_tokens(inputs, budget)
        sizer = SwaSizer(inputs, 0, None) if inputs.hybrid_swa else None
        return _Tokens(early.cell, early.split, False, sizer, profiled=early.profiled)
    first: _Tokens | Refusal | None = None
    limit: int | None = None
    for rank in range(inputs.pp):
        sized = _stage_tokens(inputs, budget, fused, rank, sm)
        if isinstance(sized, Refusal):
            return sized
        first = sized if first is None else first
        limit = sized.split.max_total if limit is None else min(limit, sized.split.max_total)
    assert isinstance(first, _Tokens) and limit is not None
    if inputs.max_total_tokens is not None:
        limit = min(limit, inputs.max_total_tokens)
    if limit == first.split.max_total:
        return first
    return _recapped(inputs, first, limit, sm)


def _stage_tokens(
    inputs: PoolInputs, budget: int, fused: fusion.Fusion | None, rank: int, sm: int | None
) -> _Tokens | Refusal:
    if inputs.traits.deepseek_v4 and inputs.hybrid_swa:
        refused = page_refusal(inputs)
        if refused is not None:
            return refused
        sizes = Dsv4Sizer(inputs, rank, sm=sm).from_budget(budget)
        if isinstance(sizes, Refusal):
            return sizes
        return _Tokens(
            sizes.bytes_per_full_token, Split(sizes.full, sizes.full, sizes.swa), False, None, sizes.c4, sizes.c128
        )
    if inputs.hybrid_swa:
        swa = SwaSizer(inputs, rank, fused)
        split = swa.from_budget(budget)
        return split if isinstance(split, Refusal) else _Tokens(swa.cell, split, False, swa)
    layers = _full_side_layers(inputs, rank)
    cell = cell_with_draft(inputs, target_cell(inputs, layers), layers, fused.full_entry if fused else None)
    if cell == 0:
        raise NotModelled("a pipeline stage without attention layers")
    tokens = align_down(budget // cell, inputs.page_size)
    return _Tokens(cell, Split(tokens, tokens, 0), False)


def _recapped(inputs: PoolInputs, first: _Tokens, limit: int, sm: int | None) -> _Tokens | Refusal:
    if first.sizer is not None:
        split = first.sizer.from_tokens(limit)
        return split if isinstance(split, Refusal) else replace(first, split=split, capped=True)
    if first.c4 is not None:
        sizes = Dsv4Sizer(inputs, 0, sm=sm).from_tokens(limit)
        if isinstance(sizes, Refusal):
            return sizes
        split = Split(sizes.full, sizes.full, sizes.swa)
        return replace(first, split=split, capped=True, c4=sizes.c4, c128=sizes.c128)
    tokens = align_down(limit, inputs.page_size)
    return replace(first, split=Split(tokens, tokens, 0), capped=True)


def max_running_requests(
    inputs: PoolInputs, tokens: int, state: StatePool | None, profiled: int | None = None
) -> int | Refusal:
    """Concurrent requests of one attention copy (``resolve_max_num_reqs``)."""
    if not inputs.since("0.5.14"):
        return early_requests(inputs, tokens if profiled is None else profiled, tokens)
    wanted = inputs.requests_per_copy()
    if wanted is None:
        wanted = max(min(int(tokens / inputs.context_length * 512), 4096), 2048)
    requests = min(wanted, tokens // 2)
    if state is not None:
        requests = min(requests, state.slots // state.slots_per_request)
        if requests <= 0:
            return Refusal("state-cache", "the state cache serves not one request")
    return requests


def _static(inputs: PoolInputs, budget: int, reserved: int, tokens: _Tokens, state: StatePool | None) -> Pools:
    split = tokens.split
    requests = max_running_requests(inputs, split.max_total, state, tokens.profiled)
    if isinstance(requests, Refusal):
        return _refused(inputs, reserved, requests, state, budget)
    swa = inputs.hybrid_swa
    capacity = split.max_total * inputs.dcp
    sizer = tokens.sizer
    return Pools(
        kv_budget_bytes=budget,
        reserved_bytes=reserved,
        cell_bytes=tokens.cell,
        max_total_num_tokens=split.max_total,
        max_running_requests=requests,
        full_tokens=split.full if swa else None,
        swa_tokens=split.swa if swa else None,
        full_layers=sizer.full_layers if sizer else None,
        swa_layers=sizer.swa_layers if sizer else None,
        full_per_token=sizer.full_per_token if sizer else None,
        swa_per_token=sizer.swa_per_token if sizer else None,
        c4_tokens=tokens.c4,
        c128_tokens=tokens.c128,
        allocator_size=min(split.full, split.swa) if swa else capacity,
        allocator_size_full=split.full if swa else capacity,
        allocator_size_swa=split.swa if swa else None,
        pool_size=split.swa if tokens.c4 is not None else split.max_total,
        state=state,
    )


def _unified(inputs: PoolInputs, pools: Pools, tokens: _Tokens, fused: fusion.Fusion | fusion.Declined | None) -> Pools:
    if pools.refusal:
        return pools
    if pools.state is None and (not inputs.hybrid_swa or inputs.traits.deepseek_v4):
        text = "the unified pool is for hybrid Mamba and hybrid sliding-window models"
        return replace(pools, refusal=Refusal("unified-kind", text, "UM-TARGET-KIND"))
    refusal = _kind_refusal(inputs, pools) or _fusion_refusal(inputs, pools, fused)
    if refusal:
        return replace(pools, refusal=refusal)
    budget = pools.kv_budget_bytes - pools.kv_budget_bytes % arenas.PAGE_ALIGN if inputs.since("0.5.19") else None
    entries = _entries(inputs, pools, fused if isinstance(fused, fusion.Fusion) else None)
    if not all(entry.entry_bytes for entry in entries):
        raise NotModelled("the unified pool of a pipeline stage that lacks a kind of layer")
    total = _arena_bytes(inputs, pools, tokens, entries, budget)
    if inputs.since("0.5.19"):
        floor = arenas.one_request_floor(entries, inputs.context_length, inputs.model.sliding_window, inputs.page_size)
        if total < floor:
            text = f"the arena of {total:,} bytes cannot hold one request, which needs {floor:,}"
            return replace(pools, refusal=Refusal("arena-one-request", text, "UM-BS1-FLOOR"))
    built = arenas.build(total, entries, by_pages=inputs.since("0.5.17"))
    if isinstance(built, Refusal):
        return replace(pools, refusal=built)
    pools = _with_arena(inputs, replace(pools, arena_budget_bytes=None if tokens.capped else budget), built)
    return _unified_draft(inputs, pools, built, fused)


def _kind_refusal(inputs: PoolInputs, pools: Pools) -> Refusal | None:
    if pools.state is None or inputs.since("0.5.17"):
        return None
    if inputs.traits.mla:
        return Refusal("unified-latent", "the unified pool cannot hold latent rows beside state yet", "UM-MLA-MAMBA")
    if inputs.since("0.5.16"):
        return Refusal("unified-state-0516", "this release's unified state pool fails with a TypeError")
    return None


def _fusion_refusal(inputs: PoolInputs, pools: Pools, fused: fusion.Fusion | fusion.Declined | None) -> Refusal | None:
    if isinstance(fused, fusion.Fusion) or not inputs.since("0.5.22"):
        return None
    reason = fused.reason if fused else "the release loads no draft configuration for it"
    if pools.state is not None and (inputs.is_eagle or inputs.algorithm == "DFLASH"):
        return Refusal("fusion-state", f"the draft cannot live in the target's entries: {reason}", "UM-FUSE-MAMBA")
    if pools.state is None and inputs.is_eagle:
        return Refusal("fusion-swa", f"the draft cannot live in the target's entries: {reason}", "UM-FUSE-SWA")
    return None


def _is_three_part(inputs: PoolInputs) -> bool:
    return inputs.state is not None and inputs.hybrid_swa and inputs.since("0.5.19")


def _entries(inputs: PoolInputs, pools: Pools, fused: fusion.Fusion | None) -> tuple[arenas.Entry, ...]:
    """Sub-pools of the arena: the full side, then the window side or state or both."""
    page = inputs.page_size
    stage = inputs.stage_layers(0)
    window_side = inputs.hybrid_swa and (inputs.state is None or _is_three_part(inputs))
    if window_side:
        full_layers = _full_side_layers(inputs, 0)
        swa_layers = [layer for layer in inputs.model.swa_layer_ids or () if layer in stage]
    else:
        assert inputs.state is not None
        full_layers = tuple(layer for layer in inputs.state.attention_layer_ids if layer in stage)
        swa_layers = []
    full = fused.full_entry if fused and fused.full_entry else _plain_full_entry(inputs, len(full_layers), window_side)
    entries = [arenas.Entry("full", full, page)]
    if window_side:
        swa = fusion.host_swa_entry(inputs, len(swa_layers))
        entries.append(arenas.Entry("swa", fusion.align_entry(swa) if inputs.since("0.5.22") else swa, page))
    if pools.state is not None:
        state_entry = pools.state.bytes_per_slot
        entries.append(
            arenas.Entry("mamba", fusion.align_entry(state_entry) if inputs.since("0.5.22") else state_entry, 1)
        )
    return tuple(entries)


def _plain_full_entry(inputs: PoolInputs, layers: int, window_side: bool) -> int:
    compress = inputs.traits.swa_compress
    if inputs.traits.mla or (window_side and compress) or inputs.since("0.5.23"):
        entry = fusion.host_full_entry(inputs, layers)
    else:
        # Before 0.5.23 V rows count as wide as K rows outside the families with their own window geometry.
        entry = inputs.kv_heads * 2 * inputs.model.head_dim * inputs.kv_bytes * layers
    return fusion.align_entry(entry) if inputs.since("0.5.22") else entry


def _arena_bytes(
    inputs: PoolInputs, pools: Pools, tokens: _Tokens, entries: tuple[arenas.Entry, ...], budget: int | None
) -> int:
    """Bytes of the buffer (section 4.5 of the releases' history: token sums, then the budget itself)."""
    by_name = {entry.name: entry.entry_bytes for entry in entries}
    state = pools.state.slots * by_name["mamba"] if pools.state is not None else 0
    token_sum = pools.max_total_num_tokens * by_name["full"]
    token_sum += (pools.swa_tokens or 0) * by_name.get("swa", 0)
    if "swa" not in by_name or _is_three_part(inputs):
        return (token_sum if budget is None or tokens.capped else budget) + state
    if inputs.since("0.5.21"):
        if budget is not None and not tokens.capped and inputs.algorithm is None:
            return budget
        return tokens.split.pool_bytes or token_sum
    return token_sum if budget is None or tokens.capped else budget


def _with_arena(inputs: PoolInputs, pools: Pools, built: Arena) -> Pools:
    full = built.sub_pool("full")
    names = {pool.name for pool in built.sub_pools}
    if "swa" in names:
        sizes = (pools.full_tokens, pools.swa_tokens)
        if inputs.since("0.5.21") and "mamba" not in names:
            swa = built.sub_pool("swa")
            sizes = (arenas.full_available(built, swa), arenas.swa_available(built))
        assert sizes[0] is not None and sizes[1] is not None
        return replace(
            pools,
            arena=built,
            allocator_size=min(sizes[0], sizes[1]),
            allocator_size_full=sizes[0],
            allocator_size_swa=sizes[1],
            pool_size=full.slots - 1,
        )
    return replace(
        pools,
        arena=built,
        allocator_size=arenas.full_available(built, built.sub_pool("mamba")),
        allocator_size_full=built.virtual_ids * (inputs.dcp if inputs.since("0.5.20") else 1),
        allocator_size_swa=None,
    )


def _static_draft(inputs: PoolInputs, tokens: _Tokens) -> DraftPool | None:
    layers = inputs.private_draft_layers()
    if not layers:
        return None
    rows = tokens.split.swa if tokens.c4 is not None else tokens.split.max_total * inputs.dcp
    return DraftPool(rows, inputs.draft_row_bytes() * layers, layers, covers_virtual_ids=True)


def _unified_draft(
    inputs: PoolInputs, pools: Pools, built: Arena, fused: fusion.Fusion | fusion.Declined | None
) -> Pools:
    layers = inputs.private_draft_layers()
    if not layers:
        return pools
    row = inputs.draft_row_bytes() * layers
    if isinstance(fused, fusion.Fusion):
        # Whole pages of the full side, less the reserved first one.
        rows = (built.sub_pool("full").pages - 1) * inputs.page_size
        return replace(pools, draft=DraftPool(rows, row, layers, covers_virtual_ids=True, fused=True))
    if "swa" in {pool.name for pool in built.sub_pools} and not inputs.since("0.5.20"):
        text = "the draft pool would have as many rows as the token budget, fewer than the arena's ids"
        seed = Refusal("draft-on-unified-swa", text, "UM-SEED")
        static = DraftPool(pools.max_total_num_tokens, row, layers, covers_virtual_ids=False)
        return replace(pools, draft=static, refusal=seed)
    rows = align_up(built.virtual_ids, inputs.page_size)
    return replace(pools, draft=DraftPool(rows, row, layers, covers_virtual_ids=True))
