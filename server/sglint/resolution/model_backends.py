"""The attention backends that models declare for themselves, as (base, prefill, decode).

Sources: ``srt/arg_groups/overrides.py``, later ``srt/arg_groups/model_overrides/``.
"""

from __future__ import annotations

from collections.abc import Callable

from ..facts import Facts
from . import families
from .platform import is_blackwell, is_sm90, is_sm100, is_sm120
from .releases import since

Backends = tuple[str | None, str | None, str | None]


def pair(backends: Backends) -> tuple[str | None, str | None]:
    """(prefill, decode): the split flags fall back to the base (``attention_backends_of``)."""
    base, prefill, decode = backends
    return prefill or base, decode or base


def declared(facts: Facts, architecture: str, backends: Backends) -> Backends:
    """What the model's family makes of the backends that were written."""
    declare = _DECLARE.get(architecture)
    if declare is None and families.in_deepseek_family(facts):
        declare = _deepseek
    return backends if declare is None else declare(facts, backends)


def sm100_chain(facts: Facts) -> bool:
    """SM100: nothing speculates, or what does verifies chains only."""
    algorithm = facts["resolved.speculative_algorithm_requested"]
    if algorithm is None or facts["args.speculative_eagle_topk"] is not None:
        return True
    return algorithm == "DFLASH" and since(facts, "0.5.23")


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
    if not (topk_default and sm100_chain(facts)):
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
    # The release's configuration class renames Olmo-3 (srt/configs/olmo3.py).
    **dict.fromkeys(families.OLMO, _olmo2),
    **dict.fromkeys(families.LFM2, _flashinfer_on_sm100),
    **dict.fromkeys(families.EXAONE, _exaone),
}
