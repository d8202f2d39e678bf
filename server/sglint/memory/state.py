"""Slots of the recurrent-state pool and what is left for keys and values.

Source: ``KVCacheConfigurator._handle_max_mamba_cache`` (0.5.16+), ``ModelRunner.handle_max_mamba_cache`` (0.5.15). The
releases compute in GiB as floating point; so does this module, in the same order, to meet the same integers.
"""

from __future__ import annotations

from ..models.state import DTYPE_BYTES, state_bytes_per_slot
from .inputs import PoolInputs
from .result import Refusal, StatePool

GIB = 1 << 30
BASE_SLOTS_PER_REQUEST = 3


def slots_per_request(inputs: PoolInputs) -> int:
    """State slots the releases count per running request (``_calculate_mamba_ratio``)."""
    if not inputs.radix:
        return 1
    if not inputs.extra_buffer:
        return BASE_SLOTS_PER_REQUEST
    if not inputs.overlap or inputs.extra_buffer_lazy:
        return BASE_SLOTS_PER_REQUEST + 1
    return BASE_SLOTS_PER_REQUEST + 2


def solve_state(inputs: PoolInputs, rest_gib: float, fused_entry: int | None) -> tuple[StatePool, float] | Refusal:
    """The state pool and the GiB left of ``rest_gib``. ``fused_entry`` prices a slot that also holds draft state."""
    assert inputs.state is not None
    per_slot = fused_entry or state_bytes_per_slot(
        inputs.state, inputs.attn_tp, ssm_dtype=inputs.ssm_dtype, conv_dtype=inputs.conv_dtype
    )
    if inputs.pp > 1 and inputs.since("0.5.17"):
        per_slot = int(per_slot * _largest_stage_share(inputs))
    padding = 1 if inputs.since("0.5.17") else 0
    ratio = slots_per_request(inputs)
    reserves = inputs.algorithm is not None and not (inputs.disaggregation == "prefill" and inputs.since("0.5.22"))
    reserves = reserves and inputs.replay_length is None
    tokens = (inputs.draft_tokens or 0) if reserves else 0
    requests = inputs.requests_per_copy() or 0
    intermediate = 0
    ring = replay_ring_bytes(inputs)
    # The rings of gated delta nets belong to requests, those of Kimi's delta attention to slots.
    fixed, extra = (0, ring) if inputs.traits.state_kind == "kda" else (ring * (requests + 1), 0)
    held = per_slot + extra
    if inputs.max_mamba_cache_size is not None:
        slots = inputs.max_mamba_cache_size // inputs.attn_dp
        if reserves:
            intermediate = per_slot * (min(requests, slots // ratio) + padding) * tokens
    elif not inputs.radix and inputs.max_running_requests is not None:
        slots = requests
        if reserves:
            intermediate = per_slot * (slots + padding) * tokens
    else:
        budget = rest_gib * inputs.mamba_ratio / (1 + inputs.mamba_ratio) * GIB
        if reserves:
            slots = int((budget - padding * per_slot * (1 + tokens)) // (per_slot * (1 + tokens / ratio)))
            intermediate = per_slot * (min(requests, slots // ratio) + padding) * tokens
        else:
            slots = int((budget - fixed - padding * held) // held)
    if slots <= 0:
        return Refusal("state-cache", "the budget holds not one slot of recurrent state")
    left = rest_gib - intermediate / GIB if intermediate else rest_gib
    left -= ((slots + padding) * held + fixed) / GIB
    return StatePool(slots, per_slot, padding, ratio, intermediate), left


def replay_ring_bytes(inputs: PoolInputs) -> int:
    """Bytes of the inputs that one request replays (``BaseLinearStateParams.replayssm_ring_bytes_per_req``); else 0."""
    state, length = inputs.state, inputs.replay_length
    if state is None or length is None:
        return 0
    heads, keys = state.heads // inputs.attn_tp, max(1, state.groups // inputs.attn_tp)
    element = DTYPE_BYTES[inputs.conv_dtype]
    values, key_rows = heads * state.head_dim * element, keys * state.state_size * element
    if inputs.traits.state_kind == "kda":
        row = 2 * (values + key_rows) + heads * 4 + heads * state.state_size * 4
    else:
        low = values + key_rows if inputs.conv_dtype != "float32" else 0
        row = values + key_rows + heads * 4 + low
    row_bytes = row * length * len(state.layer_ids)
    return int(row_bytes * _largest_stage_share(inputs)) if inputs.pp > 1 else row_bytes


def _largest_stage_share(inputs: PoolInputs) -> float:
    assert inputs.state is not None
    layers = inputs.state.layer_ids
    largest = max(sum(layer in inputs.stage_layers(rank) for layer in layers) for rank in range(inputs.pp))
    return largest / max(len(layers), 1)
