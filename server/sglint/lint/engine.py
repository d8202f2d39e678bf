"""From a document to its report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .. import hosts, rules
from ..launch.model import Place, Problem, Reading
from ..records import replace
from ..rules.build import INTERNAL
from ..rules.findings import SEVERITIES, Finding, Report
from ..settings import Settings
from ..text import Document, Sources, Span
from .assumed import tempered
from .ignores import Ignores
from .inputs import ASSUMED
from .known import Known
from .launches import Judging, findings, judge_launch, rules_for


def lint(document: Document, settings: Settings, sources: Sources | None = None, *, fixes: bool = True) -> Report:
    """Everything SGLint has to say about ``document``.

    ``sources`` answers for other files and records which were read. With ``fixes`` every fix is applied to a copy
    and linted again before it is offered. Never raises for what a document holds.
    """
    sources = sources or Sources.none()
    report, judgings = report_on(document, settings, sources)
    if not fixes or not any(finding.launch is not None for finding in report.findings):
        return report
    from .fixes import with_fixes

    return with_fixes(report, judgings, settings, sources)


def report_on(
    document: Document, settings: Settings, sources: Sources, *, explain: bool = True, known: Known | None = None
) -> tuple[Report, list[Judging]]:
    """The report without fixes, and its launches in the report's order.

    ``explain`` adds what no trial of a fix needs: memory arithmetic and the look at target releases. ``known`` are the
    launches of an earlier text: those that still say the same are told as they were, at their old places.
    """
    reading = hosts.read(document, sources, settings.launchers)
    same = _unchanged(reading, known)
    judgings, crashes = _judge_all(reading, settings, sources, same)
    ignores = Ignores(reading.ignores, (judging.judged.launch.directives.ignores for judging in judgings))
    found = [
        *(_of_problem(problem, document) for problem in reading.problems),
        *crashes,
        *(
            finding
            for number, judging in enumerate(judgings)
            if number not in same
            for finding in tempered(judging, tuple(findings(judging, explain=explain)), settings, sources)
        ),
        *(_against_targets(judgings, document.path, settings, sources) if explain else ()),
        *_broken_rules(document, has_launches=bool(judgings)),
    ]
    others = _Others(settings, sources)
    found = [own for finding in found if (own := _told_here(finding, judgings, document.path, others)) is not None]
    found = list(_once(found))
    ignored: list[Finding] = []
    wanted: list[Finding] = []
    for finding in found:
        (ignored if ignores.hides(finding) else wanted).append(finding)
    wanted += ignores.unused(document.path)
    kept = [_with_severity(finding, settings) for finding in wanted if settings.selects(finding.code, finding.path)]
    if known is not None:
        kept += [finding for number in same for finding in known.findings(number)]
    return Report(
        document=document,
        judged=tuple(judging.judged for judging in judgings),
        findings=tuple(kept),
        not_launches=reading.not_launches,
        abstained=sum(1 for judging in judgings for _ in judging.judgement.undecided),
        used_paths=frozenset(sources.used),
        ignored=tuple(finding.code for finding in ignored),
        deselected=tuple(finding.code for finding in wanted if not settings.selects(finding.code, finding.path)),
    ), judgings


def _once(found: Iterable[Finding]) -> Iterable[Finding]:
    """Each remark once where several launches share the place it is about, as an anchor's variables."""
    seen: set[tuple[str, str, Span, str]] = set()
    for finding in found:
        key = finding.code, finding.path, finding.span, finding.message
        if finding.severity == "error" or key not in seen:
            yield finding
        seen.add(key)


def _unchanged(reading: Reading, known: Known | None) -> dict[int, Judging]:
    if known is None or len(known) != len(reading.launches):
        return {}
    judged = ((number, known.judging(number, launch)) for number, launch in enumerate(reading.launches))
    return {number: judging for number, judging in judged if judging is not None}


def _judge_all(
    reading: Reading, settings: Settings, sources: Sources, same: Mapping[int, Judging]
) -> tuple[list[Judging], list[Finding]]:
    """Launches that could be judged; one that could not costs one finding and itself. ``same`` are judged already."""
    rule_set = rules_for(settings)
    judgings: list[Judging] = []
    crashes: list[Finding] = []
    home = reading.document.path
    for number, launch in enumerate(reading.launches):
        if number in same:
            judgings.append(same[number])
            continue
        try:
            judgings.append(judge_launch(launch, len(judgings), home, settings, sources, rule_set))
        except Exception as error:
            message = f"Judging this launch failed: {_described(error)}. This is a bug in SGLint; please report it."
            span = launch.launcher_span or launch.span
            crashes.append(Finding(INTERNAL, "internal-error", "warning", None, message, span, home))
    return judgings, crashes


def _against_targets(judgings: list[Judging], home: str, settings: Settings, sources: Sources) -> Iterable[Finding]:
    if settings.target_releases is None and all(judging.judged.release.source != ASSUMED for judging in judgings):
        return ()
    from .targets import target_findings

    return target_findings(judgings, home, settings, sources, rules_for(settings))


def _described(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {trace.tb_frame.f_globals.get('__name__', '?')}, line {trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}{place}"


class _Others:
    """What other files are told by themselves."""

    def __init__(self, settings: Settings, sources: Sources) -> None:
        self._settings = settings
        self._sources = sources
        self._reports: dict[str, Report | None] = {}

    def tell(self, path: str, finding: Finding, home: str) -> bool:
        """Whether the file at ``path`` has ``finding`` without ``home``."""
        if path not in self._reports:
            text = self._sources.text(path)
            document = Document(path, text or "", "yaml")
            self._reports[path] = report_on(document, self._settings, self._sources, explain=False)[0] if text else None
        report = self._reports[path]
        if report is None:
            return False
        if home in report.used_paths:
            # The same launch, where the words are the file's own matter.
            return not finding.releases
        place = (finding.code, finding.path, finding.span)
        return any((one.code, one.path, one.span) == place for one in report.findings)


def _told_here(finding: Finding, judgings: list[Judging], home: str, others: _Others) -> Finding | None:
    """A launch that a template prints has findings in a values file only where that file has a part in them.

    What is only part of it by naming the release is told where that makes the difference. A ``--config`` file that a
    launch of the document reads is judged there.
    """
    launch = judgings[finding.launch].judged.launch if finding.launch is not None else None
    if launch is None or finding.launch is None or not (launch.is_read or launch.printed_by):
        return finding
    if launch.is_read:
        return None
    from .seen import seen_from

    judged = judgings[finding.launch].judged
    own = seen_from(finding, judged, home, home)
    names_release = own is not None and judged.release.place == Place(own.span)
    return None if names_release and others.tell(launch.printed_by or "", finding, home) else own


def _of_problem(problem: Problem, document: Document) -> Finding:
    return Finding(problem.code, problem.name, problem.severity, None, problem.message, problem.span, document.path)


def _broken_rules(document: Document, *, has_launches: bool) -> Iterable[Finding]:
    """Rule files that could not be used matter only where there is something to judge."""
    if not has_launches:
        return
    for message in rules.load().broken:
        yield Finding(
            INTERNAL, "internal-error", "warning", None, f"A rule was left out: {message}", Span(0, 0), document.path
        )


def _with_severity(finding: Finding, settings: Settings) -> Finding:
    wanted = settings.severity.get(finding.code)
    severity = next((severity for severity in SEVERITIES if severity == wanted), None)
    return finding if severity is None else replace(finding, severity=severity)
