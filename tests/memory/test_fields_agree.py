"""The arithmetic at corners the recording has no line for, checked against the releases' formulas by hand."""

from __future__ import annotations

import pytest

from .launches import plan_of

REST = 40 << 30


def test_request_capped_window_pool_without_radix_cache() -> None:
    # 127 window + 128 eviction interval + 1 page + 1 decode token, times 64, two chunks of 8192 and one page.
    options = "--attention-backend triton --disable-radix-cache --max-running-requests 64 --chunked-prefill-size 8192"
    sizes = plan_of("0.5.18", options, model="openai/gpt-oss-20b", rest=REST).sizes
    assert sizes is not None
    assert sizes.swa_tokens == (127 + 128 + 1 + 1) * 64 + 2 * 8192 + 1
    entry = 12 * 2048
    assert sizes.full_tokens == (REST - sizes.swa_tokens * entry) // entry


def test_mxfp8_rows_carry_a_scale_for_32_elements() -> None:
    sizes = plan_of("0.5.18", "--kv-cache-dtype mxfp8", model="qwen3-8b", rest=REST).sizes
    assert sizes is not None
    elements = 8 * 256 * 36
    assert sizes.cell_bytes == elements + elements // 32


def test_data_parallel_attention_keeps_whole_heads() -> None:
    sizes = plan_of("0.5.18", "--tp 8 --dp-size 8 --enable-dp-attention", model="qwen3-8b", rest=REST).sizes
    assert sizes is not None
    assert sizes.cell_bytes == 8 * 256 * 36 * 2


@pytest.mark.parametrize(("release", "requests"), [("0.5.22", 0), ("0.5.23", 1)])
def test_fewer_requests_than_copies_are_one_from_0523(release: str, requests: int) -> None:
    options = "--tp 8 --dp-size 8 --enable-dp-attention --max-running-requests 4"
    sizes = plan_of(release, options, model="qwen3-8b", rest=REST).sizes
    assert sizes is not None
    assert sizes.max_running_requests == requests


def test_small_window_pool_is_refused_before_0521() -> None:
    options = "--attention-backend triton --swa-full-tokens-ratio 0.1 --enable-unified-memory"
    tiny = 30 << 20
    early = plan_of("0.5.18", options, model="openai/gpt-oss-20b", rest=tiny).sizes
    late = plan_of("0.5.21", options, model="openai/gpt-oss-20b", rest=tiny).sizes
    assert early is not None and early.refusal is not None and early.refusal.kind == "swa-pool-small"
    assert late is not None and late.refusal is None


def test_multimodal_targets_reserve_their_cache_from_0518() -> None:
    options = "--tp 2 --attention-backend triton"
    before = plan_of("0.5.17", options, model="google/gemma-4-31b-it", rest=REST).sizes
    after = plan_of("0.5.18", options, model="google/gemma-4-31b-it", rest=REST).sizes
    assert before is not None and after is not None
    assert before.kv_budget_bytes - after.kv_budget_bytes == 100 << 20
