"""A launch against every release it is meant to work with: ``target-releases``, or the latest where none is named."""

from __future__ import annotations

from collections.abc import Iterator

from .. import catalogue
from ..catalogue import ReleaseRange
from ..launch.model import Evidence
from ..rules import RuleSet
from ..rules.findings import Finding, Severity
from ..settings import Settings
from ..text import Sources
from .inputs import ASSUMED
from .launches import Judging, judge_launch

CODE = "SGL017"
NAME = "refused-by-a-target-release"


LATEST = 4
"""Releases that a launch is held to where neither it nor the settings name any."""


def target_findings(
    judgings: list[Judging], home: str, settings: Settings, sources: Sources, rule_set: RuleSet
) -> Iterator[Finding]:
    """One finding for each launch that a release of the settings' range refuses and its own release does not.

    Without a range it is a hint, and only for launches whose own release is not known.
    """
    named = settings.target_releases is not None
    for number, judging in enumerate(judgings):
        if judging.judged.verdict.status == "refused" or not (named or _is_assumed(judging)):
            continue
        refusing = {}
        for release in _asked(settings):
            evidence = Evidence(release, "target-releases" if named else ASSUMED)
            there = judge_launch(judging.judged.launch, number, home, settings, sources, rule_set, evidence)
            verdict = there.judged.verdict
            if verdict.status == "refused":
                refusing[release] = verdict.code or verdict.stage or "refused"
        if refusing:
            message = _message(settings.target_releases, judging.judged.release.value, refusing)
            yield _finding(judging, number, home, message, "warning" if named else "hint")


def _is_assumed(judging: Judging) -> bool:
    """Whether nothing names the launch's release, so that the newest one was taken."""
    return judging.judged.release.source == ASSUMED


def _asked(settings: Settings) -> list[str]:
    known = catalogue.releases()
    if settings.target_releases is None:
        return list(known[-LATEST:-1])
    wanted = ReleaseRange.parse(settings.target_releases)
    return [release for release in known if wanted.holds(release)]


def _message(wanted: str | None, own: str, refusing: dict[str, str]) -> str:
    by_code: dict[str, list[str]] = {}
    for release, code in refusing.items():
        by_code.setdefault(code, []).append(release)
    told = "; ".join(f"{', '.join(releases)} by {code}" for code, releases in by_code.items())
    if wanted is not None:
        return f"Of the target releases {wanted}, some refuse this launch: {told}."
    return (
        f"No release is named, so this launch is read as {own}, the newest known, would read it. "
        f"Of the last {LATEST} releases, some refuse it: {told}. "
        "Name yours in a comment `# sglint: release=...`, or those it has to work with as `target-releases`."
    )


def _finding(judging: Judging, number: int, home: str, message: str, severity: Severity) -> Finding:
    place = judging.subject.places.launch()
    return Finding(
        code=CODE,
        name=NAME,
        severity=severity,
        stage=None,
        message=message,
        span=place.span,
        path=place.path or home,
        launch=number,
    )
