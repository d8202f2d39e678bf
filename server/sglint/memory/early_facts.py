"""What releases before 0.5.15 make of the options that size the pools of a plain model.

The rules and verdicts do not follow these releases; memory does, for models without recurrent state and without
speculation. What a release reads beyond that leaves the fact unknown, and says so.

Source: ``server_args.py:ServerArgs`` (``_handle_model_specific_adjustments``,
``_handle_attention_backend_compatibility``, ``_handle_page_size``; in 0.5.1 and 0.5.2 inside ``__post_init__``).
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import NoReturn

from ..catalogue import ReleaseRange, release_key
from ..data import rules_dir
from ..facts import Derivation, Facts, Undecided, Unknown, Value
from ..models.facts import ModelFacts
from ..toml import parse

FOLLOWED_FROM = "0.5.15"
OLDEST = "0.5.1"
DEFAULT_RATIO = 0.8
_RENAMED = {
    "tp_size": "tensor_parallel_size",
    "pp_size": "pipeline_parallel_size",
    "dp_size": "data_parallel_size",
    "attn_cp_size": "attention_context_parallel_size",
}
_BLACKWELL = 100
"""Compute capability times ten from which a release may pick a backend that changes the page size."""


def is_early(release: str) -> bool:
    """Whether a release is sized by this module's facts: 0.5.1 to 0.5.14."""
    return release_key(OLDEST) <= release_key(release) < release_key(FOLLOWED_FROM)


def early_view(facts: Facts) -> Facts:
    """The same facts, with what sizing needs derived as an early release does."""
    renamed = {f"args.{new}": partial(_renamed, facts, new, old) for new, old in _RENAMED.items()}
    changed: dict[str, Derivation] = {
        "args.context_length": partial(_context_length, facts),
        "args.mem_fraction_static": partial(_mem_fraction, facts),
    }
    return Facts({}, {**DERIVED, **renamed, **changed}, facts.look)


def _renamed(written: Facts, new: str, old: str, _: Facts) -> Value:
    """An argument under the name that later releases parse it to."""
    value = written[f"args.{new}"]
    return written[f"args.{old}"] if value is None else value


def _mem_fraction(written: Facts, facts: Facts) -> float | None:
    """As written; 0.5.3 sets its own for sparse attention, whatever is written."""
    if written["release"] == "0.5.3" and facts["resolved.deepseek_sparse"]:
        return 0.8
    given: float | None = written["args.mem_fraction_static"]
    return given


def _context_length(written: Facts, _: Facts) -> int | None:
    """As written; else longer than later releases say for models whose rope scaling is told by kind of layer.

    Configurations read by transformers 4 carry one factor for all layers, which multiplies the context.
    """
    given: int | None = written["args.context_length"]
    model: ModelFacts = written["model.facts"]
    scaling = model.text.get("rope_scaling")
    by_kind = model.text_model_type == "gemma3_text" and isinstance(scaling, dict)
    if (
        given is not None
        or scaling is None
        or not by_kind
        or _since(written, "0.5.10")
        or written["release"] == "0.5.6.post1"
    ):
        return given
    return int(float(scaling.get("factor") or 1) * (model.context_length or 0)) or None


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, str]]:
    tables: dict[str, dict[str, str]] = parse((rules_dir() / "models" / "early-pools.toml").read_text(encoding="utf-8"))
    return tables


def _listed(facts: Facts, table: str) -> bool:
    bounds = _tables()[table].get(facts["model.architecture"])
    return bounds is not None and ReleaseRange.parse(bounds).holds(facts["release"])


def _since(facts: Facts, release: str) -> bool:
    return release_key(facts["release"]) >= release_key(release)


def _undecided(reason: str) -> NoReturn:
    raise Undecided(Unknown((reason,)))


def attn_dp_size(facts: Facts) -> int:
    if facts["resolved.deepseek_sparse"] and not _since(facts, "0.5.6"):
        # Sparse attention then always ran data-parallel.
        return int(facts["args.tp_size"] or 1)
    return int(facts["args.dp_size"] or 1) if facts["args.enable_dp_attention"] else 1


def attn_tp_size(facts: Facts) -> int:
    return max(1, int(facts["args.tp_size"] or 1) // int(facts["resolved.attn_dp_size"]))


def sparse(facts: Facts) -> bool:
    return _listed(facts, "sparse") and facts["model.index_topk"] is not None


def hybrid_swa(facts: Facts) -> bool:
    if facts["args.hybrid_kvcache_ratio"] is not None:
        _undecided(f"pool sizes under --hybrid-kvcache-ratio in {facts['release']}")
    architecture = facts["model.architecture"]
    if not _listed(facts, "split_pools"):
        return False
    if facts["args.disable_hybrid_swa_memory"] and _since(facts, "0.5.8"):
        return False
    if facts["args.enable_hierarchical_cache"] and architecture.startswith(("MiMoV2", "Step3p")):
        _undecided(f"pool sizes of {architecture} under --enable-hierarchical-cache in {facts['release']}")
    if architecture == "LagunaForCausalLM" and not facts["model.sliding_window"]:
        return False
    if architecture == "GptOssForCausalLM" and not _since(facts, "0.5.10"):
        return not _on_trtllm_mha(facts)
    return True


def _on_trtllm_mha(facts: Facts) -> bool:
    """0.5.8 and 0.5.9 keep one pool for gpt-oss on the kernels that Blackwell gets by default."""
    written = _backends(facts)
    if any(written):
        return "trtllm_mha" in written
    return int(facts["gpu.sm"]) // 10 * 10 == _BLACKWELL


def swa_full_tokens_ratio(facts: Facts) -> float:
    written = facts["args.swa_full_tokens_ratio"]
    return DEFAULT_RATIO if written is None else float(written)


def kv_cache_dtype(facts: Facts) -> str:
    written = str(facts["args.kv_cache_dtype"])
    if facts["resolved.deepseek_sparse"]:
        blackwell = int(facts["gpu.sm"]) >= _BLACKWELL
        if not _since(facts, "0.5.5"):
            return "fp8_e4m3" if blackwell else written
        if written == "auto":
            return "fp8_e4m3" if blackwell else "bfloat16"
    if written == "auto" and not _since(facts, "0.5.3"):
        # Before 0.5.3 a checkpoint's own 8-bit scales do not decide.
        return "bfloat16" if facts["model.facts"].dtype in (None, "float32") else str(facts["model.facts"].dtype)
    return written


def page_size(facts: Facts) -> int:
    page: int | None = facts["args.page_size"]
    if facts["resolved.deepseek_sparse"]:
        return 64
    base, prefill, decode = _backends(facts)
    if "flashmla" in (base, decode):
        page = 64
    if "cutlass_mla" in (base, decode):
        page = 128
    if {"trtllm_mla", "tokenspeed_mla"} & {base, decode} or "cutedsl_mla" in (base, prefill, decode):
        page = page if page in (32, 64) else 64
    if "trtllm_mha" in (base, prefill, decode):
        page = page if page in (16, 32, 64) else 64
    if prefill == "fa4" and _since(facts, "0.5.4") and not (_since(facts, "0.5.6") and facts["model.mla"]):
        page = 128 if not _since(facts, "0.5.10") or int(facts["gpu.sm"]) // 10 * 10 == _BLACKWELL else page
    if not any((base, prefill, decode)) and page not in (32, 64) and int(facts["gpu.sm"]) >= _BLACKWELL:
        _undecided(f"which attention backend {facts['release']} picks on {facts['gpu.name']}: give --attention-backend")
    return 1 if page is None else page


def _backends(facts: Facts) -> tuple[str | None, str | None, str | None]:
    return (
        facts["args.attention_backend"],
        facts["args.prefill_attention_backend"],
        facts["args.decode_attention_backend"],
    )


def disable_radix_cache(facts: Facts) -> bool:
    if facts["args.disaggregation_mode"] == "decode":
        return not facts["args.disaggregation_decode_enable_radix_cache"]
    return bool(facts["args.disable_radix_cache"])


def speculative_algorithm(facts: Facts) -> None:
    if facts["args.speculative_algorithm"] is not None:
        _undecided(f"pool sizes under speculative decoding in {facts['release']}")


def _state(facts: Facts) -> NoReturn:
    _undecided(f"pool sizes of models with recurrent state in {facts['release']}")


DERIVED: dict[str, Derivation] = {
    "resolved.attn_dp_size": attn_dp_size,
    "resolved.attn_tp_size": attn_tp_size,
    "resolved.deepseek_sparse": sparse,
    "resolved.hybrid_swa": hybrid_swa,
    "resolved.swa_full_tokens_ratio": swa_full_tokens_ratio,
    "resolved.kv_cache_dtype": kv_cache_dtype,
    "resolved.page_size": page_size,
    "resolved.disable_radix_cache": disable_radix_cache,
    "resolved.speculative_algorithm": speculative_algorithm,
    "resolved.max_running_requests": lambda facts: facts["args.max_running_requests"],
    "resolved.overlap_disabled_by_strategy": lambda facts: False,
    "resolved.mamba_full_memory_ratio": _state,
}
