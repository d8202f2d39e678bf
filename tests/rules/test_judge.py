"""Rules over facts: order, verdicts, what is not decided, and rules that fail."""

from __future__ import annotations

import pytest

from sglint.rules.judge import judge

from .making import facts, parsed, rule, rule_set, unknown

WORDS = ("--model-path", "m")


def test_no_rule_holds() -> None:
    judgement = judge(rule_set(rule("SGL901", "args.alpha == 1")), parsed(*WORDS), facts(alpha=2))
    assert judgement.verdict.status == "accepted"
    assert judgement.hits == ()


def test_the_first_refusal_in_firing_order_is_the_verdict() -> None:
    rules = rule_set(
        rule("SGL901", "args.alpha == 1", stage="pool-init", order=1),
        rule("SGL902", "args.alpha == 1", stage="arguments", order=30),
        rule("SGL903", "args.alpha == 1", stage="arguments", order=20),
    )
    judgement = judge(rules, parsed(*WORDS), facts(alpha=1))
    assert [hit.rule.code for hit in judgement.hits] == ["SGL903", "SGL902", "SGL901"]
    verdict = judgement.verdict
    assert (verdict.status, verdict.stage, verdict.code) == ("refused", "arguments", "SGL903")
    assert (verdict.check, verdict.head) == ("CHECK-SGL903", "upstream says")


@pytest.mark.parametrize("stage", ["model-load", "backend", "runtime"])
def test_failures_after_the_pools_leave_the_launch_accepted_and_are_told(stage: str) -> None:
    verdict = judge(rule_set(rule("SGL901", "args.alpha", stage=stage)), parsed(*WORDS), facts(alpha=1)).verdict
    assert (verdict.status, verdict.later) == ("accepted", ("SGL901",))


def test_warnings_refuse_nothing() -> None:
    rules = rule_set(rule("SGL901", "args.alpha", severity="warning"), rule("SGL902", "args.beta", severity="warning"))
    judgement = judge(rules, parsed(*WORDS), facts(alpha=1, beta=unknown()))
    assert judgement.verdict.status == "accepted"
    assert [hit.certain for hit in judgement.hits] == [True, False]


def test_an_unknown_earlier_check_does_not_hide_a_later_certain_one() -> None:
    rules = rule_set(rule("SGL901", "args.alpha", order=1), rule("SGL902", "args.beta", order=2))
    verdict = judge(rules, parsed(*WORDS), facts(alpha=unknown("alpha's value"), beta=True)).verdict
    assert (verdict.status, verdict.code, verdict.needs) == ("refused", "SGL902", ("alpha's value",))


def test_unknown_later_checks_do_not_matter_to_a_refusal() -> None:
    rules = rule_set(rule("SGL901", "args.alpha", order=3), rule("SGL902", "args.beta", order=2))
    assert judge(rules, parsed(*WORDS), facts(alpha=unknown(), beta=True)).verdict.needs == ()


def test_only_unknown_checks_leave_the_verdict_unknown() -> None:
    rules = rule_set(rule("SGL901", "model.mla and args.alpha"), rule("SGL902", "gpu.sm == 90 and args.alpha"))
    space = facts(model__mla=unknown("the model behind `$M`"), gpu__sm=unknown("which GPU it runs on"), alpha=1)
    verdict = judge(rules, parsed(*WORDS), space).verdict
    assert verdict.status == "unknown"
    assert [need.split(":")[0] for need in verdict.needs] == ["the model behind `$M`", "which GPU it runs on"]
    assert all("# sglint: " in need for need in verdict.needs)


def test_one_certain_case_settles_a_rule() -> None:
    first = rule("SGL901", "args.alpha", order=1)
    both = (
        first
        + "\n"
        + first[first.index("[[case]]") :].replace("args.alpha", "args.beta").replace("order = 1", "order = 2")
    )
    judgement = judge(rule_set(both), parsed(*WORDS), facts(alpha=unknown(), beta=True))
    assert [hit.certain for hit in judgement.hits] == [True]


def test_only_cases_of_the_release_count() -> None:
    rules = rule_set(
        rule("SGL901", "args.alpha", releases=">=0.5.19"), rule("SGL902", "args.alpha", releases="<=0.5.18")
    )
    assert [hit.rule.code for hit in judge(rules, parsed(*WORDS), facts(alpha=1)).hits] == ["SGL902"]


def test_a_failing_rule_costs_itself_and_certainty() -> None:
    rules = rule_set(rule("SGL901", "args.alpha > 3"), rule("SGL902", "args.beta", severity="warning"))
    judgement = judge(rules, parsed(*WORDS), facts(alpha=None, beta=True))
    assert [crash.firing.rule.code for crash in judgement.crashes] == ["SGL901"]
    assert [hit.rule.code for hit in judgement.hits] == ["SGL902"]
    assert judgement.verdict.status == "unknown"


def test_the_parser_comes_before_every_rule() -> None:
    syntax = 'code = "SGL020"\nname = "x"\nseverity = "error"\nstage = "parse"\nsummary = "s"\nmessage = "m"\n' + (
        'explanation = "e"\nproblem = "unknown-flag"\n'
    )
    rules = rule_set(rule("SGL901", "args.alpha"), syntax)
    verdict = judge(rules, parsed(*WORDS, "--delta"), facts(alpha=1)).verdict
    assert (verdict.status, verdict.stage, verdict.code) == ("refused", "parse", "SGL020")
    assert verdict.head == "unrecognized arguments: --delta"
