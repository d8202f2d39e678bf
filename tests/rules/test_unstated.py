"""A launch whose release asks more than the rules say is left open, and told by which flag."""

from __future__ import annotations

import pytest

from sglint import catalogue
from sglint.lint.verdict import verdict_of
from sglint.rules import unstated


def verdict(*words: str, release: str = "0.5.23") -> dict[str, object]:
    return verdict_of({"argv": ["--model-path", "Qwen/Qwen3-8B", *words], "release": release, "gpu": "h200"})


@pytest.mark.parametrize(
    "words",
    [
        ("--enable-watermark",),
        ("--enable-lora", "--max-lora-rank", "16"),
        ("--moe-a2a-backend", "flashinfer"),
        ("--weight-cache-mode", "$MODE"),
        ("--radix-eviction-policy", "tlru"),
    ],
)
def test_what_no_rule_states_leaves_a_launch_open(words: tuple[str, ...]) -> None:
    answer = verdict(*words)
    assert answer["status"] in ("unknown", "refused")
    if answer["status"] == "unknown":
        assert f"what SGLang 0.5.23 asks of {words[0]}, which no rule states" in answer["needs"]


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--moe-a2a-backend", "deepep"),
        ("--moe-dp-size", "1"),
        ("--radix-eviction-policy", "lru"),
    ],
)
def test_other_values_and_defaults_do_not(words: tuple[str, ...]) -> None:
    assert verdict(*words)["status"] == "accepted"


def test_a_certain_refusal_comes_first() -> None:
    assert verdict("--enable-watermark", "--enable-prefix-mm-cache")["status"] == "refused"


def test_every_argument_of_the_table_exists() -> None:
    known = {flag.dest for release in catalogue.releases() for flag in catalogue.load(release).flags}
    assert set(unstated._OTHER_THAN_DEFAULT) | set(unstated._VALUES) <= known
