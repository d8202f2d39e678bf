"""``sglint explain`` and ``sglint rules``: every code that can appear has its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sglint import rules
from sglint.report.notices import notices

from .conftest import Cli
from .launches import DEPLOYMENT

PACKAGE = Path(rules.__file__).parents[1]
NOTICES = {notice.code: notice for notice in notices()}


def codes_in_the_program() -> dict[str, str]:
    """Codes that modules name, with the name that stands beside them where one does."""
    found: dict[str, str] = {}
    for module in PACKAGE.rglob("*.py"):
        for code, name in re.findall(r'"(SGL\d{3})"(?:[,:]\s*"([a-z0-9-]+)")?', module.read_text(encoding="utf-8")):
            found[code] = found.get(code) or name
    return found


def test_every_code_the_program_names_has_a_page() -> None:
    assert codes_in_the_program().keys() <= NOTICES.keys() | rules.load().by_code.keys()


def test_pages_and_findings_use_the_same_names() -> None:
    named = {code: name for code, name in codes_in_the_program().items() if name and code in NOTICES}
    assert named == {code: NOTICES[code].name for code in named}


def test_a_notice_shares_no_code_with_a_rule() -> None:
    assert NOTICES.keys().isdisjoint(rules.load().by_code)


@pytest.mark.parametrize("code", [*NOTICES, *rules.load().by_code])
def test_every_code_can_be_explained(cli: Cli, code: str) -> None:
    result = cli("explain", code)
    assert result.code == 0
    assert result.out.startswith(f"{code} ")
    assert all(len(line) <= 100 or line.startswith(("    ", "  seen in")) for line in result.out.splitlines())


def test_the_seed_rule_tells_its_story(cli: Cli) -> None:
    text = cli("explain", "spec-on-unified-swa-pool").out
    for piece in ("virtual id", "upstream check  UM-SEED", ">=0.5.18", "Ways out", "SGLang 0.5.21", ": fine\n"):
        assert piece in text


def test_explain_shows_where_a_rule_holds(cli: Cli) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    assert "a.yaml:16:15" in cli("explain", "sgl101", "a.yaml").out
    assert cli("explain", "SGL105", "a.yaml").out.endswith("it does not hold for any launch there\n")


def test_a_misspelt_code_is_answered_with_the_nearest(cli: Cli) -> None:
    result = cli("explain", "spec-on-unified-pool")
    assert result.code == 2
    assert result.err.endswith("did you mean spec-on-unified-swa-pool?\n")


def test_the_list_has_a_line_for_every_rule(cli: Cli) -> None:
    lines = cli("rules").out.splitlines()
    assert [line.split()[0] for line in lines] == sorted([*NOTICES, *rules.load().by_code])


def test_the_list_as_data_carries_examples_and_evidence(cli: Cli) -> None:
    pages = {page["code"]: page for page in cli("rules", "--format", "json").json["rules"]}
    seed = pages["SGL101"]
    assert {example["expect"] for example in seed["examples"]} == {"finding", "clean", "unknown"}
    assert seed["cases"][0]["check"] == "UM-SEED"
    assert seed["cases"][0]["evidence"]


def test_markdown_has_a_page_for_every_rule(cli: Cli) -> None:
    text = cli("rules", "--format", "markdown").out
    assert text.count("\n# SGL") + 1 == len(NOTICES) + len(rules.load().rules)
    assert text.count("```") % 2 == 0
