"""The traits one release derives from a model: its own architecture lists applied to the model's facts."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from ..catalogue import ReleaseRange
from ..data import rules_dir
from .facts import ModelFacts, Traits


def traits_of(model: ModelFacts, release: str) -> Traits:
    """Traits of ``model`` in ``release``. Raises ValueError when the release is not written as one."""
    mla = _is_mla(model, release)
    kind = _state_kind(model, release)
    return Traits(
        release=release,
        hybrid_swa=_is_hybrid_swa(model, release),
        swa_compress=_first_listed("swa_compress", model, release),
        mambaish=kind is not None,
        state_kind=kind,
        mla=mla,
        dsa=_first_listed("dsa", model, release) and model.index_topk is not None,
        deepseek_v4=_first_listed("deepseek_v4", model, release),
        asymmetric_kv=not mla and (model.head_dim != model.v_head_dim or model.swa_head_dim != model.swa_v_head_dim),
        attention_sinks=_has_sinks(model, release),
        multimodal=_is_multimodal(model, release),
        encoder_decoder=_listed("encoder_decoder", model, release),
        generation=not _listed("not_generation", model, release),
    )


@lru_cache(maxsize=4)
def _table(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((rules_dir() / "models" / name).read_text(encoding="utf-8"))
    return loaded


def _in(architecture: str | None, listed: str, release: str) -> bool:
    bounds = _table("architectures.json")[listed]["architectures"].get(architecture)
    return bounds is not None and ReleaseRange.parse(bounds).holds(release)


def _listed(listed: str, model: ModelFacts, release: str) -> bool:
    return any(_in(name, listed, release) for name in model.architectures)


def _first_listed(listed: str, model: ModelFacts, release: str) -> bool:
    return _in(model.architecture, listed, release)


def _is_mla(model: ModelFacts, release: str) -> bool:
    if not _listed("mla", model, release):
        return False
    if "DeepseekVL2ForCausalLM" in model.architectures:
        return bool(model.text.get("use_mla", True))
    # These names also serve models without latent attention.
    shared = {"PixtralForConditionalGeneration", "BailingMoeForCausalLMNextN"}
    return model.architecture not in shared or model.kv_lora_rank is not None


def _is_hybrid_swa(model: ModelFacts, release: str) -> bool:
    if _listed("hybrid_swa", model, release):
        if "BeamForCausalLM" in model.architectures:
            return bool(model.swa_layer_ids)
        return "LagunaForCausalLM" not in model.architectures or bool(model.sliding_window)
    if "is_hybrid_swa" in model.text:
        return bool(model.text["is_hybrid_swa"])
    for kind in (model.text_model_type, model.model_type):
        bounds = _table("state_groups.json")["hybrid_swa_by_type"].get(kind)
        if bounds is not None and ReleaseRange.parse(bounds).holds(release):
            return kind == "dots3_note" or bool(model.swa_layer_ids)
    return False


def _state_kind(model: ModelFacts, release: str) -> Any:
    groups = _table("state_groups.json")["groups"]
    for kind in (model.model_type, model.text_model_type):
        group, bounds = groups.get(kind, (None, ""))
        if group is None or not ReleaseRange.parse(bounds).holds(release):
            continue
        if kind != model.model_type and not _looks_inside(group, release):
            continue
        if kind == "granitemoehybrid" and "mamba" not in (model.text.get("layer_types") or ()):
            return None
        if kind.startswith("inkling") and model.state is None:
            return None
        if kind == "bailing_hybrid" and model.text.get("use_kda") and ReleaseRange.parse(">=0.5.19").holds(release):
            return "kda"
        return group
    return None


def _looks_inside(group: str, release: str) -> bool:
    """Whether the release looks for this group in the language part of a nested configuration, too."""
    return group == "gdn" or (group == "kda" and ReleaseRange.parse(">=0.5.17").holds(release))


def _has_sinks(model: ModelFacts, release: str) -> bool:
    if any(name.startswith("MiMoV2") for name in model.architectures):
        flags = ("add_swa_attention_sink_bias", "add_full_attention_sink_bias")
        return any(bool(model.text.get(flag)) for flag in flags)
    return _listed("attention_sinks", model, release) or bool(model.text.get("learnable_sink"))


def _is_multimodal(model: ModelFacts, release: str) -> bool:
    off = _table("state_groups.json")["multimodal_off_by_default"].get(model.architecture)
    if off is not None and ReleaseRange.parse(off).holds(release):
        return False
    if model.architecture == "MiMoV2ForCausalLM":
        return "vision_config" in model.config and "audio_config" in model.config
    return _listed("multimodal", model, release) or model.text is not model.config
