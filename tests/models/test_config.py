"""Facts of a configuration: which fields count, which defaults fill silence, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sglint.models import ModelError, ModelFacts, facts_from_config, load, registry
from sglint.models.files import cached

PLAIN = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
}


def known(name: str) -> ModelFacts:
    facts = registry.find(name)
    assert facts is not None
    return facts


def test_head_dim_follows_from_width_when_silent() -> None:
    facts = facts_from_config(PLAIN, "llama")
    assert (facts.head_dim, facts.v_head_dim, facts.swa_head_dim) == (128, 128, 128)


def test_language_part_of_a_nested_configuration_counts() -> None:
    nested = {"architectures": ["Foo"], "model_type": "foo", "text_config": PLAIN, "vision_config": {"hidden_size": 9}}
    facts = facts_from_config(nested)
    assert facts.hidden_size == 4096
    assert facts.text_model_type == "llama"
    assert facts.vision


def test_gemma4_states_its_window_shape_first() -> None:
    facts = known("gemma-4-31b")
    assert (facts.num_key_value_heads, facts.head_dim) == (4, 512)
    assert (facts.swa_num_key_value_heads, facts.swa_head_dim, facts.swa_v_head_dim) == (16, 256, 256)
    assert facts.full_layer_ids is not None and facts.swa_layer_ids is not None
    assert (len(facts.full_layer_ids), len(facts.swa_layer_ids)) == (10, 50)


def test_window_v_rows_default_to_the_window_k_rows() -> None:
    facts = facts_from_config({**PLAIN, "v_head_dim": 64})
    assert (facts.head_dim, facts.v_head_dim, facts.swa_v_head_dim) == (128, 64, 128)


def test_hybrid_layer_pattern_splits_layers() -> None:
    facts = known("mimo-v2-flash")
    assert facts.full_layer_ids is not None and facts.full_layer_ids[:2] == (0, 5)
    assert facts.swa_layer_ids is not None and len(facts.swa_layer_ids) == 39


@pytest.mark.parametrize(
    ("scaling", "length"),
    [
        ({"factor": 8.0, "rope_type": "linear"}, 8 * 131072),
        ({"factor": 8.0, "rope_type": "llama3"}, 131072),
        ({"factor": 32.0, "original_max_position_embeddings": 4096}, 131072),
        (None, 131072),
    ],
)
def test_context_length_follows_rope_scaling(scaling: dict[str, object] | None, length: int) -> None:
    assert facts_from_config({**PLAIN, "rope_scaling": scaling}).context_length == length


def test_state_of_a_gated_delta_net() -> None:
    state = known("qwen3-next-80b-a3b").state
    assert state is not None
    assert (state.kind, len(state.layer_ids), len(state.attention_layer_ids)) == ("gdn", 36, 12)


def test_state_of_nemotron_follows_its_pattern() -> None:
    state = known("nemotron-3-nano-30b-a3b").state
    assert state is not None
    assert (state.kind, len(state.layer_ids), len(state.attention_layer_ids)) == ("mamba2", 23, 6)


def test_draft_fields_are_read_from_the_nested_part() -> None:
    facts = known("draft-dspark-qwen3")
    assert (facts.block_size, facts.markov_rank, facts.target_layer_ids) == (7, 64, (1, 9, 17))


@pytest.mark.parametrize(
    ("quantization", "method", "eight_bit_kv"),
    [
        ({"quant_method": "fp8"}, "fp8", False),
        (
            {"quant_method": "modelopt", "quant_algo": "NVFP4", "kv_cache_scheme": {"num_bits": 8, "type": "float"}},
            "modelopt_fp4",
            True,
        ),
        ({"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}, "modelopt_fp8", True),
        ({}, None, False),
    ],
)
def test_quantization(quantization: dict[str, object], method: str | None, eight_bit_kv: bool) -> None:
    facts = facts_from_config({**PLAIN, "quantization_config": quantization})
    assert (facts.quantization, facts.kv_cache_quantized) == (method, eight_bit_kv)


def test_folder_and_file_load_alike(tmp_path: Path) -> None:
    file = tmp_path / "my-model" / "config.json"
    file.parent.mkdir()
    file.write_text(json.dumps(PLAIN), encoding="utf-8")
    assert load(file) == load(file.parent)
    assert load(file).name == "my-model"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "JSON object"),
        ("{", "not a JSON file"),
        ("{}", "hidden_size"),
        ('{"hidden_size": 4096}', "num_hidden_layers"),
        ('{"hidden_size": 4096, "num_hidden_layers": 2, "head_dim": "wide"}', "unexpected kind"),
    ],
)
def test_bad_configurations_are_named_with_their_file(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=said) as caught:
        load(file)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((field, value) for field in ("num_attention_heads", "head_dim") for value in ([1], {"a": 1}, "x", 1e400)),
        ("layers_block_type", 7),
        ("rope_scaling", {"factor": [2]}),
    ],
)
def test_a_field_of_another_kind_is_said(field: str, value: object) -> None:
    with pytest.raises(ModelError, match="unexpected kind"):
        facts_from_config({**PLAIN, field: value})


def test_what_stands_beside_a_configuration_may_be_anything(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**PLAIN, "text_config": 7}))
    (tmp_path / "hf_quant_config.json").write_bytes(b"\xff")
    assert load(tmp_path).quantization is None


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        load(tmp_path / "none")


def test_hugging_face_cache_is_read_by_id(tmp_path: Path) -> None:
    snapshot = tmp_path / "hub" / "models--some--model" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text(json.dumps(PLAIN), encoding="utf-8")
    found = cached("some/model", tmp_path)
    assert found is not None and found.name == "some/model"
    assert cached("some/other", tmp_path) is None
    assert cached("../escape", tmp_path) is None


@pytest.mark.parametrize(
    ("stated", "method"),
    [
        ({"quant_algo": "NVFP4"}, "modelopt_fp4"),
        ({"quant_algo": "FP8"}, "modelopt_fp8"),
        ({"quant_algo": "MXFP8"}, "mxfp8"),
        ({"quant_algo": "MIXED_PRECISION"}, "w4afp8"),
        ({"quant_algo": "MIXED_PRECISION", "quantized_layers": {"a": {"quant_algo": "W4A8_AWQ"}}}, "w4afp8"),
        ({"quant_algo": "MIXED_PRECISION", "quantized_layers": {"a": {"quant_algo": "NVFP4"}}}, "modelopt_mixed"),
        ({"quant_algo": "MIXED_PRECISION", "quantized_layers": []}, "w4afp8"),
        ({"quant_method": "fp8", "quant_algo": "MIXED_PRECISION"}, "fp8"),
    ],
)
def test_modelopt_is_known_under_the_releases_own_names(stated: dict[str, Any], method: str) -> None:
    assert facts_from_config({**PLAIN, "quantization_config": stated}).quantization == method
