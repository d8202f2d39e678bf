"""The attention backends of the target: written, by model, by default, and after the release's corrections.

Each step is a fact of its own that holds (base, prefill, decode), as the release's three fields; a base of None is
"not chosen yet". The names follow the order in which a release runs them.
"""

from __future__ import annotations

from ..facts import Facts, Unknown
from .model_backends import Backends, declared, pair, sm100_chain
from .platform import is_blackwell, is_sm90, is_sm100
from .releases import since, undecided

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
_ABSORBED_MLA = _DETERMINISTIC_DEEPSEEK - {"Glm4MoeLiteForCausalLM"}
_ABSORBED_MLA_SINCE = {"Glm4MoeLiteForCausalLM": "0.5.18", "Glm5NextForConditionalGeneration": "0.5.20"}
"""Models whose deterministic inference is checked for itself (``handle_deterministic_inference``)."""
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
    return declared(facts, architecture, backends)


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
        if is_sm100(facts) and sm100_chain(facts):
            wide = facts["model.asymmetric_kv"] and since(facts, "0.5.17")
            return "fa4" if wide else "trtllm_mha"
    return "triton" if facts["model.attention_sinks"] else "flashinfer"


def deterministic(facts: Facts) -> bool:
    return bool(facts["args.enable_deterministic_inference"]) or facts["args.rl_on_policy_target"] is not None


def deterministic_mla_fault(facts: Facts) -> str | None:
    """``backend`` or ``gpu`` where absorbed MLA has no batch-invariant kernels, else None."""
    if not facts["resolved.deterministic"]:
        return None
    architecture = facts["model.architecture"]
    first = _ABSORBED_MLA_SINCE.get(architecture)
    if architecture not in _ABSORBED_MLA and (first is None or not since(facts, first)):
        return None
    base = facts["resolved.attention_by_model"][0] or _deterministic(facts)
    if base not in (("ascend", "fa3", "fa4", "triton") if since(facts, "0.5.17") else ("fa3", "triton")):
        return "backend"
    return "gpu" if base == "fa4" and not is_sm100(facts) else None


def _chain_draft(facts: Facts) -> bool:
    """``is_no_spec_infer_or_topk_one``."""
    topk = facts["args.speculative_eagle_topk"]
    return topk is None or (topk == 1 and facts["resolved.page_size_by_model"] in (None, 1))


def prefill_softmax_skipped(facts: Facts) -> bool:
    """Small scores are left out in prefill: a factor above zero (``EnvFloat``; what is no number counts as unset)."""
    factor = facts["env.SGLANG_SKIP_SOFTMAX_PREFILL_THRESHOLD_SCALE_FACTOR"]
    try:
        return factor is not None and float(factor) > 0
    except ValueError:
        return False


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
    "deterministic_mla_fault": deterministic_mla_fault,
    "prefill_softmax_skipped": prefill_softmax_skipped,
}
