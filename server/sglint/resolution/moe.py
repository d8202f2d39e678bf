"""How the experts of a mixture model are stored, as far as checks ask."""

from __future__ import annotations

from collections.abc import Mapping

from ..facts import Facts
from . import families
from .platform import is_sm100
from .releases import since, undecided

_QWEN3_MIXTURES = families.QWEN3_HYBRID | {"Qwen3MoeForCausalLM", "Qwen3VLMoeForConditionalGeneration"}
_GLM4_MIXTURE = "Glm4MoeForCausalLM"

_ALWAYS_SPANNING = {"megamoe", "deepep", "mooncake", "nixl", "ascend_fuseep", "flashinfer", "mori"}
_SPANNING_SINCE = {"pplx": "0.5.18", "deepep_v2": "0.5.19", "flashinfer_megamoe": "0.5.20"}
"""Exchanges that spread experts over all ranks (``_A2A_EP_SPANNING_BACKENDS``)."""


def mxfp4_packed(facts: Facts) -> bool:
    """The checkpoint packs weights as MXFP4 (``_is_mxfp4_pack_quantized``, ``srt/arg_groups/overrides.py``)."""
    quantization = facts["model.text"].get("quantization_config")
    if not isinstance(quantization, Mapping):
        return False
    groups = (quantization.get("config_groups") or {}).values()
    formats = [group.get("format", "") for group in groups if isinstance(group, Mapping)]
    # The shipped registry keeps the checkpoint's overall format and leaves the groups out.
    return any("mxfp4" in str(name) for name in formats or [quantization.get("format", "")])


def a2a_backend(facts: Facts) -> str:
    """What sends tokens to experts, after aliases, DeepSeek's context parallelism and ``--enable-waterfill``."""
    backend = str(facts["args.moe_a2a_backend"])
    if facts["args.moe_runner_backend"] == "megamoe":
        backend = "megamoe"
    if facts["resolved.cp_by_model"] and not facts["model.deepseek_v4"]:
        zigzag = facts["resolved.cp_strategy"] == "zigzag"
        backend = "deepep" if zigzag or not facts["model.dsa"] else backend
    filled = facts["args.enable_waterfill"] or facts["args.enable_deepep_waterfill"]
    kept = ("deepep", "megamoe") if since(facts, "0.5.16") else ("deepep",)
    return "deepep" if filled and backend not in kept else backend


def ep_size(facts: Facts) -> int:
    """Ranks that share the experts (``_a2a_ep_size``)."""
    backend = facts["resolved.a2a_backend"]
    first = _SPANNING_SINCE.get(backend)
    if backend in _ALWAYS_SPANNING or (first is not None and since(facts, first)):
        return int(facts["args.tp_size"])
    return int(facts["args.ep_size"])


def quantization(facts: Facts) -> str | None:
    """``--quantization`` as the experts' kernels are checked: some families name the checkpoint's, most on SM100."""
    written: str | None = facts["args.quantization"]
    if written is not None:
        return written
    method: str | None = facts["model.quantization"]
    architecture = facts["model.architecture"]
    if architecture in families.MINIMAX_M3:
        return method
    if architecture in families.NEMOTRON_H:
        return method if method is not None and method.startswith("modelopt") else None
    if not is_sm100(facts):
        return None
    if families.in_deepseek_family(facts):
        if method is None and architecture == "DeepseekV3ForCausalLM":
            undecided("whether the checkpoint's experts are stored as FP8")
        return method
    return method if architecture in _QWEN3_MIXTURES or architecture == _GLM4_MIXTURE else None


FACTS = {"mxfp4_packed": mxfp4_packed, "a2a_backend": a2a_backend, "ep_size": ep_size, "quantization": quantization}
