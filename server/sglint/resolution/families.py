"""Architectures a release treats alike when it resolves a launch, by the first release that lists them."""

from __future__ import annotations

from ..facts import Facts
from .releases import since

DEEPSEEK_V4 = "DeepseekV4ForCausalLM"
GPT_OSS = "GptOssForCausalLM"
KIMI_K3 = "KimiK3ForConditionalGeneration"
KIMI_HYBRID = frozenset(("KimiLinearForCausalLM", KIMI_K3))
LLAMA4 = frozenset(("Llama4ForConditionalGeneration", "Llama4ForCausalLM"))
GEMMA4 = frozenset(("Gemma4ForConditionalGeneration", "Gemma4ForCausalLM", "Gemma4UnifiedForConditionalGeneration"))
INKLING = frozenset(("InklingForConditionalGeneration", "InklingForConditionalGenerationMTP"))
STEP3P = frozenset(("Step3p5ForCausalLM", "Step3p7ForConditionalGeneration"))
MIMO_V2 = frozenset(("MiMoV2ForCausalLM", "MiMoV2FlashForCausalLM"))
NEMOTRON_H = frozenset(("NemotronHForCausalLM", "NemotronHPuzzleForCausalLM"))
NEMOTRON_H_OMNI = "NemotronH_Omni_Reasoning_V3"
QWEN3_HYBRID = frozenset(
    (
        "Qwen3NextForCausalLM",
        "Qwen3_5MoeForConditionalGeneration",
        "Qwen3_5ForConditionalGeneration",
        "InternS2PreviewForConditionalGeneration",
        "InternS2MobiusForConditionalGeneration",
    )
)
TRITON_ON_SM100 = frozenset(
    (
        "FalconH1ForCausalLM",
        "JetNemotronForCausalLM",
        "JetVLMForConditionalGeneration",
        "MiniCPMV4_6ForConditionalGeneration",
        "MiniCPMV4_7ForConditionalGeneration",
    )
)
LFM2 = frozenset(("Lfm2ForCausalLM", "Lfm2MoeForCausalLM"))
OLMO = frozenset(("Olmo2ForCausalLM", "Olmo3ForCausalLM"))
MINIMAX_M3 = frozenset(("MiniMaxM3SparseForCausalLM", "MiniMaxM3SparseForConditionalGeneration"))
EXAONE = frozenset(("Exaone4ForCausalLM", "ExaoneMoEForCausalLM", "ExaoneMoeForCausalLM"))

_NAMED = {
    architecture: name
    for name, members in (
        ("gemma4", GEMMA4),
        ("inkling", INKLING),
        ("lfm2", LFM2),
        ("llama4", LLAMA4),
        ("mimo-v2", MIMO_V2),
        ("minimax-m3", MINIMAX_M3),
        ("nemotron-h", NEMOTRON_H),
        ("olmo", OLMO),
    )
    for architecture in members
}
_DEEPSEEK_FAMILY = {
    "DeepseekV3ForCausalLM": "0.5.15",
    "DeepseekV32ForCausalLM": "0.5.15",
    "KimiK25ForConditionalGeneration": "0.5.15",
    "MistralLarge3ForCausalLM": "0.5.15",
    "PixtralForConditionalGeneration": "0.5.15",
    "GlmMoeDsaForCausalLM": "0.5.15",
    "LongcatFlashForCausalLM": "0.5.16",
    "LongcatFlashForCausalLMNextN": "0.5.16",
    "Dots3NoteForCausalLM": "0.5.19",
    "Glm5NextForConditionalGeneration": "0.5.20",
    "HYV4ForCausalLM": "0.5.20",
    "HYV4ForCausalLMNextN": "0.5.20",
}
_STATEFUL = {
    "BailingMoeV2_5ForCausalLM": ("0.5.15", "0.5.15"),
    "BailingMoeV3ForCausalLM": ("0.5.19", "0.5.19"),
    "BailingMoeV3VLForConditionalGeneration": ("0.5.21", "0.5.21"),
    "FalconH1ForCausalLM": ("0.5.15", "0.5.15"),
    "GigaChat35ForCausalLM": ("0.5.21", None),
    "Glm5NextForConditionalGeneration": ("0.5.20", "0.5.20"),
    "GraniteMoeHybridForCausalLM": (None, "0.5.15"),
    "InklingForConditionalGeneration": (None, "0.5.21"),
    "InklingForConditionalGenerationMTP": (None, "0.5.21"),
    "InternS2MobiusForConditionalGeneration": ("0.5.18", None),
    "InternS2PreviewForConditionalGeneration": ("0.5.15", "0.5.15"),
    "JetNemotronForCausalLM": ("0.5.15", None),
    "JetVLMForConditionalGeneration": ("0.5.15", None),
    "KimiK3ForConditionalGeneration": ("0.5.17", "0.5.17"),
    "KimiLinearForCausalLM": ("0.5.15", "0.5.16"),
    "Lfm2ForCausalLM": ("0.5.15", None),
    "Lfm2MoeForCausalLM": ("0.5.17", None),
    "MiniCPMV4_6ForConditionalGeneration": ("0.5.15", "0.5.15"),
    "MiniCPMV4_7ForConditionalGeneration": ("0.5.23", "0.5.23"),
    "NemotronHForCausalLM": ("0.5.15", "0.5.15"),
    "NemotronHPuzzleForCausalLM": ("0.5.15", "0.5.15"),
    "NemotronH_Omni_Reasoning_V3": ("0.5.20", "0.5.20"),
    "Qwen3NextForCausalLM": ("0.5.15", "0.5.15"),
    "Qwen3_5ForCausalLM": ("0.5.19", "0.5.19"),
    "Qwen3_5ForConditionalGeneration": ("0.5.15", "0.5.15"),
    "Qwen3_5MoeForCausalLM": ("0.5.19", "0.5.19"),
    "Qwen3_5MoeForConditionalGeneration": ("0.5.15", "0.5.15"),
    "Qwen4ExpForConditionalGeneration": ("0.5.20", "0.5.20"),
    "ZayaForCausalLM": ("0.5.15", None),
}
"""First release whose radix cache keeps state for the architecture, and first that offers it the extra buffer."""
_NEVER = (None, None)


def family(facts: Facts) -> str | None:
    """Which of the families whose members every release treats alike the architecture belongs to."""
    return _NAMED.get(facts["model.architecture"])


def in_deepseek_family(facts: Facts) -> bool:
    """``_DEEPSEEK_FAMILY_ARCHS`` (``srt/arg_groups/overrides.py``)."""
    return _reached(facts, _DEEPSEEK_FAMILY.get(facts["model.architecture"]))


def radix_cache_keeps_state(facts: Facts) -> bool:
    """``_MAMBA_RADIX_CACHE_ARCHS`` (``srt/arg_groups/overrides.py``), with Granite's layer test."""
    if facts["model.architecture"] == "GraniteMoeHybridForCausalLM":
        return "mamba" in (facts["model.config"].get("layer_types") or ())
    return _reached(facts, _STATEFUL.get(facts["model.architecture"], _NEVER)[0])


def has_extra_buffer(facts: Facts) -> bool:
    """``_MAMBA_EXTRA_BUFFER_ARCHS`` (``srt/arg_groups/overrides.py``)."""
    return _reached(facts, _STATEFUL.get(facts["model.architecture"], _NEVER)[1])


def _reached(facts: Facts, first: str | None) -> bool:
    return first is not None and since(facts, first)


FACTS = {"family": family}
