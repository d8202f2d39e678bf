"""CUDA graph backends of the two phases, as far as checks look at them.

Sources: ``parse_cuda_graph_config``, ``apply_cuda_graph_compatibility``, ``apply_cuda_graph_disaggregation_roles``
(``srt/server_args.py``, later ``srt/arg_groups/cuda_graph_hook.py``).
"""

from __future__ import annotations

from typing import Any

from ..facts import Facts
from . import families
from .releases import since

DISABLED = "disabled"
_PIECEWISE_MULTIMODAL = {
    "MiniMaxM3SparseForCausalLM": "0.5.16",
    "MiniMaxM3SparseForConditionalGeneration": "0.5.16",
    "Cohere2VisionForConditionalGeneration": "0.5.16",
    "KimiK25ForConditionalGeneration": "0.5.16",
}
_BREAKABLE_MULTIMODAL = {
    "Qwen3_5ForConditionalGeneration": "0.5.16",
    "Qwen3_5MoeForConditionalGeneration": "0.5.16",
    "KimiK25ForConditionalGeneration": "0.5.18",
    "KimiK3ForConditionalGeneration": "0.5.18",
    "InternS2MobiusForConditionalGeneration": "0.5.18",
    "MuseGlimmerForConditionalGeneration": "0.5.18",
}


def decode_backend(facts: Facts) -> str:
    """Graphs of the decode phase: ``full`` unless a flag or the role says otherwise."""
    if facts["args.enable_mis"]:
        return DISABLED
    chosen = _configured(facts, "decode")
    if chosen is not None:
        return chosen
    written = facts["args.cuda_graph_backend_decode"]
    if written is not None:
        return str(written)
    if facts["args.disable_cuda_graph"] or facts["args.disable_decode_cuda_graph"]:
        return DISABLED
    if facts["args.disaggregation_mode"] == "prefill":
        return DISABLED
    attention = facts["resolved.attention_backend"]
    return DISABLED if attention in ("torch_native", "flex_attention") else "full"


def prefill_explicit(facts: Facts) -> str | None:
    """The prefill backend a flag (or Inkling's default, 0.5.16 and later) names; None when only defaults act."""
    chosen = _configured(facts, "prefill")
    if chosen is not None:
        return chosen
    flag = facts["resolved.cuda_graph_backend_prefill"]
    if flag is not None:
        return str(flag)
    if facts["args.disable_cuda_graph"] or facts["args.disable_prefill_cuda_graph"]:
        return DISABLED
    return None


def prefill_flag(facts: Facts) -> str | None:
    """``cuda_graph_backend_prefill`` after Inkling's default has written it."""
    written: str | None = facts["args.cuda_graph_backend_prefill"]
    if written is not None or facts["args.disable_prefill_cuda_graph"]:
        return written
    inkling = facts["model.architecture"] in families.INKLING and since(facts, "0.5.16")
    return "full" if inkling else None


def prefill_backend(facts: Facts) -> str:
    """Graphs of the prefill phase after the compatibility rules; ``breakable`` is the default on CUDA."""
    if facts["args.enable_mis"]:
        return DISABLED
    explicit = facts["resolved.cuda_graph_prefill_explicit"]
    if explicit is not None:
        return str(explicit)
    if facts["args.disaggregation_mode"] == "decode" and since(facts, "0.5.16"):
        return DISABLED
    if facts["resolved.attention_backend"] in ("torch_native", "flex_attention"):
        return DISABLED
    if _off_by_default(facts):
        return DISABLED
    architecture = facts["model.architecture"]
    piecewise = _listed(facts, _PIECEWISE_MULTIMODAL, architecture) and not since(facts, "0.5.22")
    breakable = _listed(facts, _BREAKABLE_MULTIMODAL, architecture)
    if piecewise and not (breakable and since(facts, "0.5.18")):
        return "tc_piecewise"
    return DISABLED if facts["model.multimodal"] and not breakable else "breakable"


def _off_by_default(facts: Facts) -> bool:
    if facts["args.pp_size"] > 1 and since(facts, "0.5.19"):
        return True
    return bool(
        facts["model.deepseek_v4"]
        or facts["args.dcp_size"] > 1
        or facts["resolved.attn_cp_size"] > 1
        or facts["args.enable_two_batch_overlap"]
        or _off_for_latent_attention(facts)
        or _off_for_transport(facts)
        or _off_for_architecture(facts)
    )


def _off_for_latent_attention(facts: Facts) -> bool:
    """Through 0.5.17 latent attention is prefilled without graphs, sparse attention from 0.5.17 on excepted."""
    return bool(
        facts["model.mla"] and not since(facts, "0.5.18") and not (facts["model.dsa"] and since(facts, "0.5.17"))
    )


def _off_for_transport(facts: Facts) -> bool:
    transport = facts["args.moe_a2a_backend"] or "none"
    if since(facts, "0.5.17"):
        return transport not in ("none", "deepep", "megamoe", "flashinfer")
    adapters = facts["args.lora_paths"] or facts["args.enable_lora"]
    return bool(transport != "none" or adapters or facts["args.enable_dp_attention"])


def _off_for_architecture(facts: Facts) -> bool:
    architecture = facts["model.architecture"]
    if architecture == "NemotronHForCausalLM":
        return since(facts, "0.5.17") and not since(facts, "0.5.18")
    if architecture in families.KIMI_HYBRID:
        return since(facts, "0.5.20")
    return bool(architecture == "DeepseekV3ForCausalLM" and facts["resolved.attention_backends"][0] == "trtllm_mla")


def _configured(facts: Facts, phase: str) -> str | None:
    """The backend of a phase in ``--cuda-graph-config``."""
    config: Any = facts["args.cuda_graph_config"]
    settings = config.get(phase) if isinstance(config, dict) else None
    return settings.get("backend") if isinstance(settings, dict) else None


def _listed(facts: Facts, first: dict[str, str], architecture: str) -> bool:
    return architecture in first and since(facts, first[architecture])


FACTS = {
    "cuda_graph_decode": decode_backend,
    "cuda_graph_prefill": prefill_backend,
    "cuda_graph_prefill_explicit": prefill_explicit,
    "cuda_graph_backend_prefill": prefill_flag,
}
