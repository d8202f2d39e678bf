"""Findings, fixes and reports: what linting a document yields. Editor-neutral; spans are code points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal

from ..facts import Facts
from ..launch.model import Evidence, Launch, Place
from ..launch.options import Parsed
from ..records import dataclass, field
from ..text import Document, Edit, Span

Severity = Literal["error", "warning", "info", "hint"]
Safety = Literal["safe", "changes-behaviour", "display-only"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info", "hint")


@dataclass(frozen=True)
class Related:
    place: Place
    message: str


@dataclass(frozen=True)
class EvidenceAt:
    """Where upstream says so: release, file of that release, symbol."""

    release: str
    path: str
    symbol: str


@dataclass(frozen=True)
class Fix:
    """A way out. ``edits`` is empty for display-only fixes, whose ``reason`` says why nothing can be applied.

    ``verified``: the edits were applied, the result linted, and the finding was gone with no new error.
    ``effect``: change of the memory plan (full and SWA tokens before and after), where both are known.
    ``preferred``: first choice of a light bulb; only safe fixes are.
    """

    id: str
    title: str
    safety: Safety
    edits: tuple[Edit, ...] = ()
    reason: str | None = None
    verified: bool = False
    effect: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Finding:
    """A rule that holds for a launch (or a problem of the file, then ``launch`` is None).

    ``message`` is one paragraph; ``explanation`` are further lines for hover and ``explain`` (numbers with their
    inputs); ``arithmetic`` are those of them that speak of this launch's memory. ``check`` is the upstream check
    id, ``head`` the first characters of its message. ``needs`` are sentences that say what would settle an
    undecided rule. ``moved_from`` is its own place where it is told at another part of the launch.
    ``behind`` names the code of the refusal that strikes before this one.
    """

    code: str
    name: str
    severity: Severity
    stage: str | None
    message: str
    span: Span
    path: str
    launch: int | None = None
    check: str | None = None
    head: str | None = None
    releases: str | None = None
    decided_by: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    needs: tuple[str, ...] = ()
    evidence: tuple[EvidenceAt, ...] = ()
    explanation: tuple[str, ...] = ()
    arithmetic: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    behind: str | None = None
    url: str | None = None
    moved_from: Place | None = None


@dataclass(frozen=True)
class Verdict:
    """What the release will do: ``refused`` at a stage by a check, ``accepted``, or ``unknown`` with needs."""

    status: Literal["accepted", "refused", "unknown"]
    stage: str | None = None
    code: str | None = None
    check: str | None = None
    head: str | None = None
    needs: tuple[str, ...] = ()
    later: tuple[str, ...] = ()

    def told(self) -> dict[str, Any]:
        """The verdict as JSON has it; ``head`` is called ``message_head`` there."""
        return {
            "status": self.status,
            "stage": self.stage,
            "code": self.code,
            "check": self.check,
            "message_head": self.head,
            "needs": list(self.needs),
            "later": list(self.later),
        }


@dataclass(frozen=True)
class Judged:
    """A launch with everything that was decided about it.

    ``model`` and ``draft`` carry the name as evidence value; ``model_facts`` says where the model's facts are from
    (``registry``, ``file``), None when they are not known. ``traits`` are the model's traits in this release,
    ``resolved`` the resolved values that are known, ``facts`` all of them.
    """

    launch: Launch
    parsed: Parsed
    release: Evidence
    gpu: Evidence | None
    gpu_count: Evidence | None
    model: Evidence | None
    draft: Evidence | None
    verdict: Verdict
    traits: tuple[str, ...] = ()
    resolved: Mapping[str, Any] = field(default_factory=dict)
    model_facts: str | None = None
    facts: Facts | None = None


@dataclass(frozen=True)
class Report:
    """Result of linting one document. ``abstained`` counts rules that could not be decided.

    ``ignored`` are the codes of findings that comments hide, ``deselected`` those that settings leave out.
    """

    document: Document
    judged: tuple[Judged, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_launches: tuple[Any, ...] = ()
    abstained: int = 0
    used_paths: frozenset[str] = frozenset()
    ignored: tuple[str, ...] = ()
    deselected: tuple[str, ...] = ()


def errors_of(report: Report) -> Counter[tuple[str, int | None]]:
    """How often each rule's errors stand in each launch."""
    return Counter((found.code, found.launch) for found in report.findings if found.severity == "error")
