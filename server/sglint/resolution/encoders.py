"""Multimodal models whose encoders may run on servers of their own."""

from __future__ import annotations

from ..facts import Facts
from .releases import since

_APART_SINCE = {
    "Dots3NoteForCausalLM": "0.5.19",
    "Glm5NextForConditionalGeneration": "0.5.20",
    "InternS2PreviewForConditionalGeneration": "0.5.15",
    "KimiK25ForConditionalGeneration": "0.5.15",
    "KimiK3ForConditionalGeneration": "0.5.17",
    "KimiVLForConditionalGeneration": "0.5.15",
    "MiMoV2ForCausalLM": "0.5.15",
    "MiniMaxM3SparseForConditionalGeneration": "0.5.23",
    "MuseSparkForConditionalGeneration": "0.5.23",
    "Qwen2AudioForConditionalGeneration": "0.5.15",
    "Qwen2VLForConditionalGeneration": "0.5.15",
    "Qwen2_5OmniForConditionalGeneration": "0.5.15",
    "Qwen2_5_VLForConditionalGeneration": "0.5.15",
    "Qwen3OmniMoeForConditionalGeneration": "0.5.15",
    "Qwen3VLForConditionalGeneration": "0.5.15",
    "Qwen3VLMoeForConditionalGeneration": "0.5.15",
    "Qwen3_5ForConditionalGeneration": "0.5.15",
    "Qwen3_5MoeForConditionalGeneration": "0.5.15",
}
"""Architecture to the first followed release that splits it (``handle_encoder_disaggregation``)."""


def encoders_apart(facts: Facts) -> bool:
    """Whether the release runs the encoders of this model and the rest of it on different servers."""
    first = _APART_SINCE.get(facts["model.architecture"])
    return first is not None and since(facts, first)


FACTS = {"encoders_apart": encoders_apart}
