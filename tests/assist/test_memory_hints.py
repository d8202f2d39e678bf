"""Hints behind the numbers that memory makes something of."""

from __future__ import annotations

import re

import pytest

from sglint.assist.memory_hints import FLAGS, MemoryHint, memory_hints
from sglint.lint import lint
from sglint.settings import Settings
from sglint.text import Document

LAUNCH = "python -m sglang.launch_server --model-path"


def hints(words: str, gpu: str | None = "h200", release: str = "0.5.20") -> dict[str, MemoryHint]:
    document = Document("a.sh", f"{LAUNCH} {words}\n", "shell")
    (judged,) = lint(document, Settings(release=release, gpu=gpu), fixes=False).judged
    return {hint.name: hint for hint in memory_hints(judged, "a.sh")}


def test_each_number_says_what_it_comes_to() -> None:
    words = "openai/gpt-oss-120b --tp 2 --mem-fraction-static 0.8 --context-length 8192 "
    found = hints(words + "--max-running-requests 64 --swa-full-tokens-ratio 0.5")
    assert set(found) == set(FLAGS.values())
    assert found["tp"].label.endswith("GiB of weights on each GPU")
    assert re.search(r"GiB for the pools; 0\.\d\d to 0\.\d\d works$", found["mem-fraction-static"].label)
    assert found["context-length"].label.endswith("such requests fit")
    assert found["max-running-requests"].label.endswith("tokens each")
    assert found["swa-full-tokens-ratio"].label.endswith("sliding-window tokens")


def test_a_hint_stands_behind_its_value() -> None:
    text = f"{LAUNCH} openai/gpt-oss-120b --tp=2"
    assert hints("openai/gpt-oss-120b --tp=2")["tp"].offset == len(text)


def test_twice_the_gpus_have_half_the_weights_each() -> None:
    one, two = (float(hints(f"Qwen/Qwen3-32B --tp {tp}")["tp"].label.split()[1]) for tp in (1, 2))
    assert one / two == pytest.approx(2, rel=0.05)


def test_the_occurrence_that_counts_has_the_hint() -> None:
    found = hints("Qwen/Qwen3-32B --tp 1 --tp 2")
    assert found["tp"].offset == len(f"{LAUNCH} Qwen/Qwen3-32B --tp 1 --tp 2")


def test_requests_that_memory_does_not_allow() -> None:
    found = hints("qwen3-next-80b-a3b --tp 4 --max-running-requests 4000")
    assert found["max-running-requests"].label.startswith("memory allows about ")


def test_weights_larger_than_their_share() -> None:
    found = hints("llama-3.1-70b --mem-fraction-static 0.8 --context-length 4096", gpu="h100")
    assert found["mem-fraction-static"].label.endswith("GiB too little for the weights")
    assert "context-length" not in found


@pytest.mark.parametrize("words", ['"$MODEL" --tp 2', "Qwen/Qwen3-32B --tp $TP", "Qwen/Qwen3-32B"])
def test_nothing_is_said_of_what_is_not_known(words: str) -> None:
    assert hints(words) == {}


def test_nothing_is_said_without_a_gpu() -> None:
    assert hints("Qwen/Qwen3-32B --tp 2", gpu=None) == {}
