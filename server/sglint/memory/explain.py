"""Sentences about a launch's memory, with its own numbers. Data for hovers and explanations; decides nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ..records import replace
from .budget import Budget
from .inputs import NO_DRAFT, PoolInputs
from .replay import issued_before
from .result import Arena, Pools
from .rows import full_and_swa_entries
from .solve import solve
from .state import GIB
from .swa import align_up

SIZES_DRAFT_BY_IDS = "0.5.21"
"""First release whose solve makes room for a draft pool over all ids; used to price covering them."""


def explain(inputs: PoolInputs, pools: Pools | None, budget: Budget) -> Iterator[str]:
    """Sentences in reading order. ``pools`` None: no byte budget, so rates and ratios only."""
    unified_swa = inputs.unified and inputs.hybrid_swa and not inputs.traits.deepseek_v4 and inputs.state is None
    if pools is None:
        if unified_swa:
            yield from _ratios(inputs)
        return
    if pools.refusal is not None and pools.refusal.check != "UM-SEED":
        guessed = pools.refusal.depends_on_budget and budget.confidence != "exact"
        yield f"{'By this estimate the' if guessed else 'The'} pools are refused: {pools.refusal.text}."
    if pools.max_total_num_tokens <= 0:
        return
    yield _basis(budget, pools)
    if unified_swa and pools.arena is not None:
        yield from _arena(inputs, pools, pools.arena)
        if inputs.algorithm is not None:
            yield from _draft(inputs, pools, pools.arena)
    elif inputs.unified and pools.arena is not None:
        yield _state_arena(pools, pools.arena)


def _basis(budget: Budget, pools: Pools) -> str:
    how = {"exact": "given", "estimated": "estimated", "unknown": "not known"}[budget.confidence]
    text = f"Bytes for the token pools per GPU ({how}): {pools.kv_budget_bytes:,} ({_gib(pools.kv_budget_bytes)})"
    if budget.low is not None and budget.high is not None and budget.confidence == "estimated":
        text += f"; the estimate lies between {_gib(budget.low)} and {_gib(budget.high)} before reservations"
    return text + "."


def _arena(inputs: PoolInputs, pools: Pools, arena: Arena) -> Iterator[str]:
    full, swa = arena.sub_pool("full"), arena.sub_pool("swa")
    tokens, windowed = pools.full_tokens or 0, pools.swa_tokens or 0
    held = tokens * full.entry_bytes + windowed * swa.entry_bytes
    if held == arena.total_bytes:
        sum_of = f"{tokens:,} full tokens x {full.entry_bytes:,} bytes + {windowed:,} sliding-window tokens x "
        yield f"The unified arena holds {sum_of}{swa.entry_bytes:,} bytes = {held:,} bytes ({_gib(held)})."
    else:
        yield (
            f"The unified arena has {arena.total_bytes:,} bytes ({_gib(arena.total_bytes)}) for both sides; "
            f"the scheduler counts {tokens:,} full and {windowed:,} sliding-window tokens."
        )
    yield (
        f"Its token ids run to {arena.virtual_ids:,}: the whole arena divided by the full entry, "
        f"{arena.total_bytes:,} / {full.entry_bytes:,} = {full.slots:,} slots, since an empty sliding-window side may "
        f"lend all its bytes. That is {full.slots / tokens:.2f} x the {tokens:,} tokens of the budget."
    )


def _draft(inputs: PoolInputs, pools: Pools, arena: Arena) -> Iterator[str]:
    draft = pools.draft
    if draft is None:
        yield from _unknown_draft(inputs, pools, arena)
    if draft is None or not draft.row_bytes:
        return
    if draft.fused:
        yield (
            f"The draft's rows ({draft.row_bytes:,} of {arena.sub_pool('full').entry_bytes:,} bytes) live inside the "
            "full entries, so they follow every id."
        )
        return
    page, row = inputs.page_size, draft.row_bytes
    static_rows = pools.max_total_num_tokens + page
    needed = align_up(arena.virtual_ids, page) + page
    if not draft.covers_virtual_ids:
        past = arena.virtual_ids - (static_rows - 1)
        yield (
            f"A draft pool sized for the token budget has {static_rows:,} rows ({_gib(static_rows * row)}). Ids above "
            f"{static_rows - 1:,} would be written up to {past:,} rows ({_gib(past * row)}) past its end."
        )
        yield _first_past(inputs, arena, static_rows)
    covering = needed * row
    text = f"Covering every id takes {needed:,} rows x {row:,} bytes = {covering:,} bytes ({_gib(covering)})"
    over = arena.total_bytes + covering - pools.kv_budget_bytes
    if over > 0:
        text += f", {_gib(over)} more than the budget holds beside the arena"
    yield text + "."
    if not draft.covers_virtual_ids:
        yield from _solved_again(inputs)


def _unknown_draft(inputs: PoolInputs, pools: Pools, arena: Arena) -> Iterator[str]:
    """The same in rows, where the draft's own geometry is not known."""
    if inputs.draft is not None or inputs.since("0.5.20") or inputs.algorithm in NO_DRAFT:
        return
    rows = pools.max_total_num_tokens
    yield (
        f"A draft pool sized for the token budget has {rows + inputs.page_size:,} rows. Ids above {rows:,} would be "
        f"written up to {arena.virtual_ids - rows:,} rows past its end; covering every id takes "
        f"{arena.virtual_ids / rows:.2f} times the rows."
    )
    yield _first_past(inputs, arena, rows + inputs.page_size)


def _first_past(inputs: PoolInputs, arena: Arena, rows: int) -> str:
    """When a draft pool of ``rows`` is overrun: ids are issued in order, so no load keeps clear of it for long."""
    tokens = issued_before(arena, rows)
    text = f"Ids are issued in order, and a released one waits for all others: the first past row {rows - 1:,} follows "
    text += f"after {tokens:,} tokens since start"
    if inputs.context_length:
        count = -(-tokens // inputs.context_length)
        text += f" (in request {count:,}, if each takes the context of {inputs.context_length:,} tokens)"
    return f"{text}, however few run at a time."


def _solved_again(inputs: PoolInputs) -> Iterator[str]:
    sizes = solve(replace(inputs, release=SIZES_DRAFT_BY_IDS))
    if sizes.refusal is None and sizes.max_total_num_tokens:
        yield (
            f"Solved so that such a draft pool fits (as {SIZES_DRAFT_BY_IDS} does), the budget gives "
            f"{sizes.full_tokens:,} full and {sizes.swa_tokens:,} sliding-window tokens."
        )


def _ratios(inputs: PoolInputs) -> Iterator[str]:
    full, swa = full_and_swa_entries(inputs)
    factor = 1 + inputs.swa_ratio * swa / full
    yield (
        f"A full token takes {full:,} bytes and a sliding-window token {swa:,} bytes on each GPU. The ids of the "
        f"unified arena run to 1 + {inputs.swa_ratio:g} x {swa:,} / {full:,} = {factor:.2f} times the token budget."
    )
    layers = inputs.private_draft_layers()
    if inputs.algorithm is not None and layers and not inputs.since("0.5.20"):
        row = inputs.draft_row_bytes() * layers
        yield (
            f"A draft pool sized for the token budget covers 1 in {factor:.2f} of those ids; covering all of them "
            f"takes {factor:.2f} x its {row:,} bytes per token."
        )


def _state_arena(pools: Pools, arena: Arena) -> str:
    state = pools.state
    assert state is not None
    return (
        f"The unified arena of {arena.total_bytes:,} bytes ({_gib(arena.total_bytes)}) holds tokens and "
        f"{state.slots:,} state slots of {state.bytes_per_slot:,} bytes; token ids run to {arena.virtual_ids:,}."
    )


def _gib(size: int) -> str:
    return f"{size / GIB:.3f} GiB"
