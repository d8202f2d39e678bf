"""Judgements to findings: places to spans, templates to sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..facts import Facts
from ..launch.model import Launch, Place
from ..launch.options import Parsed, ParseProblem
from ..records import dataclass
from .findings import EvidenceAt, Finding, Related, Severity
from .judge import Crash, Hit, Judgement, maybe_fatal
from .model import Rule, RuleSet
from .places import Places
from .wording import fill, paragraphs

INTERNAL = "SGL000"
UNDECIDED = "SGL010"


@dataclass(frozen=True)
class Subject:
    """What findings of one launch are made of. ``arithmetic`` gives the sentences of its memory plan."""

    launch: Launch
    number: int
    path: str
    parsed: Parsed
    facts: Facts
    places: Places
    rules: RuleSet
    arithmetic: Callable[[], tuple[str, ...]] = tuple


def findings_of(subject: Subject, judgement: Judgement) -> Iterator[Finding]:
    """Findings in the order in which a launch would meet them; mistakes of rules last."""
    refusal = judgement.verdict.code if judgement.verdict.status == "refused" else None
    behind = False
    for problem in subject.parsed.problems:
        finding = _of_problem(subject, problem, refusal if behind else None)
        if finding is not None:
            yield finding
            behind = behind or (problem.fatal and finding.code == refusal)
    for hit in judgement.certain:
        strikes_later = behind and hit.firing.case.severity == "error"
        yield from _guarded(subject, hit, refusal if strikes_later and hit.rule.code != refusal else None)
        behind = behind or hit.rule.code == refusal
    undecided = _undecided(subject, judgement)
    if undecided is not None:
        yield undecided
    for crash in judgement.crashes:
        yield _of_crash(subject, crash)


def _of_problem(subject: Subject, problem: ParseProblem, behind: str | None) -> Finding | None:
    rule = subject.rules.by_problem.get(problem.kind)
    if rule is None:
        return None
    maybe = maybe_fatal(problem)
    severity: Severity = "warning" if maybe and rule.severity == "error" else rule.severity
    written = problem.word.known_prefix if problem.word else ""
    if problem.kind in ("unknown-flag", "ambiguous"):
        written = written.partition("=")[0]
    texts = {
        "detail": problem.detail,
        "written": written,
        "candidates": ", ".join(f"`{name}`" for name in problem.candidates[:_SHOWN_CANDIDATES]),
        "release": subject.parsed.release,
        "flag": problem.flag.names[0] if problem.flag else written,
    }
    place = subject.places.launch() if problem.word is None else Place(problem.span, problem.word.path)
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=severity,
        stage=rule.stage,
        message=fill(rule.message, lambda name: texts[name]),
        span=place.span,
        path=_path(subject, place.path),
        launch=subject.number,
        head=problem.head or None,
        needs=(f"whether the word `{written}` is there",) if maybe else (),
        explanation=paragraphs(rule.explanation),
        behind=behind if problem.fatal else None,
    )


_SHOWN_CANDIDATES = 8


def _guarded(subject: Subject, hit: Hit, behind: str | None) -> Iterator[Finding]:
    """The finding of a certain case. Texts and arithmetic that fail cost themselves and one remark."""
    arithmetic: tuple[str, ...] = ()
    failures: list[Exception] = []
    if hit.rule.arithmetic:
        try:
            arithmetic = subject.arithmetic()
        except Exception as error:
            failures.append(error)
    try:
        yield _of_hit(subject, hit, behind, arithmetic)
    except Exception as error:
        failures.append(error)
    for failure in failures:
        yield _of_crash(subject, Crash(hit.firing, f"{type(failure).__name__}: {failure}"))


def _of_hit(subject: Subject, hit: Hit, behind: str | None, arithmetic: tuple[str, ...]) -> Finding:
    rule, case = hit.rule, hit.firing.case
    place = subject.places.first(rule.at) or subject.places.launch()
    look = subject.facts.look
    release = subject.parsed.release
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=case.severity,
        stage=case.stage,
        message=fill(case.message, look),
        span=place.span,
        path=_path(subject, place.path),
        launch=subject.number,
        check=case.check,
        head=case.head,
        releases=rule.releases_of(case),
        decided_by=hit.outcome.decided,
        related=tuple(_related(subject, rule, place)),
        evidence=tuple(_evidence(release, where) for where in case.evidence),
        explanation=(*(fill(text, look) for text in paragraphs(rule.explanation)), *arithmetic),
        arithmetic=arithmetic,
        behind=behind,
    )


def _related(subject: Subject, rule: Rule, primary: Place) -> Iterator[Related]:
    for flag, message in rule.related:
        place = subject.places.flag(flag)
        if place is not None and place != primary:
            # Beside a finding in another file, no path would mean that other file.
            path = subject.path if primary.path is not None and place.path is None else place.path
            yield Related(Place(place.span, path), fill(message, subject.facts.look))


def _evidence(release: str, where: str) -> EvidenceAt:
    path, _, symbol = where.partition(":")
    return EvidenceAt(release, path, symbol)


def _undecided(subject: Subject, judgement: Judgement) -> Finding | None:
    """One remark about the refusals that cannot be decided and concern a flag which the launch names.

    Behind words that only the shell knows every flag may hide; a rule none of whose flags is written would be told
    about every such script.
    """
    refusal = next((hit.position for hit in judgement.certain if hit.refuses), None)
    if judgement.verdict.stage == "parse":
        return None
    open_hits = [
        hit
        for hit in judgement.undecided
        if hit.firing.case.severity == "error"
        and (refusal is None or hit.position < refusal)
        and subject.places.first((*hit.rule.at, *(flag for flag, _ in hit.rule.related)))
    ]
    if not open_hits:
        return None
    codes_of: dict[str, list[str]] = {}
    for hit in open_hits:
        for need in hit.needs:
            codes_of.setdefault(need, []).append(hit.rule.code)
    needs = tuple(f"{need} (decides {', '.join(codes)})" for need, codes in codes_of.items())
    codes = ", ".join(hit.rule.code for hit in open_hits)
    place = _place_of_unknown(subject, open_hits)
    release = subject.parsed.release
    return Finding(
        code=UNDECIDED,
        name="undecided",
        severity="info",
        stage=None,
        message=f"Whether SGLang {release} refuses this launch is not decided ({codes}): something is not known.",
        span=place.span,
        path=_path(subject, place.path),
        launch=subject.number,
        decided_by=tuple(dict.fromkeys(name for hit in open_hits for name in hit.outcome.decided)),
        needs=needs,
    )


def _place_of_unknown(subject: Subject, hits: list[Hit]) -> Place:
    """The model's place when it is the model, else that of the first flag which is not known."""
    leaves = [leaf for hit in hits for name in hit.outcome.decided for leaf in sorted(subject.facts.leaves_of(name))]
    if any(leaf.startswith("model.") for leaf in leaves):
        model = subject.places.model()
        if model is not None:
            return model
    for hit in hits:
        place = subject.places.first(hit.rule.at)
        if place is not None:
            return place
    return subject.places.launch()


def _of_crash(subject: Subject, crash: Crash) -> Finding:
    place = subject.places.launch()
    rule = crash.firing.rule
    blame = "This is a bug in SGLint; please report it."
    return Finding(
        code=INTERNAL,
        name="internal-error",
        severity="warning",
        stage=None,
        message=f"The rule {rule.code} ({rule.source}) failed: {crash.error}. {blame}",
        span=place.span,
        path=subject.path,
        launch=subject.number,
    )


def _path(subject: Subject, path: str | None) -> str:
    return subject.path if path is None else path
