"""Bytes per parameter of each matrix, from the quantization of a configuration."""

from __future__ import annotations

from typing import Any

import pytest

from sglint.memory.formats import formats_of
from sglint.memory.inputs import NotModelled
from sglint.memory.parameters import Part
from sglint.models import ModelFacts, facts_from_config

BASE: dict[str, Any] = {
    "architectures": ["DeepseekV3ForCausalLM"],
    "model_type": "deepseek_v3",
    "hidden_size": 1024,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 8,
    "vocab_size": 1024,
    "max_position_embeddings": 4096,
}


def model(quantization: dict[str, Any] | None) -> ModelFacts:
    return facts_from_config(BASE if quantization is None else BASE | {"quantization_config": quantization}, "x")


def size(quantization: dict[str, Any] | None, module: str, layer: int | None = 1, *, asked: str | None = None) -> float:
    kind = "experts" if module == "mlp.experts" else "head" if module == "lm_head" else "linear"
    return formats_of(model(quantization), asked, 2).size(Part(kind, 1, 1, module, layer))[0]


@pytest.mark.parametrize(
    ("quantization", "asked", "linear", "experts"),
    [
        (None, None, 2.0, 2.0),
        (None, "fp8", 1.0, 1.0),
        (None, "awq", 0.52, 0.52),
        (None, "bitsandbytes", 0.5275, 0.5275),
        (None, "w4afp8", 1.0, 0.5235),
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, None, 1.00025, 1.00025),
        ({"quant_method": "mxfp4"}, None, 2.0, 0.53125),
        ({"quant_method": "mxfp8"}, None, 1.03125, 1.03125),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, None, 0.52, 0.52),
        ({"quant_method": "gptq", "bits": 4, "group_size": 32}, None, 0.5625, 0.5625),
        ({"quant_method": "gptq", "bits": 8, "group_size": 128}, None, 1.001, 1.001),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, None, 1.0, 1.0),
        ({"quant_method": "fp8", "moe_quant_algo": "NVFP4", "weight_block_size": [128, 128]}, None, 1.00025, 0.5625),
    ],
)
def test_methods(quantization: dict[str, Any] | None, asked: str | None, linear: float, experts: float) -> None:
    assert size(quantization, "self_attn.o_proj", asked=asked) == pytest.approx(linear, abs=0.001)
    assert size(quantization, "mlp.experts", asked=asked) == pytest.approx(experts, abs=0.001)


@pytest.mark.parametrize(
    ("pattern", "left", "quantized"),
    [
        ("model.layers.1.self_attn*", "self_attn.o_proj", "mlp.experts"),
        ("re:.*self_attn.*", "self_attn.q_b_proj", "mlp.shared_experts"),
        ("re:model\\.layers\\.\\d+\\.self_attn\\.(q|o)_proj$", "self_attn.o_proj", "self_attn.k_proj"),
        ("re:.*mlp\\.(gate|up|gate_up|down)_proj.*", "mlp.gate_up_down_proj", "mlp.experts"),
        ("language_model.model.layers.1.mlp.shared_experts*", "mlp.shared_experts", "mlp.experts"),
        ("*.attn.*", "self_attn.o_proj", "mlp.experts"),
        ("*.mlp.shared_expert.*", "mlp.shared_experts", "mlp.experts"),
        ("model.layers.*.block_sparse_moe.experts", "mlp.experts", "self_attn.o_proj"),
        ("backbone.layers.[0,1].mixer.in_proj", "linear_attn.in_proj", "linear_attn.out_proj"),
        ("model.layers.1*", "mlp.experts", "lm_head"),
        ("lm_head", "lm_head", "self_attn.o_proj"),
    ],
)
def test_modules_that_are_left_out(pattern: str, left: str, quantized: str) -> None:
    config = {"quant_method": "fp8", "weight_block_size": [128, 128], "modules_to_not_convert": [pattern]}
    assert size(config, left) == 2.0
    if quantized != "lm_head":
        assert size(config, quantized) == pytest.approx(1.0, abs=0.001)


def test_a_router_is_not_the_gate_of_an_mlp() -> None:
    config = {"quant_method": "fp8", "weight_block_size": [128, 128], "ignore": ["model.layers.1.mlp.gate"]}
    assert size(config, "mlp.gate_up_down_proj") == pytest.approx(1.0, abs=0.001)


def test_only_the_layers_named_are_left_out() -> None:
    config = {"quant_method": "fp8", "weight_block_size": [128, 128], "ignore": ["model.layers.2.self_attn"]}
    assert size(config, "self_attn.o_proj", 2) == 2.0
    assert size(config, "self_attn.o_proj", 1) == pytest.approx(1.0, abs=0.001)


def test_mixed_precision_goes_by_its_list() -> None:
    config = {
        "quant_method": "modelopt",
        "quant_algo": "MIXED_PRECISION",
        "quantized_layers": {
            "model.layers.1.mlp.experts.0.up_proj": {"quant_algo": "NVFP4"},
            "model.layers.1.self_attn.o_proj": {"quant_algo": "FP8"},
            "lm_head": {"quant_algo": "W4A16_NVFP4"},
        },
    }
    assert size(config, "mlp.experts") == 0.5625
    assert size(config, "self_attn.o_proj") == 1.0
    assert size(config, "self_attn.q_proj") == 2.0
    assert size(config, "lm_head", None) == 0.5625
    assert size(config, "mlp.experts", 2) == 2.0


@pytest.mark.parametrize(
    ("weights", "form", "expected"),
    [
        ({"num_bits": 4, "group_size": 32, "symmetric": True, "type": "int"}, "pack-quantized", 0.5625),
        ({"num_bits": 4, "group_size": 128, "symmetric": False, "type": "int"}, "pack-quantized", 0.5195),
        ({"num_bits": 4, "group_size": 32, "type": "float"}, "mxfp4-pack-quantized", 0.53125),
        ({"num_bits": 4, "group_size": 16, "type": "float"}, "nvfp4-pack-quantized", 0.5625),
        ({"num_bits": 8, "group_size": None, "type": "float"}, "float-quantized", 1.001),
    ],
)
def test_compressed_tensors(weights: dict[str, Any], form: str, expected: float) -> None:
    config = {"quant_method": "compressed-tensors", "format": form, "config_groups": {"group_0": {"weights": weights}}}
    assert size(config, "mlp.experts") == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize("method", ["aqlm", "gguf", "torchao"])
def test_formats_nobody_knows_are_asked_for(method: str) -> None:
    with pytest.raises(NotModelled, match=method):
        size({"quant_method": method}, "mlp.experts")


@pytest.mark.parametrize(
    "pattern",
    ["re:" + "(a|b)" * 40, "re:(a+)+$" + "a" * 5000, "(" * 9999, "re:.*" * 2000, "layers.[1", "layers.[]x", ""],
)
def test_hostile_patterns_are_only_text(pattern: str) -> None:
    config = {"quant_method": "fp8", "weight_block_size": [128, 128], "ignore": [pattern, 7, None, {}]}
    assert size(config, "self_attn.o_proj") == pytest.approx(1.0, abs=0.001)


@pytest.mark.parametrize(
    "quantization",
    [
        {"quant_method": "compressed-tensors", "config_groups": []},
        {"quant_method": "compressed-tensors", "config_groups": {"a": None}},
        {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": {"a": None}},
        {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": "lm_head"},
        {"quant_method": "fp8", "ignore": {"a": 1}},
    ],
)
def test_fields_of_an_unexpected_kind_never_break(quantization: dict[str, Any]) -> None:
    try:
        assert 0.5 <= size(quantization, "mlp.experts") <= 2.0
    except NotModelled as error:
        assert str(error)
