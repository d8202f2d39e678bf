"""Every example of every rule file says what the engine says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sglint import rules
from sglint.lint.engine import lint, report_on
from sglint.rules.findings import Report
from sglint.settings import Settings
from sglint.text import Document, Sources

CONFIGS = Path(__file__).parents[1] / "data" / "configs"
LANGUAGES = {"shell": "shell", "yaml": "yaml"}
FILES = {"shell": "example.sh", "yaml": "example.yaml"}
RULES = rules.load()
EXAMPLES = [
    pytest.param(code, example, id=f"{code}-{number}-{example['expect']}")
    for code, examples in RULES.examples.items()
    for number, example in enumerate(examples)
]


def settings_of(example: dict[str, Any]) -> Settings:
    return Settings(
        release=example.get("release"),
        gpu=example.get("gpu"),
        gpu_count=example.get("gpus"),
        model=_id(example.get("model")),
        model_config=_folder(example.get("model")),
        draft=_id(example.get("draft")),
        draft_model_config=_folder(example.get("draft")),
    )


def _folder(name: str | None) -> str | None:
    """A configuration of the suite's own, where ``name`` is one."""
    return str(CONFIGS / name) if name and (CONFIGS / name).is_dir() else None


def _id(name: str | None) -> str | None:
    return None if _folder(name) else name


def linted(example: dict[str, Any]) -> Report:
    document = Document(FILES[example["host"]], example["text"], LANGUAGES[example["host"]])
    return lint(document, settings_of(example), fixes=False)


def test_no_rule_file_is_broken() -> None:
    assert RULES.broken == ()


@pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.code)
def test_every_rule_shows_what_it_finds_what_it_leaves_alone_and_what_it_cannot_decide(rule: rules.Rule) -> None:
    expectations = [example["expect"] for example in RULES.examples[rule.code]]
    # The syntax of a command line is never left open by a rule of its own.
    assert {"finding", "clean", *(("unknown",) if rule.cases else ())} <= set(expectations)
    assert len(expectations) >= 3


@pytest.mark.parametrize(("code", "example"), EXAMPLES)
def test_example(code: str, example: dict[str, Any]) -> None:
    report = linted(example)
    assert [finding.message for finding in report.findings if finding.code == "SGL000"] == []
    assert len(report.judged) >= 1
    found = [finding for finding in report.findings if finding.code == code]
    undecided = [finding for finding in report.findings if finding.code == "SGL010" and code in finding.message]
    if example["expect"] == "finding":
        assert found
        assert example.get("says", "") in found[0].message
        # Places are words of the launch, and never wider than its text.
        assert all(example["text"][finding.span.start : finding.span.end].strip() for finding in found)
    else:
        assert found == []
    if RULES.by_code[code].cases and RULES.by_code[code].severity == "error":
        assert bool(undecided) == (example["expect"] == "unknown")


@pytest.mark.parametrize(
    ("code", "example"), [pytest.param(*param.values, id=param.id) for param in EXAMPLES if "unknown" in str(param.id)]
)
def test_what_a_rule_cannot_decide_it_leaves_open(code: str, example: dict[str, Any]) -> None:
    document = Document(FILES[example["host"]], example["text"], LANGUAGES[example["host"]])
    (judging,) = report_on(document, settings_of(example), Sources.none(), explain=False)[1]
    assert code in {hit.rule.code for hit in judging.judgement.undecided}
