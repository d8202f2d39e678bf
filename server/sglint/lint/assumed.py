"""Findings under a release that nobody named: what holds there is an error only if it holds everywhere.

A launch without a release is read as the newest one would. What only that release refuses is a guess about the
launch, so it is a warning that asks for the release; what other releases refuse in the same place stays an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import catalogue
from ..launch.model import Evidence
from ..records import replace
from ..rules.findings import Finding
from ..settings import Settings
from ..text import Sources, Span
from .inputs import ASSUMED
from .launches import Judging, findings, judge_launch, rules_for

OTHERS = (-9, -6, -4, -2)
"""Positions in the catalogue of the releases that are asked too: enough for a change to lie between two of them."""

NEED = "the release: name it in a comment `# sglint: release=0.5.18`, or give --release"


def tempered(judging: Judging, found: Sequence[Finding], settings: Settings, sources: Sources) -> Iterator[Finding]:
    """``found`` as it is to be told, given where the launch's release is from."""
    errors = any(finding.severity == "error" for finding in found)
    if judging.judged.release.source != ASSUMED or not errors:
        yield from found
        return
    everywhere = _in_other_releases(judging, settings, sources)
    for finding in found:
        if finding.severity == "error" and (finding.code, finding.span) not in everywhere:
            yield replace(finding, severity="warning", needs=(*finding.needs, NEED))
        else:
            yield finding


def _in_other_releases(judging: Judging, settings: Settings, sources: Sources) -> set[tuple[str, Span]]:
    """(code, span) of the errors that every release asked has."""
    known = catalogue.releases()
    subject = judging.subject
    common: set[tuple[str, Span]] | None = None
    for release in {known[max(position, -len(known))] for position in OTHERS}:
        evidence = Evidence(release, ASSUMED)
        there = judge_launch(
            subject.launch, subject.number, subject.path, settings, sources, rules_for(settings), evidence
        )
        errors = {
            (finding.code, finding.span) for finding in findings(there, explain=False) if finding.severity == "error"
        }
        common = errors if common is None else common & errors
    return common or set()
