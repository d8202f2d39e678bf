"""``sglint upstream``: a new release in one command, and what it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..upstream.release import CALLS, FILES, write_release
from .conftest import Cli

NEWER = {
    **FILES,
    "srt/server_args.py": CALLS.replace('"--port", type=int', '"--http-port", dest="port", type=int').replace(
        "group = parser",
        'if parser is None:\n                raise ValueError("no parser")\n            group = parser',
    ),
}


@pytest.fixture
def older(tmp_path: Path) -> str:
    return str(write_release(tmp_path / "older", FILES, "0.9.1"))


@pytest.fixture
def newer(tmp_path: Path) -> str:
    return str(write_release(tmp_path / "newer", NEWER, "0.9.2"))


def test_flags_of_a_release(cli: Cli, older: str) -> None:
    result = cli("upstream", "flags", older)
    assert result.code == 0
    assert "0.9.1  --port: int = 30000" in result.out.splitlines()
    assert [release["release"] for release in cli("upstream", "flags", older, "--format", "json").json["releases"]] == [
        "0.9.1"
    ]


def test_into_a_catalogue_tells_what_the_release_changes(cli: Cli, older: str, newer: str) -> None:
    assert cli("upstream", "flags", older, "--into", "flags.jsonl").out == "flags.jsonl: 1 releases, 0.9.1 to 0.9.1\n"
    assert cli("upstream", "flags", newer, "--into", "flags.jsonl").out.splitlines() == [
        "0.9.1 to 0.9.2:",
        "- --port",
        "+ --http-port",
        "1 removed, 1 added, 0 changed",
        "flags.jsonl: 2 releases, 0.9.1 to 0.9.2",
    ]


def test_checks_of_a_release(cli: Cli, newer: str) -> None:
    assert cli("upstream", "checks", newer).out.splitlines() == [
        "srt/server_args.py:DeprecatedAction.__call__  ValueError",
        "srt/server_args.py:ServerArgs.add_cli_args  ValueError  no parser",
    ]


def test_the_difference_of_two_releases_has_flags_and_checks(cli: Cli, older: str, newer: str) -> None:
    lines = cli("upstream", "diff", older, newer).out.splitlines()
    assert lines[:2] == ["- --port", "+ --http-port"]
    assert lines[-2:] == [
        "+ srt/server_args.py:ServerArgs.add_cli_args  ValueError  no parser",
        "0 checks gone, 1 new, 0 moved",
    ]


def test_a_difference_needs_two_releases(cli: Cli, older: str) -> None:
    result = cli("upstream", "diff", older)
    assert result.code == 2
    assert "two releases" in result.err


def test_an_added_release_is_known_from_then_on(cli: Cli, newer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SGLINT_CATALOGUE", str(cli.folder / "mine"))
    assert cli("upstream", "add", newer).code == 0
    assert cli("releases").out.splitlines()[-1] == "0.9.2"
