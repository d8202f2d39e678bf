"""JUnit XML: a suite a file, a test case a launch."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ..rules.findings import Finding, Report, Severity
from .columns import printable
from .run import Lines, Run, Skipped
from .style import Style
from .text import describe_launch, verdict_lines

FILE_CASE = "the file itself"


def junit(run: Run, failing: Sequence[Severity]) -> str:
    """The document; findings of the severities in ``failing`` are failures, others are output of their test case."""
    root = Element("testsuites", name="sglint")
    for report in run.reports:
        _suite(root, report, run.lines(report), failing)
    for skipped in run.skipped:
        _skipped(root, skipped)
    for kind in ("tests", "failures", "errors", "skipped"):
        root.set(kind, str(sum(int(suite.get(kind, "0")) for suite in root)))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode")


def _suite(root: Element, report: Report, lines: Lines, failing: Sequence[Severity]) -> None:
    suite = SubElement(root, "testsuite", name=printable(report.document.path))
    whole = [finding for finding in report.findings if finding.launch is None]
    if whole:
        _case(suite, report, FILE_CASE, whole, lines, failing)
    for number, judged in enumerate(report.judged):
        line = report.document.lines.line_of(judged.launch.span.start) + 1
        own = [finding for finding in report.findings if finding.launch == number]
        verdict = "\n".join(text.strip() for text in verdict_lines(judged.verdict, Style()))
        _case(suite, report, f"line {line}: {describe_launch(judged)}", own, lines, failing, verdict)
    _count(suite)


def _case(
    suite: Element,
    report: Report,
    name: str,
    findings: Sequence[Finding],
    lines: Lines,
    failing: Sequence[Severity],
    verdict: str = "",
) -> None:
    case = SubElement(suite, "testcase", classname=printable(report.document.path), name=name)
    output = [verdict] if verdict else []
    for finding in findings:
        text = _told(finding, lines)
        if finding.severity in failing:
            failure = SubElement(case, "failure", type=finding.code, message=printable(finding.message))
            failure.text = text
        else:
            output.append(text)
    if output:
        SubElement(case, "system-out").text = "\n\n".join(output)


def _skipped(root: Element, skipped: Skipped) -> None:
    """A file that was not looked into: an error where the system refused it."""
    suite = SubElement(root, "testsuite", name=printable(skipped.path))
    case = SubElement(suite, "testcase", classname=printable(skipped.path), name=FILE_CASE)
    SubElement(case, "error" if skipped.failed else "skipped", message=skipped.reason)
    _count(suite)


def _count(suite: Element) -> None:
    suite.set("tests", str(len(suite)))
    for kind, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(kind, str(sum(1 for case in suite if case.find(element) is not None)))


def _told(finding: Finding, lines: Lines) -> str:
    """``deploy.yaml:12:7: error[SGL101] name`` and what there is to say; XML knows no control characters."""
    index = lines.of(finding.path)
    place = finding.path
    if index is not None:
        line, column = index.position(finding.span.start, "utf-32")
        place = f"{place}:{line + 1}:{column + 1}"
    told = [f"{place}: {finding.severity}[{finding.code}] {finding.name}", finding.message]
    told += [f"needed: {need}" for need in finding.needs]
    told += [f"fix: {fix.title}" for fix in finding.fixes]
    return "\n".join(map(printable, told))
