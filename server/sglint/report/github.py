"""Annotations of GitHub Actions: one workflow command a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..rules.findings import Finding, Severity
from .columns import printable
from .run import Lines, Run
from .style import Style
from .text import SAFETY, summary

_COMMANDS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "notice", "hint": "notice"}


def annotation_lines(run: Run, shown: Callable[[str], str]) -> Iterator[str]:
    """A line a finding, worst first since GitHub shows ten of a kind and step, then what was skipped and a summary.

    ``shown`` gives the path of a file as seen from the repository's root.
    """
    found = [(finding, run.lines(report)) for report in run.reports for finding in report.findings]
    kinds = tuple(_COMMANDS)
    for finding, lines in sorted(found, key=lambda pair: kinds.index(pair[0].severity)):
        yield _annotation(finding, lines, shown)
    for skipped in run.skipped:
        kind = "warning" if skipped.failed else "notice"
        yield f"::{kind} file={_property(shown(skipped.path))}::{_data(f'Not looked into: {skipped.reason}')}"
    yield summary(run, Style())


def _annotation(finding: Finding, lines: Lines, shown: Callable[[str], str]) -> str:
    properties = {"file": shown(finding.path)}
    index = lines.of(finding.path)
    if index is not None:
        start, end = index.range(finding.span, "utf-32")
        properties |= {"line": str(start.line + 1), "endLine": str(end.line + 1)}
        # Columns of an annotation over several lines are refused.
        if start.line == end.line:
            properties |= {"col": str(start.character + 1), "endColumn": str(end.character + 1)}
    properties["title"] = f"{finding.code} {finding.name}"
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    told = [finding.message, *(f"Needed: {need}" for need in finding.needs)]
    told += [f"Fix ({SAFETY[fix.safety]}): {fix.title}" for fix in finding.fixes]
    return f"::{_COMMANDS[finding.severity]} {written}::{_data(*told)}"


def _data(*texts: str) -> str:
    """Lines of a message. Control characters of files are made visible: nothing in a file may end a command."""
    return "%0A".join(printable(text).replace("%", "%25") for text in texts)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
