"""Launches and files in brief, as JSON for status items, trees and panels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from lsprotocol import types

from .. import rules
from ..launch import Evidence
from ..memory import plan
from ..report.effects import effect_line
from ..report.markdown import launch_markdown, plan_markdown
from ..report.memory_map import Plan
from ..report.notices import notices
from ..report.rulepages import rule_markdown
from ..report.svg import Panel, size_svg
from ..report.text import address, describe_launch
from ..rules.findings import Finding, Judged, Report
from ..text import Document, Encoding, Position, Span
from .convert import to_range


def launches(report: Report, encoding: Encoding) -> list[dict[str, Any]]:
    """Every launch: what it runs, on what, where each part came from, and what the release will do with it."""
    return [_launch(number, judged, report, encoding) for number, judged in enumerate(report.judged)]


def launch_at(report: Report, at: int) -> int | None:
    """The launch at an offset, else the nearest one before it, else the first; None when there is none."""
    here = Span(at, at)
    around = [number for number, judged in enumerate(report.judged) if _whole(judged).touches(here)]
    if around:
        return min(around, key=lambda number: len(_whole(report.judged[number])))
    before = [number for number, judged in enumerate(report.judged) if _whole(judged).start <= at]
    if before:
        return max(before, key=lambda number: _whole(report.judged[number]).start)
    return 0 if report.judged else None


def offset_of(document: Document, position: types.Position, encoding: Encoding) -> int:
    return document.lines.offset(Position(position.line, position.character), encoding)


def memory_page(report: Report, number: int, encoding: Encoding) -> dict[str, Any]:
    """The memory plan of one launch with what each fix does to it, as data, as a picture and as Markdown."""
    judged = report.judged[number]
    sizes = {} if judged.facts is None else plan(judged.facts).to_json()
    effects = list(_effects(report, number))
    lines = [launch_markdown(judged), "", plan_markdown(sizes)]
    lines += ["", *(f"- {item['title']}: {item['effect']}" for item in effects)] if effects else []
    return {
        "launch": _launch(number, judged, report, encoding),
        "plan": sizes,
        "fixes": effects,
        "svg": size_svg([_panel(report, judged, sizes)]),
        "markdown": "\n".join(lines).rstrip(),
    }


def _panel(report: Report, judged: Judged, sizes: Plan) -> Panel:
    document = report.document
    place = document.lines.position(judged.launch.span.start, "utf-32")
    return Panel(describe_launch(judged), address(PurePath(document.path).name, place), sizes)


def rule_page(asked: str) -> str | None:
    """A rule's page as Markdown, by code or name; None when there is no such rule."""
    known = rules.load()
    for rule in (*notices(), *known.rules):
        if asked.upper() == rule.code or asked == rule.name:
            return "\n".join(rule_markdown(rule, known.examples.get(rule.code, [])))
    return None


def rule_names() -> list[dict[str, str]]:
    known = sorted((*notices(), *rules.load().rules), key=lambda rule: rule.code)
    return [{"code": rule.code, "name": rule.name, "summary": rule.summary} for rule in known]


def launch_lines(report: Report) -> list[str]:
    """The launches of a file as Markdown list items: place, what it runs, and what the release will do with it."""
    return [
        f"- `{report.document.path}`, line {report.document.lines.line_of(_whole(judged).start) + 1}: "
        f"{_title(judged)}, SGLang {judged.release.value}: {judged.verdict.status}"
        for judged in report.judged
    ]


def _effects(report: Report, number: int) -> Iterator[dict[str, str]]:
    met: set[str] = set()
    for finding in _findings(report, number):
        for fix in finding.fixes:
            effect = effect_line(fix.effect)
            if effect and fix.title not in met:
                met.add(fix.title)
                yield {"title": fix.title, "effect": effect}


def _findings(report: Report, number: int) -> Iterator[Finding]:
    return (finding for finding in report.findings if finding.launch == number)


def _launch(number: int, judged: Judged, report: Report, encoding: Encoding) -> dict[str, Any]:
    verdict = judged.verdict
    span = judged.launch.launcher_span or Span(judged.launch.span.start, judged.launch.span.start)
    return {
        "number": number,
        "title": _title(judged),
        "range": _range(to_range(report.document.lines, span, encoding)),
        "release": _evidence(judged.release),
        "model": _evidence(judged.model),
        "gpu": _evidence(judged.gpu),
        "gpu_count": _evidence(judged.gpu_count),
        "verdict": {
            "status": verdict.status,
            "stage": verdict.stage,
            "code": verdict.code,
            "needs": list(verdict.needs),
        },
        "findings": [finding.code for finding in _findings(report, number)],
    }


def _title(judged: Judged) -> str:
    where = judged.launch.container or judged.launch.launcher
    return f"{where} {judged.model.value}" if judged.model else where


def _evidence(evidence: Evidence | None) -> dict[str, Any] | None:
    return None if evidence is None else {"value": str(evidence.value), "source": evidence.source}


def _range(range_: types.Range) -> dict[str, Any]:
    start, end = range_.start, range_.end
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


def _whole(judged: Judged) -> Span:
    launcher = judged.launch.launcher_span
    return judged.launch.span.hull(launcher) if launcher else judged.launch.span
