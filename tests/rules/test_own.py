"""Rules of the user's own: found, judged and fixed like the shipped ones; mistakes are told at their place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sglint import rules
from sglint.lint import lint
from sglint.rules import load_with
from sglint.settings import Settings, load
from sglint.text import Document, apply_edits

from .making import rule

COMMAND = "python -m sglang.launch_server --model-path openai/gpt-oss-120b --port 9000\n"
OWN = rule("ACME001", "args.port == 9000", name="our-port", severity="warning", at='["--port"]') + (
    '\n[[fix]]\ntitle = "Use our port"\nset = { "--port" = "8000" }\nsafety = "safe"\n'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    own = tmp_path / "lint-rules"
    own.mkdir()
    (own / "ACME001-our-port.toml").write_text(OWN, encoding="utf-8")
    (tmp_path / "sglint.toml").write_text('release = "0.5.18"\nrules = ["lint-rules"]\n', encoding="utf-8")
    return own


def settings(folder: Path) -> Settings:
    return load(str(folder.parent / "sglint.toml"))


def test_own_rules_find_and_fix_beside_the_shipped_ones(folder: Path) -> None:
    report = lint(Document("start.sh", COMMAND + COMMAND.replace("--port", "--prot"), "shell"), settings(folder))
    codes = [finding.code for finding in report.findings]
    assert codes.count("ACME001") == 1
    assert "SGL020" in codes
    finding = next(finding for finding in report.findings if finding.code == "ACME001")
    assert report.document.text[finding.span.start : finding.span.end] == "--port"
    (fix,) = finding.fixes
    assert "--port 8000" in apply_edits(report.document.text, fix.edits)


def test_own_codes_can_be_selected_and_ignored(folder: Path) -> None:
    (folder.parent / "sglint.toml").write_text('rules = ["lint-rules"]\nignore = ["ACME"]\n')
    assert settings(folder).findings == ()
    report = lint(Document("start.sh", COMMAND, "shell"), settings(folder))
    assert "ACME001" not in [finding.code for finding in report.findings]


def test_an_edited_rule_holds_at_once(folder: Path) -> None:
    load_with((str(folder),))
    file = folder / "ACME001-our-port.toml"
    file.write_text(OWN.replace("9000", "9001"), encoding="utf-8")
    os.utime(file, ns=(1, 1))
    report = lint(Document("start.sh", COMMAND, "shell"), settings(folder))
    assert "ACME001" not in [finding.code for finding in report.findings]


def test_mistakes_are_told_with_file_and_line_and_cost_only_their_rule(folder: Path) -> None:
    (folder / "ACME002-broken.toml").write_text(
        'code = "ACME002"\nname = "broken"\nseverity = "loud"\n', encoding="utf-8"
    )
    (folder / "ACME003-latin.toml").write_bytes(b"# \xe9\n")
    found = settings(folder)
    messages = [finding.message for finding in found.findings]
    assert {finding.code for finding in found.findings} == {"SGL012"}
    assert any(f"{folder / 'ACME002-broken.toml'}:3:1: `severity` must be one of" in message for message in messages)
    assert any("ACME003-latin.toml" in message and "UTF-8" in message for message in messages)
    report = lint(Document("start.sh", COMMAND, "shell"), found)
    assert "ACME001" in [finding.code for finding in report.findings]
    (folder / "ACME002-broken.toml").unlink()
    (folder / "ACME003-latin.toml").unlink()
    assert settings(folder).findings == ()


def test_a_code_of_a_shipped_rule_is_taken(folder: Path) -> None:
    shipped = rules.load().rules[0]
    text = OWN.replace("ACME001", shipped.code).replace("our-port", "mine")
    (folder / f"{shipped.code}-mine.toml").write_text(text, encoding="utf-8")
    (mistake,) = load_with((str(folder),)).mistakes
    assert f"the code {shipped.code} is taken by {shipped.source}" in mistake


def test_a_folder_that_is_not_there_is_a_mistake_of_the_configuration(folder: Path) -> None:
    (folder.parent / "sglint.toml").write_text('rules = ["nowhere"]\n')
    (finding,) = settings(folder).findings
    assert "no such folder" in finding.message
