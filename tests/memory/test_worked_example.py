"""gpt-oss-120b on one H200 with 48.2 GiB for its pools: every figure of the worked example."""

from __future__ import annotations

import pytest

from sglint.memory import Pools

from .launches import DSPARK, EAGLE3, UNIFIED, plan_of

REST = 51_754_355_916
ONE_LAYER = "draft-eagle3-llama"


def pools(release: str, options: str, draft: str | None = None) -> Pools:
    sizes = plan_of(release, options, draft=draft, rest=REST).sizes
    assert sizes is not None
    return sizes


def test_static_pools_without_speculation() -> None:
    found = pools("0.5.18", "--attention-backend triton")
    assert (found.full_tokens, found.swa_tokens) == (779_959, 623_967)
    assert found.cell_bytes == pytest.approx(66_355.2)
    assert found.arena is None and found.draft is None


def test_static_pools_with_a_one_layer_draft() -> None:
    found = pools("0.5.18", f"--attention-backend triton {EAGLE3}", ONE_LAYER)
    assert (found.full_tokens, found.swa_tokens) == (756_607, 605_285)
    assert found.cell_bytes == pytest.approx(68_403.2)
    assert found.draft is not None and found.draft.row_bytes == 2048


def test_unified_arena_without_speculation() -> None:
    found = pools("0.5.18", UNIFIED)
    assert found.arena is not None
    assert (found.full_tokens, found.swa_tokens) == (779_959, 623_967)
    assert found.arena.total_bytes == 51_754_328_064


def test_unified_arena_with_a_one_layer_draft_is_what_the_seed_check_refuses() -> None:
    found = pools("0.5.18", f"{UNIFIED} {EAGLE3}", ONE_LAYER)
    assert found.arena is not None and found.refusal is not None
    assert (found.full_tokens, found.swa_tokens) == (756_607, 605_285)
    assert found.arena.total_bytes == 50_204_786_688
    assert found.arena.sub_pool("full").slots == 1_361_892
    assert found.arena.virtual_ids == 1_361_891
    assert found.refusal.check == "UM-SEED"


def test_explanation_of_the_seed_check_has_the_overrun_and_the_cost() -> None:
    text = " ".join(plan_of("0.5.18", f"{UNIFIED} {EAGLE3}", draft=ONE_LAYER, rest=REST).explanation)
    for figure in (
        "50,204,786,688 bytes (46.757 GiB)",
        "ids run to 1,361,891",
        "1.80 x the 756,607",
        "756,608 rows (1.443 GiB)",
        "605,284 rows (1.154 GiB)",
        "1,361,892 rows x 2,048 bytes = 2,789,154,816 bytes (2.598 GiB)",
        "1.154 GiB more than the budget",
        "738,908 full and 591,126 sliding-window tokens",
    ):
        assert figure in text


def test_0520_solves_for_the_draft_but_gives_the_arena_everything() -> None:
    draft = "draft-dspark-qwen3"
    found = pools("0.5.20", f"{UNIFIED} {DSPARK}", draft)
    assert found.arena is not None and found.draft is not None
    assert found.arena.total_bytes == 51_754_352_640
    assert found.arena.total_bytes + found.draft.bytes > REST


@pytest.mark.parametrize("release", ["0.5.21", "0.5.22", "0.5.23"])
def test_later_releases_keep_arena_and_private_draft_inside_the_budget(release: str) -> None:
    # Host-pool retraction keeps the draft's pool private where drafts may fuse.
    private = "--disaggregation-decode-retraction-backup host_pool"
    found = pools(release, f"{UNIFIED} {DSPARK} {private}", "draft-dspark-qwen3")
    assert found.arena is not None and found.draft is not None and not found.draft.fused
    used = found.arena.total_bytes + (found.draft.rows + 1) * found.draft.row_bytes
    assert REST - 200_000 < used <= REST


@pytest.mark.parametrize("release", ["0.5.22", "0.5.23"])
def test_a_fused_draft_lives_in_wider_entries(release: str) -> None:
    found = pools(release, f"{UNIFIED} {EAGLE3}", ONE_LAYER)
    assert found.arena is not None and found.draft is not None and found.draft.fused
    assert (found.full_tokens, found.swa_tokens) == (756_607, 605_285)
    assert found.arena.total_bytes == 51_754_317_824
    assert found.arena.sub_pool("full").entry_bytes == 38_912
    assert found.arena.sub_pool("full").slots == 1_330_034


@pytest.mark.parametrize(("ratio", "factor"), [(0.1, 1.1), (0.25, 1.25), (0.5, 1.5), (0.8, 1.8), (1.0, 2.0)])
def test_ids_outrun_tokens_by_one_plus_the_ratio(ratio: float, factor: float) -> None:
    found = pools("0.5.18", f"{UNIFIED} --swa-full-tokens-ratio {ratio}")
    assert found.arena is not None and found.full_tokens is not None
    assert found.arena.virtual_ids / found.full_tokens == pytest.approx(factor, abs=1e-4)


def test_second_family_gemma4_has_wider_window_entries() -> None:
    sizes = plan_of(
        "0.5.18", f"--tp 2 --kv-cache-dtype bfloat16 {UNIFIED}", model="gemma-4-31b", rest=32_212_254_720
    ).sizes
    assert sizes is not None and sizes.arena is not None
    assert (sizes.full_tokens, sizes.swa_tokens) == (87_096, 69_676)
    assert sizes.arena.virtual_ids == 783_855


def test_second_family_mimo_has_uneven_rows() -> None:
    sizes = plan_of(
        "0.5.18", f"--tp 8 --trust-remote-code {UNIFIED}", model="XiaomiMiMo/MiMo-V2-Flash", rest=32_212_254_720
    ).sizes
    assert sizes is not None
    assert (sizes.full_per_token, sizes.swa_per_token) == (640, 640)
    assert (sizes.full_layers, sizes.swa_layers) == (9, 39)
