"""Plans as users see them: what is missing is said, what is known is complete."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from .launches import DSPARK, EAGLE3, UNIFIED, plan_of


def test_unknown_model_is_asked_for() -> None:
    found = plan_of("0.5.18", "--tp 2", model="nobody/nothing", rest=1 << 35)
    assert found.sizes is None and not found.pools
    assert any("nobody/nothing" in need for need in found.needs)


def test_unknown_gpu_does_not_hide_what_does_not_depend_on_it() -> None:
    found = plan_of("0.5.18", UNIFIED, gpu=None, rest=51_754_355_916)
    assert found.max_total_num_tokens == 779_959


def test_unknown_draft_leaves_only_its_own_pool_out() -> None:
    found = plan_of("0.5.18", f"{UNIFIED} {DSPARK} --speculative-num-draft-tokens 8", rest=51_754_355_916)
    assert found.max_total_num_tokens == 779_959
    assert any("draft" in need for need in found.needs)


def test_unknown_draft_still_gets_its_overrun_in_rows() -> None:
    found = plan_of("0.5.18", f"{UNIFIED} {EAGLE3}", draft=None)
    assert found.budget.confidence == "estimated"
    assert any("rows past its end" in text for text in found.explanation)
    assert any("weights are left out" in need for need in found.needs)


def test_rows_carry_formula_and_inputs() -> None:
    found = plan_of("0.5.18", UNIFIED, rest=51_754_355_916)
    assert [row.name for row in found.pools] == ["full", "swa", "arena"]
    assert all(row.formula for row in found.pools)
    assert found.pools[-1].virtual_id_span == 1_403_925


def test_json_has_integers_for_everything_a_release_reports() -> None:
    text = json.dumps(plan_of("0.5.18", UNIFIED, rest=51_754_355_916).to_json())
    found = json.loads(text)
    assert found["budget"] | {"rest": 51_754_355_916, "confidence": "exact"} == found["budget"]
    for key in ("kv_budget_bytes", "allocator_size_full", "allocator_size_swa", "unified_total_bytes", "reserved"):
        assert isinstance(found[key], int)
    assert found["limits"]["max_running_requests"] == 3046


def test_state_models_report_slots() -> None:
    found = plan_of("0.5.18", "--tp 4 --attention-backend triton", model="qwen3-next-80b-a3b", rest=1 << 35).to_json()
    assert found["state_slots"] > 0 and found["state_bytes_per_slot"] == 19_316_736


def test_settings_outside_the_model_are_named() -> None:
    found = plan_of("0.5.23", "--enable-kv-cache-sharding", model="deepseek-v3", rest=1 << 35)
    assert found.sizes is None
    assert any("--enable-kv-cache-sharding" in need for need in found.needs)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    rest=st.integers(min_value=1, max_value=1 << 38),
    page=st.sampled_from([1, 16, 64]),
    ratio=st.sampled_from([0.1, 0.5, 0.8, 1.0]),
    release=st.sampled_from(["0.5.15.post1", "0.5.18", "0.5.20", "0.5.21", "0.5.23"]),
    unified=st.booleans(),
)
def test_pools_never_exceed_their_budget(rest: int, page: int, ratio: float, release: str, unified: bool) -> None:
    options = f"--attention-backend triton --page-size {page} --swa-full-tokens-ratio {ratio}"
    options += " --enable-unified-memory" if unified else ""
    sizes = plan_of(release, options, rest=rest).sizes
    assert sizes is not None
    if sizes.max_total_num_tokens == 0:
        assert sizes.refusal is not None
        return
    assert sizes.full_tokens is not None and sizes.swa_tokens is not None
    assert sizes.full_tokens % page == 0 and sizes.swa_tokens % page == 0
    entry = 36_864
    assert (sizes.full_tokens + sizes.swa_tokens) * entry <= rest
    if sizes.arena is not None:
        assert sizes.arena.total_bytes <= rest
        assert sizes.arena.virtual_ids * entry <= rest


def test_padding_takes_a_page_from_0_5_17_on() -> None:
    options = "--tp 2 --attention-backend triton --page-size 64 --enable-unified-memory"
    taken = [
        plan_of(release, options, model="gemma-4-31b", rest=30 << 30).to_json()["reserved"]
        for release in ("0.5.16", "0.5.17")
    ]
    assert taken[0] is not None and taken[1] == 64 * taken[0]
