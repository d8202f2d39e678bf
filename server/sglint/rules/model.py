"""Rules as rule files state them, with conditions ready to be evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Literal

from ..catalogue.release import ReleaseRange
from ..records import dataclass, field
from .expr import Node, Tree, build
from .findings import Safety, Severity

Stage = Literal["parse", "arguments", "model-load", "pool-init", "backend", "runtime"]
STAGES: tuple[Stage, ...] = ("parse", "arguments", "model-load", "pool-init", "backend", "runtime")
"""In the order in which a server passes through them."""

Which = Literal["lowest-clean", "newest-clean"]
"""The lowest or the newest later release that starts a launch."""

REFUSING: frozenset[Stage] = frozenset(("parse", "arguments", "pool-init"))
"""Stages whose refusals make a launch *refused*; what fails in the others is told beside an accepted verdict."""


@dataclass(frozen=True)
class Condition:
    """A condition with the tree it is built from; built on first use, since most never are in a run."""

    tree: Tree

    @cached_property
    def node(self) -> Node:
        return build(self.tree)


@dataclass(frozen=True)
class Case:
    """What one range of releases does. ``order`` is the firing order inside the stage.

    ``severity``, ``stage``, ``check``, ``head``, ``message`` are the rule's own unless the case overrides them;
    ``head`` is at most 60 characters of upstream's message; ``evidence`` lists ``file:symbol``.
    """

    releases: ReleaseRange
    order: int
    when: Condition
    severity: Severity
    stage: Stage | None
    message: str
    check: str | None = None
    head: str | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class FixTemplate:
    """A way out as the rule file states it.

    remove, remove_matching
        flags to take out, by name (any alias) or by pattern with ``*`` over the written names.
    set
        flags to set, or to add where missing; the value True is a bare flag.
    release
        ``lowest-clean`` or ``newest-clean``: move to such a release. Together with ``set`` or ``remove`` it is offered
        where no later release starts the launch as written.
    candidates
        for rules of the command line: one fix for each flag (``flag``) or value (``value``) that may have been meant.
    """

    title: str
    safety: Safety
    remove: tuple[str, ...] = ()
    remove_matching: tuple[str, ...] = ()
    set: Mapping[str, str | bool] = field(default_factory=dict)
    release: Which | None = None
    candidates: Literal["flag", "value"] | None = None
    when: Condition | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Rule:
    """One rule file.

    problem
        for rules about the command line's syntax: the ``ParseProblem`` kind they report; they have no cases.
    at, related
        flags whose place is the finding's; flags with what they contribute.
    arithmetic
        the sentences of the launch's memory plan belong to the explanation.
    source
        path of the rule file, for messages about the rule itself.
    """

    code: str
    name: str
    topic: str
    severity: Severity
    summary: str
    message: str
    stage: Stage | None
    source: str
    cases: tuple[Case, ...] = ()
    problem: str | None = None
    at: tuple[str, ...] = ()
    related: tuple[tuple[str, str], ...] = ()
    fixes: tuple[FixTemplate, ...] = ()
    explanation: str = ""
    arithmetic: bool = False

    @property
    def releases(self) -> str:
        """All ranges of releases, as text."""
        return " | ".join(dict.fromkeys(case.releases.text for case in self.cases))

    def releases_of(self, case: Case) -> str:
        """Releases that have the check of ``case`` without a gap: a check may be stated in several cases."""
        return case.releases.joined(other.releases for other in self.cases if other.check == case.check).text


@dataclass(frozen=True)
class Firing:
    """A case with its rule, as evaluated for a release."""

    rule: Rule
    case: Case


class RuleSet:
    """All rules of an installation.

    ``read_examples`` answers with each code's examples, which few commands need. ``broken`` are messages about rule
    files that could not be used.
    """

    def __init__(
        self,
        rules: tuple[Rule, ...],
        read_examples: Callable[[], Mapping[str, list[dict[str, Any]]]],
        broken: tuple[str, ...] = (),
    ) -> None:
        self.rules = rules
        self.broken = broken
        self.by_code: dict[str, Rule] = {rule.code: rule for rule in rules}
        self.by_problem: dict[str, Rule] = {rule.problem: rule for rule in rules if rule.problem}
        self._read_examples = read_examples
        self._firing: dict[tuple[str, bool], tuple[Firing, ...]] = {}

    @cached_property
    def examples(self) -> Mapping[str, list[dict[str, Any]]]:
        """By code: ``host``, ``release``, ``gpu``, ``text``, ``expect`` ... as in the rule files."""
        return self._read_examples()

    def firing(self, release: str, *, advice: bool = True) -> tuple[Firing, ...]:
        """The cases of a release, in the order in which they strike; without ``advice`` those that are errors."""
        key = release, advice
        if key not in self._firing:
            # Hundreds of cases share a few dozen ranges.
            ranges = {case.releases.text: case.releases for rule in self.rules for case in rule.cases}
            holding = {text for text, releases in ranges.items() if releases.holds(release)}
            found = [Firing(rule, case) for rule in self.rules for case in rule.cases if case.releases.text in holding]
            found = [firing for firing in found if advice or firing.case.severity == "error"]
            found.sort(key=lambda firing: (stage_rank(firing.case.stage), firing.case.order, firing.rule.code))
            self._firing[key] = tuple(found)
        return self._firing[key]


def stage_rank(stage: Stage | None) -> int:
    """Position of a stage in a launch; advice without a stage comes last."""
    return len(STAGES) if stage is None else STAGES.index(stage)
