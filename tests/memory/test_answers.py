"""What a plan answers is what a launch with that choice would get."""

from __future__ import annotations

from typing import Any

import pytest

from sglint.memory.answers import Answers, Fraction

from .launches import DSPARK, UNIFIED, plan_of


def answers_of(release: str, options: str = "", **rest: Any) -> Answers:
    found = plan_of(release, options, **rest).answers
    assert found is not None
    return found


def fraction_of(release: str, options: str = "", **rest: Any) -> Fraction:
    found = answers_of(release, options, **rest).fraction
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("release", "model", "options"),
    [
        ("0.5.18", "openai/gpt-oss-120b", ""),
        ("0.5.23", "Qwen/Qwen3-32B", "--context-length 30000"),
        ("0.5.21", "qwen3-next-80b-a3b", "--tp-size 4"),
        ("0.5.9", "llama-3.1-70b", "--tp-size 2"),
    ],
)
def test_the_least_fraction_holds_one_request_and_a_hundredth_less_does_not(
    release: str, model: str, options: str
) -> None:
    found = answers_of(release, options, model=model)
    assert found.fraction is not None and found.fraction.least is not None and found.context is not None
    least = plan_of(release, f"{options} --mem-fraction-static {found.fraction.least}", model=model)
    less = plan_of(release, f"{options} --mem-fraction-static {found.fraction.least - 0.01:.2f}", model=model)
    assert (least.max_total_num_tokens or 0) >= found.context
    assert (less.max_total_num_tokens or 0) < found.context


def test_the_most_is_the_default_of_a_text_model() -> None:
    found = fraction_of("0.5.21", model="Qwen/Qwen3-32B")
    assert found.most is not None and 0 <= found.value - found.most < 0.01
    assert not found.empty
    assert fraction_of("0.5.21", "--mem-fraction-static 0.5", model="Qwen/Qwen3-32B").most == found.most


def test_no_fraction_for_a_request_longer_than_any_pool() -> None:
    found = answers_of("0.5.21", "--context-length 1000000000", model="Qwen/Qwen3-32B")
    assert found.fraction is not None and found.fraction.least is None and found.fraction.empty
    assert any(line.startswith("No --mem-fraction-static leaves one request") for line in found.sentences())


def test_eight_bit_keys_and_values_count_as_the_launch_that_has_them() -> None:
    (choice,) = answers_of("0.5.21", model="Qwen/Qwen3-32B").choices
    with_it = plan_of("0.5.21", "--kv-cache-dtype fp8_e4m3", model="Qwen/Qwen3-32B")
    assert choice.change == "with --kv-cache-dtype fp8_e4m3"
    assert choice.tokens == with_it.max_total_num_tokens


def test_speculation_and_the_unified_pool_count_as_the_launch_without_them() -> None:
    options = f"{UNIFIED} {DSPARK}"
    choices = {choice.change: choice for choice in answers_of("0.5.21", options, draft="draft-dspark-qwen3").choices}
    apart = plan_of("0.5.21", f"--attention-backend triton {DSPARK}", draft="draft-dspark-qwen3")
    alone = plan_of("0.5.21", UNIFIED)
    assert choices["without the unified pool"].tokens == apart.max_total_num_tokens
    assert choices["without the unified pool"].swa_tokens == (apart.sizes and apart.sizes.swa_tokens)
    assert choices["without speculation"].tokens == pytest.approx(alone.max_total_num_tokens, abs=1)


@pytest.mark.parametrize(
    ("model", "options", "winner"),
    [
        ("Qwen/Qwen3-32B", "--max-running-requests 7", "--max-running-requests"),
        ("Qwen/Qwen3-32B", "--max-total-tokens 1000", "half the tokens of the pool"),
        ("Qwen/Qwen3-32B", "", "the release's own bound by tokens and context"),
        ("qwen3-next-80b-a3b", "--tp-size 4 --max-mamba-cache-size 100", "100 state slots, 3 a request"),
    ],
)
def test_the_smallest_bound_wins(model: str, options: str, winner: str) -> None:
    options = f"{options} --mamba-radix-cache-strategy no_buffer" if model.startswith("qwen3-next") else options
    plan = plan_of("0.5.21", options, model=model)
    assert plan.answers is not None and plan.sizes is not None
    assert plan.answers.limits[0].name == winner
    assert plan.answers.limits[0].requests == plan.sizes.max_running_requests


def test_a_given_byte_budget_has_no_fraction() -> None:
    found = answers_of("0.5.21", rest=40 << 30)
    assert found.fraction is None
    assert found.to_json()["mem_fraction_static"] is None


def test_no_answers_without_sizes() -> None:
    assert plan_of("0.5.21", "", gpu=None).answers is None
    assert plan_of("0.5.21", "", gpu=None).to_json()["answers"] is None
