"""The draft of a speculative launch: its attention backends, and whether its rows fuse into a unified pool.

Fusion (0.5.22 and later): ``_fused_draft_decision`` of ``srt/mem_cache/kv_cache_configurator.py`` and
``place_fused_draft`` of ``srt/mem_cache/layout/fused_draft.py``.
"""

from __future__ import annotations

from typing import Any

from ..facts import Facts
from . import families
from .model_backends import pair
from .platform import is_blackwell, is_sm100
from .releases import since, undecided

ROW_ALIGNMENT = 16
"""Bytes; every K or V row inside a fused entry begins at a multiple of it (``ROW_ALIGN_BYTES``)."""

_DRAFT_BACKENDS = frozenset(("flashinfer", "fa3", "fa4", "triton", "ascend", "trtllm_mha"))
_NATIVE_NVFP4 = ("EAGLE", "EAGLE3", "NEXTN")
_NOT_FOLLOWED = frozenset(
    (
        "MiniMaxM3SparseForCausalLM",
        "MiniMaxM3SparseForConditionalGeneration",
        "Glm5NextForConditionalGeneration",
    )
)
_MTP_HEADS = frozenset(
    (
        "DeepseekV4ForCausalLM",
        "ExaoneMoEForCausalLM",
        "ExaoneMoeForCausalLM",
        "Glm5NextForConditionalGeneration",
        "HYV3ForCausalLM",
        "HYV4ForCausalLM",
        "InternS2MobiusForConditionalGeneration",
        "InternS2PreviewForConditionalGeneration",
        "MiMoV2FlashForCausalLM",
        "MiMoV2ForCausalLM",
        "NemotronHForCausalLM",
        "NemotronHPuzzleForCausalLM",
        "NemotronH_Omni_Reasoning_V3",
        "Qwen3MoeForCausalLM",
        "Qwen3NextForCausalLM",
        "Qwen3_5ForCausalLM",
        "Qwen3_5ForConditionalGeneration",
        "Qwen3_5MoeForCausalLM",
        "Qwen3_5MoeForConditionalGeneration",
        "Qwen4ExpForConditionalGeneration",
    )
)
_PER_DEPTH_HEADS = frozenset(("Step3p5ForCausalLM", "Step3p7ForConditionalGeneration"))


def backend_by_model(facts: Facts) -> str | None:
    """The draft's own backend after the model's declarations; None inherits the target's pair."""
    written: str | None = facts["args.speculative_draft_attention_backend"]
    if written is not None:
        if written == "tokenspeed_mla" and since(facts, "0.5.23"):
            return "cutedsl_mla"
        return "dsv4" if written == "compressed" else written
    algorithm = facts["resolved.speculative_algorithm_requested"]
    if algorithm is None:
        return None
    architecture = facts["model.architecture"]
    if architecture in _NOT_FOLLOWED:
        undecided(f"the attention backend a draft of {architecture} gets in SGLang {facts['release']}")
    if architecture in families.KIMI_HYBRID and since(facts, "0.5.17"):
        return "trtllm_mha" if algorithm == "DSPARK" and is_sm100(facts) else None
    if architecture in families.NEMOTRON_H or architecture == families.NEMOTRON_H_OMNI:
        return _nemotron_draft(facts, algorithm)
    return None


def backend(facts: Facts) -> str | None:
    """The draft's own backend after all handlers; None inherits the target's pair."""
    declared: str | None = facts["resolved.draft_attention_backend_by_model"]
    algorithm = facts["resolved.speculative_algorithm"]
    if algorithm == "DFLASH":
        return _dflash_backend(facts, declared)
    if declared is None and algorithm in _NATIVE_NVFP4 and facts["args.kv_cache_dtype"] == "nvfp4":
        native = "trtllm_mha" in facts["resolved.attention_backends"] and is_sm100(facts)
        return "trtllm_mha" if native and since(facts, "0.5.21") else None
    return declared


def backends(facts: Facts) -> tuple[str, ...]:
    """Backends the draft may run on: its own, else the target's prefill and decode backends."""
    own = facts["resolved.speculative_draft_attention_backend"]
    if own is not None:
        return (own,)
    return tuple(sorted({name for name in facts["resolved.attention_backends"] if name is not None}))


def worker_backends(facts: Facts) -> tuple[str, ...]:
    """As :func:`backends`, for DFLASH and DSPARK drafts as their worker resolves one backend
    (``resolve_draft_worker_attention_backend``)."""
    if facts["resolved.speculative_algorithm"] not in ("DFLASH", "DSPARK"):
        return tuple(facts["resolved.draft_attention_backends"])
    own = facts["resolved.speculative_draft_attention_backend"]
    name = facts["resolved.prefill_attention_backend"] if own is None else own
    return (name if name in _DRAFT_BACKENDS else "flashinfer",)


def has_head(facts: Facts) -> bool:
    """There is a draft to size: a draft model, or layers of the target's own checkpoint that serve as one."""
    if facts["resolved.speculative_draft_model_path"] is not None:
        return True
    return facts["model.architecture"] in _MTP_HEADS or facts["model.num_nextn_predict_layers"] > 0


def declines_fusion(facts: Facts) -> str | None:
    """Why the draft's rows do not fuse into the target's entries, in our words; None when they do."""
    if not facts["resolved.has_draft_head"]:
        return "there is no draft model and the checkpoint declares no layers of its own for drafting"
    if facts["args.dcp_size"] > 1:
        return "decode context parallelism shards the target's rows, a draft needs all of them"
    if facts["args.disaggregation_decode_retraction_backup"] == "host_pool":
        return "host-pool retraction needs a device pool of the draft's own"
    if facts["args.enable_hierarchical_cache"] and _hicache_declines(facts):
        return "the hierarchical cache needs a device pool of the draft's own"
    return _backend_declines(facts) or _shape_declines(facts)


def _backend_declines(facts: Facts) -> str | None:
    rails = {"triton", "flashinfer", "fa3"}
    if since(facts, "0.5.23"):
        rails |= {"trtllm_mha", "fa4"}
    off = [name for name in facts["resolved.draft_worker_backends"] if name not in rails]
    return f"the draft runs on {', '.join(off)}, which cannot read fused rows" if off else None


def _shape_declines(facts: Facts) -> str | None:
    own_model = facts["draft.given"]
    if not own_model:
        return _head_declines(facts)
    if facts["draft.mla"]:
        return "the draft keeps latent rows (MLA); only plain K and V rows fuse"
    if facts["draft.hybrid_swa"] and facts["draft.swa_layer_ids"]:
        unread = _windows_unread(facts)
        if unread is not None:
            return unread
    head_dim, v_head_dim = facts["draft.head_dim"], facts["draft.v_head_dim"]
    if head_dim != v_head_dim and not _carries_two_widths(facts):
        return f"the draft's K and V rows differ in width ({head_dim} and {v_head_dim})"
    return _misaligned(facts, facts["draft.num_key_value_heads"], (head_dim, v_head_dim))


def _head_declines(facts: Facts) -> str | None:
    """A head inside the target's checkpoint (multi-token prediction layers)."""
    if facts["model.architecture"] in _PER_DEPTH_HEADS:
        undecided("whether this checkpoint's per-depth draft heads fuse into the unified pool")
    if facts["model.mla"]:
        return "the checkpoint's own draft head keeps latent rows (MLA); only plain K and V rows fuse"
    kind = ""
    if facts["resolved.hybrid_swa"]:
        # Only MiMo-V2 is known to have one head of one sliding-window layer, with the target's window.
        if facts["model.architecture"] not in families.MIMO_V2:
            undecided("whether this checkpoint's own draft head fuses into the unified pool")
        unread = _windows_unread(facts)
        if unread is not None:
            return unread
        kind = "swa_"
    widths = (facts[f"model.{kind}head_dim"], facts[f"model.{kind}v_head_dim"])
    if widths[0] != widths[1] and not _carries_two_widths(facts):
        return f"the head's K and V rows differ in width ({widths[0]} and {widths[1]})"
    return _misaligned(facts, facts[f"model.{kind}num_key_value_heads"], widths)


def _windows_unread(facts: Facts) -> str | None:
    """Why sliding-window layers of a draft cannot ride along (``WindowHostKind.prerequisite``, 0.5.23)."""
    if not since(facts, "0.5.23"):
        return "the draft has sliding-window layers of its own"
    if facts["resolved.draft_worker_backends"] != ("triton",):
        return "the draft's sliding-window layers need the triton draft backend"
    return None


def _misaligned(facts: Facts, heads: int, widths: tuple[int, ...]) -> str | None:
    per_rank = max(1, heads // facts["resolved.attn_tp_size"])
    for width in widths:
        row = per_rank * width * facts["resolved.kv_element_bytes"]
        if row % ROW_ALIGNMENT:
            return f"a row of the draft has {row} bytes, not a multiple of {ROW_ALIGNMENT}"
    return None


def _carries_two_widths(facts: Facts) -> bool:
    """``_draft_backends_carry_v_head_dim`` (0.5.23)."""
    if not since(facts, "0.5.23"):
        return False
    used: set[Any] = set(facts["resolved.attention_backends"]) | {facts["resolved.speculative_draft_attention_backend"]}
    return used - {None} <= {"triton", "fa3", "fa4"}


def _hicache_declines(facts: Facts) -> bool:
    """``validate_fused_hicache_draft`` (0.5.23); earlier every hierarchical cache declines."""
    if not since(facts, "0.5.23"):
        return True
    fits = (
        facts["resolved.speculative_algorithm"] == "DFLASH"
        and facts["resolved.hybrid_swa"]
        and not facts["model.mambaish"]
        and facts["args.hicache_storage_backend"] is None
    )
    return not fits


def _nemotron_draft(facts: Facts, algorithm: str) -> str | None:
    """``_nemotron_h_overrides``, 0.5.19 and later, on Blackwell with every attention flag unset."""
    if not since(facts, "0.5.19") or facts["resolved.attention_written"] != (None, None, None):
        return None
    if not is_blackwell(facts):
        return None
    if is_sm100(facts) and facts["args.speculative_eagle_topk"] in (None, 1):
        return "trtllm_mha" if algorithm in ("EAGLE", "NEXTN", "DSPARK") else None
    return "flashinfer" if algorithm in ("EAGLE", "NEXTN", "DFLASH", "DSPARK") else None


def _dflash_backend(facts: Facts, declared: str | None) -> str:
    """``_resolve_dflash_draft_attention_backend``."""
    name = declared
    if name is None:
        name, _ = pair(facts["resolved.attention_final"])
    if name == "trtllm_mha":
        if since(facts, "0.5.17") and _draft_is_causal(facts):
            return name
        return "fa4" if since(facts, "0.5.23") and is_sm100(facts) else "flashinfer"
    return name if name in _DRAFT_BACKENDS else "flashinfer"


def _draft_is_causal(facts: Facts) -> bool:
    text = facts["draft.text"]
    kinds = text.get("layer_types") or ()
    all_sliding = len(kinds) == facts["draft.num_hidden_layers"] and set(kinds) == {"sliding_attention"}
    return all_sliding or text.get("is_causal") is True


FACTS = {
    "draft_attention_backend_by_model": backend_by_model,
    "speculative_draft_attention_backend": backend,
    "draft_attention_backends": backends,
    "draft_worker_backends": worker_backends,
    "has_draft_head": has_head,
    "fusion_declined": declines_fusion,
}
