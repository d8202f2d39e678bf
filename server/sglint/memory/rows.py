"""Pools as rows for people and JSON: tokens, bytes, the formula and what went into it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..records import dataclass
from .cells import cell_with_draft, target_cell
from .early import CONFIGURED_FROM
from .inputs import NotModelled, PoolInputs
from .result import Arena, Pools
from .swa import SwaSizer


@dataclass(frozen=True)
class Row:
    """One pool. ``per_token_bytes`` is one token over the pool's layers (one slot for state)."""

    name: str
    tokens: int | None
    bytes: int | None
    per_token_bytes: int | None
    formula: str
    inputs: tuple[str, ...] = ()
    virtual_id_span: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "tokens": self.tokens,
            "bytes": self.bytes,
            "per_token_bytes": self.per_token_bytes,
            "virtual_id_span": self.virtual_id_span,
            "formula": self.formula,
            "inputs": list(self.inputs),
        }


def rows(inputs: PoolInputs, pools: Pools) -> Iterator[Row]:
    """Rows of a sized launch; nothing for one whose pools were refused before they had sizes."""
    if pools.max_total_num_tokens <= 0:
        return
    if pools.full_per_token is not None and pools.full_layers is not None:
        yield from _hybrid(inputs, pools)
    elif pools.c4_tokens is not None:
        yield Row("full", pools.full_tokens, None, None, "budget / bytes per full token", _dsv4_inputs(pools))
        yield Row("swa", pools.swa_tokens, None, None, f"full tokens x {inputs.swa_ratio:g}")
    else:
        yield _plain(inputs, pools)
    if pools.state is not None:
        state = pools.state
        slots = (
            f"{state.slots:,} slots + {state.padding_slots} of padding"
            if state.padding_slots
            else f"{state.slots:,} slots"
        )
        yield Row(
            "state", state.slots, state.bytes, state.bytes_per_slot, f"({slots}) x {state.bytes_per_slot:,} bytes"
        )
    if pools.arena is not None:
        yield _arena(inputs, pools, pools.arena)
    if pools.draft is not None:
        yield _draft(inputs, pools)


def _hybrid(inputs: PoolInputs, pools: Pools) -> Iterator[Row]:
    assert pools.full_per_token is not None and pools.full_layers is not None
    assert pools.swa_per_token is not None and pools.swa_layers is not None
    full_entry, swa_entry = pools.full_per_token * pools.full_layers, pools.swa_per_token * pools.swa_layers
    full, swa = pools.full_tokens or 0, pools.swa_tokens or 0
    heads = inputs.kv_heads_tp
    widths = f"({inputs.model.head_dim} + {inputs.model.v_head_dim})"
    tokens = f"{pools.kv_budget_bytes:,} bytes / {pools.cell_bytes:,.1f} bytes per token"
    if not inputs.since(CONFIGURED_FROM):
        tokens += ", then split between the layers"
    yield Row(
        "full",
        full,
        full * full_entry,
        full_entry,
        tokens,
        (_layers(pools.full_layers), f"{heads} KV heads x {widths} x {inputs.kv_bytes} bytes", _page(inputs)),
    )
    swa_widths = f"({inputs.model.swa_head_dim} + {inputs.model.swa_v_head_dim})"
    yield Row(
        "swa",
        swa,
        swa * swa_entry,
        swa_entry,
        f"{full:,} full tokens x {inputs.swa_ratio:g}",
        (_layers(pools.swa_layers), f"{inputs.swa_kv_heads} KV heads x {swa_widths} x {inputs.kv_bytes} bytes"),
    )


def _plain(inputs: PoolInputs, pools: Pools) -> Row:
    layers = inputs.state.attention_layer_ids if inputs.state is not None else tuple(inputs.stage_layers(0))
    stage = tuple(layer for layer in layers if layer in inputs.stage_layers(0))
    cell = target_cell(inputs, stage)
    formula = f"{pools.kv_budget_bytes:,} bytes / {pools.cell_bytes:,.0f} bytes per token"
    if pools.cell_bytes != cell:
        formula += f", of which the target takes {cell:,}"
    tokens = pools.max_total_num_tokens
    size = tokens * cell
    if inputs.counted_only:
        size, formula = 0, f"{formula}; counted only, no pool is built"
    return Row("full", tokens, size, cell, formula, (f"{len(stage)} attention layers", _page(inputs)))


def _arena(inputs: PoolInputs, pools: Pools, arena: Arena) -> Row:
    full = arena.sub_pool("full")
    parts = tuple(f"{pool.name} entry {pool.entry_bytes:,} bytes, {pool.slots:,} slots" for pool in arena.sub_pools)
    whole_budget = pools.arena_budget_bytes is not None and arena.total_bytes >= pools.arena_budget_bytes
    formula = "the whole token budget" if whole_budget else "token capacities x entries"
    if pools.state is not None:
        formula += " + state slots x their bytes"
    return Row(
        "arena",
        None,
        arena.total_bytes,
        full.entry_bytes,
        formula,
        (*parts, f"{arena.reserved_bytes:,} bytes kept for padding"),
        virtual_id_span=arena.virtual_ids,
    )


def _draft(inputs: PoolInputs, pools: Pools) -> Row:
    draft = pools.draft
    assert draft is not None
    if draft.fused:
        return Row("draft", draft.rows, 0, draft.row_bytes, "inside the target's entries", (_layers(draft.layers),))
    rows_in_all = draft.rows + inputs.page_size
    return Row(
        "draft",
        draft.rows,
        rows_in_all * draft.row_bytes,
        draft.row_bytes,
        f"({draft.rows:,} + {inputs.page_size}) rows x {draft.row_bytes:,} bytes",
        (_layers(draft.layers),),
    )


def rates(inputs: PoolInputs) -> Iterator[Row]:
    """What a token costs in each pool, for a launch whose byte budget is not known."""
    if inputs.traits.deepseek_v4:
        return
    if inputs.hybrid_swa:
        sizer = SwaSizer(inputs, 0, None)
        per_full = sizer.full_per_token * sizer.full_layers
        yield Row("full", None, None, per_full, f"{_layers(sizer.full_layers)} x {sizer.full_per_token:,} bytes")
        per_swa = sizer.swa_per_token * sizer.swa_layers
        yield Row("swa", None, None, per_swa, f"{_layers(sizer.swa_layers)} x {sizer.swa_per_token:,} bytes")
    else:
        layers = inputs.state.attention_layer_ids if inputs.state is not None else tuple(inputs.stage_layers(0))
        stage = tuple(layer for layer in layers if layer in inputs.stage_layers(0))
        cell = target_cell(inputs, stage)
        whole = cell_with_draft(inputs, cell, stage, None)
        formula = f"{len(stage)} attention layers" + (f"; {whole:,} bytes with the draft" if whole != cell else "")
        yield Row("full", None, None, cell, formula)
    if inputs.private_draft_layers():
        row = inputs.draft_row_bytes() * inputs.private_draft_layers()
        yield Row(
            "draft", None, None, row, f"{_layers(inputs.private_draft_layers())} x {inputs.draft_row_bytes():,} bytes"
        )


def full_and_swa_entries(inputs: PoolInputs) -> tuple[int, int]:
    """Bytes of a full-side and a window-side entry of a hybrid-SWA target. Raises :class:`NotModelled`."""
    if not inputs.hybrid_swa or inputs.traits.deepseek_v4:
        raise NotModelled("entries of a target without sliding-window pools")
    sizer = SwaSizer(inputs, 0, None)
    return sizer.full_per_token * sizer.full_layers, sizer.swa_per_token * sizer.swa_layers


def _layers(count: int) -> str:
    return "1 layer" if count == 1 else f"{count} layers"


def _page(inputs: PoolInputs) -> str:
    return f"pages of {inputs.page_size}"


def _dsv4_inputs(pools: Pools) -> tuple[str, ...]:
    return (
        f"{pools.cell_bytes:,.2f} bytes per full token",
        f"{pools.c4_tokens:,} tokens compressed by 4",
        f"{pools.c128_tokens:,} tokens compressed by 128",
    )
