"""Launches against the releases they are meant to work with."""

from __future__ import annotations

from sglint.lint import lint
from sglint.rules.findings import Finding
from sglint.settings import Settings
from sglint.text import Document

TEXT = "python -m sglang.launch_server --model-path a --mamba-scheduler-strategy auto\n"


def told(targets: str | None, release: str = "0.5.18", text: str = TEXT) -> list[Finding]:
    report = lint(Document("a.sh", text, "shell"), Settings(release=release, target_releases=targets))
    return [finding for finding in report.findings if finding.code == "SGL017"]


def test_refusing_releases_are_named_with_the_rule() -> None:
    (finding,) = told(">=0.5.18,<0.5.22")
    assert finding.message.endswith("0.5.20, 0.5.21 by SGL037.")
    assert TEXT[finding.span.start : finding.span.end] == "sglang.launch_server"


def test_a_launch_that_all_targets_accept_is_not_told_of() -> None:
    assert told(">=0.5.17,<0.5.20") == []
    assert told(None) == []


def test_a_launch_refused_already_is_told_once() -> None:
    assert told(">=0.5.18", release="0.5.20") == []


def test_nothing_is_told_where_nothing_starts() -> None:
    assert told(">=0.5.18", text="echo sglang\n") == []


def hinted(words: str) -> list[Finding]:
    text = f"python -m sglang.launch_server --model-path a {words}\n"
    report = lint(Document("a.sh", text, "shell"), Settings())
    return [finding for finding in report.findings if finding.code == "SGL017"]


def test_where_nothing_names_a_release_those_of_the_last_four_that_refuse_are_a_hint() -> None:
    (finding,) = hinted("--attn-dp-size 1")
    assert finding.severity == "hint"
    assert "is read as 0.5.23, the newest known" in finding.message
    assert "0.5.20, 0.5.21 by SGL038." in finding.message


def test_a_launch_that_the_last_four_accept_has_no_hint() -> None:
    assert hinted("--tp 2") == []


def test_a_launch_that_names_its_release_has_no_hint() -> None:
    assert hinted("--attn-dp-size 1 # sglint: release=0.5.23") == []
