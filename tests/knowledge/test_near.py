"""Did you mean."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import catalogue
from sglint.knowledge import near, near_value
from sglint.knowledge.near import LONGEST, MOST, distance

TABLE = catalogue.load("0.5.23")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("--enable_metrics", "--enable-metrics"),
        ("--log-requests-leve", "--log-requests-level"),
        ("--modle-path", "--model-path"),
        ("--num-draft-tokens", "--speculative-num-draft-tokens"),
        ("-tp-size", "--tp-size"),
        ("--Enable-Metrics", "--enable-metrics"),
    ],
)
def test_the_flag_that_was_meant_comes_first(written: str, meant: str) -> None:
    assert near(written, TABLE)[0] == meant


@pytest.mark.parametrize("written", ["--frobnicate", "--x", "", "--" + "a" * (LONGEST + 1)])
def test_nothing_is_offered_for_what_is_near_to_nothing(written: str) -> None:
    assert near(written, TABLE) == ()


def test_values_are_found_in_spite_of_case_and_dashes() -> None:
    choices = TABLE.by_name["--attention-backend"].choices
    assert choices is not None
    assert near_value("FlashInfer", choices) == ("flashinfer",)
    assert near_value("torch-native", choices) == ("torch_native",)


@settings(derandomize=True, deadline=None)
@given(st.text("ab-", max_size=8), st.text("ab-", max_size=8))
def test_distance_is_symmetric_and_zero_only_for_equals(left: str, right: str) -> None:
    found = distance(left, right, 20)
    assert found == distance(right, left, 20)
    assert (found == 0) == (left == right)
    assert found <= max(len(left), len(right))
    assert distance(left, right, 2) == min(found, 3)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.text(st.characters(codec="utf-8"), max_size=200))
def test_any_text_gets_few_answers(written: str) -> None:
    found = near(written, TABLE)
    assert len(found) <= MOST
    assert all(name in TABLE.by_name for name in found)


def test_a_long_misspelling_costs_little() -> None:
    near("--warm-up", TABLE)
    start = time.process_time()
    near("--speculative-draft-model-quantisation-and-more", TABLE)
    assert time.process_time() - start < 0.05
