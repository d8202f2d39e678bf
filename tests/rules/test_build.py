"""Findings: places, sentences, order, and the one remark about what is not decided."""

from __future__ import annotations

from typing import Any

from sglint.facts import Facts
from sglint.lint.engine import lint
from sglint.rules.build import findings_of
from sglint.rules.findings import Finding
from sglint.rules.judge import judge
from sglint.settings import Settings
from sglint.text import Document

from .making import facts, parsed, rule, rule_set, subject, unknown

WORDS = ["--model-path", "m", "--alpha", "1", "--beta", "-a=3"]


def found(words: list[str], space: Facts, *texts: str, **keys: Any) -> list[Finding]:
    rules = rule_set(*texts)
    return list(findings_of(subject(rules, words, space, **keys), judge(rules, parsed(*words), space)))


def text_at(words: list[str], finding: Finding) -> str:
    return " ".join(words)[finding.span.start : finding.span.end]


def test_the_place_is_the_last_occurrence_of_the_first_flag_there_under_any_name() -> None:
    words = ["--model", "m", "--alpha", "1", "--alpha", "2"]
    (finding,) = found(words, facts(alpha=2), rule("SGL901", "args.alpha", at='["--gamma", "--alpha"]'))
    assert (finding.span.start, text_at(words, finding)) == (" ".join(words).rindex("--alpha"), "--alpha")
    (finding,) = found(words, facts(alpha=2), rule("SGL901", "args.alpha", at='["--model-path"]'))
    assert text_at(words, finding) == "--model"


def test_without_its_flags_the_launch_is_the_place() -> None:
    (finding,) = found(WORDS, facts(alpha=1), rule("SGL901", "args.alpha", at='["--gamma"]'))
    assert finding.span == (0, 0)


def test_related_flags_are_those_there_and_elsewhere() -> None:
    text = rule(
        "SGL901",
        "args.alpha",
        at='["--beta"]',
        related='[["--model-path", "is {model.name}"], ["--gamma", "x"], ["--beta", "y"]]',
    )
    (finding,) = found(WORDS, facts(alpha=1, model__name="m"), text)
    assert [related.message for related in finding.related] == ["is m"]


def test_sentences_hold_the_facts() -> None:
    text = rule(
        "SGL901",
        "args.alpha",
        message="{release}: {args.alpha}, {args.beta}, {args.big}, {args.pair}, {model.name}, {args.none}.",
        explanation="One {args.alpha}.",
    )
    space = facts(alpha=7, beta=True, big=1361891, pair=("fa3", "fa3", "triton"), model__name=unknown(), none=None)
    (finding,) = found(WORDS, space, text)
    assert finding.message == "0.5.18: 7, on, 1,361,891, fa3, triton, not known, none."
    assert finding.explanation == ("One 7.",)


def test_findings_behind_the_refusal_say_so() -> None:
    findings = found(
        WORDS,
        facts(alpha=1),
        rule("SGL901", "args.alpha", order=1, severity="warning"),
        rule("SGL902", "args.alpha", order=2),
        rule("SGL903", "args.alpha", order=3),
        rule("SGL904", "args.alpha", order=4, severity="warning"),
    )
    assert [(finding.code, finding.behind) for finding in findings] == [
        ("SGL901", None),
        ("SGL902", None),
        ("SGL903", "SGL902"),
        ("SGL904", None),
    ]


def test_what_holds_carries_where_upstream_says_so() -> None:
    (finding,) = found(WORDS, facts(alpha=1), rule("SGL901", "args.alpha", releases=">=0.5.16"))
    (evidence,) = finding.evidence
    assert (evidence.release, evidence.path, evidence.symbol) == ("0.5.18", "srt/a.py", "Some.method")
    assert (finding.releases, finding.check, finding.head) == (">=0.5.16", "CHECK-SGL901", "upstream says")
    assert finding.decided_by == ("args.alpha",)


def test_one_remark_names_what_would_decide_which_rules() -> None:
    space = facts(alpha=1, model__mla=unknown("the model behind `$M`"), gpu__sm=unknown("which GPU it runs on"))
    (finding,) = found(
        WORDS,
        space,
        rule("SGL901", "args.alpha and model.mla", at='["--alpha"]'),
        rule("SGL902", "args.alpha and model.mla and gpu.sm == 90", at='["--alpha"]'),
    )
    assert (finding.code, finding.severity) == ("SGL010", "info")
    assert text_at(WORDS, finding) == "m"
    assert finding.needs[0].startswith("the model behind `$M`: name it")
    assert [need[need.index("(decides") :] for need in finding.needs] == [
        "(decides SGL901, SGL902)",
        "(decides SGL902)",
    ]


def test_rules_whose_flags_are_not_written_are_not_worth_a_remark() -> None:
    assert found(WORDS, facts(gamma=unknown()), rule("SGL901", "args.gamma == 'x'", at='["--gamma"]')) == []


def test_what_is_undecided_behind_a_refusal_is_not_worth_a_remark() -> None:
    findings = found(
        WORDS,
        facts(alpha=1, beta=unknown()),
        rule("SGL901", "args.alpha", order=1),
        rule("SGL902", "args.beta", order=2, at='["--beta"]'),
    )
    assert [finding.code for finding in findings] == ["SGL901"]


def test_a_rule_that_fails_is_named_with_its_file() -> None:
    (finding,) = found(WORDS, facts(alpha=None), rule("SGL901", "args.alpha > 1"))
    assert (finding.code, finding.name, finding.severity) == ("SGL000", "internal-error", "warning")
    assert "SGL901 (topic/0.toml)" in finding.message


def test_arithmetic_that_fails_leaves_the_finding() -> None:
    def fails() -> tuple[str, ...]:
        raise ZeroDivisionError("no layers")

    findings = found(WORDS, facts(alpha=1), rule("SGL901", "args.alpha", arithmetic="true"), arithmetic=fails)
    assert [finding.code for finding in findings] == ["SGL901", "SGL000"]
    assert "no layers" in findings[1].message


def test_arithmetic_ends_the_explanation_of_rules_that_ask_for_it() -> None:
    texts = [rule("SGL901", "args.alpha", arithmetic="true"), rule("SGL902", "args.alpha")]
    findings = found(WORDS, facts(alpha=1), *texts, arithmetic=lambda: ("4 + 4 bytes",))
    assert [finding.explanation for finding in findings] == [("e", "4 + 4 bytes"), ("e",)]


def test_a_finding_names_all_releases_of_its_check_without_a_gap() -> None:
    text = "python -m sglang.launch_server --model-path openai/gpt-oss-120b --enable-unified-memory --attention-backend"
    text += " triton --speculative-algorithm DSPARK --speculative-draft-model-path z/dspark"
    settings = Settings(release="0.5.18", gpu="h200")
    report = lint(Document("run.sh", text + "\n", "shell"), settings, fixes=False)
    (found,) = [finding for finding in report.findings if finding.code == "SGL101"]
    assert found.releases == ">=0.5.18,<0.5.20"
