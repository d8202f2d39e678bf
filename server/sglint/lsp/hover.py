"""Hover: the rule at a finding with the sizing table of its launch, the flag, or the launch at its launcher word."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types

from .. import rules
from ..assist.description import describe_flag, option_at
from ..memory import plan
from ..report.markdown import finding_markdown, launch_markdown, plan_markdown
from ..rules.findings import Judged, Report
from ..text import Encoding, Position, Span
from .convert import to_range

SHOWS_DIAGNOSTICS = "hoverShowsDiagnostics"
"""Experimental client capability."""

SIZED = ("SGL1", "SGL3")
"""Codes whose findings are about memory, so that the table belongs to them."""


def hover(report: Report, position: types.Position, encoding: Encoding, *, told: bool = False) -> types.Hover | None:
    """What is known at a position; None where nothing is. ``told``: the client shows messages of findings there."""
    at = report.document.lines.offset(Position(position.line, position.character), encoding)
    here = Span(at, at)
    findings = [
        finding for finding in report.findings if finding.path == report.document.path and finding.span.touches(here)
    ]
    parts: list[str] = []
    span: Span | None = None
    known = rules.load().by_code
    for finding in findings:
        rule = known.get(finding.code)
        parts.append(finding_markdown(finding, rule.explanation if rule else None, told=told))
        if finding.launch is not None and finding.code.startswith(SIZED):
            parts.append(_sizes(report.judged[finding.launch]))
        span = finding.span if span is None else span.hull(finding.span)
    for judged in report.judged:
        option = option_at(judged, at, report.document.path)
        if option is not None and option.flag is not None:
            parts.append(describe_flag(option.flag, judged.parsed.release))
            span = span or option.flag_span
    launch = _launch_at(report, here)
    if launch is not None:
        parts += [launch_markdown(launch), _sizes(launch)]
        span = span or launch.launch.launcher_span
    text = "\n\n---\n\n".join(dict.fromkeys(part for part in parts if part))
    if not text or span is None:
        return None
    return types.Hover(
        types.MarkupContent(types.MarkupKind.Markdown, text), to_range(report.document.lines, span, encoding)
    )


def shows_diagnostics(client: types.ClientCapabilities) -> bool:
    """Whether the client says that its hovers hold its own list of diagnostics, as VS Code's do."""
    experimental = client.experimental
    return isinstance(experimental, Mapping) and experimental.get(SHOWS_DIAGNOSTICS) is True


def compares_fixes(report: Report, position: types.Position, encoding: Encoding) -> bool:
    """Whether a finding about memory stands at a position, whose hover compares the plan after each of its fixes."""
    at = report.document.lines.offset(Position(position.line, position.character), encoding)
    return any(
        finding.code.startswith(SIZED) and finding.path == report.document.path and finding.span.touches(Span(at, at))
        for finding in report.findings
    )


def _launch_at(report: Report, here: Span) -> Judged | None:
    for judged in report.judged:
        launcher = judged.launch.launcher_span
        if launcher is not None and launcher.touches(here):
            return judged
    return None


def _sizes(judged: Judged) -> str:
    return "" if judged.facts is None else plan_markdown(plan(judged.facts).to_json(), explained=False)
