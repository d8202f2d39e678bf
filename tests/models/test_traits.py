"""Traits move between releases with the releases' own lists."""

from __future__ import annotations

import pytest

from sglint.models import ModelFacts, facts_from_config, registry

BASE = {"hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "head_dim": 16}


def named(architecture: str, **fields: object) -> ModelFacts:
    return facts_from_config({"architectures": [architecture], "model_type": "x", **BASE, **fields})


def known(name: str) -> ModelFacts:
    facts = registry.find(name)
    assert facts is not None
    return facts


@pytest.mark.parametrize(
    ("architecture", "before", "since"),
    [
        ("MellumForCausalLM", "0.5.15.post1", "0.5.16"),
        ("MuseGlimmerForCausalLM", "0.5.17", "0.5.18"),
        ("GraniteSWAForCausalLM", "0.5.18", "0.5.19"),
        ("IQuestQ1ForCausalLM", "0.5.20", "0.5.21"),
        ("EmbeddingGemma2Model", "0.5.21", "0.5.22"),
    ],
)
def test_hybrid_swa_from_the_release_that_lists_it(architecture: str, before: str, since: str) -> None:
    model = named(architecture, sliding_window=8)
    assert not model.traits(before).hybrid_swa
    assert model.traits(since).hybrid_swa


def test_windows_alone_make_no_hybrid() -> None:
    assert not known("gemma-3-27b").traits("0.5.23").hybrid_swa
    assert not known("olmo3-32b").traits("0.5.23").hybrid_swa


def test_laguna_needs_its_window() -> None:
    assert named("LagunaForCausalLM", sliding_window=8).traits("0.5.18").hybrid_swa
    assert not named("LagunaForCausalLM").traits("0.5.18").hybrid_swa


def test_checkpoints_may_opt_in() -> None:
    pattern = [1, 0, 1, 0]
    model = named("CustomForCausalLM", is_hybrid_swa=True, hybrid_layer_pattern=pattern)
    assert model.traits("0.5.18").hybrid_swa
    assert (model.full_layer_ids, model.swa_layer_ids) == ((1, 3), (0, 2))


def test_inkling_keeps_state_and_windows() -> None:
    traits = known("inkling-synthetic").traits("0.5.19")
    assert traits.hybrid_swa and traits.mambaish and traits.state_kind == "short-conv"
    assert not known("inkling-synthetic").traits("0.5.15.post1").mambaish


def test_kimi_k3_keeps_state_from_its_first_release() -> None:
    assert not known("kimi-k3").traits("0.5.16").mambaish
    traits = known("kimi-k3").traits("0.5.17")
    assert traits.mambaish and traits.mla


def test_only_indexed_models_are_sparse() -> None:
    assert known("deepseek-v3.2").traits("0.5.18").dsa
    assert not known("deepseek-v3").traits("0.5.18").dsa


def test_asymmetry_is_of_plain_rows_only() -> None:
    assert known("mimo-v2-flash").traits("0.5.18").asymmetric_kv
    assert not known("deepseek-v3").traits("0.5.18").asymmetric_kv


def test_sinks_of_mimo_depend_on_its_flags() -> None:
    assert known("mimo-v2-flash").traits("0.5.18").attention_sinks
    assert not named("MiMoV2FlashForCausalLM", hybrid_layer_pattern=[0, 1, 1, 1]).traits("0.5.18").attention_sinks


def test_some_families_are_multimodal_only_when_asked() -> None:
    assert not known("llama-4-scout").traits("0.5.18").multimodal
    assert known("gemma-4-31b").traits("0.5.18").multimodal


def test_shared_names_are_latent_only_with_latent_sizes() -> None:
    assert not named("PixtralForConditionalGeneration").traits("0.5.18").mla
    assert named("PixtralForConditionalGeneration", kv_lora_rank=512).traits("0.5.18").mla
