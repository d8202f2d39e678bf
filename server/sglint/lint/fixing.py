"""Applying fixes to a text until there is none left to apply."""

from __future__ import annotations

from ..rules.findings import Finding, Fix, Report, errors_of
from ..settings import Settings
from ..text import Document, Sources, apply_edits

MOST_ROUNDS = 100
"""A text that still changes after so many fixes is going in circles."""


def fix_text(
    document: Document, settings: Settings, sources: Sources | None = None, *, unsafe: bool = False
) -> tuple[str, tuple[str, ...]]:
    """The text after all safe fixes, and with ``unsafe`` also those that change behaviour; and what was done.

    In each round one fix of a launch, verified on the text as it then is; only edits of the document itself are made.
    """
    from .engine import lint

    applied: list[str] = []
    seen = {document.text}
    for _ in range(MOST_ROUNDS):
        report = lint(document, settings, sources)
        chosen = _of_each_launch(report, unsafe=unsafe)
        if len(chosen) > 1 and errors_of(_after(chosen, document, settings, sources)) - errors_of(report):
            # Each of them works alone, and together they do not.
            chosen = chosen[:1]
        text = _applied(chosen, document)
        if not chosen or text in seen:
            break
        seen.add(text)
        applied += (f"{fix.title} ({finding.code})" for finding, fix in chosen)
        document = Document(document.path, text, document.language)
    return document.text, tuple(applied)


def _of_each_launch(report: Report, *, unsafe: bool) -> list[tuple[Finding, Fix]]:
    """For each launch the first fix that may be applied, as far as their edits leave each other alone."""
    safeties = ("safe", "changes-behaviour") if unsafe else ("safe",)
    chosen: dict[int | None, tuple[Finding, Fix]] = {}
    for finding in report.findings:
        if finding.launch in chosen:
            continue
        fix = _first(finding, safeties, report.document.path)
        if fix is not None and not any(_touch(fix, other) for _, other in chosen.values()):
            chosen[finding.launch] = finding, fix
    return list(chosen.values())


def _first(finding: Finding, safeties: tuple[str, ...], home: str) -> Fix | None:
    for safety in safeties:
        for fix in finding.fixes:
            if fix.safety == safety and fix.edits and all(edit.path in (None, home) for edit in fix.edits):
                return fix
    return None


def _touch(fix: Fix, other: Fix) -> bool:
    return any(
        one.span.start <= two.span.end and two.span.start <= one.span.end for one in fix.edits for two in other.edits
    )


def _applied(chosen: list[tuple[Finding, Fix]], document: Document) -> str:
    return apply_edits(document.text, [edit for _, fix in chosen for edit in fix.edits])


def _after(
    chosen: list[tuple[Finding, Fix]], document: Document, settings: Settings, sources: Sources | None
) -> Report:
    from .engine import lint

    return lint(Document(document.path, _applied(chosen, document), document.language), settings, sources, fixes=False)
