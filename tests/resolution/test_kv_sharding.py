"""What a sharded KV cache asks of the attention backend, the chunks and the ranks."""

from __future__ import annotations

import pytest

from .spaces import reasons, resolved

STRIDED = "--tp 8 --enable-prefill-cp --attn-cp-size 2 --cp-strategy interleave"
SHARDED = "--tp 8 --enable-kv-cache-sharding"
FP8 = "--kv-cache-dtype fp8_e4m3"


@pytest.mark.parametrize(
    ("command", "model", "gpu", "fault"),
    [
        ("--tp 8", "deepseek-v3", "h200", None),
        ("--tp 8", "deepseek-v3", "b200", None),
        ("--tp 8 --disable-chunked-prefix-cache", "deepseek-v3", "b200", "chunked-prefix"),
        ("--tp 8 --attention-backend triton", "qwen3-32b", "h200", "backend"),
        ("--tp 8 --attention-backend trtllm_mla", "qwen3-32b", "b200", "mla"),
        ("--tp 8", "deepseek-v3.2", "b200", "dsa-parallel"),
        (f"{STRIDED} --pp-size 2 {FP8}", "deepseek-v3.2", "b200", "dsa-parallel"),
        (f"{STRIDED} --kv-cache-dtype bf16", "deepseek-v3.2", "b200", "dsa-kernels"),
        (f"{STRIDED} {FP8}", "deepseek-v3.2", "h200", "dsa-kernels"),
        (f"{STRIDED} {FP8} --dsa-decode-backend flashmla_kv", "deepseek-v3.2", "b200", "dsa-kernels"),
        (f"{STRIDED} {FP8} --disaggregation-transfer-backend nixl", "deepseek-v3.2", "b200", "dsa-transfer"),
        (f"{STRIDED} {FP8}", "deepseek-v3.2", "b200", None),
    ],
)
def test_prefill_backends_of_a_sharded_cache(command: str, model: str, gpu: str, fault: str | None) -> None:
    command = f"{command} --enable-kv-cache-sharding"
    assert resolved("kv_sharding_backend_fault", command, release="0.5.23", model=model, gpu=gpu) == fault


def test_sparse_attention_is_no_backend_of_shards_before_0_5_23() -> None:
    assert resolved("kv_sharding_backend_fault", SHARDED, release="0.5.22", model="deepseek-v3.2") == "backend"


def test_chunks_are_those_of_a_rank() -> None:
    attention = "--tp 8 --dp-size 8 --enable-dp-attention"
    settings = {"release": "0.5.23", "model": "deepseek-v3"}
    assert resolved("prompts_uncut", f"{attention} --chunked-prefill-size 4", **settings)
    assert not resolved("prompts_uncut", f"{attention} --chunked-prefill-size 8", **settings)
    assert not resolved("prompts_uncut", attention, **settings)


@pytest.mark.parametrize(
    ("command", "refused"),
    [
        ("", False),
        ("--hicache-io-backend kernel --hicache-mem-layout page_first", False),
        ("--hicache-io-backend direct", True),
        ("--hicache-mem-layout page_first_direct", True),
    ],
)
def test_host_copies_of_sparse_shards(command: str, refused: bool) -> None:
    command = f"--enable-hierarchical-cache {command}"
    assert (
        resolved("kv_sharding_host_layout_refused", command, release="0.5.23", model="deepseek-v3.2", gpu="b200")
        is refused
    )


@pytest.mark.parametrize(
    ("command", "model", "fault"),
    [
        ("--tp 2", "gpt-oss-20b", "model"),
        ("--tp 1", "qwen3-8b", "ranks"),
        ("--tp 2", "qwen3-8b", None),
        ("--tp 4 --dp-size 2 --enable-dp-attention", "qwen3-8b", "attention"),
        ("--tp 2 --speculative-algorithm NGRAM", "qwen3-8b", "speculation"),
        ("--tp 2 --pp-size 2", "qwen3-8b", "pipeline"),
    ],
)
def test_norms_over_parts_of_a_sequence(command: str, model: str, fault: str | None) -> None:
    assert resolved("layernorm_sp_fault", command, release="0.5.22", model=model) == fault


def test_a_pipeline_may_shard_its_norms_before_0_5_22() -> None:
    assert resolved("layernorm_sp_fault", "--tp 2 --pp-size 2", release="0.5.21", model="qwen3-8b") is None


@pytest.mark.parametrize(("backend", "fuses"), [("triton", True), ("fa3", False)])
def test_mimos_own_head_rides_in_the_windows_of_the_target(backend: str, fuses: bool) -> None:
    command = f"--tp 8 --enable-unified-memory --speculative-algorithm NEXTN --attention-backend {backend}"
    declined = resolved("fusion_declined", command, release="0.5.23", model="mimo-v2-flash")
    assert (declined is None) is fuses
    assert reasons("resolved.fusion_declined", command, release="0.5.23", model="step-3.5-flash")


def test_a_launch_without_shards_has_no_fault_of_theirs() -> None:
    assert resolved("kv_sharding_backend_fault", "--tp 8 --attention-backend triton", release="0.5.23") is None
    assert resolved("kv_sharding_model_fault", "--tp 8", release="0.5.23", model="llama-4-scout") is None
    assert resolved("kv_sharding_model_fault", SHARDED, release="0.5.23", model="llama-4-scout") == "local-attention"


@pytest.mark.parametrize(
    ("command", "model", "admitted"),
    [
        ("EAGLE --speculative-eagle-topk 1", "zai-org/GLM-5.1", True),
        ("NEXTN --speculative-eagle-topk 1", "zai-org/GLM-5.1", False),
        ("EAGLE", "zai-org/GLM-5.1", False),
        ("EAGLE --speculative-eagle-topk 1 --enable-multi-layer-eagle", "zai-org/GLM-5.1", False),
        ("EAGLE --speculative-eagle-topk 1", "deepseek-v3.2", False),
    ],
)
def test_the_draft_that_goes_with_shards(command: str, model: str, admitted: bool) -> None:
    command = f"{SHARDED} --speculative-algorithm {command}"
    assert resolved("kv_sharding_draft_admitted", command, release="0.5.23", model=model) is admitted
