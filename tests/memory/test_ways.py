"""The least fraction and the fewest GPUs with which a launch has its pools, and that fixes try them."""

from __future__ import annotations

import pytest

from sglint.facts import Facts
from sglint.lint import lint
from sglint.memory import plan
from sglint.rules.findings import Finding
from sglint.settings import Settings
from sglint.text import Document

TIGHT = "--model-path openai/gpt-oss-120b --mem-fraction-static 0.75"
LARGE = "--model-path meta-llama/Llama-3.1-70B-Instruct"


def judged(words: str, gpus: int | None = 8, gpu: str = "h100") -> tuple[Facts, list[Finding]]:
    text = f"python -m sglang.launch_server {words}\n"
    report = lint(Document("a.sh", text, "shell"), Settings(release="0.5.21", gpu=gpu, gpu_count=gpus))
    facts = report.judged[0].facts
    assert facts is not None
    return facts, [finding for finding in report.findings if finding.code == "SGL350"]


def test_the_least_fraction_works_and_a_hundredth_less_may_not() -> None:
    facts, _ = judged(TIGHT)
    fraction = facts["memory.working_fraction"]
    assert 0.75 < fraction < 0.9
    works, less = (plan(facts.supposing({"args.mem_fraction_static": value})) for value in (fraction, fraction - 0.01))
    assert works.low is not None and works.low.refusal is None
    assert less.low is not None and less.low.refusal is not None


def test_weights_larger_than_a_gpu_have_no_fraction_but_more_gpus() -> None:
    facts, _ = judged(LARGE)
    assert facts["memory.working_fraction"] is None
    assert facts["memory.working_tp"] == 4


@pytest.mark.parametrize(
    ("words", "gpus", "expected"),
    [
        (LARGE, 2, None),
        (LARGE, None, 4),
        (f"{LARGE} --dp-size 2", 4, None),
        (f"{LARGE} --dp-size 2", 8, 4),
        ("--model-path deepseek-ai/DeepSeek-V3", 8, None),
    ],
)
def test_no_more_gpus_are_asked_for_than_there_are(words: str, gpus: int | None, expected: int | None) -> None:
    assert judged(words, gpus)[0]["memory.working_tp"] == expected


def test_both_ways_are_offered_when_they_were_tried() -> None:
    _, (finding,) = judged(TIGHT)
    written = [fix.edits[0].text for fix in finding.fixes]
    assert [fix.verified for fix in finding.fixes] == [True, True]
    assert any("0.8" in text for text in written)
    assert any("--tp-size 2" in text for text in written)


def test_only_the_way_that_exists_is_offered() -> None:
    _, (finding,) = judged(LARGE)
    assert [fix.title for fix in finding.fixes] == ["Divide the weights among 4 GPUs"]


def test_the_message_names_the_margin() -> None:
    _, (finding,) = judged(TIGHT)
    assert "(between -" in finding.message


def test_supposing_leaves_the_launch_itself_alone() -> None:
    facts, _ = judged(TIGHT)
    other = facts.supposing({"args.tp_size": 4})
    assert (facts["args.tp_size"], other["args.tp_size"]) == (1, 4)
    assert other["resolved.attn_tp_size"] == 4
    assert facts["resolved.attn_tp_size"] == 1
