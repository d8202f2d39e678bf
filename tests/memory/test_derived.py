"""Facts about memory that rules name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sglint.facts import Facts
from sglint.lint import lint
from sglint.lint.memory_facts import MEMORY_FACTS
from sglint.memory.derived import FACTS
from sglint.settings import Settings
from sglint.text import Document

RECIPE = Path(__file__).parents[3] / "shared" / "cases" / "extraction" / "143-srt-slurm-recipe.yaml"


def facts_of(words: str, release: str = "0.5.20", gpu: str | None = "h100", gpus: int | None = 8) -> Facts:
    text = f"python -m sglang.launch_server {words}\n"
    (judged,) = lint(Document("a.sh", text, "shell"), Settings(release=release, gpu=gpu, gpu_count=gpus)).judged
    assert judged.facts is not None
    return judged.facts


def test_every_fact_is_offered_to_rules() -> None:
    assert {*FACTS, "host.memory_limit"} == set(MEMORY_FACTS)


def test_the_least_fraction_leaves_something_and_a_hundredth_less_does_not() -> None:
    least = facts_of("--model-path openai/gpt-oss-120b").look("memory.least_fraction")
    assert 0.79 < least < 0.85
    model = "--model-path openai/gpt-oss-120b --mem-fraction-static"
    assert facts_of(f"{model} {least - 0.01}").look("memory.refused_as_estimated") == "weights"
    assert facts_of(f"{model} {least + 0.01}").look("memory.refused_as_estimated") is None


def test_no_fraction_holds_weights_larger_than_the_gpu() -> None:
    assert facts_of("--model-path llama-3.1-70b").look("memory.least_fraction") is None


@pytest.mark.parametrize("gpu", ["l40s", "h100", "b200"])
def test_a_cap_is_refused_whatever_memory_there_is(gpu: str) -> None:
    capped = facts_of("--model-path openai/gpt-oss-120b --max-total-tokens 160", gpu=gpu)
    assert capped.look("memory.refused_with_any_budget") == "swa-pool-small"


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        ("--tp-size 8", 8),
        ("--tp-size 4 --pp-size 2", 8),
        ("--tp-size 2 --dp-size 3", 6),
        ("--tp-size 4 --dp-size 4 --enable-dp-attention", 4),
        ("--tp-size 16 --nnodes 2", 8),
        ("--tp-size 8 --pp-size 2 --nnodes 2", 8),
        ("--tp-size 2 --base-gpu-id 4", 6),
        ("--tp-size 4 --gpu-id-step 2", 7),
    ],
)
def test_gpus_a_node_needs(words: str, needed: int) -> None:
    assert facts_of(f"--model-path Qwen/Qwen3-32B {words}").look("memory.gpus_needed") == needed


@pytest.mark.parametrize("pp", [2, 35, 36, 40])
@pytest.mark.parametrize("unified", ["", "--enable-unified-memory"])
@pytest.mark.parametrize("release", ["0.5.15.post1", "0.5.18", "0.5.21", "0.5.23"])
def test_stages_without_layers_of_a_kind_are_no_crash(pp: int, unified: str, release: str) -> None:
    facts = facts_of(f"--model-path openai/gpt-oss-120b --pp-size {pp} {unified}", release, "h200")
    for name in FACTS:
        facts.look(name)


def test_a_recipe_that_spreads_a_server_over_nodes_lacks_no_gpus() -> None:
    report = lint(Document(str(RECIPE), RECIPE.read_text(encoding="utf-8"), "yaml"), Settings(), fixes=False)
    decode = report.judged[-1]
    assert decode.gpu_count is not None and decode.facts is not None
    assert decode.gpu_count.value < decode.facts.look("args.tp_size")
    assert decode.facts.look("memory.gpus_missing") == 0
