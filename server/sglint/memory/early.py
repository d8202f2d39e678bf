"""Token capacities of releases before 0.5.11, which count tokens first and split them between layers after.

Source: ``model_executor/model_runner.py:ModelRunner.profile_max_num_token``, ``set_num_token_hybrid`` and
``init_memory_pool`` through 0.5.6; ``model_runner_kv_cache_mixin.py:get_cell_size_per_token``,
``set_num_tokens_hybrid_swa`` and ``init_memory_pool`` of 0.5.7 to 0.5.9, ``_resolve_hybrid_swa_tokens`` of 0.5.10.
"""

from __future__ import annotations

from ..catalogue import release_key
from ..records import dataclass
from .cells import full_layer_bytes, swa_layer_bytes, target_cell
from .inputs import FP4, NotModelled, PoolInputs
from .swa import Split, align_down

CONFIGURED_FROM = "0.5.11"
"""First release that sizes pools from bytes at once, as all later ones do."""
FIRST_WITH_SHARED_LIMIT = "0.5.10"
REQUESTS_LEAST, REQUESTS_MOST = 2048, 4096


@dataclass(frozen=True)
class Habits:
    """What differs between releases.

    value_width
        V rows count at their own width; before, as wide as K rows.
    window_layers
        ``full``: a token is priced over the full-attention layers, ``all``: over every layer; what the
        sliding-window layers of MiMo-V2 take is added to either.
    by_bytes
        tokens are split so that bytes add up; before, so that layers x tokens add up.
    aligned
        the split is rounded down to pages; before, only the tokens it starts from are.
    window_from_aligned
        the sliding-window side is a share of the rounded full side.
    """

    value_width: bool
    window_layers: str
    by_bytes: bool
    aligned: bool
    window_from_aligned: bool


_HABITS = (
    ("0.5.10", Habits(True, "all", by_bytes=True, aligned=True, window_from_aligned=True)),
    ("0.5.9", Habits(True, "all", by_bytes=True, aligned=True, window_from_aligned=False)),
    ("0.5.8", Habits(True, "all", by_bytes=False, aligned=True, window_from_aligned=False)),
    ("0.5.7", Habits(True, "full", by_bytes=False, aligned=True, window_from_aligned=False)),
    ("0.5.0", Habits(False, "all", by_bytes=False, aligned=False, window_from_aligned=False)),
)


def habits(release: str) -> Habits:
    key = release_key(release)
    return next((found for first, found in _HABITS if key >= release_key(first)), _HABITS[-1][1])


@dataclass(frozen=True)
class EarlyTokens:
    """``cell``: bytes that a token costs before the split; ``profiled``: tokens of the byte budget before any cap."""

    cell: int
    profiled: int
    split: Split


def early_tokens(inputs: PoolInputs, budget: int) -> EarlyTokens:
    """Sizes of stage 0. Raises :class:`NotModelled` where stages differ, since some releases do not compare them."""
    layers = inputs.stage_layers(0)
    if any(len(inputs.stage_layers(rank)) != len(layers) for rank in range(inputs.pp)):
        raise NotModelled(f"pipeline stages of unequal size in {inputs.release}")
    if inputs.hybrid_swa and inputs.pp > 1:
        raise NotModelled(f"sliding-window pools of pipeline stages in {inputs.release}")
    if inputs.kv_dtype in FP4:
        raise NotModelled(f"4-bit KV cache in {inputs.release}")
    found = habits(inputs.release)
    cell = _cell(inputs, found)
    profiled = budget // cell
    tokens = profiled if inputs.max_total_tokens is None else min(profiled, inputs.max_total_tokens)
    tokens = align_down(tokens, inputs.page_size)
    if not inputs.hybrid_swa:
        return EarlyTokens(cell, profiled, Split(tokens, tokens, 0))
    return EarlyTokens(cell, profiled, _split(inputs, found, tokens))


def _cell(inputs: PoolInputs, found: Habits) -> int:
    layers = inputs.stage_layers(0)
    if inputs.traits.mla:
        return target_cell(inputs, layers)
    if not inputs.hybrid_swa:
        return _row(inputs, found) * len(layers)
    full, swa = _counts(inputs)
    if found.by_bytes:
        return full_layer_bytes(inputs) * full + swa_layer_bytes(inputs) * swa
    counted = full if found.window_layers == "full" else len(layers)
    own = swa_layer_bytes(inputs) * swa if _prices_windows(inputs) else 0
    return _row(inputs, found) * counted + own


def _row(inputs: PoolInputs, found: Habits) -> int:
    """Bytes of one token in one full-attention layer."""
    model = inputs.model
    width = model.head_dim + (model.v_head_dim if found.value_width else model.head_dim)
    return inputs.kv_heads_tp * width * inputs.kv_bytes


def _prices_windows(inputs: PoolInputs) -> bool:
    return inputs.model.architecture == "MiMoV2FlashForCausalLM"


def _counts(inputs: PoolInputs) -> tuple[int, int]:
    full, swa = inputs.model.full_layer_ids, inputs.model.swa_layer_ids
    if full is None or swa is None:
        raise NotModelled("which layers of this model slide")
    return len(full), len(swa)


def _split(inputs: PoolInputs, found: Habits, tokens: int) -> Split:
    full_layers, swa_layers = _counts(inputs)
    page, ratio = inputs.page_size, inputs.swa_ratio
    if not full_layers:
        return Split(tokens, 0, tokens)
    if found.by_bytes:
        full_bytes, swa_bytes = full_layer_bytes(inputs) * full_layers, swa_layer_bytes(inputs) * swa_layers
        # The order of these products is the releases': floating point decides the last token.
        whole = tokens * (full_bytes + swa_bytes)
        full = int(whole / (full_layer_bytes(inputs) * full_layers + ratio * swa_layer_bytes(inputs) * swa_layers))
    else:
        full = int(tokens * inputs.model.num_hidden_layers / (ratio * swa_layers + full_layers))
    swa = int((align_down(full, page) if found.window_from_aligned else full) * ratio)
    if found.aligned:
        full, swa = align_down(full, page), align_down(swa, page)
    return Split(full, full, swa)


def early_requests(inputs: PoolInputs, profiled: int, tokens: int) -> int:
    """Concurrent requests of one attention copy, before 0.5.14.

    Source: ``managers/tp_worker.py:TpModelWorker`` and ``init_memory_pool`` through 0.5.9, ``_resolve_max_num_reqs``
    of 0.5.10 to 0.5.13.
    """
    asked = inputs.max_running_requests
    basis = tokens if inputs.since(FIRST_WITH_SHARED_LIMIT) else profiled
    usual = max(min(int(basis / inputs.context_length * 512), REQUESTS_MOST), REQUESTS_LEAST)
    if asked is None:
        return min(usual, tokens // 2)
    share = asked // inputs.attn_dp
    return min(share, usual) if inputs.since(FIRST_WITH_SHARED_LIMIT) else min(share, asked)
