"""Fixes, offered only when trying them on a copy of the text shows that they work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .. import catalogue
from ..commandline.proposals import proposals
from ..launch.model import CannotEdit, Change, Evidence, Launch
from ..records import replace
from ..rules.build import Subject
from ..rules.findings import Finding, Fix, Report, errors_of
from ..rules.model import FixTemplate, Rule, Which
from ..rules.wording import fill
from ..settings import Settings
from ..text import Document, Edit, OverlappingEdits, Sources, apply_edits
from .changes import Plan, option_changes, release_change, tokens_of, without, words_after
from .known import Known
from .launches import Judging, judge_launch, rules_for

MOST_COMPARED = 8_000
"""Launches that all trials of one document may look at, about ten seconds of work; a file rarely has more than ten."""

NOT_TRIED = "SGL018"


def with_fixes(report: Report, judgings: list[Judging], settings: Settings, sources: Sources) -> Report:
    """The report with the fixes that work on its findings, and a word on those that were not tried."""
    trial = _Trials(report, judgings, settings, sources)
    findings = tuple(
        replace(finding, fixes=tuple(trial.fixes_of(finding))) if finding.launch is not None else finding
        for finding in report.findings
    )
    if trial.given_up is not None and settings.selects(NOT_TRIED, report.document.path):
        findings += (trial.given_up,)
    return replace(report, findings=findings, used_paths=frozenset(sources.used))


class _Trials:
    """Tries fixes on copies of one document."""

    def __init__(self, report: Report, judgings: list[Judging], settings: Settings, sources: Sources) -> None:
        self._report = report
        self._judgings = judgings
        self._settings = settings
        self._sources = sources
        self._rules = rules_for(settings)
        self._starts: dict[tuple[int, str], bool] = {}
        self._after: dict[tuple[Edit, ...], Report | None] = {}
        self._known = Known(report, judgings)
        self._compared = 0
        self.given_up: Finding | None = None

    def fixes_of(self, finding: Finding) -> Iterator[Fix]:
        rule = self._rules.by_code.get(finding.code)
        if rule is None or finding.launch is None or self._gives_up(rule, finding):
            return
        judging = self._judgings[finding.launch]
        offered: list[Fix] = []
        for template in rule.fixes:
            if not self._applies(template, judging):
                continue
            for fix in self._tried(template, rule, finding, judging):
                # The lowest and the newest clean release may be the same one.
                if fix.edits and any(fix.edits == other.edits for other in offered):
                    continue
                offered.append(replace(fix, id=f"{finding.code}.{finding.launch}.{len(offered)}"))
        yield from offered

    def _gives_up(self, rule: Rule, finding: Finding) -> bool:
        """Whether so much was tried that nothing more is; the first finding that misses its fixes says so."""
        if not rule.fixes or self._compared < MOST_COMPARED:
            return False
        if self.given_up is None:
            message = (
                f"This file has {len(self._judgings):,} launches. Fixes were tried for the findings above; apply them "
                "and lint again for those of the others."
            )
            self.given_up = Finding(
                NOT_TRIED, "fixes-not-tried", "info", None, message, finding.span, finding.path or ""
            )
        return True

    def _applies(self, template: FixTemplate, judging: Judging) -> bool:
        return template.when is None or template.when.node.truth(judging.subject.facts.look) is True

    def _tried(self, template: FixTemplate, rule: Rule, finding: Finding, judging: Judging) -> Iterator[Fix]:
        if template.safety == "display-only":
            title = fill(template.title, judging.subject.facts.look)
            yield Fix("", title, "display-only", reason=template.reason)
        else:
            yield from self._ways(self._plans(template, rule, finding, judging), template, finding, judging)

    def _ways(self, plans: Iterator[Plan], template: FixTemplate, finding: Finding, judging: Judging) -> Iterator[Fix]:
        """One fix for each way out; where no text can be edited for it, its title with the reason."""
        offered: set[str] = set()
        reasons: dict[str, tuple[str, str]] = {}
        for plan in plans:
            way = plan.way or plan.title
            if way in offered:
                continue
            try:
                fix = self._offered(plan, template, finding, judging)
            except CannotEdit as error:
                reasons.setdefault(way, (plan.title, str(error)))
                continue
            if fix is not None:
                offered.add(way)
                yield fix
        for way, (title, reason) in reasons.items():
            # A release at which nobody could try the edits is no way out to name.
            if way not in offered and way == title:
                yield Fix("", title, "display-only", reason=reason)

    def _plans(self, template: FixTemplate, rule: Rule, finding: Finding, judging: Judging) -> Iterator[Plan]:
        subject = judging.subject
        if template.candidates is not None:
            span = finding.span if finding.moved_from is None else finding.moved_from.span
            for problem in subject.parsed.problems:
                if problem.kind == rule.problem and problem.span == span:
                    table = catalogue.load(subject.parsed.release)
                    for proposal in proposals(problem, subject.parsed, table):
                        yield Plan(proposal.title, proposal.changes, safety=proposal.safety)
                    return
            return
        changes = option_changes(template, subject.parsed, subject.places, subject.facts.look)
        if template.release is not None:
            yield from self._moves(template, template.release, changes, judging)
        elif changes:
            yield Plan(fill(template.title, subject.facts.look), changes)

    def _moves(
        self, template: FixTemplate, which: Which, changes: tuple[Change, ...], judging: Judging
    ) -> Iterator[Plan]:
        """Moves to a later release: of the launch as written, or with ``changes`` where no release starts that."""
        subject = judging.subject
        known = catalogue.releases()
        later = known[known.index(subject.parsed.release) + 1 :]
        ordered = later if which == "lowest-clean" else tuple(reversed(later))
        named = template.title if "{target}" in template.title else f"{template.title} (SGLang {{target}})"
        as_written = next((release for release in ordered if self._starts_at(release, subject)), None)
        combined = bool(template.set or template.remove or template.remove_matching)
        if as_written is not None and not combined:
            yield Plan(fill(named.replace("{target}", as_written), subject.facts.look), (), as_written)
        elif as_written is None and changes:
            for release in ordered:
                title = fill(named.replace("{target}", release), subject.facts.look)
                yield Plan(title, changes, release, way=template.title)

    def _starts_at(self, release: str, subject: Subject) -> bool:
        key = (subject.number, release)
        if key not in self._starts:
            there = judge_launch(
                subject.launch,
                subject.number,
                subject.path,
                self._settings,
                self._sources,
                self._rules,
                Evidence(release, "fix"),
            )
            self._starts[key] = there.starts
        return self._starts[key]

    def _offered(self, plan: Plan, template: FixTemplate, finding: Finding, judging: Judging) -> Fix | None:
        """The fix when its edits work; None when they do not. Raises CannotEdit."""
        launch = judging.subject.launch
        changes = plan.changes
        if plan.release is not None:
            changes = (*changes, release_change(launch, str(judging.judged.release.value), plan.release))
        edits = launch.editor.edits(launch, changes)
        if not edits:
            return None
        try:
            after = self._report_after(edits)
        except OverlappingEdits:
            return None
        if after is None or not self._works(after, plan, finding, launch):
            return None
        return Fix(
            id="",
            title=plan.title,
            safety=plan.safety or template.safety,
            edits=edits,
            reason=template.reason,
            verified=True,
            effect=_effect(judging, after, judging.subject.number),
        )

    def _report_after(self, edits: tuple[Edit, ...]) -> Report | None:
        """Findings of one launch often have a way out in common; its text is linted once."""
        if edits not in self._after:
            self._compared += len(self._judgings)
            self._after[edits] = self._relinted(edits)
        return self._after[edits]

    def _relinted(self, edits: tuple[Edit, ...]) -> Report | None:
        """The report on the document after ``edits``, which may be in several files; None when one cannot be had."""
        from .engine import report_on

        home = self._report.document
        by_path: dict[str, list[Edit]] = {}
        for edit in edits:
            by_path.setdefault(edit.path or home.path, []).append(edit)
        overlay: dict[str, str] = {}
        for path, own in by_path.items():
            text = home.text if path == home.path else self._sources.text(path)
            if text is None:
                return None
            overlay[path] = apply_edits(text, own)
        document = Document(home.path, overlay.get(home.path, home.text), home.language)
        sources = Sources(
            lambda path: overlay[path] if path in overlay else self._sources.read(path),
            used=self._sources.used,
            names=self._sources.names,
            linted=self._sources.linted,
        )
        return report_on(document, self._settings, sources, explain=False, known=self._known)[0]

    def _works(self, after: Report, plan: Plan, finding: Finding, launch: Launch) -> bool:
        """The finding is gone, the file reads as before, no other word changed, and no error is new."""
        before = self._report
        number = finding.launch
        if number is None or len(after.judged) != len(before.judged):
            return False
        if _count(after, finding) >= _count(before, finding):
            return False
        if plan.release is not None:
            moved = after.judged[number]
            if moved.release.value != plan.release or moved.verdict.status != "accepted":
                return False
        kept, added = words_after(launch, plan.changes)
        if without(tokens_of(after.judged[number].launch), added) != kept:
            return False
        return self._others_untouched(after, finding) and not errors_of(after) - errors_of(before)

    def _others_untouched(self, after: Report, finding: Finding) -> bool:
        """Other launches keep their words, save those that share the edited text and had the same finding."""
        ill = {found.launch for found in self._report.findings if found.code == finding.code}
        return all(
            number in ill or old.launch.is_read or tokens_of(old.launch) == tokens_of(new.launch)
            for number, (old, new) in enumerate(zip(self._report.judged, after.judged, strict=True))
        )


def _count(report: Report, finding: Finding) -> int:
    """How often the rule of ``finding`` is broken in its launch; a fix mends one place."""
    return sum(found.code == finding.code and found.launch == finding.launch for found in report.findings)


def _effect(before: Judging, after: Report, number: int) -> Mapping[str, Any] | None:
    """What the fix does to the pools; None where either plan is not known."""
    from .arithmetic import effect

    changed = after.judged[number].facts
    return None if changed is None else effect(before.subject.facts, changed)
