"""A launch against every release it is meant to work with (``target-releases``)."""

from __future__ import annotations

from collections.abc import Iterator

from .. import catalogue
from ..catalogue import ReleaseRange
from ..launch.model import Evidence
from ..rules import RuleSet
from ..rules.findings import Finding
from ..settings import Settings
from ..text import Sources
from .launches import Judging, judge_launch

CODE = "SGL017"
NAME = "refused-by-a-target-release"


def target_findings(
    judgings: list[Judging], home: str, settings: Settings, sources: Sources, rule_set: RuleSet
) -> Iterator[Finding]:
    """One finding for each launch that a release of the settings' range refuses and its own release does not."""
    if settings.target_releases is None:
        return
    wanted = ReleaseRange.parse(settings.target_releases)
    releases = [release for release in catalogue.releases() if wanted.holds(release)]
    for number, judging in enumerate(judgings):
        if judging.judged.verdict.status == "refused":
            continue
        refusing = {}
        for release in releases:
            evidence = Evidence(release, "target-releases")
            there = judge_launch(judging.judged.launch, number, home, settings, sources, rule_set, evidence)
            verdict = there.judged.verdict
            if verdict.status == "refused":
                refusing[release] = verdict.code or verdict.stage or "refused"
        if refusing:
            yield _finding(judging, number, home, settings.target_releases, refusing)


def _finding(judging: Judging, number: int, home: str, wanted: str, refusing: dict[str, str]) -> Finding:
    by_code: dict[str, list[str]] = {}
    for release, code in refusing.items():
        by_code.setdefault(code, []).append(release)
    told = "; ".join(f"{', '.join(releases)} by {code}" for code, releases in by_code.items())
    place = judging.subject.places.launch()
    return Finding(
        code=CODE,
        name=NAME,
        severity="warning",
        stage=None,
        message=f"Of the target releases {wanted}, some refuse this launch: {told}.",
        span=place.span,
        path=place.path or home,
        launch=number,
    )
