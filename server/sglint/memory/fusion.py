"""Draft rows that live inside the target's unified entries (0.5.22 and later).

Source: ``mem_cache/kv_cache_configurator.py:KVCacheConfigurator._fused_draft_decision`` and
``mem_cache/layout/fused_draft.py`` of 0.5.22 and 0.5.23.
"""

from __future__ import annotations

from ..records import dataclass
from .cells import full_layer_bytes, latent_row_elements, swa_layer_bytes
from .inputs import NotModelled, PoolInputs

ENTRY_ALIGN = 32
ROW_ALIGN = 16
_RAILS = {"0.5.22": {"triton", "flashinfer", "fa3"}, "0.5.23": {"triton", "flashinfer", "fa3", "fa4", "trtllm_mha"}}
_ASYMMETRIC_RAILS = {"triton", "fa3", "fa4"}


@dataclass(frozen=True)
class Fusion:
    """Entries that carry the draft, bytes per token; None for a side that does not."""

    full_entry: int | None = None
    swa_entry: int | None = None
    lanes: int = 0
    draft_bytes: int = 0


@dataclass(frozen=True)
class Declined:
    """Why the draft keeps a pool of its own (or, for EAGLE and DFLASH, why the launch is refused)."""

    reason: str


def align_entry(size: int) -> int:
    return -(-size // ENTRY_ALIGN) * ENTRY_ALIGN


def decide(inputs: PoolInputs, host_entry: int) -> Fusion | Declined | None:
    """Where the draft's rows go; None when fusion does not apply. ``host_entry``: the target's full-side bytes."""
    applies = inputs.unified and inputs.since("0.5.22") and (inputs.hybrid_swa or inputs.state is not None)
    if not applies or inputs.draft is None or not (inputs.is_eagle or inputs.is_dflash_family):
        return None
    layers = inputs.fusable_draft_layers()
    if not layers:
        return None
    reason = _declined(inputs)
    if reason:
        return Declined(reason)
    draft = inputs.draft
    traits = draft.traits(inputs.release)
    windowed = len(draft.swa_layer_ids or ()) if traits.hybrid_swa and not traits.deepseek_v4 else 0
    if windowed or draft.text.get("mtp_local_layer_ids") is not None:
        raise NotModelled("where a draft with sliding-window or recurrent layers goes in the unified pool")
    runners = inputs.steps or 1 if draft.text.get("is_multi_layer_eagle") else 1
    lanes = layers * runners
    rows = lanes * inputs.draft_row_bytes()
    aligned_host = -(-host_entry // ROW_ALIGN) * ROW_ALIGN
    return Fusion(full_entry=align_entry(aligned_host + rows), lanes=lanes, draft_bytes=rows)


def _declined(inputs: PoolInputs) -> str | None:
    draft = inputs.draft
    assert draft is not None
    if draft.traits(inputs.release).mla:
        return "its attention keeps latent rows"
    rails = _RAILS["0.5.23" if inputs.since("0.5.23") else "0.5.22"]
    off = sorted(set(inputs.draft_backends) - rails)
    if off:
        return f"it runs on {', '.join(off)}"
    if inputs.dcp > 1:
        return "decode context parallelism shards the target's rows"
    if inputs.hicache:
        if inputs.since("0.5.23"):
            raise NotModelled("fused drafts together with --enable-hierarchical-cache")
        return "--enable-hierarchical-cache keeps a draft pool of its own"
    if inputs.retraction_backup == "host_pool":
        return "host-pool retraction keeps a draft pool of its own"
    asymmetric_ok = inputs.since("0.5.23") and set(inputs.target_backends) | set(inputs.draft_backends) <= (
        _ASYMMETRIC_RAILS
    )
    if draft.head_dim != draft.v_head_dim and not asymmetric_ok:
        return "its K and V rows differ in width"
    heads = max(1, draft.num_key_value_heads // inputs.attn_tp)
    for width in (draft.head_dim, draft.v_head_dim):
        if heads * width * inputs.draft_element_bytes() % ROW_ALIGN:
            return f"its rows are no multiple of {ROW_ALIGN} bytes"
    own = inputs.draft_kv_dtype
    if own not in (None, "auto", inputs.kv_dtype) and not inputs.since("0.5.23"):
        return "its KV data type differs from the target's"
    return None


def host_full_entry(inputs: PoolInputs, layers: int) -> int:
    """Bytes of one token in the target's full side, over ``layers`` layers."""
    if inputs.traits.mla:
        return latent_row_elements(inputs) * layers * inputs.kv_bytes
    if inputs.hybrid_swa:
        return full_layer_bytes(inputs) * layers
    return inputs.kv_heads * (inputs.model.head_dim + inputs.model.v_head_dim) * inputs.kv_bytes * layers


def host_swa_entry(inputs: PoolInputs, layers: int) -> int:
    """Bytes of one token in the sliding-window side.

    Through 0.5.22 a model outside the families with their own window geometry gets the full side's heads here,
    although its sizing counted its own.
    """
    if inputs.traits.swa_compress or inputs.since("0.5.23"):
        return swa_layer_bytes(inputs) * layers
    return inputs.kv_heads * 2 * inputs.model.head_dim * inputs.kv_bytes * layers
