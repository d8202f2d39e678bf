"""Pools and caches: which kind the model gets, their ratios and data type, and what turns the radix cache off."""

from __future__ import annotations

from ..facts import Facts
from . import families
from .platform import is_blackwell
from .releases import since

_DETERMINISTIC_RADIX = ("ascend", "fa3", "fa4", "triton")
DEFAULT_SWA_RATIO = 0.8
DEFAULT_STATE_RATIO = 0.9


def hybrid_swa(facts: Facts) -> bool:
    """Full and sliding-window layers get pools of their own, after ``--disable-hybrid-swa-memory``."""
    if not facts["model.hybrid_swa"]:
        return False
    return not facts["resolved.disable_hybrid_swa_memory"]


def disable_hybrid_swa_memory(facts: Facts) -> bool:
    if facts["args.disable_hybrid_swa_memory"]:
        return True
    return facts["model.architecture"] in families.STEP3P and bool(facts["args.enable_hierarchical_cache"])


def unified_target(facts: Facts) -> bool:
    """The unified pool can hold this target: recurrent state, or hybrid-SWA other than DeepSeek-V4."""
    if facts["model.mambaish"]:
        return True
    return bool(facts["resolved.hybrid_swa"]) and not facts["model.deepseek_v4"]


def unified_pool(facts: Facts) -> str | None:
    """Which unified pool is built: ``state``, ``swa``, ``state+swa``, or None."""
    if not facts["args.enable_unified_memory"] or not facts["resolved.unified_target"]:
        return None
    if not facts["model.mambaish"]:
        return "swa"
    both = facts["resolved.hybrid_swa"] and since(facts, "0.5.19")
    return "state+swa" if both else "state"


def kv_cache_dtype(facts: Facts) -> str:
    """After the declarations of models that choose one (DSA, DeepSeek-V4)."""
    written = str(facts["args.kv_cache_dtype"])
    if since(facts, "0.5.23") and "tokenspeed_mla" in (
        facts["args.attention_backend"],
        facts["args.decode_attention_backend"],
    ):
        return "fp8_e4m3"
    if written != "auto":
        return written
    architecture = facts["model.architecture"]
    if architecture == families.DEEPSEEK_V4:
        return "fp8_e4m3"
    if facts["resolved.deepseek_sparse"]:
        sinks = bool(facts["model.config"].get("learnable_sink"))
        return "fp8_e4m3" if is_blackwell(facts) and not sinks else "bfloat16"
    if architecture == "MuseSparkForConditionalGeneration":
        return "fp8_e4m3"
    return written


def deepseek_sparse(facts: Facts) -> bool:
    """DeepSeek's own family with sparse attention on top, which fixes page size and cache type."""
    return families.in_deepseek_family(facts) and bool(facts["model.dsa"])


def kv_element_bytes(facts: Facts) -> int:
    """Bytes of one stored KV element of a paged pool: one for eight-bit types, else two."""
    dtype = facts["resolved.kv_cache_dtype"]
    if dtype == "auto":
        return 1 if facts["model.kv_cache_quantized"] else 2
    return 1 if dtype.startswith("fp8") or dtype == "mxfp8" else 2


def swa_full_tokens_ratio(facts: Facts) -> float:
    """Sliding-window tokens per full token, after the declarations of DeepSeek-V4, Inkling and Step."""
    written = facts["args.swa_full_tokens_ratio"]
    architecture = facts["model.architecture"]
    if architecture in families.STEP3P and facts["args.enable_hierarchical_cache"]:
        return 1.0
    unset = written is None or (not since(facts, "0.5.20") and written == DEFAULT_SWA_RATIO)
    if unset and (architecture in families.INKLING or architecture == families.DEEPSEEK_V4):
        return 0.1
    return DEFAULT_SWA_RATIO if written is None else float(written)


def swa_ratio_legal(facts: Facts) -> bool:
    """The ratio is in (0, 1]; every declared ratio is, so an explicit one outside decides without the model."""
    written = facts["args.swa_full_tokens_ratio"]
    if written is not None and not 0 < written <= 1 and not facts["args.enable_hierarchical_cache"]:
        return False
    return 0 < float(facts["resolved.swa_full_tokens_ratio"]) <= 1


def mamba_full_memory_ratio(facts: Facts) -> float:
    """Bytes of state per byte of KV cache, after Inkling's declaration."""
    written = facts["args.mamba_full_memory_ratio"]
    unset = written is None or (not since(facts, "0.5.20") and written == DEFAULT_STATE_RATIO)
    if unset and facts["model.architecture"] in families.INKLING:
        return 0.1
    return DEFAULT_STATE_RATIO if written is None else float(written)


def disable_radix_cache_by_role(facts: Facts) -> bool:
    """After the disaggregation hook: a decode server has none unless it is asked for."""
    if facts["args.disaggregation_mode"] == "decode":
        return not facts["args.disaggregation_decode_enable_radix_cache"]
    return bool(facts["args.disable_radix_cache"])


def disable_radix_cache(facts: Facts) -> bool:
    """After deterministic inference and multi-item scoring, too."""
    if facts["resolved.disable_radix_cache_by_role"] or facts["args.enable_mis"]:
        return True
    return bool(facts["resolved.deterministic"]) and facts["resolved.attention_backend"] not in _DETERMINISTIC_RADIX


def host_cache(facts: Facts) -> bool:
    """A pool in host memory is made: hierarchical cache, offloading, a decode server's backup (``handle_hicache``)."""
    if facts["args.enable_hierarchical_cache"] or facts["args.disaggregation_decode_enable_offload_kvcache"]:
        return True
    backup = facts["args.disaggregation_decode_retraction_backup"]
    return facts["args.disaggregation_mode"] == "decode" and backup in (None, "host_pool")


def page_major(facts: Facts) -> bool:
    """The unified pool switches the page-major layout on."""
    return bool(facts["args.enable_unified_memory"] or facts["args.enable_page_major_kv_layout"])


FACTS = {
    "hybrid_swa": hybrid_swa,
    "disable_hybrid_swa_memory": disable_hybrid_swa_memory,
    "unified_target": unified_target,
    "unified_pool": unified_pool,
    "kv_cache_dtype": kv_cache_dtype,
    "deepseek_sparse": deepseek_sparse,
    "kv_element_bytes": kv_element_bytes,
    "swa_full_tokens_ratio": swa_full_tokens_ratio,
    "swa_ratio_legal": swa_ratio_legal,
    "mamba_full_memory_ratio": mamba_full_memory_ratio,
    "disable_radix_cache_by_role": disable_radix_cache_by_role,
    "disable_radix_cache": disable_radix_cache,
    "host_cache": host_cache,
    "page_major": page_major,
}
