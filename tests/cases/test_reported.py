"""Launches that people reported as broken: what the parser of their release refuses is our finding."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from sglint.lint import lint
from sglint.rules.findings import Report
from sglint.settings import Settings
from sglint.text import Document

FILE = Path(__file__).parents[3] / "shared" / "cases" / "launches" / "reported.jsonl"
CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
}

REFUSED_BY_THE_PARSER = {
    "case-12": ("SGL020", "--enable_metrics"),
    "case-13": ("SGL039", "--enable-reasoning"),
    "case-15": ("SGL022", "qwq"),
    "case-18": ("SGL021", "--speculative-draft"),
    "case-19": ("SGL037", "--prefill-round-robin-balance"),
    "case-21": ("SGL037", "--enable-deepep-moe"),
    "case-48": ("SGL041", '{"temperature":0.7,"top_p":0.8,"top_k":20}'),
    "case-51": ("SGL030", "--tp 8"),
}


def document_of(case: dict[str, Any]) -> Document:
    if "argv" in case:
        return Document("launch.sh", shlex.join(case["argv"]) + "\n", "shell")
    if "containers:" in case["text"]:
        return Document("pod.yaml", case["text"], "yaml")
    return Document("launch.sh", case["text"], "shell")


def report_of(case: dict[str, Any]) -> Report:
    gpu = str(case["facts"].get("gpu", "")).lower() or None
    return lint(document_of(case), Settings(release=case["version"], gpu=gpu))


@pytest.mark.parametrize("name", REFUSED_BY_THE_PARSER)
def test_what_the_parser_refuses_is_found_at_the_word_with_a_way_out(name: str) -> None:
    code, word = REFUSED_BY_THE_PARSER[name]
    report = report_of(CASES[name])
    found = [finding for finding in report.findings if finding.code == code]
    assert [report.document.text[finding.span.start : finding.span.end] for finding in found][:1] == [word]
    assert found[0].severity == "error"
    assert any(fix.verified for fix in found[0].fixes)
    verdict = report.judged[0].verdict
    assert (verdict.status, verdict.stage) == ("refused", "parse")


@pytest.mark.parametrize("name", sorted(set(CASES) - set(REFUSED_BY_THE_PARSER)))
def test_no_other_report_is_blamed_on_the_parser(name: str) -> None:
    report = report_of(CASES[name])
    assert [
        finding.message for finding in report.findings if finding.stage == "parse" and finding.severity == "error"
    ] == []
    assert [finding.message for finding in report.findings if finding.code == "SGL000"] == []
