"""One launch on the last releases: which refuse it, which start it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from .. import catalogue, rules
from ..launch.model import Evidence
from ..lint.launches import judge_launch
from ..rules.findings import Judged, Verdict
from ..settings import Settings
from ..text import Document, Sources

SHOWN = 6
_SAYS = {"refused": "refused", "accepted": "starts", "unknown": "not decided"}


def verdicts(
    document: Document, judged: Judged, number: int, settings: Settings, sources: Sources, count: int = SHOWN
) -> tuple[tuple[str, Verdict], ...]:
    """The verdict on launch ``number`` of ``document`` at each of the newest ``count`` releases, oldest first."""
    known = rules.load()
    return tuple(
        (
            release,
            judge_launch(
                judged.launch, number, document.path, settings, sources, known, Evidence(release, "upgrade")
            ).judged.verdict,
        )
        for release in catalogue.releases()[-count:]
    )


def strip_line(found: Sequence[tuple[str, Verdict]]) -> str:
    """``0.5.18 to 0.5.19 refused, 0.5.20 to 0.5.23 starts``."""
    parts = []
    for status, group in groupby(found, key=lambda pair: pair[1].status):
        releases = [release for release, _ in group]
        span = releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}"
        parts.append(f"{span} {_SAYS[status]}")
    return ", ".join(parts)


def verdict_title(judged: Judged) -> str:
    """``SGLang 0.5.18: refused at pool-init by SGL101``."""
    verdict = judged.verdict
    by = f" at {verdict.stage} by {verdict.code or verdict.check}" if verdict.status == "refused" else ""
    return f"SGLang {judged.release.value}: {_SAYS[verdict.status]}{by}"
