"""Sizes of the parallel groups a rank's pools depend on."""

from __future__ import annotations

from ..facts import Facts
from . import families
from .releases import since, undecided

_SHARDED_NORMS = "Qwen3ForCausalLM"
_MUSE_SPARK = "MuseSparkForConditionalGeneration"
_LEGACY_STRATEGIES = {"in-seq-split": "zigzag", "round-robin-split": "interleave"}


def prefill_cp(facts: Facts) -> bool:
    """Prefill is context-parallel, by whatever flag (``_handle_legacy_cp_arguments``)."""
    flags = ("enable_prefill_cp", "enable_prefill_context_parallel", "enable_dsa_prefill_context_parallel")
    return any(facts[f"args.{flag}"] for flag in flags)


def cp_strategy(facts: Facts) -> str | None:
    """``--cp-strategy``, else what the retired flags stand for."""
    written: str | None = facts["args.cp_strategy"]
    if written is not None:
        return written
    for kind in ("prefill", "dsa_prefill"):
        if facts[f"args.enable_{kind}_context_parallel"]:
            return _LEGACY_STRATEGIES[facts[f"args.{kind}_cp_mode"]]
    return None


def cp_by_model(facts: Facts) -> bool:
    """The model's declarations turn every attention group into one context-parallel group."""
    if not facts["resolved.prefill_cp"]:
        return False
    if facts["model.deepseek_v4"]:
        return True
    return families.in_deepseek_family(facts) and bool(facts["model.mla"])


def attn_cp_size(facts: Facts) -> int:
    """``--attn-cp-size`` after DeepSeek's declarations (``_deepseek_v2_overrides``, ``validate_deepseek_v4_cp``)."""
    written = int(facts["args.attn_cp_size"] or 1)
    if not facts["resolved.cp_by_model"]:
        return written
    kept = since(facts, "0.5.22") and written > 1 and facts["resolved.cp_strategy"] == "interleave"
    if kept and facts["model.dsa"] and not facts["model.deepseek_v4"]:
        return written
    return int(facts["args.tp_size"]) // int(facts["resolved.attn_dp_size"])


def attn_dp_size(facts: Facts) -> int:
    """Attention data-parallel groups (``--dp-size`` under ``--enable-dp-attention``; ``--attn-dp-size``)."""
    if since(facts, "0.5.22") and facts["args.attn_dp_size"] > 1:
        return int(facts["args.attn_dp_size"])
    attends = facts["args.enable_dp_attention"] or facts["resolved.cp_by_model"]
    return int(facts["args.dp_size"]) if attends else 1


def attn_tp_size(facts: Facts) -> int:
    """Ranks that share one attention layer's heads, at least one."""
    groups = int(facts["resolved.attn_dp_size"]) * int(facts["resolved.attn_cp_size"])
    return max(1, int(facts["args.tp_size"]) // max(1, groups))


def transfer_backend(facts: Facts) -> str:
    """``mooncake_tcp`` is mooncake over TCP (``handle_pd_disaggregation``)."""
    name = str(facts["args.disaggregation_transfer_backend"])
    return "mooncake" if name == "mooncake_tcp" else name


def layernorm_sp_stray_experts(facts: Facts) -> bool:
    """``--enable-megamoe-for-layernorm-sp`` for another model than Muse Spark."""
    return bool(facts["args.enable_megamoe_for_layernorm_sp"] and facts["model.architecture"] != _MUSE_SPARK)


def layernorm_sp_fault(facts: Facts) -> str | None:
    """Which condition of ``--enable-layernorm-sp`` fails first (``validate_layernorm_sp``, 0.5.19 and later).

    ``model``, ``ranks``, ``attention``, ``speculation``, ``pipeline``; None where the norms run on parts of a sequence.
    """
    if facts["model.architecture"] == _MUSE_SPARK and since(facts, "0.5.23"):
        undecided("whether the experts of Muse Spark suit --enable-layernorm-sp")
    if facts["model.architecture"] != _SHARDED_NORMS:
        return "model"
    if facts["args.tp_size"] <= 1:
        return "ranks"
    if facts["resolved.attn_dp_size"] > 1:
        return "attention"
    if facts["args.speculative_algorithm"] is not None:
        return "speculation"
    return "pipeline" if facts["args.pp_size"] > 1 and since(facts, "0.5.22") else None


FACTS = {
    "layernorm_sp_stray_experts": layernorm_sp_stray_experts,
    "layernorm_sp_fault": layernorm_sp_fault,
    "prefill_cp": prefill_cp,
    "cp_strategy": cp_strategy,
    "cp_by_model": cp_by_model,
    "attn_cp_size": attn_cp_size,
    "attn_dp_size": attn_dp_size,
    "attn_tp_size": attn_tp_size,
    "disaggregation_transfer_backend": transfer_backend,
}
