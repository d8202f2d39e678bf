"""Baselines: what is known is left out, whatever moved; what is new or was always to be told is not."""

from __future__ import annotations

import json

import pytest

from sglint.records import replace
from sglint.report import baseline
from sglint.report.identity import Identity
from sglint.report.run import Lines
from sglint.rules.findings import Finding, Report
from sglint.text import Span

from .samples import DOCUMENT, ERROR, FILE_PROBLEM, REPORT

KNOWN = Identity("deploy/start.sh", "SGL101", "launch_server openai/gpt-oss-120b", "--enable-unified-memory")


def lines_of(report: Report) -> Lines:
    return Lines(report.document, lambda path: None)


def counted(*reports: Report) -> dict[Identity, int]:
    return baseline.count(reports, lines_of, str)


def left(known: dict[Identity, int], *reports: Report) -> tuple[list[str], int, int]:
    beyond = baseline.beyond(known, reports, lines_of, str)
    return [finding.code for report in beyond.reports for finding in report.findings], beyond.known, beyond.gone


def moved_down(report: Report) -> Report:
    added = "#!/bin/bash\n# more\n"

    def later(finding: Finding) -> Finding:
        return replace(finding, span=Span(finding.span.start + len(added), finding.span.end + len(added)))

    document = replace(report.document, text=added + report.document.text)
    return replace(report, document=document, findings=tuple(map(later, report.findings)))


def test_a_finding_is_known_by_names_and_words() -> None:
    assert counted(REPORT) == {Identity("deploy/start.sh", "SGL005", "", "# 🚀 start"): 1, KNOWN: 1}


def test_known_findings_stay_known_when_lines_move() -> None:
    assert left(counted(REPORT), moved_down(REPORT)) == ([], 2, 0)


def test_a_second_one_of_the_same_kind_is_new() -> None:
    twice = replace(REPORT, findings=(*REPORT.findings, ERROR))
    assert left(counted(REPORT), twice) == (["SGL101"], 2, 0)
    assert left(counted(twice), REPORT) == ([], 2, 1)


def test_what_went_away_is_counted_for_files_that_were_looked_at() -> None:
    clean = replace(REPORT, findings=())
    elsewhere = replace(clean, document=replace(DOCUMENT, path="other.sh"))
    assert left(counted(REPORT), clean) == ([], 0, 2)
    assert left(counted(REPORT), elsewhere) == ([], 0, 0)


def test_a_finding_in_a_file_that_two_documents_share_is_one() -> None:
    shared = replace(ERROR, path="values.yaml", launch=None)
    first = replace(REPORT, findings=(shared,))
    second = replace(first, document=replace(DOCUMENT, path="other.sh"))
    assert left(counted(first, second), first, second) == ([], 2, 0)


@pytest.mark.parametrize("code", sorted(baseline.ALWAYS_TOLD))
def test_bugs_and_broken_configurations_are_never_known(code: str) -> None:
    report = replace(REPORT, findings=(replace(FILE_PROBLEM, code=code),))
    assert counted(report) == {}
    assert left({Identity("deploy/start.sh", code, "", "# 🚀 start"): 1}, report)[0] == [code]


def test_a_baseline_reads_as_it_was_written_one_finding_a_line() -> None:
    counts = {KNOWN: 2, replace(KNOWN, path="a\n.sh", words='"ü'): 1}
    text = baseline.dump(counts)
    assert baseline.parse(text) == counts
    assert len(text.splitlines()) == 2 + len(counts)
    assert baseline.parse(baseline.dump({})) == {}


ENTRY = {"path": "a", "code": "SGL101", "where": "", "words": "", "count": 1}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        ("[]", "schema"),
        ('{"schema": 2, "findings": []}', "schema"),
        (json.dumps({"schema": 1, "findings": [ENTRY, {"path": "a"}]}), "finding 2 does not have exactly the keys"),
        (json.dumps({"schema": 1, "findings": [{**ENTRY, "count": 0}]}), "finding 1 has a value of the wrong kind"),
        (json.dumps({"schema": 1, "findings": [{**ENTRY, "code": 1}]}), "finding 1 has a value of the wrong kind"),
        (json.dumps({"schema": 1, "findings": [{**ENTRY, "path": ""}]}), "finding 1 has no path"),
        (json.dumps({"schema": 1, "findings": [[]]}), "finding 1"),
    ],
)
def test_what_is_no_baseline_says_why(text: str, told: str) -> None:
    with pytest.raises(baseline.NoBaseline, match=told):
        baseline.parse(text)
