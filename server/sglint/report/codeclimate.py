"""Issues of the Code Climate format, as GitLab's code quality reads them."""

from __future__ import annotations

from typing import Any

from ..rules.findings import Finding
from .identity import identified
from .run import Lines, Run

_SEVERITIES = {"error": "critical", "warning": "major", "info": "minor", "hint": "info"}


def issues(run: Run) -> list[dict[str, Any]]:
    """The array of ``sglint check --format codeclimate``. Lines and columns begin at one."""
    return [
        _issue(finding, lines, identity.fingerprint(ordinal))
        for report in run.reports
        for lines in (run.lines(report),)
        for finding, identity, ordinal in identified(report, lines)
    ]


def _issue(finding: Finding, lines: Lines, fingerprint: str) -> dict[str, Any]:
    index = lines.of(finding.path)
    first, last = (1, 1)
    if index is not None:
        start, end = index.range(finding.span)
        first, last = start.line + 1, end.line + 1
    return {
        "type": "issue",
        "check_name": f"{finding.code} {finding.name}",
        "description": f"{finding.code}: {finding.message}",
        "content": {"body": "\n\n".join((*finding.explanation, *(f"Needed: {need}" for need in finding.needs)))},
        "categories": ["Bug Risk"],
        "severity": _SEVERITIES[finding.severity],
        "fingerprint": fingerprint,
        "location": {"path": finding.path.replace("\\", "/"), "lines": {"begin": first, "end": last}},
    }
