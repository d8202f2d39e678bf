"""Rules over the facts of one launch: what holds, what cannot be decided, and what the release will do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..facts import Facts
from ..launch.options import Parsed, ParseProblem
from ..records import dataclass
from ..resolution import FIRST_FOLLOWED, followed
from .expr import Outcome, evaluate
from .findings import Verdict
from .model import REFUSING, Firing, Rule, RuleSet
from .needs import needs_of
from .unstated import unstated


@dataclass(frozen=True)
class Hit:
    """A case whose condition holds, or cannot be decided.

    ``position`` is its place in the firing order of the release; ``needs`` say what would decide it.
    """

    position: int
    firing: Firing
    outcome: Outcome
    needs: tuple[str, ...] = ()

    @property
    def rule(self) -> Rule:
        return self.firing.rule

    @property
    def certain(self) -> bool:
        return self.outcome.truth is True

    @property
    def refuses(self) -> bool:
        """Whether the check ends a launch before it serves."""
        return self.firing.case.severity == "error" and self.firing.case.stage in REFUSING


@dataclass(frozen=True)
class Crash:
    """A rule that could not be evaluated: a mistake of the rule or of a derived fact."""

    firing: Firing
    error: str


@dataclass(frozen=True)
class Judgement:
    """``hits`` in firing order, one a rule: its first certain case, else its first undecided one."""

    verdict: Verdict
    hits: tuple[Hit, ...] = ()
    crashes: tuple[Crash, ...] = ()

    @property
    def certain(self) -> Iterator[Hit]:
        return (hit for hit in self.hits if hit.certain)

    @property
    def undecided(self) -> Iterator[Hit]:
        return (hit for hit in self.hits if not hit.certain)


def judge(rules: RuleSet, parsed: Parsed, facts: Facts, *, advice: bool = True) -> Judgement:
    """All rules of ``parsed.release`` over the facts of a launch; without ``advice`` those that are errors."""
    hits: dict[str, Hit] = {}
    crashes: dict[str, Crash] = {}
    look = facts.look
    for position, firing in enumerate(rules.firing(parsed.release, advice=advice)):
        code = firing.rule.code
        if code in hits and hits[code].certain:
            continue
        try:
            condition = firing.case.when.node
            if condition.truth(look) is False:
                continue
            outcome = evaluate(condition, facts)
            hit = Hit(position, firing, outcome, needs_of(outcome, facts))
        except Exception as error:
            crashes.setdefault(code, Crash(firing, f"{type(error).__name__}: {error}"))
            continue
        if code not in hits or hit.certain:
            hits[code] = hit
    ordered = tuple(sorted(hits.values(), key=lambda hit: hit.position))
    crashed = tuple(crashes.values())
    return Judgement(_verdict(rules, parsed, ordered, crashed), ordered, crashed)


REMARKS = frozenset(
    ("abbreviation", "deprecated", "repeated", "config-not-merged", "env-not-read", "not-expanded", "not-text")
)
"""Kinds of parse problems that end no launch."""


def maybe_fatal(problem: ParseProblem) -> bool:
    """Whether the parser refuses the word only if it is there, which a condition decides."""
    return not problem.fatal and problem.kind not in REMARKS


def _verdict(rules: RuleSet, parsed: Parsed, hits: tuple[Hit, ...], crashes: tuple[Crash, ...]) -> Verdict:
    """The first certain refusal; earlier checks that cannot be decided are told as needs."""
    later = tuple(
        hit.rule.code for hit in hits if hit.certain and hit.firing.case.severity == "error" and not hit.refuses
    )
    needs = [f"{crash.firing.rule.code} cannot be evaluated, which is a bug in SGLint" for crash in crashes]
    for problem in parsed.problems:
        if maybe_fatal(problem) and problem.word is not None:
            needs.append(f"whether the word `{problem.word.known_prefix}` is there")
        if problem.fatal:
            rule = rules.by_problem.get(problem.kind)
            return Verdict("refused", "parse", rule.code if rule else None, None, problem.head, _once(needs))
    open_ended = [f"what SGLang {parsed.release} asks of {flag}, which no rule states" for flag in unstated(parsed)]
    for hit in hits:
        if not hit.refuses:
            continue
        if hit.certain:
            case = hit.firing.case
            needs += open_ended
            return Verdict("refused", case.stage, hit.rule.code, case.check, case.head, _once(needs), later)
        needs += hit.needs
    if not followed(parsed.release):
        needs.append(f"what SGLang {parsed.release} refuses beyond its parser (followed from {FIRST_FOLLOWED} on)")
    needs += open_ended
    if needs:
        return Verdict("unknown", needs=_once(needs), later=later)
    return Verdict("accepted", later=later)


def _once(sentences: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentences))
