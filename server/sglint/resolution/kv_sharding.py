"""``--enable-kv-cache-sharding``: what the attention backend and the prefill chunks have to be.

Source: ``handle_kv_cache_sharding`` and ``validate_kv_shard_attention_backend`` of
``srt/arg_groups/kv_shard_hook.py`` (0.5.22 and later).
"""

from __future__ import annotations

from ..facts import Facts
from .platform import is_blackwell
from .releases import since, undecided

_UNCHUNKED = frozenset(
    (
        "Grok1VForCausalLM",
        "Grok1AForCausalLM",
        "LlavaLlamaForCausalLM",
        "MllamaForConditionalGeneration",
        "MossVLForConditionalGeneration",
        "CLIPModel",
    )
)
"""Multimodal architectures whose prompts are not cut (``is_multimodal_chunked_prefill_supported``)."""
_GLM_SPARSE = "GlmMoeDsaForCausalLM"
_HOST_LAYOUTS = ("layer_first", "page_first")


def backend_fault(facts: Facts) -> str | None:
    """Which condition on the prefill backend fails first; None when it can read a sharded cache.

    ``dsa-parallel``, ``dsa-kernels``, ``dsa-transfer``: DeepSeek's sparse attention (0.5.23). ``dsa-backend``: such a
    model on another backend. ``backend``: neither fa3 nor trtllm_mla. ``mla``, ``context-parallel``,
    ``chunked-prefix``: what trtllm_mla wants.
    """
    if not facts["args.enable_kv_cache_sharding"]:
        return None
    prefill = facts["resolved.prefill_attention_backend"]
    if since(facts, "0.5.23"):
        if prefill == "dsa":
            return _sparse_fault(facts)
        if facts["resolved.deepseek_sparse"]:
            return "dsa-backend"
    if prefill == "fa3":
        return None
    if prefill != "trtllm_mla":
        return "backend"
    if not facts["model.mla"]:
        return "mla"
    if facts["resolved.attn_cp_size"] > 1:
        return "context-parallel"
    return "chunked-prefix" if facts["args.disable_chunked_prefix_cache"] else None


def host_layout_refused(facts: Facts) -> bool:
    """A hierarchical cache whose copies do not suit sparse attention's shards, after the release matched the two
    (``resolve_layout_io_compatibility``)."""
    io, layout = facts["args.hicache_io_backend"], facts["args.hicache_mem_layout"]
    return not (io == "kernel" and layout in _HOST_LAYOUTS)


def uncut(facts: Facts) -> bool:
    """Prompts are not cut into chunks (``chunked_prefill_size`` of zero or less after the model's declarations)."""
    written = facts["args.chunked_prefill_size"]
    if written is not None and int(written) // int(facts["resolved.attn_dp_size"]) <= 0:
        return True
    if facts["args.enable_mis"]:
        return True
    if not facts["model.generation"]:
        undecided("whether this embedding model cuts its prompts")
    return bool(facts["model.multimodal"] and facts["model.architecture"] in _UNCHUNKED)


def model_fault(facts: Facts) -> str | None:
    """``encoder-decoder`` or ``local-attention``, for which nothing shards a cache; else None."""
    if not facts["args.enable_kv_cache_sharding"]:
        return None
    if facts["model.encoder_decoder"]:
        return "encoder-decoder"
    return "local-attention" if facts["model.text"].get("attention_chunk_size") is not None else None


def draft_admitted(facts: Facts) -> bool:
    """The one way of speculating that 0.5.23 takes beside shards: a chain of GLM's own single draft layer."""
    return (
        facts["args.speculative_algorithm"] == "EAGLE"
        and facts["model.architecture"] == _GLM_SPARSE
        and facts["model.num_nextn_predict_layers"] == 1
        and facts["args.speculative_eagle_topk"] == 1
        and not facts["args.enable_multi_layer_eagle"]
    )


def _sparse_fault(facts: Facts) -> str | None:
    strides = facts["resolved.prefill_cp"] and facts["resolved.cp_strategy"] == "interleave"
    if not strides or facts["resolved.attn_cp_size"] <= 1 or facts["args.pp_size"] != 1:
        return "dsa-parallel"
    if facts["resolved.kv_cache_dtype"] != "fp8_e4m3" or facts["resolved.page_size"] != 64:
        return "dsa-kernels"
    if not all(_on_trtllm(facts, phase) for phase in ("prefill", "decode")):
        return "dsa-kernels"
    text = facts["model.text"]
    pooled = text.get("index_kpool", 1) != 1 or text.get("index_kpool_compress", False)
    other = facts["resolved.disaggregation_transfer_backend"] != "mooncake"
    return "dsa-transfer" if other or facts["args.enable_dsa_cache_layer_split"] or pooled else None


def _on_trtllm(facts: Facts, phase: str) -> bool:
    """The kernel of a phase over an fp8 cache: as written, else TensorRT-LLM's on Blackwell."""
    written = facts[f"args.dsa_{phase}_backend"]
    if written is not None:
        return bool(written == "trtllm")
    if facts["model.text"].get("learnable_sink"):
        return False
    glm_on_sm120 = facts["model.architecture"] == _GLM_SPARSE and facts["gpu.sm"] // 10 == 12
    return is_blackwell(facts) and not glm_on_sm120


FACTS = {
    "kv_sharding_backend_fault": backend_fault,
    "kv_sharding_host_layout_refused": host_layout_refused,
    "prompts_uncut": uncut,
    "kv_sharding_model_fault": model_fault,
    "kv_sharding_draft_admitted": draft_admitted,
}
