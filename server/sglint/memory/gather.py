"""From the facts of a launch to the inputs of the pool arithmetic."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..catalogue import release_key
from ..facts import Facts, Unknown
from ..models.facts import ModelFacts
from ..models.layers import runner_window
from . import block_sparse
from .inputs import DEFAULT_EVICTION_INTERVAL, FEATURE_CACHE_MIB, NO_DRAFT, VLM_CACHE_MIB, PoolInputs

DSV4_REQUESTS = 256
"""``--max-running-requests`` that the DeepSeek-V4 hook sets when it is unset."""

SMALL_DECODE_BATCH = 32
"""Requests per worker up to which a decode server keeps slots for requests in transfer."""

DEFAULT_HISPARSE_RATIO = 2
REPLAY_FOLLOWED_FROM = "0.5.20"
"""First release whose state pool is followed when it replays state instead of keeping every step."""
HISPARSE_FOLLOWED_FROM = "0.5.18"

_SWITCHES = {
    "args.enable_kv_cache_sharding": "--enable-kv-cache-sharding",
    "args.enable_gdn_replayssm_spec": "--enable-gdn-replayssm-spec",
    "args.enable_dsa_cache_layer_split": "--enable-dsa-cache-layer-split",
    "args.enable_encoder_swa_bounded_replay": "--enable-encoder-swa-bounded-replay",
}
_VARIABLES = (
    "SGLANG_PP_LAYER_PARTITION",
    "SGLANG_OPT_MAMBA_SKIP_DECODE_LOCK",
    "SGLANG_OPT_USE_ONLINE_COMPRESS",
    "SGLANG_DSV4_COMPRESS_STATE_DTYPE",
    "SGLANG_DSV4_KV_LAYOUT",
    "SGLANG_DSV4_COMPRESSED_KV_LAYOUT",
    "SGLANG_DSV4_UNIFIED_KV_FP8",
)


def gather(facts: Facts, rest_bytes: int, *, with_draft: bool = True) -> PoolInputs:
    """Inputs for ``rest_bytes``. Raises :class:`Undecided` for the first fact that is needed and not known.

    ``with_draft`` False leaves the draft model's own pool out, for when its configuration is not known.
    """
    model: ModelFacts = facts["model.facts"]
    hybrid = bool(facts["resolved.hybrid_swa"])
    algorithm = facts["resolved.speculative_algorithm"]
    draft, is_path = draft_of(facts, model, algorithm) if with_draft else (None, False)
    speculative = algorithm is not None
    unified = bool(facts["args.enable_unified_memory"])
    needs_backends = unified and speculative and draft is not None
    return PoolInputs(
        release=facts["release"],
        model=model,
        rest_bytes=rest_bytes,
        context_length=int(facts["args.context_length"] or model.context_length or 0),
        page_size=_page_size(facts, model),
        kv_dtype=_kv_dtype(facts, model),
        model_dtype=_model_dtype(facts, model),
        attn_tp=int(facts["resolved.attn_tp_size"]),
        attn_dp=int(facts["resolved.attn_dp_size"]),
        pp=int(facts["args.pp_size"] or 1),
        dcp=int(facts["args.dcp_size"] or 1),
        hybrid_swa=hybrid,
        window=runner_window(model.architecture, model.text, model.sliding_window, hybrid),
        swa_ratio=float(facts["resolved.swa_full_tokens_ratio"]) if hybrid else 1.0,
        mamba_ratio=float(facts["resolved.mamba_full_memory_ratio"]) if model.state else 0.9,
        ssm_dtype=_state_dtype(facts, model),
        conv_dtype=str(facts["env.SGLANG_MAMBA_CONV_DTYPE"] or "bfloat16"),
        max_mamba_cache_size=_optional(facts, "args.max_mamba_cache_size"),
        max_total_tokens=_optional(facts, "args.max_total_tokens"),
        max_running_requests=_requests(facts, model),
        chunked_prefill_size=_chunk(facts, model, hybrid),
        radix=not facts["resolved.disable_radix_cache"],
        overlap=_overlap(facts),
        extra_buffer=bool(facts["resolved.mamba_extra_buffer"]) if model.state else False,
        extra_buffer_lazy=_lazy(facts) if model.state else False,
        unified=unified,
        multimodal=_multimodal(facts, model),
        feature_transport=facts["args.mm_feature_transport"],
        vlm_cache_mib=_integer(facts, "env.SGLANG_VLM_CACHE_SIZE_MB", VLM_CACHE_MIB),
        feature_cache_mib=_integer(facts, "env.SGLANG_MM_FEATURE_CACHE_MB", FEATURE_CACHE_MIB),
        algorithm=algorithm,
        draft_tokens=_draft_tokens(facts, model, with_draft) if speculative else None,
        steps=_optional(facts, "resolved.speculative_num_steps") if speculative else None,
        topk=_optional(facts, "resolved.speculative_eagle_topk") if speculative else None,
        draft=draft,
        draft_is_path=is_path,
        draft_kv_dtype=facts["args.speculative_draft_kv_cache_dtype"] if speculative else None,
        draft_backends=tuple(facts["resolved.draft_worker_backends"]) if needs_backends else (),
        target_backends=_backends(facts) if needs_backends else (),
        hicache=bool(facts["args.enable_hierarchical_cache"]),
        retraction_backup=facts["args.disaggregation_decode_retraction_backup"],
        disaggregation=str(facts["args.disaggregation_mode"] or "null"),
        decode_extra_slots=_extra_slots(facts),
        hisparse_ratio=_hisparse_ratio(facts),
        sparse_index_bytes=block_sparse.index_bytes(facts) if model.architecture in block_sparse.ARCHITECTURES else 2,
        replay_length=_replay_length(facts, model) if speculative else None,
        counted_only=bool(facts["args.prefill_only_disable_kv_cache"]),
        dsa_raw_rows=_raw_latent_rows(facts, model),
        elides_indexers=_elides_indexers(facts),
        eviction_interval=_integer(facts, "env.SGLANG_SWA_EVICTION_INTERVAL", DEFAULT_EVICTION_INTERVAL),
        unmodelled=tuple(_unmodelled(facts, model)),
    )


def compute_capability(facts: Facts) -> int | None:
    """The GPU's compute capability times ten, None when it is not known."""
    value = facts.look("gpu.sm")
    return None if isinstance(value, Unknown) else int(value)


def draft_of(facts: Facts, model: ModelFacts, algorithm: str | None) -> tuple[ModelFacts | None, bool]:
    """The draft model and whether a path names it; a head inside the target's checkpoint is the target itself."""
    if algorithm is None or algorithm in NO_DRAFT:
        return None, False
    path = facts["resolved.speculative_draft_model_path"]
    if facts["given.speculative_draft_model_path"]:
        return facts["draft.facts"], True
    return model, path is not None


def _draft_tokens(facts: Facts, model: ModelFacts, with_draft: bool) -> int | None:
    """Draft tokens; without the draft's configuration they may be missing where no pool depends on them."""
    capped = facts["args.max_running_requests"] is not None and facts["resolved.disable_radix_cache"]
    if not with_draft and model.state is None and not capped:
        value = facts.look("resolved.speculative_num_draft_tokens")
        return None if value is None or isinstance(value, Unknown) else int(value)
    return _optional(facts, "resolved.speculative_num_draft_tokens")


def _page_size(facts: Facts, model: ModelFacts) -> int:
    if model.architecture in block_sparse.ARCHITECTURES:
        return block_sparse.page_size(facts)
    return int(facts["resolved.page_size"] or 1)


def _kv_dtype(facts: Facts, model: ModelFacts) -> str:
    """The data type after loading: a ModelOpt checkpoint that names 8-bit KV scales decides ``auto``."""
    dtype = str(facts["resolved.kv_cache_dtype"])
    if dtype == "auto" and model.kv_cache_quantized and (model.quantization or "").startswith("modelopt"):
        return "fp8_e4m3"
    return dtype


def _model_dtype(facts: Facts, model: ModelFacts) -> str:
    asked = facts["args.dtype"]
    if asked in (None, "auto"):
        return model.dtype if model.dtype in ("bfloat16", "float16") else "bfloat16"
    return {"half": "float16", "float": "float32"}.get(asked, str(asked))


def _state_dtype(facts: Facts, model: ModelFacts) -> str | None:
    if model.state is None:
        return None
    dtype: str | None = facts["args.mamba_ssm_dtype"] or facts["env.SGLANG_MAMBA_SSM_DTYPE"]
    return dtype


def _requests(facts: Facts, model: ModelFacts) -> int | None:
    written = facts["args.max_running_requests"]
    if written is None and model.traits(facts["release"]).deepseek_v4:
        return DSV4_REQUESTS
    return _optional(facts, "resolved.max_running_requests")


def _extra_slots(facts: Facts) -> int:
    """Slots of a decode server for requests in transfer; by default two per request of a small batch."""
    written, requests = facts["args.disaggregation_decode_extra_slots"], facts["args.max_running_requests"]
    if written is not None or requests is None or facts["args.disaggregation_mode"] != "decode":
        return int(written or 0)
    per_worker = int(requests) // max(1, int(facts["args.dp_size"] or 1))
    return per_worker * 2 if per_worker <= SMALL_DECODE_BATCH else 0


def _chunk(facts: Facts, model: ModelFacts, hybrid: bool) -> int | None:
    """``--chunked-prefill-size``; its default depends on the GPU, which only a request-capped pool asks for."""
    written = facts["args.chunked_prefill_size"]
    if written is not None:
        return int(written)
    if not hybrid or not facts["resolved.disable_radix_cache"] or _requests(facts, model) is None:
        return None
    from .reserve import default_chunk

    return default_chunk(facts)


def _overlap(facts: Facts) -> bool:
    """Whether the scheduler overlaps steps (``disable_overlap_schedule`` after all who set it)."""
    if int(facts["args.pp_size"] or 1) > 1 or facts["args.dllm_algorithm"] is not None:
        return False
    return facts["env.SGLANG_EMBEDDINGS_SPARSE_HEAD"] is None and not facts["resolved.overlap_disabled_by_strategy"]


def _hisparse_ratio(facts: Facts) -> int | None:
    """``host_to_device_ratio`` of ``--hisparse-config`` (``mem_cache/sparsity/factory.py``)."""
    if not facts["args.enable_hisparse"]:
        return None
    written = facts["args.hisparse_config"]
    if written is None:
        return DEFAULT_HISPARSE_RATIO
    config = written if isinstance(written, Mapping) else json.loads(str(written))
    return int(config.get("host_to_device_ratio", DEFAULT_HISPARSE_RATIO))


def _replay_length(facts: Facts, model: ModelFacts) -> int | None:
    replays = facts["args.enable_linear_replayssm_spec"] and model.state is not None
    if not replays or model.traits(facts["release"]).state_kind not in ("gdn", "kda"):
        return None
    return int(facts["args.linear_replayssm_cache_len"])


def _raw_latent_rows(facts: Facts, model: ModelFacts) -> bool:
    """Whether sparse attention keeps 8-bit rows without scales, as its TensorRT-LLM kernels want them."""
    if not model.traits(facts["release"]).dsa or _kv_dtype(facts, model) != "fp8_e4m3":
        return False
    role = facts["args.disaggregation_mode"] if release_key(facts["release"]) >= release_key("0.5.20") else None
    kernels = {"prefill": facts["args.dsa_prefill_backend"], "decode": facts["args.dsa_decode_backend"]}
    used = [kernels[role]] if role in kernels else list(kernels.values())
    # Hierarchical sparse attention never picks those kernels by itself.
    default = None in used and not facts["args.enable_hisparse"]
    return "trtllm" in used or (default and _default_sparse_kernel(facts, model) == "trtllm")


def _elides_indexers(facts: Facts) -> bool:
    """Whether layers that share sparse indices keep no indexer keys (``_should_elide_dsa_index_k``)."""
    release = release_key(facts["release"])
    if release < release_key("0.5.18") or facts["args.enable_unified_cache_external_linker"]:
        return False
    if release >= release_key("0.5.22"):
        return True
    return not facts["args.enable_hierarchical_cache"] and facts["args.disaggregation_mode"] in (None, "null")


def _default_sparse_kernel(facts: Facts, model: ModelFacts) -> str:
    """Sparse attention's kernel for 8-bit rows (``_dsa_split_backend_resolution``)."""
    release = release_key(facts["release"])
    if int(facts["args.dcp_size"] or 1) > 1 and release >= release_key("0.5.22"):
        return "trtllm"
    if model.config.get("learnable_sink") and release >= release_key("0.5.20"):
        return "flashmla_sparse"
    major = int(facts["gpu.sm"]) // 10
    if major == 12 and model.architecture == "GlmMoeDsaForCausalLM" and release >= release_key("0.5.17"):
        return "flashinfer_sparse_mla"
    return "trtllm" if major >= 10 else "flashmla_kv"


def _lazy(facts: Facts) -> bool:
    return bool(facts["resolved.mamba_radix_cache_strategy"] == "extra_buffer_lazy")


def _multimodal(facts: Facts, model: ModelFacts) -> bool:
    if facts["args.enable_multimodal"] is False or facts["args.language_model_only"]:
        return False
    traits = model.traits(facts["release"])
    return traits.multimodal or bool(
        facts["args.enable_multimodal"] and (model.vision or model.text is not model.config)
    )


def _backends(facts: Facts) -> tuple[str, ...]:
    return tuple(sorted({name for name in facts["resolved.attention_backends"] if name}))


def _optional(facts: Facts, name: str) -> int | None:
    value = facts[name]
    return None if value is None else int(value)


def _integer(facts: Facts, name: str, default: int) -> int:
    value: Any = facts[name]
    try:
        return default if value is None else int(value)
    except ValueError:
        return default


def _hisparse_unmodelled(facts: Facts, model: ModelFacts) -> Iterator[str]:
    if release_key(facts["release"]) < release_key(HISPARSE_FOLLOWED_FROM):
        yield f"pool sizes under --enable-hisparse in {facts['release']}"
    if model.traits(facts["release"]).deepseek_v4:
        yield "pool sizes of DeepSeek-V4 under --enable-hisparse"
    if facts["resolved.speculative_algorithm"] is not None:
        yield "pool sizes of a draft under --enable-hisparse"


def _unmodelled(facts: Facts, model: ModelFacts) -> Iterator[str]:
    """Settings whose effect on pool sizes is not reproduced."""
    for name, flag in _SWITCHES.items():
        if facts[name]:
            yield f"pool sizes under {flag}"
    for name in _VARIABLES:
        if facts[f"env.{name}"] is not None:
            yield f"pool sizes under {name}"
    release = release_key(facts["release"])
    if facts["args.enable_linear_replayssm_spec"] and release < release_key(REPLAY_FOLLOWED_FROM):
        yield f"pool sizes under --enable-linear-replayssm-spec in {facts['release']}"
    if facts["args.enable_hisparse"]:
        yield from _hisparse_unmodelled(facts, model)
    if model.traits(facts["release"]).deepseek_v4 and not facts["resolved.hybrid_swa"]:
        yield "pool sizes of DeepSeek-V4 without sliding-window pools"
    if model.architecture == "Qwen4ExpForConditionalGeneration":
        yield "pool sizes of Qwen4-Exp"
    if facts.look("gpu.vendor") not in ("nvidia",) and not isinstance(facts.look("gpu.vendor"), Unknown):
        yield "pool sizes on other GPUs than NVIDIA's"
