"""The page size of the KV cache, in tokens, at the two moments a release looks at it."""

from __future__ import annotations

from ..facts import Facts
from . import families
from .model_backends import qwen3_hybrid_paged
from .platform import is_sm100
from .releases import since


def by_model(facts: Facts) -> int | None:
    """After the model's declarations; None when neither written nor declared."""
    page: int | None = facts["args.page_size"]
    architecture = facts["model.architecture"]
    if architecture == families.DEEPSEEK_V4:
        return 256
    if facts["resolved.deepseek_sparse"]:
        return 64
    if architecture in families.QWEN3_HYBRID and facts["resolved.attention_written"][0] is None and is_sm100(facts):
        return 64 if qwen3_hybrid_paged(facts) else 1
    if page is None and _nemotron_paged(facts):
        return 64
    return page


def final(facts: Facts) -> int:
    """After the backends' constraints and the default of one.

    Sources: ``_mla_backend_page_constraints``, ``_fa4_page_constraint``, ``_page_size_default``.
    """
    page: int | None = facts["resolved.page_size_by_model"]
    base, prefill, decode = facts["resolved.attention_by_default"]
    target = (base, decode)
    everywhere = (base, prefill, decode)
    if "flashmla" in target:
        page = 64
    if "cutlass_mla" in target and not since(facts, "0.5.20"):
        page = 128
    if "trtllm_mla" in target or "cutedsl_mla" in everywhere or "tokenspeed_mla" in target:
        page = page if page in (32, 64) else 64
    if "trtllm_mha" in everywhere or _draft_on_trtllm_mha(facts):
        allowed = (16, 32, 64, 128) if since(facts, "0.5.17") else (16, 32, 64)
        page = page if page in allowed else 64
    if "hpc_ops" in everywhere and since(facts, "0.5.17"):
        page = 64
    if "fa4" in everywhere and not facts["model.mla"] and is_sm100(facts):
        page = _fa4_page(facts, page)
    return 1 if page is None else page


def _fa4_page(facts: Facts, page: int | None) -> int | None:
    if (facts["args.speculative_eagle_topk"] or 0) > 1:
        return page
    diffusion = "DiffusionGemmaForBlockDiffusion" in facts["model.architectures"]
    return 1 if diffusion and since(facts, "0.5.22") else 128


def _draft_on_trtllm_mha(facts: Facts) -> bool:
    return since(facts, "0.5.17") and facts["resolved.draft_attention_backend_by_model"] == "trtllm_mha"


def _nemotron_paged(facts: Facts) -> bool:
    architecture = facts["model.architecture"]
    if architecture in families.NEMOTRON_H or architecture == families.NEMOTRON_H_OMNI:
        return bool(facts["resolved.nemotron_paged_draft"])
    return False


FACTS = {"page_size_by_model": by_model, "page_size": final}
