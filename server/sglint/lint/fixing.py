"""Applying fixes to a text until there is none left to apply."""

from __future__ import annotations

from ..rules.findings import Finding, Fix, Report
from ..settings import Settings
from ..text import Document, Sources, apply_edits

MOST_ROUNDS = 100
"""A text that still changes after so many fixes is going in circles."""


def fix_text(
    document: Document, settings: Settings, sources: Sources | None = None, *, unsafe: bool = False
) -> tuple[str, tuple[str, ...]]:
    """The text after all safe fixes, and with ``unsafe`` also those that change behaviour; and what was done.

    One fix at a time, each verified on the text as it then is; only edits of the document itself are made.
    """
    from .engine import lint

    applied: list[str] = []
    seen = {document.text}
    for _ in range(MOST_ROUNDS):
        chosen = _first(lint(document, settings, sources), unsafe=unsafe)
        if chosen is None:
            break
        finding, fix = chosen
        text = apply_edits(document.text, fix.edits)
        if text in seen:
            break
        seen.add(text)
        applied.append(f"{fix.title} ({finding.code})")
        document = Document(document.path, text, document.language)
    return document.text, tuple(applied)


def _first(report: Report, *, unsafe: bool) -> tuple[Finding, Fix] | None:
    safeties = ("safe", "changes-behaviour") if unsafe else ("safe",)
    for finding in report.findings:
        for safety in safeties:
            for fix in finding.fixes:
                own = all(edit.path in (None, report.document.path) for edit in fix.edits)
                if fix.safety == safety and fix.edits and own:
                    return finding, fix
    return None
