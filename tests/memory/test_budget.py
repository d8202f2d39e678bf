"""Estimated budgets beside what public start-up logs and continuous-integration floors report."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from sglint.memory.parameters import Split, parts
from sglint.memory.weights import weight_bytes
from sglint.models import registry

from .launches import plan_of

RECORDS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "startup_records.json").read_text(encoding="utf-8"))
GIB = 1 << 30


@pytest.mark.parametrize("record", RECORDS, ids=[f"log {record['log']}" for record in RECORDS])
def test_reported_tokens_lie_in_the_claimed_interval(record: dict[str, Any]) -> None:
    found = plan_of(record["release"], record["options"], model=record["model"], gpu=record["gpu"])
    assert found.budget.confidence == "estimated"
    assert found.low is not None and found.high is not None
    assert found.low.max_total_num_tokens <= record["tokens"] <= found.high.max_total_num_tokens


def test_error_over_all_records(capsys: pytest.CaptureFixture[str]) -> None:
    errors = []
    for record in RECORDS:
        found = plan_of(record["release"], record["options"], model=record["model"], gpu=record["gpu"])
        assert found.max_total_num_tokens is not None
        errors.append(abs(found.max_total_num_tokens / record["tokens"] - 1))
    errors.sort()
    median, p90 = statistics.median(errors), errors[int(0.9 * len(errors))]
    with capsys.disabled():
        print(f"\nbudgets: {len(errors)} records, tokens off by {median:.2%} (median), {p90:.2%} (p90)")
    assert median <= 0.02
    assert p90 <= 0.08


@pytest.mark.parametrize(
    ("name", "tp", "reported"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", 1, 15.09),
        ("Qwen/Qwen3-30B-A3B", 1, 56.98),
        ("Qwen/Qwen3-30B-A3B-FP8", 1, 29.15),
        ("Qwen/Qwen3-0.6B", 1, 1.2),
        ("zai-org/GLM-5-FP8", 8, 89.58),
    ],
)
def test_reported_weights_lie_in_the_interval(name: str, tp: int, reported: float) -> None:
    model = registry.find(name)
    assert model is not None
    found = weight_bytes(model, Split(tp, tp), 1, None)
    assert found.low / GIB <= reported <= found.high / GIB


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("meta-llama/Meta-Llama-3.1-405B", 405.8),
        ("openai/gpt-oss-120b", 116.8),
        ("openai/gpt-oss-20b", 20.9),
        ("Qwen/Qwen3-235B-A22B", 235.1),
        ("Qwen/Qwen3-Coder-480B-A35B-Instruct", 480.2),
        ("mistralai/Mixtral-8x22B-v0.1", 140.6),
        ("meta-llama/Llama-4-Maverick-17B-128E-Instruct", 400.7),
    ],
)
def test_parameter_counts_are_the_published_ones(name: str, billions: float) -> None:
    model = registry.find(name)
    assert model is not None
    counted = sum(part.count for part in parts(model, Split(1, 1)))
    assert counted / 1e9 == pytest.approx(billions, abs=0.06)


def test_default_fraction_is_the_one_reported_for_two_h100() -> None:
    assert plan_of("0.5.23", "--tp 2", model="Qwen/Qwen3-30B-A3B", gpu="h100").budget.fraction == pytest.approx(0.828)


def test_default_fraction_of_the_worked_example() -> None:
    budget = plan_of("0.5.18", "--attention-backend triton").budget
    assert budget.fraction == pytest.approx(0.903)


def test_terms_add_up_and_say_where_they_come_from() -> None:
    budget = plan_of("0.5.18", "--attention-backend triton --mem-fraction-static 0.8").budget
    terms = {term.name: term for term in budget.terms}
    free = terms["total"].value - terms["context_overhead"].value
    assert budget.rest is not None
    assert abs(free - terms["reserved_by_fraction"].value - terms["weights"].value - budget.rest) <= 1
    assert budget.low is not None and budget.high is not None
    assert budget.low <= budget.rest <= budget.high
    assert all(term.formula for term in budget.terms)


@pytest.mark.parametrize(
    ("options", "model", "gpu", "asked"),
    [
        ("", "openai/gpt-oss-120b", None, "GPU"),
        ("", "nobody/nothing", "h200", "nobody/nothing"),
        ("", "openai/gpt-oss-120b", "gb10", "driver"),
        ("--tp 8", "deepseek-ai/DeepSeek-V4-Pro", "h200", "DeepseekV4"),
    ],
)
def test_missing_terms_are_asked_for(options: str, model: str, gpu: str | None, asked: str) -> None:
    found = plan_of("0.5.18", options, model=model, gpu=gpu)
    assert found.budget.confidence == "unknown"
    assert any(asked in need for need in found.needs)
    assert any("--rest-bytes" in need for need in found.needs)


def test_weights_that_exceed_the_fraction_are_refused() -> None:
    found = plan_of("0.5.18", "--mem-fraction-static 0.5", model="Qwen/Qwen3-235B-A22B", gpu="h100")
    assert found.sizes is not None and found.sizes.refusal is not None
    assert found.sizes.refusal.kind == "weights"


def test_name_of_the_checkpoint_stands_in_for_a_silent_configuration() -> None:
    budget = plan_of("0.5.18", "--tp 8", model="nvidia/DeepSeek-V3.2-NVFP4", gpu="b200").budget
    weights = next(term for term in budget.terms if term.name == "weights")
    assert any("by the model's name" in text for text in weights.inputs)
