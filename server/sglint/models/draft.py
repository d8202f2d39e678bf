"""A model in draft mode: how many layers its draft pool has, and which model is its own draft."""

from __future__ import annotations

from .facts import ModelFacts

# Draft mode of these architectures declares one prediction layer, whatever the configuration says
# (0.5.23 configs/model_config.py:ModelConfig._config_draft_model).
_ONE_LAYER_HEADS = frozenset(
    {
        "DeepseekV4ForCausalLM",
        "MiMoV2ForCausalLM",
        "MiMoV2FlashForCausalLM",
        "Qwen3NextForCausalLM",
        "Qwen4ExpForConditionalGeneration",
        "Qwen3MoeForCausalLM",
        "Qwen3_5ForConditionalGeneration",
        "Qwen3_5MoeForConditionalGeneration",
        "Qwen3_5ForCausalLM",
        "Qwen3_5MoeForCausalLM",
        "InternS2PreviewForConditionalGeneration",
        "InternS2MobiusForConditionalGeneration",
        "ExaoneMoEForCausalLM",
        "ExaoneMoeForCausalLM",
        "NemotronH_Omni_Reasoning_V3",
        "NemotronHForCausalLM",
        "NemotronHPuzzleForCausalLM",
        "HYV3ForCausalLM",
        "HYV4ForCausalLM",
        "Glm5NextForConditionalGeneration",
    }
)


def declared_prediction_layers(model: ModelFacts) -> int | None:
    """``num_nextn_predict_layers`` of the plain configuration; None when it has no such field."""
    value = model.text.get("num_nextn_predict_layers")
    if value is None and model.text_model_type == "inkling_model":
        return 8  # default of the configuration class
    return value if isinstance(value, int) else None


def prediction_layers_as_draft(model: ModelFacts) -> int | None:
    """The same field after the release has put the configuration into draft mode."""
    if model.architecture in _ONE_LAYER_HEADS:
        return 1
    return declared_prediction_layers(model)


def draft_layers(model: ModelFacts) -> int:
    """Layers of a draft given by path: its prediction layers, else all its layers."""
    declared = prediction_layers_as_draft(model)
    return declared if declared is not None else max(model.num_hidden_layers, model.num_attention_layers)
