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
from sglint.settings import Settings
from sglint.text import Document

TEXT = (Path(__file__).parents[2] / "rules" / "README.md").read_text(encoding="utf-8")
NAME, RULE = re.findall(r"```toml rules/(\S+)\n(.*?)```", TEXT, re.DOTALL)[0]
COMPILED, EXAMPLES = source.compile_rule(RULE, NAME)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example["expect"]))
def test_the_example_rule_does_what_its_examples_say(example: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / NAME
    file.parent.mkdir(parents=True)
    file.write_text(RULE, encoding="utf-8")
    settings = Settings(release=example["release"], rules=(str(tmp_path),), ignore=("SGL401",))
    report = lint(Document("x.sh", example["text"], "shell"), settings)
    found = [finding for finding in report.findings if finding.code == COMPILED["code"]]
    undecided = [finding for finding in report.findings if finding.code == "SGL010"]
    assert bool(found) == (example["expect"] == "finding")
    assert any(COMPILED["code"] in finding.message for finding in undecided) == (example["expect"] == "unknown")
    fixes = [fix.title for finding in found for fix in finding.fixes]
    assert fixes == (["Leave the ratio to the release"] if found else [])


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
