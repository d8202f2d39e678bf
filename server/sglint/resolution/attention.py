"""The attention backends of the target: written, by model, by default, and after the release's corrections.

Each step is a fact of its own that holds (base, prefill, decode), as the release's three fields; a base of None is
"not chosen yet". The names follow the order in which a release runs them.
"""

from __future__ import annotations

from collections.abc import Callable

from ..facts import Facts, Unknown
from . import families
from .platform import is_blackwell, is_sm90, is_sm100, is_sm120
from .releases import since, undecided

Backends = tuple[str | None, str | None, str | None]

_FLAGS = ("attention_backend", "prefill_attention_backend", "decode_attention_backend")
_NOT_FOLLOWED = frozenset(
    (
        "MiniMaxM3SparseForCausalLM",
        "MiniMaxM3SparseForConditionalGeneration",
        "MiniCPMForCausalLM",
        "MiniCPMSALAForCausalLM",
        "Qwen3VLForConditionalGeneration",
        "Qwen3VLMoeForConditionalGeneration",
        "Qwen4ExpForConditionalGeneration",
    )
)
_DETERMINISTIC_DEEPSEEK = frozenset(
    (
        "DeepseekV2ForCausalLM",
        "DeepseekV3ForCausalLM",
        "DeepseekV32ForCausalLM",
        "MistralLarge3ForCausalLM",
        "PixtralForConditionalGeneration",
        "GlmMoeDsaForCausalLM",
        "Glm4MoeLiteForCausalLM",
    )
)
_NVFP4_WORKSPACE = {"flashinfer": "fp8_e4m3", "trtllm_mha": "nvfp4"}
_NVFP4_BACKEND = {"fp8_e4m3": "flashinfer", "nvfp4": "trtllm_mha"}


def written(facts: Facts) -> Backends:
    """The three flags, retired names replaced (``handle_deprecated_args``)."""
    renamed = {"compressed": "dsv4"}
    if since(facts, "0.5.23"):
        renamed["tokenspeed_mla"] = "cutedsl_mla"
    base, prefill, decode = (renamed.get(facts[f"args.{flag}"], facts[f"args.{flag}"]) for flag in _FLAGS)
    if since(facts, "0.5.23") and facts["args.prefill_attention_backend"] == "tokenspeed_mla":
        prefill = "trtllm_mla"
    return base, prefill, decode


def by_model(facts: Facts) -> Backends:
    """After the model's own declarations (``srt/arg_groups/overrides.py``, later ``model_overrides/``).

    With a base backend written no family but DeepSeek-V4 and Kimi-K3 under decode context parallelism changes it,
    so the base is taken as it stands while the model is not known.
    """
    backends: Backends = facts["resolved.attention_written"]
    architecture = facts.look("model.architecture")
    if isinstance(architecture, Unknown):
        if backends[0] is not None:
            return backends
        architecture = facts["model.architecture"]
    if architecture in _NOT_FOLLOWED and None in backends:
        undecided(f"the attention backend {architecture} gets in SGLang {facts['release']}")
    declare = _DECLARE.get(architecture)
    if declare is None and families.in_deepseek_family(facts):
        declare = _deepseek
    return backends if declare is None else declare(facts, backends)


def by_default(facts: Facts) -> Backends:
    """After NVFP4, deterministic inference and the generic default have filled what was open.

    Sources: ``handle_nvfp4_prefill_kv_dequant_dtype``, ``_deterministic_attention_backend``,
    ``_attention_backend_default``.
    """
    base, prefill, decode = facts["resolved.attention_by_model"]
    if base is None and facts["resolved.deterministic"]:
        base = _deterministic(facts)
    if facts["args.kv_cache_dtype"] == "nvfp4" and since(facts, "0.5.21"):
        prefill, decode = _nvfp4_prefill(facts, base, prefill), "trtllm_mha"
    if prefill is not None and prefill == decode:
        base = prefill
    elif base is None:
        base = generic_default(facts)
    return base, prefill, decode


def final(facts: Facts) -> Backends:
    """After the corrections of ``handle_attention_backend_compatibility``."""
    base, prefill, decode = facts["resolved.attention_by_default"]
    if "cutedsl_mla" in (base, prefill, decode) and prefill is None:
        prefill = "trtllm_mla"
    if base == "fa3" and facts["resolved.kv_cache_dtype"] == "fp8_e5m2":
        base = "triton"
    return base, prefill, decode


def pair(backends: Backends) -> tuple[str | None, str | None]:
    """(prefill, decode): the split flags fall back to the base (``attention_backends_of``)."""
    base, prefill, decode = backends
    return prefill or base, decode or base


def backends_checked(facts: Facts) -> tuple[str | None, str | None]:
    """The pair when its GPU is checked: CuteDSL has filled prefill, the fp8_e5m2 fallback has not run."""
    base, prefill, decode = facts["resolved.attention_by_default"]
    if prefill is None and "cutedsl_mla" in (base, decode):
        prefill = "trtllm_mla"
    return pair((base, prefill, decode))


def base_and_decode(facts: Facts) -> tuple[str | None, ...]:
    """The two fields the MLA backends' checks compare; a decode backend equal to the base is one."""
    base, _, decode = facts["resolved.attention_by_default"]
    return (base, decode)


def prefill_written(facts: Facts) -> str | None:
    """The prefill backend when NVFP4 is looked at: after deterministic inference, before the generic default."""
    base, prefill, _ = facts["resolved.attention_by_model"]
    if prefill is not None:
        return str(prefill)
    return _deterministic(facts) if base is None and facts["resolved.deterministic"] else base


def one_backend(facts: Facts) -> bool:
    """Prefill and decode end up on the same backend."""
    prefill, decode = facts["resolved.attention_backends"]
    return bool(prefill == decode)


def generic_default(facts: Facts) -> str:
    """``get_default_attn_backend``; reads the flags, not what the speculative handler makes of them."""
    if "WhisperForConditionalGeneration" in facts["model.architectures"]:
        return "flashinfer"
    if facts["model.mla"]:
        if is_sm90(facts):
            return "fa3"
        return "flashinfer" if is_sm100(facts) else "triton"
    if _chain_draft(facts):
        if is_sm90(facts):
            return "fa3"
        if is_sm100(facts) and _sm100_chain(facts):
            wide = facts["model.asymmetric_kv"] and since(facts, "0.5.17")
            return "fa4" if wide else "trtllm_mha"
    return "triton" if facts["model.attention_sinks"] else "flashinfer"


def deterministic(facts: Facts) -> bool:
    return bool(facts["args.enable_deterministic_inference"]) or facts["args.rl_on_policy_target"] is not None


def _chain_draft(facts: Facts) -> bool:
    """``is_no_spec_infer_or_topk_one``."""
    topk = facts["args.speculative_eagle_topk"]
    return topk is None or (topk == 1 and facts["resolved.page_size_by_model"] in (None, 1))


def _sm100_chain(facts: Facts) -> bool:
    algorithm = facts["resolved.speculative_algorithm_requested"]
    if algorithm is None or facts["args.speculative_eagle_topk"] is not None:
        return True
    return algorithm == "DFLASH" and since(facts, "0.5.23")


def _deterministic(facts: Facts) -> str:
    if is_blackwell(facts):
        return "triton" if facts["model.architecture"] in _DETERMINISTIC_DEEPSEEK else "flashinfer"
    return "fa3"


def _nvfp4_prefill(facts: Facts, base: str | None, prefill: str | None) -> str | None:
    """The prefill backend NVFP4 asks for; the refusals of the same hook are rules."""
    requested = facts["args.prefill_kv_cache_dequant_dtype"]
    if requested == "auto":
        requested = _NVFP4_WORKSPACE.get(prefill or base or "")
        if requested is None:
            requested = "nvfp4" if is_sm100(facts) else "fp8_e4m3"
    return _NVFP4_BACKEND.get(requested, prefill)


def _unset(backends: Backends) -> bool:
    return backends == (None, None, None)


def _base(backends: Backends, base: str | None) -> Backends:
    return base, backends[1], backends[2]


def _gpt_oss(facts: Facts, backends: Backends) -> Backends:
    return _base(backends, _by_gpu(facts, "trtllm_mha", "fa3", "triton")) if _unset(backends) else backends


def _llama4(facts: Facts, backends: Backends) -> Backends:
    if backends[0] is not None or facts["args.device"] == "cpu":
        return backends
    return _base(backends, _by_gpu(facts, "trtllm_mha", "fa3", "triton"))


def _gemma4(facts: Facts, backends: Backends) -> Backends:
    return backends if backends[0] is not None else _base(backends, _by_gpu(facts, "trtllm_mha", "triton", "triton"))


def _diffusion_gemma(facts: Facts, backends: Backends) -> Backends:
    return backends if backends[0] is not None else _base(backends, "triton")


def _inkling(facts: Facts, backends: Backends) -> Backends:
    if not _unset(backends):
        return backends
    on_hopper = "fa4" if since(facts, "0.5.22") else "triton"
    return _base(backends, _by_gpu(facts, "fa4", on_hopper, "triton"))


def _step3p(facts: Facts, backends: Backends) -> Backends:
    if not _unset(backends):
        return backends
    if is_blackwell(facts):
        return _base(backends, "fa4")
    return _base(backends, "fa3") if is_sm90(facts) else backends


def _mimo_v2(facts: Facts, backends: Backends) -> Backends:
    if since(facts, "0.5.22") and _unset(backends) and is_sm100(facts):
        return _base(backends, "fa4")
    return backends


def _nemotron_h(facts: Facts, backends: Backends) -> Backends:
    if not since(facts, "0.5.19"):
        return _base(backends, "flashinfer") if backends[0] is None and is_sm100(facts) else backends
    if not _unset(backends) or not is_blackwell(facts):
        return backends
    if facts["resolved.speculative_algorithm_requested"] is None:
        return _base(backends, "trtllm_mha") if is_sm100(facts) else backends
    chain = facts["args.speculative_eagle_topk"] in (None, 1)
    return _base(backends, "trtllm_mha" if is_sm100(facts) and chain else "triton")


def _qwen3_hybrid(facts: Facts, backends: Backends) -> Backends:
    if backends[0] is not None or not is_sm100(facts):
        return backends
    return _base(backends, "trtllm_mha" if qwen3_hybrid_paged(facts) else "triton")


def qwen3_hybrid_paged(facts: Facts) -> bool:
    """SM100, no base backend written: whether ``_qwen3_5_hybrid_overrides`` takes trtllm_mha and pages of 64."""
    if facts["model.architecture"] == "InternS2MobiusForConditionalGeneration" and not since(facts, "0.5.18"):
        return False
    topk_default = facts["args.speculative_eagle_topk"] is None or (
        facts["args.speculative_eagle_topk"] == 1 and facts["args.page_size"] in (None, 1)
    )
    if not (topk_default and _sm100_chain(facts)):
        return False
    if facts["model.asymmetric_kv"] and since(facts, "0.5.17"):
        return False
    extra_buffer = facts["args.mamba_radix_cache_strategy"] in ("extra_buffer", "extra_buffer_lazy")
    radix = not facts["resolved.disable_radix_cache_by_role"]
    speculating = facts["resolved.speculative_algorithm_requested"] is not None
    return extra_buffer or not radix or speculating


def _triton_on_sm100(facts: Facts, backends: Backends) -> Backends:
    return _base(backends, "triton") if backends[0] is None and is_sm100(facts) else backends


def _flashinfer_on_sm100(facts: Facts, backends: Backends) -> Backends:
    return _base(backends, "flashinfer") if backends[0] is None and is_sm100(facts) else backends


def _granite_hybrid(facts: Facts, backends: Backends) -> Backends:
    has_state = "mamba" in (facts["model.config"].get("layer_types") or ())
    return _flashinfer_on_sm100(facts, backends) if has_state else backends


def _olmo2(facts: Facts, backends: Backends) -> Backends:
    return backends if backends[0] is not None else _base(backends, _fa3_from_ampere(facts))


def _exaone(facts: Facts, backends: Backends) -> Backends:
    if backends[0] is not None or not since(facts, "0.5.22"):
        return backends
    pattern = facts["model.config"].get("sliding_window_pattern")
    return backends if pattern is None else _base(backends, _fa3_from_ampere(facts))


def _beam(facts: Facts, backends: Backends) -> Backends:
    served = is_sm90(facts) or is_sm100(facts) or is_sm120(facts)
    return _base(backends, "trtllm_mha") if _unset(backends) and served else backends


def _iquest_q1(facts: Facts, backends: Backends) -> Backends:
    base, prefill, decode = backends
    if base is not None:
        return backends
    return ("fa3", None, None) if _unset(backends) else (base, prefill or "fa3", decode or "fa3")


def _embedding_gemma2(facts: Facts, backends: Backends) -> Backends:
    return backends if backends[0] is not None else _base(backends, "triton")


def _moss_vl(facts: Facts, backends: Backends) -> Backends:
    return (None, "flashinfer", None) if _unset(backends) else backends


def _deepseek_v4(facts: Facts, backends: Backends) -> Backends:
    return _base(backends, "dsv4")


def _deepseek(facts: Facts, backends: Backends) -> Backends:
    if not _unset(backends):
        return backends
    if facts["model.dsa"]:
        return _base(backends, "dsa")
    return _base(backends, "trtllm_mla") if is_sm100(facts) else backends


def _kimi_k3(facts: Facts, backends: Backends) -> Backends:
    if facts["args.dcp_size"] > 1:
        return _kimi_k3_dcp(facts, backends)
    if _unset(backends) and facts["gpu.sm"] in (100, 103):
        return None, "trtllm_mla", "trtllm_mla"
    return backends


def _kimi_k3_dcp(facts: Facts, backends: Backends) -> Backends:
    _, decode = pair(backends)
    if decode in (None, "cutedsl_mla"):
        return backends[0], "trtllm_mla", "cutedsl_mla"
    if decode == "tokenspeed_mla":
        return backends[0], "tokenspeed_mla", "tokenspeed_mla"
    return backends


def _by_gpu(facts: Facts, sm100: str, sm90: str, other: str) -> str:
    if is_sm100(facts):
        return sm100
    return sm90 if is_sm90(facts) else other


def _fa3_from_ampere(facts: Facts) -> str:
    if is_sm100(facts):
        return "trtllm_mha"
    return "fa3" if facts["gpu.sm"] >= 80 else "triton"


_DECLARE: dict[str, Callable[[Facts, Backends], Backends]] = {
    families.GPT_OSS: _gpt_oss,
    "DiffusionGemmaForBlockDiffusion": _diffusion_gemma,
    families.NEMOTRON_H_OMNI: _nemotron_h,
    "GraniteMoeHybridForCausalLM": _granite_hybrid,
    "Olmo2ForCausalLM": _olmo2,
    # The release's configuration class renames it (srt/configs/olmo3.py).
    "Olmo3ForCausalLM": _olmo2,
    "BeamForCausalLM": _beam,
    "IQuestQ1ForCausalLM": _iquest_q1,
    "IQuestQ1MTP": _iquest_q1,
    "EmbeddingGemma2Model": _embedding_gemma2,
    "MossVLForConditionalGeneration": _moss_vl,
    families.DEEPSEEK_V4: _deepseek_v4,
    families.KIMI_K3: _kimi_k3,
    **dict.fromkeys(families.LLAMA4, _llama4),
    **dict.fromkeys(families.GEMMA4, _gemma4),
    **dict.fromkeys(families.INKLING, _inkling),
    **dict.fromkeys(families.STEP3P, _step3p),
    **dict.fromkeys(families.MIMO_V2, _mimo_v2),
    **dict.fromkeys(families.NEMOTRON_H, _nemotron_h),
    **dict.fromkeys(families.QWEN3_HYBRID, _qwen3_hybrid),
    **dict.fromkeys(families.TRITON_ON_SM100, _triton_on_sm100),
    **dict.fromkeys(families.LFM2, _flashinfer_on_sm100),
    **dict.fromkeys(families.EXAONE, _exaone),
}

FACTS = {
    "attention_written": written,
    "attention_by_model": by_model,
    "attention_by_default": by_default,
    "attention_final": final,
    "attention_backends_by_model": lambda facts: pair(facts["resolved.attention_by_model"]),
    "written_decode_backend": lambda facts: pair(facts["resolved.attention_written"])[1],
    "attention_backend_by_model": lambda facts: facts["resolved.attention_by_model"][0],
    "attention_backends_checked": backends_checked,
    "attention_backends_checked_prefill": lambda facts: facts["resolved.attention_backends_checked"][0],
    "attention_backends_checked_decode": lambda facts: facts["resolved.attention_backends_checked"][1],
    "attention_prefill_checked": lambda facts: facts["resolved.attention_by_default"][1],
    "attention_prefill_written": prefill_written,
    "attention_base_and_decode": base_and_decode,
    "one_backend": one_backend,
    "attention_backends": lambda facts: pair(facts["resolved.attention_final"]),
    "prefill_attention_backend": lambda facts: facts["resolved.attention_backends"][0],
    "decode_attention_backend": lambda facts: facts["resolved.attention_backends"][1],
    "attention_backend": lambda facts: facts["resolved.attention_final"][0],
    "deterministic": deterministic,
}
