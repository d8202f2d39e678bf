"""Kernels, pages and index keys of block-sparse attention (MiniMax-M3).

Source: ``arg_groups/model_overrides/minimax_m3.py`` (``arg_groups/overrides.py`` through 0.5.18) and
``mem_cache/memory_pool.py:get_minimax_sparse_index_dtype``.
"""

from __future__ import annotations

from ..catalogue import release_key
from ..facts import Facts

ARCHITECTURES = ("MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration")
BLOCK = 128
"""Tokens of a sparse block, and of a page where the kernels allow it."""
_SWITCH_OFF = "env.SGLANG_DISABLE_M3_FP8_ATTN_GEMM"


def attention_backend(facts: Facts) -> str | None:
    """``attention_backend`` after the model's own declaration."""
    base, prefill, decode = _written(facts)
    if base or prefill or decode:
        return base
    if _major(facts) == 9:
        return "fa3"
    if _major(facts) == 10:
        return "trtllm_mha" if _since(facts, "0.5.17") and _eight_bit(facts) else "fa4"
    written: str | None = facts["resolved.attention_backend"]
    return written


def page_size(facts: Facts) -> int:
    """Tokens of a page: a sparse block with the kernels that the model prefers."""
    page: int | None = facts["args.page_size"]
    backend = attention_backend(facts)
    preferred = {9: ("fa3",), 10: ("fa4", "trtllm_mha")}.get(_major(facts), ())
    if page is None and backend in preferred:
        page = BLOCK
    used = {backend, *_written(facts)}
    if "trtllm_mha" in used:
        allowed = (16, 32, 64, BLOCK) if _since(facts, "0.5.17") else (16, 32, 64)
        page = page if page in allowed else 64
    if "fa4" in used and _major(facts) == 10:
        page = BLOCK
    return 1 if page is None else page


def index_bytes(facts: Facts) -> int:
    """Bytes per element of an index key: those of an 8-bit cache where the kernels read such, else of the model."""
    if not _since(facts, "0.5.21") or facts["resolved.kv_cache_dtype"] != "fp8_e4m3":
        return 2
    if _major(facts) == 9 and _since(facts, "0.5.23"):
        return 1
    return 1 if _major(facts) == 10 and attention_backend(facts) == "trtllm_mha" and _eight_bit(facts) else 2


def _eight_bit(facts: Facts) -> bool:
    switched_off = facts[_SWITCH_OFF] not in (None, "0", "false", "False")
    return facts["args.kv_cache_dtype"] == "fp8_e4m3" and not switched_off


def _written(facts: Facts) -> tuple[str | None, str | None, str | None]:
    return (
        facts["args.attention_backend"],
        facts["args.prefill_attention_backend"],
        facts["args.decode_attention_backend"],
    )


def _major(facts: Facts) -> int:
    return int(facts["gpu.sm"]) // 10


def _since(facts: Facts, release: str) -> bool:
    return release_key(facts["release"]) >= release_key(release)
