"""Rule files to rule sets: bundle, cache, and what broken files say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sglint.facts import Facts
from sglint.rules import bundle
from sglint.rules.bundle import load_from, write_bundle
from sglint.rules.expr import evaluate
from sglint.rules.source import RuleError, compile_rule

RULE = """\
code = "SGL901"
name = "shouting"
severity = "error"
stage = "arguments"
summary = "A flag shouts."
message = "{args.a} shouts in {release}."
explanation = "Shouting is refused."
at = ["--a"]
related = [["--b", "asks for it"]]

[[case]]
releases = ">=0.5.18,<0.5.20"
order = 20
when = "args.a == 'LOUD'"
head = "do not shout"
evidence = ["srt/server_args.py:check"]

[[case]]
releases = ">=0.5.20"
order = 10
when = '''
args.a == 'LOUD'
and args.b
'''
check = "A-LOUDER"

[[fix]]
title = "Whisper"
set = { "--a" = "quiet" }
safety = "safe"

[[example]]
host = "shell"
release = "0.5.18"
text = "python -m sglang.launch_server --a LOUD"
expect = "finding"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    topic = tmp_path / "rules" / "voice"
    topic.mkdir(parents=True)
    (topic / "SGL901-shouting.toml").write_text(RULE, encoding="utf-8")
    return tmp_path / "rules"


def test_cases_of_a_release_come_in_firing_order(folder: Path) -> None:
    second = RULE.replace("SGL901", "SGL902").replace("shouting", "screaming").replace("order = 20", "order = 5")
    (folder / "voice" / "SGL902-screaming.toml").write_text(second, encoding="utf-8")
    rules = load_from(folder, None)
    assert [firing.rule.code for firing in rules.firing("0.5.19")] == ["SGL902", "SGL901"]
    assert [firing.case.check for firing in rules.firing("0.5.21")] == ["A-LOUDER", "A-LOUDER"]
    assert rules.firing("0.5.17") == ()


def test_conditions_work_after_every_way_of_loading(folder: Path, tmp_path: Path) -> None:
    write_bundle(folder, tmp_path / "wheel")
    load_from(folder, tmp_path / "cache")
    for rules in (
        load_from(folder, None),
        load_from(folder, tmp_path / "cache"),
        load_from(tmp_path / "wheel", None),
    ):
        assert rules.broken == ()
        rule = rules.by_code["SGL901"]
        assert rule.releases == ">=0.5.18,<0.5.20 | >=0.5.20"
        assert rule.fixes[0].set == {"--a": "quiet"}
        assert rules.examples["SGL901"][0]["expect"] == "finding"
        facts = Facts({"args.a": "LOUD"}, {}, lambda name: None)
        assert evaluate(rule.cases[0].when.node, facts).truth is True


def test_an_edited_rule_file_is_compiled_again(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    load_from(folder, cache)
    file = folder / "voice" / "SGL901-shouting.toml"
    file.write_text(RULE.replace("A flag shouts.", "A flag roars."), encoding="utf-8")
    os.utime(file, ns=(1, 1))
    assert load_from(folder, cache).by_code["SGL901"].summary == "A flag roars."


def test_an_unchanged_checkout_is_not_compiled_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_from(folder, tmp_path)
    monkeypatch.setattr(bundle, "compile_bundle", lambda *_: pytest.fail("compiled again"))
    assert "SGL901" in load_from(folder, tmp_path).by_code


@pytest.mark.parametrize("rubbish", [b"", b"{", b"[]", b'{"format": 0}', b"\xff\x00"])
def test_a_corrupt_cache_is_made_anew(folder: Path, tmp_path: Path, rubbish: bytes) -> None:
    (tmp_path / bundle.BUNDLE).write_bytes(rubbish)
    assert "SGL901" in load_from(folder, tmp_path).by_code


def test_a_cache_that_cannot_be_written_costs_nothing(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    assert "SGL901" in load_from(folder, tmp_path / "file" / "cache").by_code


def test_a_broken_rule_file_costs_only_itself(folder: Path) -> None:
    (folder / "voice" / "SGL903-broken.toml").write_text("code = ", encoding="utf-8")
    rules = load_from(folder, None)
    assert list(rules.by_code) == ["SGL901"]
    assert len(rules.broken) == 1
    assert rules.broken[0].startswith("voice/SGL903-broken.toml:1:8: not TOML")


def test_a_wheel_is_not_built_with_a_broken_rule_file(folder: Path, tmp_path: Path) -> None:
    (folder / "voice" / "SGL903-broken.toml").write_text("code = ", encoding="utf-8")
    with pytest.raises(RuleError, match="SGL903-broken"):
        write_bundle(folder, tmp_path / "wheel")


def test_codes_and_file_names_agree_and_are_used_once(folder: Path) -> None:
    (folder / "voice" / "SGL904-shouting.toml").write_text(RULE, encoding="utf-8")
    (folder / "voice" / "SGL905-other.toml").write_text(RULE.replace("SGL901", "SGL905"), encoding="utf-8")
    broken = load_from(folder, None).broken
    assert "is taken by another rule file" in broken[0]
    assert "name the file SGL905-shouting.toml" in broken[1]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('severity = "error"', 'severity = "fatal"', 3, "`severity` must be one of error, warning, info, hint"),
        ('stage = "arguments"', 'stage = "later"', 4, "`stage` must be one of parse, arguments"),
        ('stage = "arguments"\n', "", 3, "an error strikes at a stage"),
        ('summary = "A flag shouts."\n', "", 1, "`summary` is missing"),
        ('code = "SGL901"', 'code = "SGL1"', 1, "`code` must be capital letters and three digits"),
        ("order = 10", 'order = "10"', 20, "`order` must be a whole number"),
        ("order = 10", "ordre = 10", 20, "`ordre` is no key here; use one of check, evidence"),
        ('releases = ">=0.5.20"', 'releases = "0.5.20"', 19, "`releases` must be bounds such as"),
        ("when = \"args.a == 'LOUD'\"", 'when = "args.a ="', 14, "not an expression"),
        ("when = \"args.a == 'LOUD'\"", 'when = "True"', 14, "looks at no fact"),
        ('head = "do not shout"', f'head = "{"x" * 61}"', 15, "at most 60 characters"),
        ('set = { "--a" = "quiet" }\n', "", 28, "the fix changes nothing"),
        ('{ "--a" = "quiet" }', '{ "a" = "quiet" }', 29, "`set` must map flags to texts"),
        ('safety = "safe"', 'safety = "display-only"', 30, "needs a `reason`"),
        ('expect = "finding"', 'expect = "error"', 36, "`expect` must be one of finding, clean, unknown"),
        ('related = [["--b", "asks for it"]]', 'related = ["--b"]', 9, "`related` must be a list of pairs"),
    ],
)
def test_mistakes_are_named_with_place_and_remedy(old: str, new: str, line: int, message: str) -> None:
    text = RULE.replace(old, new)
    assert text != RULE
    with pytest.raises(RuleError) as caught:
        compile_rule(text, "voice/SGL901-shouting.toml")
    assert str(caught.value).startswith(f"voice/SGL901-shouting.toml:{line}:")
    assert message in str(caught.value)


def test_a_rule_of_the_command_line_has_no_cases() -> None:
    start = RULE.index("[[case]]")
    syntax = RULE[:start].replace('stage = "arguments"', 'problem = "ambiguous"\nstage = "parse"')
    rule, _ = compile_rule(syntax, "voice/SGL901-shouting.toml")
    assert rule["problem"] == "ambiguous"
    with pytest.raises(RuleError, match="either"):
        compile_rule(RULE.replace('stage = "arguments"', 'stage = "arguments"\nproblem = "type"'), "voice/x.toml")
