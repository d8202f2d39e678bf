"""Why a file has the findings it has, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, Literal

from ..hosts import may_hold_launch
from ..rules.findings import Report
from ..settings import Settings
from ..text import Encoding
from . import overview
from .buffers import CONFIGURATION
from .linting import Linted, is_wanted
from .results import LEFT_TO_OTHERS

State = Literal["launches", "no launch", "not read", "excluded", "too large", "failed", "configuration"]

_UNREADABLE: dict[str, State] = {"SGL000": "failed", "SGL002": "too large", "SGL003": "not read"}
"""Codes of findings that stand for a whole file which was not read."""


def status(linted: Linted | None, unread: str, at: int | None, encoding: Encoding) -> dict[str, Any]:
    """``state`` and ``reason``, the file's launches, and which of them is at offset ``at``.

    ``unread`` is the reason to give where there is no report.
    """
    if linted is None:
        return {"state": "not read", "reason": unread, "launches": [], "launch": None, "configuration": None}
    report = linted.report
    state, reason = _state(linted)
    return {
        "state": state,
        "reason": " ".join((reason, *_unread(report), *_hidden(report), *_mistakes(linted.settings))),
        "launches": overview.launches(report, encoding),
        "launch": None if at is None else overview.launch_at(report, at),
        "configuration": linted.settings.source,
    }


def _state(linted: Linted) -> tuple[State, str]:
    report, settings = linted.report, linted.settings
    if report.document.language == CONFIGURATION:
        count = len(report.findings)
        told = f"{count} mistake{'s' if count != 1 else ''}" if count else "no mistakes"
        return "configuration", f"This is a configuration file; the part for SGLint has {told}."
    if not is_wanted(report.document.path, settings):
        by = "`include` and `exclude`" if settings.include else "`exclude`"
        return "excluded", f"The file is left out by {by} of {settings.source or 'the editor settings'}."
    if report.judged:
        return "launches", _counts(report)
    for finding in report.findings:
        if finding.code in _UNREADABLE:
            return _UNREADABLE[finding.code], finding.message
    return "no launch", _why_no_launch(report)


def _counts(report: Report) -> str:
    count = len(report.judged)
    found = sum(finding.code not in LEFT_TO_OTHERS for finding in report.findings)
    told = f"{count} launch{'es' if count != 1 else ''}, {found or 'no'} finding{'s' if found != 1 else ''}."
    if not report.abstained:
        return told
    return f"{told} {report.abstained} checks could not be decided: model, GPU or a variable's value is not known."


def _why_no_launch(report: Report) -> str:
    if report.not_launches:
        programs = sorted({str(found.program) for found in report.not_launches})
        return f"Nothing here starts an SGLang server; it runs {', '.join(programs)}."
    if report.findings:
        return f"No launch could be read: {report.findings[0].message}"
    if "sglang" not in report.document.text.lower():
        if may_hold_launch(report.document.text):
            return "The text does not mention sglang, and no command in it starts a server."
        return "The text does not mention sglang, so nothing was looked for."
    return "The text mentions sglang, but no command in it starts a server."


def _unread(report: Report) -> Iterator[str]:
    """Parts that were not read, which the editor does not show as ours."""
    if report.judged:
        yield from (finding.message for finding in report.findings if finding.code in LEFT_TO_OTHERS)


def _hidden(report: Report) -> Iterator[str]:
    if report.ignored:
        yield f"Hidden by ignore comments: {_codes(report.ignored)}."
    if report.deselected:
        yield f"Left out by settings: {_codes(report.deselected)}."


def _codes(codes: tuple[str, ...]) -> str:
    return ", ".join(code if count == 1 else f"{code} ({count})" for code, count in sorted(Counter(codes).items()))


def _mistakes(settings: Settings) -> Iterator[str]:
    if settings.findings:
        name = PurePath(settings.source).name if settings.source else "the editor settings"
        yield f"Mistakes in {name}: {'; '.join(finding.message for finding in settings.findings)}."
