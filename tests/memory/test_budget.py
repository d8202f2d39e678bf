"""The byte budget of a launch: its terms, what it asks for, and parameters by architecture.

How near estimates come to start-up logs is checked in ``tests/conformance/test_budgets.py``.
"""

from __future__ import annotations

import pytest

from sglint.catalogue import load
from sglint.launch.argv import parse, words_of
from sglint.memory.context import context_bytes
from sglint.memory.estimate import estimate
from sglint.memory.inputs import NotModelled
from sglint.memory.parameters import Split, parts
from sglint.memory.weights import WeightBytes, weight_bytes
from sglint.models import facts_from_config, hardware, registry
from sglint.records import replace
from sglint.resolution import facts_of

from .launches import plan_of

GIB = 1 << 30


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("meta-llama/Meta-Llama-3.1-405B", 405.8),
        ("openai/gpt-oss-120b", 116.8),
        ("openai/gpt-oss-20b", 20.9),
        ("Qwen/Qwen3-235B-A22B", 235.1),
        ("Qwen/Qwen3-Coder-480B-A35B-Instruct", 480.2),
        ("mistralai/Mixtral-8x22B-v0.1", 140.6),
        ("meta-llama/Llama-4-Maverick-17B-128E-Instruct", 400.7),
        ("deepseek-ai/DeepSeek-V3", 671.0),
        ("deepseek-ai/DeepSeek-V4-Flash", 284.3),
        ("deepseek-ai/DeepSeek-V4-Pro", 1573.0),
        ("moonshotai/Kimi-K2-Instruct", 1026.4),
        ("moonshotai/Kimi-K3", 2779.8),
        ("MiniMaxAI/MiniMax-M3", 426.2),
        ("stepfun-ai/Step-3.5-Flash", 197.0),
        ("nvidia/Llama-3_3-Nemotron-Super-49B-v1", 49.9),
        ("zai-org/GLM-5", 743.9),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", 79.6),
        ("Qwen/Qwen3.5-27B", 27.4),
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 31.6),
    ],
)
def test_parameter_counts_are_the_published_ones(name: str, billions: float) -> None:
    model = registry.find(name)
    assert model is not None
    counted = sum(part.parameters for part in parts(model, Split(1, 1)) if part.kind != "absorbed")
    assert counted / 1e9 == pytest.approx(billions, abs=0.06)


def test_default_fraction_is_the_one_reported_for_two_h100() -> None:
    assert plan_of("0.5.23", "--tp 2", model="Qwen/Qwen3-30B-A3B", gpu="h100").budget.fraction == pytest.approx(0.828)


def test_default_fraction_of_the_worked_example() -> None:
    budget = plan_of("0.5.18", "--attention-backend triton").budget
    assert budget.fraction == pytest.approx(0.903)


def test_terms_add_up_and_say_where_they_come_from() -> None:
    budget = plan_of("0.5.18", "--attention-backend triton --mem-fraction-static 0.8").budget
    terms = {term.name: term for term in budget.terms}
    free = terms["total"].value - terms["context_overhead"].value
    assert budget.rest is not None
    assert abs(free - terms["reserved_by_fraction"].value - terms["weights"].value - budget.rest) <= 1
    assert budget.low is not None and budget.high is not None
    assert budget.low <= budget.rest <= budget.high
    assert all(term.formula for term in budget.terms)


@pytest.mark.parametrize(
    ("options", "model", "gpu", "asked"),
    [
        ("", "openai/gpt-oss-120b", None, "GPU"),
        ("", "nobody/nothing", "h200", "nobody/nothing"),
        ("", "openai/gpt-oss-120b", "gb10", "driver"),
        ("--tp 8 --cpu-offload-gb 20", "deepseek-ai/DeepSeek-V3", "h200", "--cpu-offload-gb"),
    ],
)
def test_missing_terms_are_asked_for(options: str, model: str, gpu: str | None, asked: str) -> None:
    found = plan_of("0.5.18", options, model=model, gpu=gpu)
    assert found.budget.confidence == "unknown"
    assert any(asked in need for need in found.needs)
    assert any("--rest-bytes" in need for need in found.needs)


def test_weights_that_exceed_the_fraction_are_refused() -> None:
    found = plan_of("0.5.18", "--mem-fraction-static 0.5", model="Qwen/Qwen3-235B-A22B", gpu="h100")
    assert found.sizes is not None and found.sizes.refusal is not None
    assert found.sizes.refusal.kind == "weights"


def test_name_of_the_checkpoint_stands_in_for_a_silent_configuration() -> None:
    model = registry.find("Qwen/Qwen3-32B")
    assert model is not None
    named = replace(model, name="someone/Qwen3-32B-AWQ")
    facts = facts_of(parse(words_of(["--model-path", "x"]), load("0.5.18")), named, None, hardware.find("h200"), 1, {})
    weights = next(term for term in estimate(facts).terms if term.name == "weights")
    assert weights.value < 20 * GIB
    assert any("by the model's name" in text for text in weights.inputs)


def test_a_checkpoint_of_mixed_formats_is_counted_by_its_lists() -> None:
    kept = weight_bytes_of("nvidia/Qwen3.6-35B-A3B-NVFP4")
    assert 20 * GIB < kept.value < 21 * GIB
    assert (kept.high - kept.low) / kept.value < 0.04


@pytest.mark.parametrize(
    ("name", "split", "other"),
    [
        # Copies of attention on every GPU cost its weights as often.
        ("deepseek-ai/DeepSeek-V3", Split(8, 1), Split(8, 8)),
        ("deepseek-ai/DeepSeek-V3", Split(8, 8, shared=1), Split(8, 8)),
        ("Qwen/Qwen3-235B-A22B", Split(8, 8, redundant=16), Split(8, 8)),
        # Four KV heads are kept twice by eight GPUs.
        ("MiniMaxAI/MiniMax-M3", Split(8, 8), Split(16, 16)),
    ],
)
def test_what_is_not_sharded_is_held_by_every_gpu(name: str, split: Split, other: Split) -> None:
    assert weight_bytes_of(name, split).value > weight_bytes_of(name, other).value


def test_intervals_of_weights_are_narrow_for_every_known_model() -> None:
    wide = {}
    for name in registry.names():
        found = weight_bytes_of(name, sm=90)
        if (found.high - found.low) / GIB > 1 and (found.high - found.low) / found.value > 0.05:
            wide[name] = round((found.high - found.low) / found.value, 2)
    # The first two mix formats without saying which module has which; 4-bit experts are repacked by gpt-oss's kernels.
    assert set(wide) <= {
        "nvidia/GLM-5.3-NVFP4",
        "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-NVFP4",
        "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-NVFP4",
        "openai/gpt-oss-20b",
        "gpt-oss-20b",
    }


def weight_bytes_of(name: str, split: Split = Split(1, 1), sm: int | None = None) -> WeightBytes:  # noqa: B008
    model = registry.find(name)
    assert model is not None
    return weight_bytes(model, split, 1, None, sm=sm)


@pytest.mark.parametrize(("sm", "gpus"), [(90, 1), (90, 8), (100, 4), (103, 72), (80, 2), (89, 3), (None, 4)])
def test_context_grows_with_the_group_and_lies_in_its_interval(sm: int | None, gpus: int) -> None:
    likely, least, most = context_bytes(sm, gpus)
    assert 0 < least < likely < most < 5 * GIB
    assert most >= context_bytes(sm, 1)[2]


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", 16_060_522_496),
        ("meta-llama/Llama-3.1-70B-Instruct", 141_107_412_992),
        ("meta-llama/Meta-Llama-3.1-405B", 811_706_777_600),
        ("Qwen/Qwen3-8B", 16_381_470_720),
        ("Qwen/Qwen3-32B", 65_524_246_528),
        ("Qwen/Qwen3-30B-A3B", 61_064_245_248),
        ("Qwen/Qwen3-235B-A22B", 470_187_269_120),
        ("mistralai/Mixtral-8x7B-v0.1", 93_405_585_408),
        ("mistralai/Mixtral-8x22B-v0.1", 281_241_268_224),
    ],
)
def test_bytes_are_the_total_size_of_the_published_index_less_norms(name: str, total: int) -> None:
    found = weight_bytes_of(name)
    assert 0 <= (total - found.low) / total < 0.0002


LONGCAT = {
    "architectures": ["LongcatFlashForCausalLM"],
    "model_type": "longcat_flash",
    "hidden_size": 6144,
    "num_hidden_layers": 28,
    "num_attention_heads": 64,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "ffn_hidden_size": 12288,
    "expert_ffn_hidden_size": 2048,
    "n_routed_experts": 512,
    "zero_expert_num": 256,
    "vocab_size": 131072,
    "max_position_embeddings": 131072,
}


def test_longcat_has_two_attentions_and_two_mlps_a_layer() -> None:
    model = facts_from_config(LONGCAT, "longcat")
    counted = sum(part.parameters for part in parts(model, Split(1, 1)) if part.kind != "absorbed")
    assert counted / 1e9 == pytest.approx(560.7, abs=0.3)


BAILING = {
    "architectures": ["BailingMoeV3ForCausalLM"],
    "model_type": "bailing_hybrid",
    "hidden_size": 2048,
    "num_hidden_layers": 8,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "head_dim": 128,
    "q_lora_rank": 768,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "intermediate_size": 5120,
    "moe_intermediate_size": 512,
    "num_experts": 64,
    "num_shared_experts": 1,
    "first_k_dense_replace": 1,
    "vocab_size": 157184,
    "max_position_embeddings": 32768,
}


def test_layers_that_end_a_group_of_ling_have_softmax_attention() -> None:
    group = {"layer_group_size": 4, "short_conv_kernel_size": 4, "no_kda_lora": True}
    model = facts_from_config(BAILING | group, "ling")
    by_layer = {layer: {part.module for part in parts(model, Split(1, 1)) if part.layer == layer} for layer in range(8)}
    latent = [layer for layer, modules in by_layer.items() if "self_attn.kv_b_proj" in modules]
    assert latent == [3, 7]
    assert all("self_attn.qkvo_proj" in by_layer[layer] for layer in (0, 1, 2, 4, 5, 6))
    assert "mlp.experts" not in by_layer[0]
    assert "mlp.experts" in by_layer[1]
    assert weight_bytes(model, Split(1, 1), 1, None).taken_as_plain


def test_an_architecture_that_is_not_counted_is_asked_for() -> None:
    model = facts_from_config(BAILING | {"architectures": ["Dots3ForCausalLM"]}, "dots")
    with pytest.raises(NotModelled, match="Dots3"):
        weight_bytes(model, Split(1, 1), 1, None)
