"""Change one operand of a rule's condition and see whether the suite notices.

    python -m tests.conformance.mutate_rules [COUNT [SEED]]

Each mutant is tried on the examples of its rule, then on the kept vectors of its releases, then on the tables of
admitted backends. A line a mutant says what noticed it; the exit code is the number that nothing noticed.
"""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from sglint import rules
from sglint.rules.model import Case, Condition, Rule, RuleSet

from . import verdicts

Tree = list[Any]
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
OPPOSITE |= {"in": "not in", "not in": "in", "is": "is not", "is not": "is"}


def mutants(tree: Tree) -> Iterator[tuple[str, Tree]]:
    """Every tree that differs in one operand or operator, with what was done."""
    for path, node in _nodes(tree, ()):
        kind = node[0]
        if kind == "compare":
            for index, operator in enumerate(node[1]):
                yield f"{operator} -> {OPPOSITE[operator]}", _with(tree, (*path, 1, index), OPPOSITE[operator])
        elif kind in ("and", "or") and len(node[1]) > 1:
            for index in range(len(node[1])):
                yield f"{kind}: operand {index} dropped", _without(tree, (*path, 1), index)
        elif kind == "display" and len(node[1]) > 1:
            for index, member in enumerate(node[1]):
                yield f"{member[1]!r} dropped from a set", _without(tree, (*path, 1), index)
        elif kind == "not":
            yield "not dropped", _with(tree, path, node[1])
        elif kind == "const" and isinstance(node[1], int) and not isinstance(node[1], bool):
            yield f"{node[1]} -> {node[1] + 1}", _with(tree, (*path, 1), node[1] + 1)


def noticed(rule: Rule, case: Case, tree: Tree) -> str | None:
    """What tells the mutant from the rule: an example, a vector or a table; None where nothing does."""
    known = rules.load
    changed = replace(rule, cases=tuple(replace(c, when=Condition(tree)) if c is case else c for c in rule.cases))
    ruleset = RuleSet(tuple(changed if other is rule else other for other in known().rules), dict)
    rules.load = lambda: ruleset
    try:
        if _examples_differ(rule):
            return "example"
        if _vectors_differ(case):
            return "vector"
        return "table" if _tables_differ() else None
    finally:
        rules.load = known


def _vectors_differ(case: Case) -> bool:
    vectors = [vector for vector in VECTORS if case.releases.holds(vector["version"])]
    for start in range(0, len(vectors), CHUNK):
        result = verdicts.compare(vectors[start : start + CHUNK])
        if result.wrong or result.decided < result.seen:
            return True
    return False


def _examples_differ(rule: Rule) -> bool:
    from tests.rules.test_examples import linted

    for example in EXAMPLES[rule.code]:
        report = linted(example)
        found = any(finding.code == rule.code for finding in report.findings)
        undecided = any(f.code == "SGL010" and rule.code in f.message for f in report.findings)
        if found != (example["expect"] == "finding") or undecided != (example["expect"] == "unknown"):
            return True
    return False


def _tables_differ() -> bool:
    with redirect_stdout(StringIO()):
        return pytest.main(["-q", "-x", "-p", "no:cacheprovider", str(TABLES)]) != pytest.ExitCode.OK


def _nodes(tree: Tree, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Tree]]:
    yield path, tree
    if tree[0] == "not":
        yield from _nodes(tree[1], (*path, 1))
    elif tree[0] not in ("name", "const"):
        for index, part in enumerate(tree[-1]):
            yield from _nodes(part, (*path, len(tree) - 1, index))


def _with(tree: Tree, path: tuple[int, ...], value: Any) -> Tree:
    if not path:
        return copy.deepcopy(value)
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


TABLES = Path(__file__).parent / "test_admitted_backends.py"
EXAMPLES = rules.load().examples
VECTORS = list(verdicts.decided(verdicts.read(verdicts.kept())))
CHUNK = 100


def main(arguments: list[str]) -> int:
    count = int(arguments[0]) if arguments else 50
    chance = random.Random(int(arguments[1]) if len(arguments) > 1 else 0)
    candidates = [
        (rule, case, what, tree)
        for rule in rules.load().rules
        for case in rule.cases
        if case.severity == "error"
        for what, tree in mutants(case.when.tree)
    ]
    survivors = 0
    for rule, case, what, tree in chance.sample(candidates, count):
        by = noticed(rule, case, tree)
        survivors += by is None
        print(f"{by or 'SURVIVES':9} {rule.code} {case.check or '':24} {case.releases.text:20} {what}", flush=True)
    print(f"{count - survivors} of {count} mutants noticed (of {len(candidates)} possible)")
    return survivors


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
