"""Conditions: Kleene logic over facts, and which facts decided."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.facts import Facts, Unknown
from sglint.rules.expr import Outcome, build, evaluate
from sglint.rules.grammar import ConditionError, names, parse

UNKNOWN = Unknown(("name the model",))


def facts(**values: Any) -> Facts:
    leaves = {f"args.{name}": value for name, value in values.items()}
    return Facts(leaves, {}, lambda name: Unknown((f"{name} is not there",)))


def judged(text: str, **values: Any) -> Outcome:
    return evaluate(build(parse(text)), facts(**values))


@pytest.mark.parametrize(
    ("text", "values", "truth"),
    [
        ("args.a", {"a": "yes"}, True),
        ("args.a", {"a": 0}, False),
        ("args.a == 'x' and args.b is None", {"a": "x", "b": None}, True),
        ("args.a in ('x', 'y')", {"a": "z"}, False),
        ("args.a not in {'x', 'y'}", {"a": "z"}, True),
        ("1 < args.a <= args.b", {"a": 2, "b": 2}, True),
        ("args.a * 2 + 1 > args.b // 2", {"a": 2, "b": 8}, True),
        ("args.a % args.b != 0", {"a": 7, "b": 2}, True),
        ("args.a == -1", {"a": -1}, True),
        ("any_in(args.a, ('fa3', 'fa4'))", {"a": ("triton", "fa3")}, True),
        ("any_in(args.a, ('fa3', 'fa4'))", {"a": "triton"}, False),
        ("all_in(args.a, {'triton'})", {"a": ("triton", "fa3")}, False),
        ("not all_in(args.a, ('triton', args.b))", {"a": ("triton", "fa3"), "b": "fa3"}, False),
        ("args.a is not None and args.a > 1", {"a": None}, False),
    ],
)
def test_known_facts_give_pythons_own_answer(text: str, values: dict[str, Any], truth: bool) -> None:
    assert judged(text, **values).truth is truth


@pytest.mark.parametrize(
    ("text", "values", "decided"),
    [
        ("args.a or args.b or args.c", {"a": False, "b": True, "c": True}, ("args.b",)),
        ("args.a or args.b", {"a": False, "b": False}, ("args.a", "args.b")),
        ("args.a and args.b and args.c", {"a": True, "b": False, "c": False}, ("args.b",)),
        ("args.a and args.b", {"a": True, "b": True}, ("args.a", "args.b")),
        ("args.a and args.b", {"a": UNKNOWN, "b": True}, ("args.a",)),
        ("args.a and args.b and args.c", {"a": UNKNOWN, "b": True, "c": UNKNOWN}, ("args.a", "args.c")),
        ("args.a or args.b == args.c", {"a": False, "b": UNKNOWN, "c": 1}, ("args.b",)),
        ("not (args.a and args.b)", {"a": True, "b": False}, ("args.b",)),
        ("args.a and (args.b or args.c)", {"a": True, "b": True, "c": UNKNOWN}, ("args.a", "args.b")),
        ("args.a and (args.b or args.c)", {"a": True, "b": False, "c": UNKNOWN}, ("args.c",)),
    ],
)
def test_decided_by_names_what_settles_it(text: str, values: dict[str, Any], decided: tuple[str, ...]) -> None:
    assert judged(text, **values).decided == decided


def test_unknown_keeps_its_reasons() -> None:
    truth = judged("args.a and args.b", a=UNKNOWN, b=Unknown(("name the GPU",))).truth
    assert isinstance(truth, Unknown)
    assert truth.reasons == ("name the model", "name the GPU")


def test_an_unknown_guard_does_not_let_the_guarded_part_crash() -> None:
    assert isinstance(judged("args.a and args.b > 3", a=UNKNOWN, b=None).truth, Unknown)
    assert judged("args.a and args.b > 3 and args.c", a=UNKNOWN, b=None, c=False).truth is False


def test_comparing_unlike_things_is_a_mistake_of_the_rule() -> None:
    with pytest.raises(TypeError):
        judged("args.a > 3", a=None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("args.a and", "not an expression"),
        ("__import__('os')", "more than conditions can say"),
        ("args.a[0] == 1", "more than conditions can say"),
        ("a == 1", "not the name of a fact"),
        ("args", "not the name of a fact"),
        ("args.a is 3", "compare other values with =="),
        ("any_in(args.a)", "takes two values"),
        ("args.a.b().c", "not the name of a fact"),
        ("(" * 500 + "args.a" + ")" * 500, "not an expression"),
    ],
)
def test_what_is_no_condition_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(ConditionError, match=message):
        parse(text)


def test_names_of_a_condition() -> None:
    assert names(parse("args.a and not (release == '0.5.18' or model.mla in (args.a, 1))")) == (
        "args.a",
        "release",
        "model.mla",
    )


LETTERS = ("a", "b", "c")
CONDITIONS = st.recursive(
    st.sampled_from([f"args.{letter}" for letter in LETTERS]),
    lambda inner: st.one_of(
        inner.map(lambda text: f"not ({text})"),
        st.tuples(inner, st.sampled_from((" and ", " or ")), inner).map(lambda t: f"(({t[0]}){t[1]}({t[2]}))"),
    ),
    max_leaves=8,
)
VALUES = st.fixed_dictionaries({letter: st.sampled_from((True, False, UNKNOWN)) for letter in LETTERS})


def kleene(text: str, values: Mapping[str, Any]) -> bool | None:
    """By the tables of Kleene's strong logic on 0, 1/2, 1: and is min, or is max, not is 1 - x."""

    def number(node: list[Any]) -> float:
        if node[0] == "name":
            value = values[node[1].removeprefix("args.")]
            return 0.5 if isinstance(value, Unknown) else float(value)
        if node[0] == "not":
            return 1 - number(node[1])
        parts = [number(part) for part in node[1]]
        return min(parts) if node[0] == "and" else max(parts)

    return {0.0: False, 0.5: None, 1.0: True}[number(parse(text))]


def plain(truth: bool | Unknown) -> bool | None:
    return None if isinstance(truth, Unknown) else truth


@settings(derandomize=True, deadline=None, max_examples=300)
@given(CONDITIONS, VALUES)
def test_logic_is_kleenes(text: str, values: dict[str, Any]) -> None:
    assert plain(judged(text, **values).truth) == kleene(text, values)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(CONDITIONS, VALUES)
def test_decided_facts_alone_decide(text: str, values: dict[str, Any]) -> None:
    """Whatever the facts that did not decide are, the answer stays; every fact of an unknown is itself unknown."""
    outcome = judged(text, **values)
    decided = {name.removeprefix("args.") for name in outcome.decided}
    if isinstance(outcome.truth, Unknown):
        assert decided
        assert all(isinstance(values[letter], Unknown) for letter in decided)
        return
    free = [letter for letter in LETTERS if letter not in decided]
    for choice in itertools.product((True, False, UNKNOWN), repeat=len(free)):
        changed = {**values, **dict(zip(free, choice, strict=True))}
        assert judged(text, **changed).truth is outcome.truth


@pytest.mark.parametrize("sign", ["%", "//"])
def test_a_division_by_zero_is_not_decided(sign: str) -> None:
    """``--page-size 0`` is for the release to refuse; it breaks no rule."""
    assert isinstance(judged(f"args.a {sign} args.b == 0", a=1, b=0).truth, Unknown)
    assert judged(f"args.b > 0 and args.a {sign} args.b == 0", a=1, b=0).truth is False
