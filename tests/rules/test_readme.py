"""What rules/README.md says of the rule format holds: its rule works, and its tables name what there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sglint import rules
from sglint.lint.engine import lint
from sglint.resolution.space import DERIVED
from sglint.rules import source
from sglint.rules.bundle import rules_from
from sglint.rules.model import RuleSet
from sglint.settings import Settings
from sglint.text import Document

TEXT = (Path(__file__).parents[2] / "rules" / "README.md").read_text(encoding="utf-8")
NAME, RULE = re.findall(r"```toml rules/(\S+)\n(.*?)```", TEXT, re.DOTALL)[0]
COMPILED, EXAMPLES = source.compile_rule(RULE, NAME)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["expect"]))
def test_the_example_rule_does_what_its_examples_say(example: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    only = RuleSet(rules_from([COMPILED]), dict)
    monkeypatch.setattr(rules, "load", lambda: only)
    report = lint(Document("x.sh", example["text"], "shell"), Settings(release=example["release"]))
    found = {finding.code for finding in report.findings}
    told = {"finding": COMPILED["code"], "unknown": "SGL010"}.get(example["expect"])
    assert found == ({told} if told else set())
    if example["expect"] == "finding":
        assert [fix.title for finding in report.findings for fix in finding.fixes] == ["Leave the ratio to the release"]


def test_the_example_rule_has_no_code_of_a_real_one() -> None:
    assert COMPILED["code"] not in rules.load().by_code
    assert NAME.endswith(f"/{COMPILED['code']}-{COMPILED['name']}.toml")


@pytest.mark.parametrize(
    ("heading", "keys"),
    [
        ("## The file", set(source._RULE) - {"case", "fix", "example"}),
        ("### `[[case]]`", set(source._CASE)),
        ("### `[[fix]]`", set(source._FIX)),
        ("### `[[example]]`", set(source._EXAMPLE)),
    ],
)
def test_each_table_names_every_key(heading: str, keys: set[str]) -> None:
    section = re.split(r"\n##", TEXT[TEXT.index(heading) + 3 :])[0]
    first_cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert {key for cell in first_cells for key in re.findall(r"`([a-z_]+)`", cell)} == keys


def test_every_derived_fact_it_names_exists() -> None:
    named = set(re.findall(r"resolved\.\w+", TEXT))
    assert len(named) > 15
    assert named <= set(DERIVED)
