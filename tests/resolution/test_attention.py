"""Attention backends by model, GPU and release, as the released code chose them on the same questions."""

from __future__ import annotations

import pytest

from .spaces import reasons, resolved

DEFAULTS = [
    ("openai/gpt-oss-120b", "h200", "0.5.18", "fa3"),
    ("openai/gpt-oss-120b", "b200", "0.5.18", "trtllm_mha"),
    ("openai/gpt-oss-120b", "a100", "0.5.18", "triton"),
    ("gemma-4-31b", "h200", "0.5.18", "triton"),
    ("gemma-4-31b", "b200", "0.5.18", "trtllm_mha"),
    ("inkling-synthetic", "h200", "0.5.21", "triton"),
    ("inkling-synthetic", "h200", "0.5.22", "fa4"),
    ("inkling-synthetic", "b200", "0.5.18", "fa4"),
    ("mimo-v2-flash", "b200", "0.5.16", "trtllm_mha"),
    ("mimo-v2-flash", "b200", "0.5.17", "fa4"),
    ("mimo-v2-flash", "h200", "0.5.17", "fa3"),
    ("nemotron-3-nano-30b-a3b", "b200", "0.5.18", "flashinfer"),
    ("nemotron-3-nano-30b-a3b", "b200", "0.5.19", "trtllm_mha"),
    ("falcon-h1-34b", "b200", "0.5.20", "triton"),
    ("deepseek-v3", "b200", "0.5.20", "trtllm_mla"),
    ("deepseek-v3", "h200", "0.5.20", "fa3"),
    ("deepseek-v3.2", "h200", "0.5.20", "dsa"),
    ("deepseek-v4-flash", "h200", "0.5.20", "dsv4"),
    ("kimi-linear-48b-a3b", "b200", "0.5.20", "flashinfer"),
    ("llama-4-scout", "h200", "0.5.20", "fa3"),
    ("qwen3-8b", "h200", "0.5.20", "fa3"),
    ("qwen3-8b", "b200", "0.5.20", "trtllm_mha"),
    ("qwen3-8b", "rtx5090", "0.5.20", "flashinfer"),
]


@pytest.mark.parametrize(("model", "gpu", "release", "backend"), DEFAULTS)
def test_defaults(model: str, gpu: str, release: str, backend: str) -> None:
    assert resolved("attention_backends", "", model=model, gpu=gpu, release=release) == (backend, backend)


def test_an_explicit_backend_decides_without_gpu_and_model() -> None:
    assert resolved("attention_backends", "--attention-backend triton", model=None, gpu=None) == ("triton", "triton")


def test_without_a_backend_the_gpu_decides() -> None:
    assert reasons("resolved.attention_backends", "", gpu=None) == ("which GPU it runs on",)


def test_split_flags_fall_back_to_the_base() -> None:
    command = "--attention-backend triton --decode-attention-backend fa3"
    assert resolved("attention_backends", command) == ("triton", "fa3")


def test_equal_split_flags_become_the_base() -> None:
    command = "--prefill-attention-backend triton --decode-attention-backend triton"
    assert resolved("attention_backend", command, model="qwen3-8b") == "triton"


def test_a_left_over_topk_moves_a_generic_model_off_fa3() -> None:
    assert resolved("attention_backend", "--speculative-eagle-topk 4", model="qwen3-8b") == "flashinfer"
    assert resolved("attention_backend", "--speculative-eagle-topk 4") == "fa3"


def test_speculation_without_topk_on_sm100() -> None:
    eagle = "--speculative-algorithm EAGLE --speculative-draft-model-path d"
    dflash = "--speculative-algorithm DFLASH --speculative-draft-model-path d"
    assert resolved("attention_backend", eagle, model="qwen3-8b", gpu="b200") == "flashinfer"
    assert resolved("attention_backend", dflash, model="qwen3-8b", gpu="b200", release="0.5.22") == "flashinfer"
    assert resolved("attention_backend", dflash, model="qwen3-8b", gpu="b200", release="0.5.23") == "trtllm_mha"


def test_deepseek_v4_overrules_an_explicit_backend() -> None:
    assert resolved("attention_backend", "--attention-backend triton", model="deepseek-v4-flash") == "dsv4"


def test_fa3_cannot_read_e5m2() -> None:
    assert resolved("attention_backend", "--kv-cache-dtype fp8_e5m2", model="qwen3-8b") == "triton"


def test_cutedsl_fills_prefill() -> None:
    command = "--decode-attention-backend cutedsl_mla --attention-backend cutedsl_mla"
    pair = resolved("attention_backends", command, model="deepseek-v3", gpu="b200")
    assert pair == ("trtllm_mla", "cutedsl_mla")


def test_tokenspeed_is_another_name_from_0_5_23() -> None:
    command = "--decode-attention-backend tokenspeed_mla"
    for release, decode in (("0.5.22", "tokenspeed_mla"), ("0.5.23", "cutedsl_mla")):
        settings = {"model": "deepseek-v3", "gpu": "b200", "release": release}
        assert resolved("decode_attention_backend", command, **settings) == decode


def test_deterministic_inference_fills_the_backend() -> None:
    command = "--enable-deterministic-inference"
    assert resolved("attention_backend", command, model="qwen3-8b", gpu="b200") == "flashinfer"
    assert resolved("attention_backend", command, model="deepseek-v3", gpu="rtx5090") == "triton"


def test_families_that_are_not_followed_say_so() -> None:
    command = "--attention-backend triton"
    assert resolved("attention_backends", command, model="qwen3-next-80b-a3b", gpu=None) == ("triton", "triton")


@pytest.mark.parametrize(
    ("command", "backend"),
    [
        ("", "triton"),
        ("--disable-radix-cache", "trtllm_mha"),
        ("--mamba-radix-cache-strategy extra_buffer", "trtllm_mha"),
        ("--speculative-algorithm EAGLE", "triton"),
        ("--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1", "trtllm_mha"),
    ],
)
def test_qwen3_next_on_sm100(command: str, backend: str) -> None:
    settings = {"model": "qwen3-next-80b-a3b", "gpu": "b200"}
    assert resolved("attention_backend", command, **settings) == backend
    assert resolved("page_size", command, **settings) == (64 if backend == "trtllm_mha" else 1)
