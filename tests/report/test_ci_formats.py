"""GitHub annotations, JUnit and Code Climate: what their readers ask for, and texts that try to break out."""

from __future__ import annotations

from xml.etree import ElementTree

from sglint.records import replace
from sglint.report.codeclimate import issues
from sglint.report.github import annotation_lines
from sglint.report.junit import junit
from sglint.report.run import Run, Skipped
from sglint.rules.findings import Finding, Report
from sglint.text import Span

from .samples import DOCUMENT, ERROR, RUN

HOSTILE = "50% done\n::set-output name=x::y\r\x1b[31m, a:b <&\x00]]>"


def run_of(finding: Finding, path: str = "a.sh") -> Run:
    document = replace(DOCUMENT, path=path)
    return Run((Report(document, findings=(replace(finding, launch=None, path=path),)),), seen=1)


def test_annotations_come_worst_first() -> None:
    kinds = [line.split(" ")[0] for line in annotation_lines(RUN, str) if line.startswith("::")]
    assert kinds == ["::error", "::notice", "::notice"]


def test_an_annotation_is_one_line_whatever_a_file_holds() -> None:
    first, last = annotation_lines(run_of(replace(ERROR, message=HOSTILE, fixes=()), "x,y:z%.sh"), str)
    assert first.startswith("::error file=x%2Cy%3Az%25.sh,line=5,endLine=5,col=2,endColumn=25,title=SGL101 ")
    assert first.count("::") == HOSTILE.count("::") + 2
    assert not set("\n\r\x1b\0") & set(first + last)
    assert "50%25 done" in first


def test_an_annotation_over_several_lines_has_no_columns() -> None:
    (line, _) = annotation_lines(run_of(replace(ERROR, span=Span(0, 25))), str)
    assert ",line=1,endLine=3,title=" in line


def test_a_launch_is_a_test_case_and_fails_from_the_asked_severity_on() -> None:
    failing = ElementTree.fromstring(junit(RUN, ("error",)))
    assert (failing.get("tests"), failing.get("failures"), failing.get("skipped")) == ("3", "1", "1")
    suite = failing[0]
    assert [case.get("name", "").split(",")[0] for case in suite] == [
        "the file itself",
        "line 4: launch_server of openai/gpt-oss-120b",
    ]
    (failure,) = suite[1].findall("failure")
    assert failure.get("type") == "SGL101"
    assert "deploy/start.sh:5:2: error[SGL101]" in (failure.text or "")
    strict = ElementTree.fromstring(junit(RUN, ("error", "warning", "info", "hint")))
    assert strict.get("failures") == "2"
    assert ElementTree.fromstring(junit(RUN, ())).get("failures") == "0"


def test_a_file_that_cannot_be_read_is_an_error_of_its_suite() -> None:
    root = ElementTree.fromstring(junit(Run((), 1, (Skipped("x", "denied", failed=True), Skipped("y", "big"))), ()))
    assert [(suite.get("errors"), suite.get("skipped")) for suite in root] == [("1", "0"), ("0", "1")]


def test_the_document_is_xml_whatever_a_file_holds() -> None:
    root = ElementTree.fromstring(junit(run_of(replace(ERROR, message=HOSTILE), 'a"<b>\x07.sh'), ("error",)))
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None and "50% done" in str(failure.get("message"))


def test_issues_have_what_gitlab_asks_for() -> None:
    found = issues(RUN)
    assert [issue["severity"] for issue in found] == ["info", "critical"]
    assert len({issue["fingerprint"] for issue in found}) == 2
    for issue in found:
        assert issue["description"] and issue["check_name"]
        assert issue["location"]["path"] == "deploy/start.sh"
        assert 1 <= issue["location"]["lines"]["begin"] <= issue["location"]["lines"]["end"]
