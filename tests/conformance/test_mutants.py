"""A condition with one changed operand is noticed, or is known to be the same for every launch."""

from __future__ import annotations

import pytest

from sglint.rules import grammar

from . import mutate_rules, verdicts
from .mutants import Bench, all_mutants, mutants, text

SAMPLED = 150
SEED = 2026


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (
            "args.a > 1 and model.b",
            {
                "without and args.a > 1": "model.b",
                "without and model.b": "(args.a > 1)",
                "<= in args.a > 1": "(args.a <= 1) and model.b",
                "2 for 1 in args.a > 1": "(args.a > 2) and model.b",
            },
        ),
        (
            "not args.a in {'x', 'y'}",
            {
                "without not before args.a in ('x', 'y')": "args.a in ('x', 'y')",
                "not in in args.a in ('x', 'y')": "not (args.a not in ('x', 'y'))",
                "without 'x' among ('x', 'y')": "not (args.a in ('y'))",
                "without 'y' among ('x', 'y')": "not (args.a in ('x'))",
            },
        ),
        ("args.a is None", {"is not in args.a is None": "args.a is not None"}),
        ("args.a", {}),
    ],
)
def test_every_operand_and_operator_is_changed(condition: str, expected: dict[str, str]) -> None:
    assert {what: text(tree) for what, tree in mutants(grammar.parse(condition))} == expected


def test_names_of_mutants_are_unique() -> None:
    names = [mutant.name for mutant in all_mutants()]
    assert len(set(names)) == len(names) > 2000


def test_a_sample_of_mutants_is_noticed() -> None:
    bench = Bench(verdicts.read(verdicts.kept()))
    left = {mutant.name for mutant in mutate_rules.survivors(bench, mutate_rules.sample(SAMPLED, SEED))}
    assert left - mutate_rules.equivalent().keys() == set()


def test_what_is_called_equivalent_is_a_mutant_with_a_reason() -> None:
    names = {mutant.name for mutant in all_mutants()}
    listed = mutate_rules.equivalent()
    assert listed.keys() <= names
    assert all(len(reason.split()) > 4 for reason in listed.values())
