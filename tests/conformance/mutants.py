"""Conditions with one operand or operator changed, and what tells them from the condition of the rule.

A mutant can only matter where its truth differs from the condition's. So the facts of every kept vector, of every
example and of every cell of the tables of admitted backends are worked out once, and a launch is judged anew only
where the two conditions disagree about it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stdout
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sglint import rules
from sglint.facts import Facts, Unknown
from sglint.launch.options import Parsed
from sglint.lint.engine import report_on
from sglint.lint.launches import Judging
from sglint.lint.verdict import judged
from sglint.records import replace
from sglint.rules.build import INTERNAL, UNDECIDED, findings_of
from sglint.rules.expr import FUNCTIONS, Node, Tree
from sglint.rules.judge import Judgement, judge
from sglint.rules.model import Case, Condition, Rule, RuleSet
from sglint.text import Document, Sources
from tests.rules.test_examples import FILES, LANGUAGES, settings_of

from . import test_admitted_backends as tables
from . import verdicts

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
OPPOSITE |= {"in": "not in", "not in": "in", "is": "is not", "is not": "is"}
CRASHED = "crashed"


class Mutant(NamedTuple):
    """A case of a rule with a condition that differs in one place; ``what`` names the place in words."""

    rule: Rule
    case: Case
    what: str
    tree: Tree

    @property
    def name(self) -> str:
        return f"{self.rule.code} {self.case.check or '-'} {self.case.releases.text}: {self.what}"

    @property
    def changed(self) -> Case:
        return replace(self.case, when=Condition(self.tree))


def all_mutants() -> Iterator[Mutant]:
    """Every mutant of every case of every rule; names are unique."""
    taken: dict[str, int] = {}
    for rule in rules.load().rules:
        for case in rule.cases:
            for what, tree in mutants(case.when.tree):
                mutant = Mutant(rule, case, what, tree)
                count = taken[mutant.name] = taken.get(mutant.name, 0) + 1
                yield mutant if count == 1 else mutant._replace(what=f"{what} ({count})")


def mutants(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Every tree that differs in one operand or operator, with what was done."""
    for path, node in _nodes(tree, ()):
        kind, shown = node[0], text(node)
        if kind == "compare":
            for index, operator in enumerate(node[1]):
                yield f"{OPPOSITE[operator]} in {shown}", _with(tree, (*path, 1, index), OPPOSITE[operator])
        elif kind in ("and", "or") and len(node[1]) > 1:
            for index, part in enumerate(node[1]):
                yield f"without {kind} {text(part)}", _without(tree, (*path, 1), index)
        elif kind == "display" and len(node[1]) > 1:
            for index, member in enumerate(node[1]):
                yield f"without {text(member)} among {shown}", _without(tree, (*path, 1), index)
        elif kind == "not":
            yield f"without not before {text(node[1])}", _with(tree, path, node[1])
        if kind in ("compare", "and", "or", "any_in", "all_in", "+", "-", "*", "//", "%"):
            for index, part in enumerate(node[-1]):
                if part[0] == "const" and isinstance(part[1], int) and not isinstance(part[1], bool):
                    place = (*path, len(node) - 1, index, 1)
                    yield f"{part[1] + 1} for {part[1]} in {shown}", _with(tree, place, part[1] + 1)


def text(tree: Tree) -> str:
    """A condition as rule files write it, with brackets around every part that is no name or literal."""
    kind = tree[0]
    if kind == "name":
        return str(tree[1])
    if kind == "const":
        return repr(tree[1])
    if kind == "not":
        return f"not {_within(tree[1])}"
    if kind == "compare":
        pieces = [_within(tree[2][0])]
        for operator, part in zip(tree[1], tree[2][1:], strict=True):
            pieces += [operator, _within(part)]
        return " ".join(pieces)
    parts = [text(part) for part in tree[-1]]
    if kind == "display":
        return "(" + ", ".join(parts) + ")"
    if kind in FUNCTIONS:
        return f"{kind}({', '.join(parts)})"
    return f" {kind} ".join(_within(part) for part in tree[-1])


def _within(tree: Tree) -> str:
    return text(tree) if tree[0] in ("name", "const", "display", *FUNCTIONS) else f"({text(tree)})"


def _nodes(tree: Tree, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Tree]]:
    yield path, tree
    if tree[0] == "not":
        yield from _nodes(tree[1], (*path, 1))
    elif tree[0] not in ("name", "const"):
        for index, part in enumerate(tree[-1]):
            yield from _nodes(part, (*path, len(tree) - 1, index))


def _with(tree: Tree, path: tuple[int, ...], value: Any) -> Tree:
    if not path:
        changed: Tree = copy.deepcopy(value)
        return changed
    changed = copy.deepcopy(tree)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = copy.deepcopy(value)
    return changed


def _without(tree: Tree, path: tuple[int, ...], index: int) -> Tree:
    changed = copy.deepcopy(tree)
    holder = changed
    for step in path:
        holder = holder[step]
    del holder[index]
    return changed


class Seen(NamedTuple):
    """A launch whose facts are at hand, and the question whether a judgement of it is the one that is held to."""

    facts: Facts
    parsed: Parsed
    holds: Callable[[Judgement], bool]


class Bench:
    """Everything that conditions are held to, and how far each mutant gets with it."""

    def __init__(self, vectors: Iterable[dict[str, Any]]) -> None:
        self.vectors: dict[str, list[Seen]] = {}
        for vector in vectors:
            parsed, facts, judgement = judged(verdicts.case_of(vector))
            if judgement.verdict.status != "unknown":
                self.vectors.setdefault(parsed.release, []).append(Seen(facts, parsed, _agrees(vector)))

    def noticed(self, mutant: Mutant) -> str | None:
        """What tells the mutant from the rule: an example, a vector or a table; None where nothing does."""
        ruleset = with_mutant(mutant)
        if self._differ(self.examples.get(mutant.rule.code, ()), mutant, ruleset):
            return "example"
        if self._differ(self._of_releases(mutant.case), mutant, ruleset):
            return "vector"
        return "table" if self._differ(self.cells.get(mutant.rule.code, ()), mutant, ruleset) else None

    def _of_releases(self, case: Case) -> Iterator[Seen]:
        for release, launches in self.vectors.items():
            if case.releases.holds(release):
                yield from launches

    def _differ(self, launches: Iterable[Seen], mutant: Mutant, ruleset: RuleSet) -> bool:
        ours, changed = mutant.case.when.node, Condition(mutant.tree).node
        for launch in launches:
            if not mutant.case.releases.holds(launch.parsed.release):
                continue
            if outcome(ours, launch.facts) == outcome(changed, launch.facts):
                continue
            if not launch.holds(judge(ruleset, launch.parsed, launch.facts)):
                return True
        return False

    @cached_property
    def examples(self) -> dict[str, list[Seen]]:
        found: dict[str, list[Seen]] = {}
        for code, examples in rules.load().examples.items():
            for example in examples:
                document = Document(FILES[example["host"]], example["text"], LANGUAGES[example["host"]])
                for judging in report_on(document, settings_of(example), Sources.none(), explain=False)[1]:
                    subject = judging.subject
                    holds = _as_before(judging, code, example.get("says", ""))
                    found.setdefault(code, []).append(Seen(subject.facts, subject.parsed, holds))
        return found

    @cached_property
    def cells(self) -> dict[str, list[Seen]]:
        """The cells of the tables by the code they ask for."""
        found: dict[str, list[Seen]] = {}
        last: list[tuple[Parsed, Facts, Judgement]] = []

        def judged_and_kept(case: Any) -> tuple[Parsed, Facts, Judgement]:
            last[:] = [judged(case)]
            return last[0]

        def passes_and_kept(codes: set[str] | None, *own: str) -> bool:
            parsed, facts, judgement = last[0]
            for code in own:
                found.setdefault(code, []).append(Seen(facts, parsed, _same_certainty(judgement, code)))
            return passes(codes, *own)

        passes = tables.passes
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()):
            patch.setattr(tables, "judged", judged_and_kept)
            patch.setattr(tables, "passes", passes_and_kept)
            code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", str(Path(tables.__file__))])
        assert code == pytest.ExitCode.OK
        return found


def with_mutant(mutant: Mutant) -> RuleSet:
    """The rules with the mutant in place of its case."""
    known = rules.load()
    cases = tuple(mutant.changed if case is mutant.case else case for case in mutant.rule.cases)
    changed = replace(mutant.rule, cases=cases)
    return RuleSet(tuple(changed if rule is mutant.rule else rule for rule in known.rules), dict)


def _agrees(vector: dict[str, Any]) -> Callable[[Judgement], bool]:
    return lambda judgement: verdicts.agrees(vector, judgement)


def _as_before(judging: Judging, code: str, says: str) -> Callable[[Judgement], bool]:
    before = _told(judging, judging.judgement, code, says)
    return lambda judgement: _told(judging, judgement, code, says) == before


def _told(judging: Judging, judgement: Judgement, code: str, says: str) -> tuple[bool, bool, bool]:
    """Whether a rule is told of in the words of the example, whether it is left open, and whether one failed."""
    findings = list(findings_of(judging.subject, judgement))
    found = any(finding.code == code and says in finding.message for finding in findings)
    left_open = any(finding.code == UNDECIDED and code in finding.message for finding in findings)
    return found, left_open, any(finding.code == INTERNAL for finding in findings)


def _same_certainty(judgement: Judgement, code: str) -> Callable[[Judgement], bool]:
    before = _is_certain(judgement, code)
    return lambda judgement: _is_certain(judgement, code) == before


def _is_certain(judgement: Judgement, code: str) -> bool:
    return any(hit.rule.code == code for hit in judgement.certain)


def outcome(node: Node, facts: Facts) -> Any:
    """Truth, with all unknowns alike."""
    try:
        truth = node.truth(facts.look)
    except Exception:
        return CRASHED
    return None if isinstance(truth, Unknown) else truth
