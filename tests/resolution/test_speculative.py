"""Speculative settings after the release's handler."""

from __future__ import annotations

import pytest

from .spaces import reasons, resolved

EAGLE3 = "--speculative-algorithm EAGLE3 --speculative-draft-model-path d"
DSPARK = "--speculative-algorithm DSPARK --speculative-draft-model-path d"
DFLASH = "--speculative-algorithm DFLASH --speculative-draft-model-path d"
NUMBERS = ("speculative_num_steps", "speculative_eagle_topk", "speculative_num_draft_tokens")


def numbers(command: str, **settings: str) -> tuple[int, ...]:
    return tuple(resolved(name, command, **settings) for name in NUMBERS)


@pytest.mark.parametrize("name", ["EAGLE", "eagle", "NEXTN", "nextn"])
def test_nextn_is_eagle_in_any_case(name: str) -> None:
    assert resolved("speculative_algorithm", f"--speculative-algorithm {name}") == "EAGLE"


def test_an_unknown_draft_of_gemma_4_may_be_an_assistant() -> None:
    command = "--speculative-algorithm NEXTN --speculative-draft-model-path d"
    assert reasons("resolved.speculative_algorithm", command, model="gemma-4-31b")
    assert resolved("speculative_algorithm", command) == "EAGLE"


def test_eagle_chooses_its_numbers_by_model() -> None:
    assert numbers(EAGLE3, draft="draft-eagle3-llama") == (3, 1, 4)
    assert numbers(EAGLE3, draft="draft-eagle3-llama8b", model="llama-3.1-8b") == (5, 4, 8)


def test_a_chain_has_one_token_more_than_steps() -> None:
    command = f"{EAGLE3} --speculative-num-steps 5 --speculative-eagle-topk 1 --speculative-num-draft-tokens 16"
    assert numbers(command) == (5, 1, 6)


def test_a_tree_keeps_what_is_written() -> None:
    command = f"{EAGLE3} --speculative-num-steps 5 --speculative-eagle-topk 4 --speculative-num-draft-tokens 16"
    assert numbers(command) == (5, 4, 16)


def test_dspark_verifies_gamma_plus_one() -> None:
    assert numbers(DSPARK, draft="draft-dspark-qwen3") == (1, 1, 8)
    assert numbers(f"{DSPARK} --speculative-dspark-block-size 3", draft="draft-dspark-qwen3") == (1, 1, 4)
    assert resolved("dspark_gamma", DSPARK, draft="draft-dspark-qwen3") == 7


def test_dspark_of_an_unknown_draft_has_an_unknown_gamma() -> None:
    assert reasons("resolved.dspark_gamma", DSPARK) == ("the draft model behind `d`",)
    assert resolved("speculative_eagle_topk", DSPARK) == 1


def test_dflash_takes_the_drafts_block() -> None:
    assert numbers(DFLASH, draft="draft-dflash-qwen3") == (1, 1, 16)
    assert numbers(f"{DFLASH} --speculative-num-draft-tokens 8", draft="draft-dflash-qwen3") == (1, 1, 8)


def test_ngram_counts_its_breadth_as_topk() -> None:
    assert resolved("speculative_eagle_topk", "--speculative-algorithm NGRAM") == 10
    assert resolved("speculative_num_draft_tokens", "--speculative-algorithm NGRAM") == 12


def test_speculation_caps_requests() -> None:
    assert resolved("max_running_requests", EAGLE3) == 48
    assert resolved("max_running_requests", "") is None
    assert resolved("max_running_requests", f"{EAGLE3} --max-running-requests 96") == 96


def test_own_heads_take_the_targets_path() -> None:
    command = "--speculative-algorithm EAGLE"
    assert resolved("speculative_draft_model_path", command, model="deepseek-v3") == "m"
    assert resolved("speculative_draft_model_path", command) is None


def test_0_5_23_looks_for_a_draft_in_a_subfolder() -> None:
    command = "--speculative-algorithm DSPARK"
    assert resolved("speculative_draft_model_path", command, release="0.5.22") is None
    assert "its folder `dspark`" in reasons("resolved.speculative_draft_model_path", command, release="0.5.23")[0]


EAGLE = "--tp 8 --speculative-algorithm EAGLE --speculative-adaptive"


@pytest.mark.parametrize(
    ("model", "command", "release", "expected"),
    [
        ("deepseek-v3", EAGLE, "0.5.21", (True, 3, 1, 4)),
        ("deepseek-v3", EAGLE, "0.5.18", (True, 3, 1, 4)),
        ("deepseek-v3", f"{EAGLE} --speculative-num-steps 5", "0.5.21", (True, 5, 1, 6)),
        # What adaptive speculation cannot do switches it off, and the numbers are the usual ones.
        (
            "deepseek-v3",
            f"{EAGLE} --speculative-num-steps 2 --speculative-eagle-topk 2 --speculative-num-draft-tokens 4",
            "0.5.21",
            (False, 2, 2, 4),
        ),
        ("deepseek-v3", f"{EAGLE} --enable-two-batch-overlap", "0.5.21", (False, 3, 1, 4)),
        ("deepseek-v3", f"{EAGLE} --enable-pdmux", "0.5.21", (False, 3, 1, 4)),
        ("deepseek-v3", f"{EAGLE} --dp-size 2 --enable-dp-attention", "0.5.21", (False, 3, 1, 4)),
        ("deepseek-v3", f"{EAGLE} --enable-multi-layer-eagle", "0.5.21", (False, 3, 1, 4)),
        ("mimo-v2-flash", EAGLE, "0.5.21", (False, 3, 1, 4)),
        ("mimo-v2-flash", EAGLE.replace("EAGLE", "NGRAM"), "0.5.21", (False, 1, 10, 12)),
    ],
)
def test_adaptive_speculation(model: str, command: str, release: str, expected: tuple[bool, int, int, int]) -> None:
    names = ("adaptive", "num_steps", "eagle_topk", "num_draft_tokens")
    found = tuple(resolved(f"speculative_{name}", command, model=model, release=release) for name in names)
    assert found == expected


def test_a_file_of_step_counts_is_not_read() -> None:
    written = f"{EAGLE} --speculative-adaptive-config steps.json"
    assert reasons("resolved.speculative_num_steps", written, model="deepseek-v3") == (
        "which step counts the adaptive speculation file lists",
    )


@pytest.mark.parametrize(
    ("shape", "fault"),
    [
        ((1, 5, 200), None),
        ((2, None, 8), "no-steps"),
        ((2, 0, 8), "steps"),
        ((2, 3, 3), "narrow"),
        ((2, 3, 129), "nodes"),
        ((17, 8, 128), "slots"),
        ((16, 9, 128), None),
        ((2, 1, 4), "room"),
        ((2, 3, 8), "parents"),
        ((4, 3, 10), None),
        ((4, 3, 11), "parents"),
    ],
)
def test_a_tree_of_uno_has_to_be_buildable(shape: tuple[int, int | None, int], fault: str | None) -> None:
    branches, steps, tokens = shape
    depth = "" if steps is None else f"--speculative-num-steps {steps}"
    command = f"--speculative-algorithm UNO --speculative-eagle-topk {branches} {depth}"
    assert resolved("uno_tree_fault", f"{command} --speculative-num-draft-tokens {tokens}") == fault


def test_a_chain_of_uno_takes_one_step() -> None:
    chain = "--speculative-algorithm UNO --speculative-num-steps 5 --speculative-num-draft-tokens 8"
    assert numbers(chain) == (1, 1, 8)
    assert numbers(f"{chain} --speculative-eagle-topk 4") == (5, 4, 8)
