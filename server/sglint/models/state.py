"""Recurrent state of hybrid models: its shape from the configuration, and its bytes per slot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .facts import StateShape

DTYPE_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
"""Bytes per element of the state data types SGLang accepts."""

Text = Mapping[str, Any]


def state_of(config: Text, text: Text, layers: int) -> StateShape | None:
    """The state shape a configuration describes, or None for a model without recurrent state.

    Whether a release knows the model as one with state is a trait, not decided here.
    """
    for part in (text, config):
        build = _BUILDERS.get(str(part.get("model_type")))
        if build:
            return build(text, layers)
    return None


def state_bytes_per_slot(
    state: StateShape, tp: int, *, ssm_dtype: str | None = None, conv_dtype: str = "bfloat16", layers: int | None = None
) -> int:
    """Bytes one request's state takes on one GPU, over ``layers`` layers (default: all of the model).

    ``ssm_dtype`` overrides the configuration's. Source: 0.5.23 ``configs/mamba_utils.py``
    (``BaseLinearStateParams.mamba_cache_per_req``, ``Mamba2StateShape.create``, ``KimiLinearStateShape.create``) and
    ``configs/inkling.py`` (``InklingTextConfig.mamba2_cache_params``). Raises ValueError where ``tp`` does not divide
    the heads.
    """
    conv = conv_elements(state, tp)
    temporal = temporal_elements(state, tp)
    ssm = DTYPE_BYTES[ssm_dtype or state.ssm_dtype]
    return (conv * DTYPE_BYTES[conv_dtype] + temporal * ssm) * (len(state.layer_ids) if layers is None else layers)


def conv_elements(state: StateShape, tp: int) -> int:
    """Elements of one layer's convolution state on one GPU."""
    window = state.conv_kernel - 1
    if state.conv_streams:
        return sum(window * (max(1, heads // tp) * width if heads else width) for heads, width in state.conv_streams)
    if state.kind == "kda":
        return window * 3 * _divide(state.heads * state.head_dim, tp)
    if state.kind == "mamba":
        return window * _divide(state.intermediate_size, tp)
    # A group count tp does not divide is replicated up to tp groups.
    groups = state.groups if state.groups % tp == 0 else tp
    return window * _divide(state.intermediate_size + 2 * groups * state.state_size, tp)


def temporal_elements(state: StateShape, tp: int) -> int:
    """Elements of one layer's temporal (SSM) state on one GPU."""
    if not state.state_size:
        return 0
    if state.kind == "mamba":
        return _divide(state.intermediate_size, tp) * state.state_size
    return _divide(state.heads, tp) * state.head_dim * state.state_size


def _divide(size: int, tp: int) -> int:
    if size % tp:
        raise ValueError(f"{size} state channels cannot be divided over {tp} GPUs")
    return size // tp


def _gated_delta(text: Text, layers: int) -> StateShape:
    interval = int(text.get("full_attention_interval") or 4)
    kinds = text.get("layer_types")
    if isinstance(kinds, list) and "linear_attention" in kinds:
        linear = [i for i, kind in enumerate(kinds) if kind == "linear_attention"]
    else:
        linear = [i for i in range(layers) if (i + 1) % interval]
    heads, head_dim = int(text.get("linear_num_value_heads") or 32), int(text.get("linear_value_head_dim") or 128)
    return StateShape(
        kind="gdn",
        layer_ids=tuple(linear),
        attention_layer_ids=_others(linear, layers),
        intermediate_size=heads * head_dim,
        groups=int(text.get("linear_num_key_heads") or 16),
        heads=heads,
        head_dim=head_dim,
        state_size=int(text.get("linear_key_head_dim") or 128),
        conv_kernel=int(text.get("linear_conv_kernel_dim") or 4),
        ssm_dtype=_ssm_dtype(text),
    )


def _nemotron_h(text: Text, layers: int) -> StateShape:
    pattern = text.get("layers_block_type") or text.get("hybrid_override_pattern") or ""
    mamba = tuple(i for i, kind in enumerate(pattern) if kind in ("M", "mamba"))
    heads, head_dim = int(text.get("mamba_num_heads") or 128), int(text.get("mamba_head_dim") or 64)
    return StateShape(
        kind="mamba2",
        layer_ids=mamba,
        attention_layer_ids=tuple(i for i, kind in enumerate(pattern) if kind in ("*", "attention")),
        intermediate_size=heads * head_dim,
        groups=int(text.get("n_groups") or 8),
        heads=heads,
        head_dim=head_dim,
        state_size=int(text.get("ssm_state_size") or 128),
        conv_kernel=int(text.get("conv_kernel") or 4),
        ssm_dtype=_ssm_dtype(text),
    )


def _falcon_h1(text: Text, layers: int) -> StateShape:
    every = tuple(range(layers))
    inner = int(text.get("mamba_d_ssm") or int(text.get("mamba_expand") or 2) * int(text["hidden_size"]))
    heads = int(text.get("mamba_n_heads") or 128)
    head_dim = text.get("mamba_d_head")
    return StateShape(
        kind="mamba2",
        layer_ids=every,
        attention_layer_ids=every,
        intermediate_size=inner,
        groups=int(text.get("mamba_n_groups") or 1),
        heads=heads,
        head_dim=head_dim if isinstance(head_dim, int) else inner // heads,
        state_size=int(text.get("mamba_d_state") or 256),
        conv_kernel=int(text.get("mamba_d_conv") or 4),
        ssm_dtype=_ssm_dtype(text),
    )


def _granite(text: Text, layers: int) -> StateShape | None:
    kinds = text.get("layer_types") or text.get("layers_block_type") or []
    mamba = tuple(i for i, kind in enumerate(kinds) if kind == "mamba")
    if not mamba:
        return None
    heads = int(text.get("mamba_n_heads") or 128)
    inner = int(text.get("mamba_expand") or 2) * int(text["hidden_size"])
    head_dim = text.get("mamba_d_head")
    return StateShape(
        kind="mamba2",
        layer_ids=mamba,
        attention_layer_ids=_others(mamba, layers),
        intermediate_size=inner,
        groups=int(text.get("mamba_n_groups") or 1),
        heads=heads,
        head_dim=head_dim if isinstance(head_dim, int) else inner // heads,
        state_size=int(text.get("mamba_d_state") or 256),
        conv_kernel=int(text.get("mamba_d_conv") or 4),
    )


def _kimi_linear(text: Text, layers: int) -> StateShape | None:
    linear = text.get("linear_attn_config")
    if not isinstance(linear, Mapping):
        return None
    # The configuration counts layers from one.
    ids = tuple(sorted(int(layer) - 1 for layer in linear.get("kda_layers") or () if 0 < int(layer) <= layers))
    return _delta(ids, layers, int(linear["num_heads"]), int(linear["head_dim"]), int(linear["short_conv_kernel_size"]))


def _delta(ids: tuple[int, ...], layers: int, heads: int, head_dim: int, kernel: int) -> StateShape:
    return StateShape(
        kind="kda",
        layer_ids=ids,
        attention_layer_ids=_others(ids, layers),
        groups=heads,
        heads=heads,
        head_dim=head_dim,
        state_size=head_dim,
        conv_kernel=kernel,
    )


def _inkling(text: Text, layers: int) -> StateShape | None:
    if text.get("use_sconv") is False:
        return None
    every = tuple(range(layers))
    heads, hidden = int(text["num_key_value_heads"]), int(text["hidden_size"])
    head_dim = int(text.get("head_dim") or hidden // int(text["num_attention_heads"]))
    swa_heads, swa_dim = int(text.get("swa_num_key_value_heads") or heads), int(text.get("swa_head_dim") or head_dim)
    return StateShape(
        kind="short-conv",
        layer_ids=every,
        attention_layer_ids=every,
        conv_kernel=int(text.get("sconv_kernel_size") or 4),
        conv_streams=((heads, head_dim),) * 2 + ((swa_heads, swa_dim),) * 2 + ((0, hidden),) * 2,
    )


def _lfm2(text: Text, layers: int) -> StateShape | None:
    kinds = text.get("layer_types") or []
    conv = tuple(i for i, kind in enumerate(kinds) if kind in ("conv", "short_conv"))
    if not conv:
        return None
    return StateShape(
        kind="short-conv",
        layer_ids=conv,
        attention_layer_ids=tuple(i for i, kind in enumerate(kinds) if kind == "full_attention"),
        intermediate_size=int(text["hidden_size"]),
        groups=1,
        conv_kernel=int(text.get("conv_L_cache") or 3),
        ssm_dtype=_ssm_dtype(text),
    )


def _others(ids: tuple[int, ...] | list[int], layers: int) -> tuple[int, ...]:
    taken = set(ids)
    return tuple(i for i in range(layers) if i not in taken)


def _ssm_dtype(text: Text) -> str:
    asked = text.get("mamba_ssm_dtype")
    return asked if asked in DTYPE_BYTES else "float32"


_BUILDERS: dict[str, Callable[[Text, int], StateShape | None]] = {
    **dict.fromkeys(("qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"), _gated_delta),
    **dict.fromkeys(("interns2_mobius", "interns2_mobius_text", "intern_s2_preview"), _gated_delta),
    **dict.fromkeys(("qwen4_exp", "qwen4_exp_text", "gigachat3_5"), _gated_delta),
    **dict.fromkeys(("nemotron_h", "nemotron_h_puzzle", "nemotron_h_omni"), _nemotron_h),
    **dict.fromkeys(("NemotronH_Nano_VL_V2", "NemotronH_Nano_Omni_Reasoning_V3"), _nemotron_h),
    "falcon_h1": _falcon_h1,
    "granitemoehybrid": _granite,
    **dict.fromkeys(("kimi_linear", "kimi_k3", "glm5_next", "glm5_next_text"), _kimi_linear),
    **dict.fromkeys(("inkling_model", "inkling_mm_model"), _inkling),
    **dict.fromkeys(("lfm2", "lfm2_moe", "lfm2_vl"), _lfm2),
}
