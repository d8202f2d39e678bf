"""What was written, what was not, and what cannot be told apart."""

from __future__ import annotations

import itertools

import pytest

from sglint.facts import Unknown
from sglint.resolution.space import DERIVED

from .spaces import RELEASES, reasons, space


def test_a_written_value_wins_over_the_default() -> None:
    assert space("--tp 4").look("args.tp_size") == 4
    assert space("").look("args.tp_size") == 1


def test_the_last_of_two_values_wins() -> None:
    assert space("--tp 4 --tp 8").look("args.tp_size") == 8


def test_an_argument_of_another_release_is_unset() -> None:
    assert space("", release="0.5.18").look("args.attn_dp_size") is None
    assert space("", release="0.5.18").look("given.attn_dp_size") is False


def test_given_tells_written_from_default() -> None:
    facts = space("--tp 1")
    assert facts.look("given.tp_size") is True
    assert facts.look("given.pp_size") is False


def test_a_conditional_flag_is_unknown() -> None:
    facts = space("--enable-unified-memory", maybe=("--enable-unified-memory",))
    assert isinstance(facts.look("args.enable_unified_memory"), Unknown)
    assert isinstance(facts.look("given.enable_unified_memory"), Unknown)


def test_a_conditional_value_that_changes_nothing_is_known() -> None:
    assert space("--tp 4 --tp-size 4", maybe=("--tp-size",)).look("args.tp_size") == 4
    assert isinstance(space("--tp 4 --tp-size 8", maybe=("--tp-size",)).look("args.tp_size"), Unknown)


def test_a_hole_hides_what_was_not_written() -> None:
    facts = space("--tp 4 HOLE", holes=("HOLE",))
    assert facts.look("args.tp_size") == 4
    assert isinstance(facts.look("args.pp_size"), Unknown)
    assert isinstance(facts.look("given.pp_size"), Unknown)


def test_an_unknown_model_names_the_word_that_hides_it() -> None:
    assert reasons("model.hybrid_swa", "", model=None) == ("the model behind `m`",)
    assert space("", model=None).look("model.known") is False


def test_without_a_draft_its_fields_are_unset() -> None:
    assert space("").look("draft.architecture") is None
    assert reasons("draft.architecture", "--speculative-draft-model-path d") == ("the draft model behind `d`",)


def test_a_variable_that_is_set_to_something_unknown() -> None:
    facts = space("", env={"SGLANG_X": None, "SGLANG_Y": "1"})
    assert isinstance(facts.look("env.SGLANG_X"), Unknown)
    assert (facts.look("env.SGLANG_Y"), facts.look("env.SGLANG_Z")) == ("1", None)


def test_other_vendors_gpus_are_not_followed() -> None:
    assert "only NVIDIA" in reasons("gpu.sm", "", gpu="mi300x")[0]
    assert reasons("resolved.attention_backends", "", gpu="mi300x")


def test_releases_before_the_first_followed_one_resolve_nothing() -> None:
    assert "not followed" in reasons("resolved.attention_backends", "", release="0.5.9")[0]
    assert space("--page-size 16", release="0.5.9").look("args.page_size") == 16


MODELS = (
    None,
    "openai/gpt-oss-120b",
    "qwen3-next-80b-a3b",
    "kimi-linear-48b-a3b",
    "deepseek-v3.2",
    "inkling-synthetic",
)
COMMANDS = (
    "",
    "--enable-unified-memory --speculative-algorithm DSPARK --speculative-draft-model-path d",
    "--attention-backend fa4 --kv-cache-dtype fp8_e5m2 --speculative-algorithm NGRAM",
    "--speculative-algorithm EAGLE3 --speculative-draft-model-path d --pp-size 2 --dcp-size 2 --tp 8",
    "--speculative-algorithm $X --attention-backend $Y",
)


@pytest.mark.parametrize("release", RELEASES)
def test_every_fact_has_a_value_or_a_reason(release: str) -> None:
    for model, command, gpu in itertools.product(MODELS, COMMANDS, (None, "h200", "b200", "rtx5090", "mi300x")):
        facts = space(command, release=release, model=model, gpu=gpu)
        for name in DERIVED:
            value = facts.look(name)
            assert not isinstance(value, Unknown) or all(value.reasons)


def test_a_fact_names_the_leaves_it_came_from() -> None:
    facts = space("--tp-size 2 --page-size 16")
    assert facts.leaves_of("args.tp_size") == {"args.tp_size"}
    assert "args.page_size" in facts.leaves_of("resolved.page_size")
    assert facts.look("resolved.page_size") == 16
