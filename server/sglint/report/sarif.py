"""SARIF 2.1.0, within what GitHub code scanning accepts.

Columns count UTF-16 units and begin at one; paths are relative to the working directory, ``%SRCROOT%``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from .. import __version__
from ..records import dataclass
from ..rules.findings import SEVERITIES, Finding, Fix, Severity
from ..text import Edit, LineIndex, Span
from .identity import Identity, identified
from .rulebook import Page
from .rulepages import rule_markdown
from .run import Lines, Run, Skipped

SCHEMA_URI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "sglintFinding/v1"
MOST_RESULTS = 25_000
"""GitHub refuses a file with more results in a run."""

MOST_RELATED = 99
"""GitHub shows 100 locations of a result; the first is the finding's own."""

_ROOT = "%SRCROOT%"
_LEVELS: Mapping[Severity, str] = {"error": "error", "warning": "warning", "info": "note", "hint": "note"}
_PROBLEM = {"error": "error", "warning": "warning", "info": "recommendation", "hint": "recommendation"}


@dataclass(frozen=True)
class _Found:
    finding: Finding
    identity: Identity
    ordinal: int
    lines: Lines
    home: str


def sarif_log(run: Run, pages: Mapping[str, Page], *, successful: bool = True) -> dict[str, Any]:
    """The document of ``sglint check --format sarif``.

    ``pages`` describe rules by code; ``successful`` says whether everything asked for was looked into.
    """
    found = [
        _Found(finding, identity, ordinal, lines, report.document.path)
        for report in run.reports
        for lines in (run.lines(report),)
        for finding, identity, ordinal in identified(report, lines)
    ]
    kept, left_out = _within_limit(found)
    codes = sorted({entry.finding.code for entry in kept})
    rules = {code: number for number, code in enumerate(codes)}
    notifications = [_of_skipped(skipped) for skipped in run.skipped]
    if left_out:
        notifications.append(left_out_note(left_out))
    return {
        "$schema": SCHEMA_URI,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "SGLint",
                        "version": __version__,
                        "rules": [_rule(code, pages.get(code), kept) for code in codes],
                    }
                },
                "columnKind": "utf16CodeUnits",
                "invocations": [
                    {"executionSuccessful": successful, "toolExecutionNotifications": notifications},
                ],
                "results": [_result(entry, rules) for entry in kept],
            }
        ],
    }


def _within_limit(found: list[_Found]) -> tuple[list[_Found], int]:
    """The results that fit, worst first choice, in their order; and how many do not."""
    if len(found) <= MOST_RESULTS:
        return found, 0
    by_severity = sorted(range(len(found)), key=lambda number: SEVERITIES.index(found[number].finding.severity))
    kept = sorted(by_severity[:MOST_RESULTS])
    return [found[number] for number in kept], len(found) - len(kept)


def left_out_note(number: int) -> dict[str, Any]:
    """Says that results are missing, since there are more than code scanning takes."""
    text = f"{number} results of the least severity are left out: code scanning takes {MOST_RESULTS} at most."
    return {"level": "warning", "message": {"text": text}}


def _rule(code: str, page: Page | None, found: list[_Found]) -> dict[str, Any]:
    if page is None:
        name = next(entry.finding.name for entry in found if entry.finding.code == code)
        return {"id": code, "name": _pascal(name)}
    rule = page.rule
    explanation = rule.explanation.strip() or rule.summary
    # The page's own heading would stand below the one that every viewer makes of id and name.
    markdown = "\n".join(list(rule_markdown(rule, page.examples))[2:])
    return {
        "id": code,
        "name": _pascal(rule.name),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": explanation},
        "help": {"text": explanation, "markdown": markdown},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "precision": "very-high",
            "problem.severity": _PROBLEM[rule.severity],
            "tags": ["sglang", rule.topic],
        },
    }


def _result(entry: _Found, rules: Mapping[str, int]) -> dict[str, Any]:
    finding, lines = entry.finding, entry.lines
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rules[finding.code],
        "level": _LEVELS[finding.severity],
        "message": {"text": _message(finding)},
        "locations": [_location(lines, finding.path, finding.span, entry.identity.where)],
        "partialFingerprints": {FINGERPRINT: entry.identity.fingerprint(entry.ordinal)},
    }
    related = [
        {"id": number, **_location(lines, place.path or finding.path, place.span), "message": {"text": item.message}}
        for number, item in enumerate(finding.related[:MOST_RELATED], 1)
        for place in (item.place,)
    ]
    if related:
        result["relatedLocations"] = related
    fixes = [_fix(fix, lines, finding.path) for fix in finding.fixes if _can_be_told(fix, lines, finding.path)]
    if fixes:
        result["fixes"] = fixes
    told = {"stage": finding.stage, "releases": finding.releases, "check": finding.check, "behind": finding.behind}
    if finding.path != entry.home:
        told["launchedIn"] = _artifact(entry.home)["uri"]
    properties = {name: value for name, value in told.items() if value is not None}
    if properties:
        result["properties"] = properties
    return result


def _message(finding: Finding) -> str:
    """What is said of a finding. Code scanning shows only related places to which the message links."""
    links = (f"[{item.message}]({number})" for number, item in enumerate(finding.related[:MOST_RELATED], 1))
    related = "; ".join(links)
    told = [finding.message, *(f"Needed: {need}." for need in finding.needs)]
    return " ".join([*told, f"Related: {related}."] if related else told)


def _location(lines: Lines, path: str, span: Span, where: str = "") -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(path)}
    index = lines.of(path)
    if index is not None:
        physical["region"] = _region(index, span)
    location: dict[str, Any] = {"physicalLocation": physical}
    if where:
        location["logicalLocations"] = [{"fullyQualifiedName": where}]
    return location


def _region(lines: LineIndex, span: Span) -> dict[str, int]:
    start, end = lines.range(span, "utf-16")
    return {
        "startLine": start.line + 1,
        "startColumn": start.character + 1,
        "endLine": end.line + 1,
        "endColumn": end.character + 1,
    }


def _artifact(path: str) -> dict[str, str]:
    """A relative reference below the root of sources; an absolute path stands for itself."""
    uri = quote(path.replace("\\", "/").encode("utf-8", "surrogateescape"), safe="/~")
    return {"uri": f"file://{uri}"} if uri.startswith("/") else {"uri": uri, "uriBaseId": _ROOT}


def _can_be_told(fix: Fix, lines: Lines, home: str) -> bool:
    """A fix that was tried, with every file it edits still there to count lines in."""
    readable = all(lines.of(edit.path or home) is not None for edit in fix.edits)
    return bool(fix.edits) and fix.verified and readable


def _fix(fix: Fix, lines: Lines, home: str) -> dict[str, Any]:
    changes: dict[str, list[Edit]] = {}
    for edit in sorted(fix.edits, key=lambda edit: edit.span):
        changes.setdefault(edit.path or home, []).append(edit)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": _artifact(path), "replacements": list(_replacements(edits, index))}
            for path, edits in changes.items()
            if (index := lines.of(path)) is not None
        ],
        "properties": {"safety": fix.safety},
    }


def _replacements(edits: list[Edit], index: LineIndex) -> Iterator[dict[str, Any]]:
    for edit in edits:
        replacement: dict[str, Any] = {"deletedRegion": _region(index, edit.span)}
        if edit.text:
            replacement["insertedContent"] = {"text": edit.text}
        yield replacement


def _of_skipped(skipped: Skipped) -> dict[str, Any]:
    return {
        "level": "error" if skipped.failed else "note",
        "message": {"text": f"Not looked into: {skipped.reason}."},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(skipped.path)}}],
    }


def _pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("-"))
