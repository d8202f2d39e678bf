"""Families of architectures whose members are treated alike."""

from __future__ import annotations

from typing import Any

import pytest

from sglint.facts import Facts
from sglint.resolution.families import FACTS

MEMBERS = {
    "gemma4": ("Gemma4ForConditionalGeneration", "Gemma4ForCausalLM", "Gemma4UnifiedForConditionalGeneration"),
    "inkling": ("InklingForConditionalGeneration", "InklingForConditionalGenerationMTP"),
    "lfm2": ("Lfm2ForCausalLM", "Lfm2MoeForCausalLM"),
    "llama4": ("Llama4ForConditionalGeneration", "Llama4ForCausalLM"),
    "mimo-v2": ("MiMoV2ForCausalLM", "MiMoV2FlashForCausalLM"),
    "minimax-m3": ("MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"),
    "nemotron-h": ("NemotronHForCausalLM", "NemotronHPuzzleForCausalLM"),
    "olmo": ("Olmo2ForCausalLM", "Olmo3ForCausalLM"),
    None: ("LlamaForCausalLM", "GptOssForCausalLM", "NemotronH_Omni_Reasoning_V3", "OlmoForCausalLM"),
}


def never(name: str) -> Any:
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("architecture", "family"), [(member, name) for name, members in MEMBERS.items() for member in members]
)
def test_family(architecture: str, family: str | None) -> None:
    assert FACTS["family"](Facts({"model.architecture": architecture}, {}, never)) == family
