"""What a rule means: as terminal text, Markdown page, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..rules.model import Case, FixTemplate, Rule
from .style import Style, wrapped
from .text import SAFETY, STRIKES

_EXPECT = {"finding": "reported", "clean": "fine", "unknown": "not decided"}
_LANGUAGE = {"shell": "bash", "yaml": "yaml"}

Example = Mapping[str, Any]
"""``host``, ``release``, ``gpu``, ``model``, ``text``, ``expect``, as in rule files."""


def rule_text(rule: Rule, examples: Sequence[Example], style: Style) -> Iterator[str]:
    """Lines of ``sglint explain``."""
    yield f"{style.paint(f'{rule.code} {rule.name}', 'strong')} ({style.paint(rule.severity, rule.severity)})"
    yield from wrapped(rule.summary, style.width)
    if rule.explanation.strip():
        yield ""
        yield from wrapped(_reflowed(rule.explanation), style.width)
    for case in rule.cases:
        yield ""
        yield from _case_text(case, style)
    if rule.fixes:
        yield ""
        yield style.paint("Ways out", "strong")
        for fix in rule.fixes:
            yield from wrapped(f"- {_fix(fix)}", style.width, "  ")
    for example in examples:
        yield ""
        yield style.paint(f"Example, {_conditions(example)}: {_EXPECT[example['expect']]}", "strong")
        yield from (f"    {line}" for line in str(example["text"]).strip("\n").split("\n"))


def rule_markdown(rule: Rule, examples: Sequence[Example]) -> Iterator[str]:
    """Lines of a rule's page."""
    yield f"# {rule.code}: {rule.name}"
    yield ""
    yield f"*{rule.severity}*. {rule.summary}"
    if rule.explanation.strip():
        yield from ("", rule.explanation.strip())
    if rule.cases:
        yield from ("", "## Releases", "")
        yield from ("| releases | strikes | check | where upstream says so |", "|---|---|---|---|")
        for case in rule.cases:
            where = "<br>".join(f"`{place}`" for place in case.evidence)
            strikes = STRIKES.get(case.stage or "", "advice")
            yield f"| {_cell(case.releases.text) or 'all'} | {strikes} | {case.check or ''} | {where} |"
    if rule.fixes:
        yield from ("", "## Ways out", "")
        yield from (f"- {_fix(fix)}" for fix in rule.fixes)
    if examples:
        yield from ("", "## Examples")
    for example in examples:
        yield from ("", f"{_capital(_conditions(example))}: **{_EXPECT[example['expect']]}**", "")
        yield f"```{_LANGUAGE.get(example['host'], '')}"
        yield str(example["text"]).strip("\n")
        yield "```"
    yield ""


def rule_json(rule: Rule, examples: Sequence[Example]) -> dict[str, Any]:
    """A rule as data."""
    return {
        "code": rule.code,
        "name": rule.name,
        "topic": rule.topic,
        "severity": rule.severity,
        "stage": rule.stage,
        "summary": rule.summary,
        "explanation": rule.explanation.strip(),
        "releases": rule.releases,
        "cases": [
            {
                "releases": case.releases.text,
                "severity": case.severity,
                "stage": case.stage,
                "check": case.check,
                "message_head": case.head,
                "evidence": list(case.evidence),
            }
            for case in rule.cases
        ],
        "fixes": [{"title": fix.title, "safety": fix.safety, "reason": fix.reason} for fix in rule.fixes],
        "examples": [dict(example) for example in examples],
    }


def _case_text(case: Case, style: Style) -> Iterator[str]:
    releases = f"Releases {case.releases.text}" if case.releases.text else "All releases"
    strikes = STRIKES.get(case.stage or "")
    yield style.paint(releases, "strong") + (f": strikes {strikes}" if strikes else "")
    if case.check:
        yield f"  upstream check  {case.check}"
    if case.head:
        yield f"  message begins  {case.head}"
    for place in case.evidence:
        yield f"  seen in         {place}"


def _fix(fix: FixTemplate) -> str:
    return f"{fix.title} ({SAFETY[fix.safety]}{': ' + fix.reason if fix.reason else ''})"


def _conditions(example: Example) -> str:
    parts = [f"SGLang {example['release']}"] if example.get("release") else []
    parts += [str(example[key]) for key in ("model", "gpu") if example.get(key)]
    return ", ".join(parts) or "newest release"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _reflowed(markdown: str) -> str:
    """Paragraphs on one line each, so that they can be wrapped; indented and listed lines stay lines."""
    lines: list[str] = []
    for line in markdown.strip().split("\n"):
        starts_new = not line.strip() or line[0] in " -*|#`0123456789" or not lines or not lines[-1].strip()
        if starts_new:
            lines.append(line)
        else:
            lines[-1] += f" {line}"
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
