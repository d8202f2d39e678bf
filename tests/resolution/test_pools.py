"""Kinds of pools, page sizes, state strategies, graphs and the place of a draft."""

from __future__ import annotations

import pytest

from .spaces import reasons, resolved

UM = "--enable-unified-memory"
EAGLE3 = "--speculative-algorithm EAGLE3 --speculative-draft-model-path d"
DSPARK = "--speculative-algorithm DSPARK --speculative-draft-model-path d"


@pytest.mark.parametrize(
    ("model", "release", "pool"),
    [
        ("openai/gpt-oss-120b", "0.5.18", "swa"),
        ("qwen3-next-80b-a3b", "0.5.18", "state"),
        ("inkling-synthetic", "0.5.18", "state"),
        ("inkling-synthetic", "0.5.19", "state+swa"),
        ("qwen3-8b", "0.5.20", None),
        ("deepseek-v4-flash", "0.5.20", None),
    ],
)
def test_unified_pool(model: str, release: str, pool: str | None) -> None:
    assert resolved("unified_pool", UM, model=model, release=release) == pool


def test_one_pool_for_both_kinds_of_layers_is_no_hybrid() -> None:
    assert resolved("hybrid_swa", "--disable-hybrid-swa-memory") is False
    assert resolved("unified_pool", f"{UM} --disable-hybrid-swa-memory") is None


@pytest.mark.parametrize(
    ("command", "model", "gpu", "page"),
    [
        ("", "openai/gpt-oss-120b", "h200", 1),
        ("", "openai/gpt-oss-120b", "b200", 64),
        ("--page-size 128", "openai/gpt-oss-120b", "b200", 128),
        ("--page-size 8", "openai/gpt-oss-120b", "b200", 64),
        ("", "deepseek-v3.2", "h200", 64),
        ("", "deepseek-v4-flash", "h200", 256),
        ("", "inkling-synthetic", "b200", 128),
        ("--decode-attention-backend flashmla", "deepseek-v3", "h200", 64),
        ("--page-size 32 --attention-backend trtllm_mla", "deepseek-v3", "b200", 32),
    ],
)
def test_page_size(command: str, model: str, gpu: str, page: int) -> None:
    assert resolved("page_size", command, model=model, gpu=gpu) == page


def test_state_strategies() -> None:
    next_ = {"model": "qwen3-next-80b-a3b"}
    assert resolved("mamba_radix_cache_strategy", "", **next_) == "extra_buffer"
    assert resolved("mamba_radix_cache_strategy", "--linear-attn-backend cutedsl", **next_) == "no_buffer"
    assert resolved("overlap_disabled_by_strategy", "--linear-attn-backend cutedsl", **next_) is True
    assert resolved("uses_mamba_radix_cache", "--disable-radix-cache", **next_) is False
    assert resolved("mamba_extra_buffer", "--mamba-radix-cache-strategy extra_buffer") is True


def test_kimi_linear_supports_the_extra_buffer_from_0_5_16() -> None:
    kimi = {"model": "kimi-linear-48b-a3b"}
    assert resolved("mamba_radix_cache_strategy", "", release="0.5.15.post1", **kimi) == "no_buffer"
    assert resolved("mamba_radix_cache_strategy", "", release="0.5.16", **kimi) == "extra_buffer"


def test_linear_attention_with_a_short_state_decodes_on_flashinfer() -> None:
    command = "--mamba-ssm-dtype bfloat16"
    assert resolved("linear_decode_backend", command, model="qwen3-next-80b-a3b", gpu="b200") == "flashinfer"
    assert resolved("linear_decode_backend", command, model="kimi-linear-48b-a3b", gpu="b200") == "triton"
    assert resolved("linear_decode_backend", command, model="qwen3-next-80b-a3b") == "triton"


@pytest.mark.parametrize(
    ("command", "decode", "prefill"),
    [
        ("", "full", "breakable"),
        ("--disable-cuda-graph", "disabled", "disabled"),
        ("--cuda-graph-backend-prefill full", "full", "full"),
        ("--disaggregation-mode prefill", "disabled", "breakable"),
        ("--disaggregation-mode decode", "full", "disabled"),
        ("--attention-backend torch_native", "disabled", "disabled"),
    ],
)
def test_graphs(command: str, decode: str, prefill: str) -> None:
    assert resolved("cuda_graph_decode", command, model="qwen3-8b") == decode
    assert resolved("cuda_graph_prefill", command, model="qwen3-8b") == prefill


def test_inkling_asks_for_prefill_graphs_itself() -> None:
    assert resolved("cuda_graph_backend_prefill", "", model="inkling-synthetic") == "full"


@pytest.mark.parametrize(
    ("command", "release", "why"),
    [
        (f"{UM} {EAGLE3}", "0.5.22", None),
        (f"{UM} {EAGLE3} --speculative-draft-attention-backend trtllm_mha", "0.5.22", "runs on trtllm_mha"),
        (f"{UM} {EAGLE3} --speculative-draft-attention-backend trtllm_mha", "0.5.23", None),
        (f"{UM} {EAGLE3} --enable-hierarchical-cache", "0.5.22", "hierarchical cache"),
        (f"{UM} {EAGLE3} --tp 2 --dcp-size 2", "0.5.22", "context parallelism"),
        (f"{UM} --speculative-algorithm EAGLE3", "0.5.22", "no draft model"),
    ],
)
def test_a_draft_fuses_or_says_why_not(command: str, release: str, why: str | None) -> None:
    given = "--speculative-draft-model-path" in command
    declined = resolved(
        "fusion_declined",
        f"{command} --attention-backend triton",
        draft="draft-eagle3-llama" if given else None,
        release=release,
    )
    assert (declined is None) if why is None else why in declined


def test_an_unknown_draft_leaves_fusion_open() -> None:
    assert reasons("resolved.fusion_declined", f"{UM} {EAGLE3} --attention-backend triton", release="0.5.22")


def test_pipeline_ranks_share_layers_the_last_taking_more() -> None:
    slices = resolved("pp_slices", "--pp-size 5")
    assert slices == ((0, 7), (7, 14), (14, 21), (21, 28), (28, 36))


@pytest.mark.parametrize(("stages", "lacks"), [(1, None), (5, None), (18, None), (20, "full"), (36, "full")])
def test_a_stage_of_one_kind_of_layers(stages: int, lacks: str | None) -> None:
    assert resolved("degenerate_stage", f"--pp-size {stages}") == lacks


def test_attention_ranks() -> None:
    assert resolved("attn_tp_size", "--tp 8 --dp-size 4 --enable-dp-attention") == 2
    assert resolved("attn_dp_size", "--tp 8 --dp-size 4") == 1
    assert resolved("attn_dp_size", "--tp 8 --attn-dp-size 2", release="0.5.22") == 2


def test_rows_of_one_rank() -> None:
    assert resolved("kv_row_bytes", "--tp 8") == (128, 128)
    assert resolved("kv_row_bytes", "--tp 8 --kv-cache-dtype fp8_e4m3") == (64, 64)
    assert resolved("rows_misaligned", "--tp 8 --kv-cache-dtype fp8_e4m3") is False


def test_declared_ratios() -> None:
    assert resolved("swa_full_tokens_ratio", "") == 0.8
    assert resolved("swa_full_tokens_ratio", "", model="deepseek-v4-flash") == 0.1
    inkling = {"model": "inkling-synthetic"}
    assert resolved("swa_full_tokens_ratio", "--swa-full-tokens-ratio 0.8", release="0.5.19", **inkling) == 0.1
    assert resolved("swa_full_tokens_ratio", "--swa-full-tokens-ratio 0.8", release="0.5.20", **inkling) == 0.8


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("", False),
        ("--enable-hierarchical-cache", True),
        ("--disaggregation-decode-enable-offload-kvcache", True),
        ("--disaggregation-mode decode", True),
        ("--disaggregation-mode decode --disaggregation-decode-retraction-backup host_pool", True),
        ("--disaggregation-mode decode --disaggregation-decode-retraction-backup cpu_tensor", False),
        ("--disaggregation-mode prefill", False),
    ],
)
def test_a_pool_in_host_memory(command: str, expected: bool) -> None:
    assert resolved("host_cache", command, release="0.5.21") is expected


def test_multi_item_scoring_keeps_no_radix_tree_and_captures_nothing() -> None:
    command = "--attention-backend flashinfer --enable-mis"
    model = "Qwen/Qwen3-8B"
    assert resolved("disable_radix_cache", command, model=model) is True
    assert resolved("cuda_graph_decode", command, model=model) == "disabled"
    assert resolved("cuda_graph_prefill", command, model=model) == "disabled"
