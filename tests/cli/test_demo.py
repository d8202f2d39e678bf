"""The demo folder and what the README shows of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli

ROOT = Path(__file__).parents[2]


@pytest.fixture
def in_checkout(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(ROOT)
    return cli


def shown_in_readme() -> tuple[str, list[str]]:
    """The command of the README's first example and the output lines it quotes."""
    block = (ROOT / "README.md").read_text(encoding="utf-8").split("```\n")[1].splitlines()
    return block[0].removeprefix("$ sglint "), [line for line in block[1:] if line.strip() != "..."]


def test_the_readme_quotes_real_output(in_checkout: Cli) -> None:
    command, quoted = shown_in_readme()
    printed = iter(in_checkout(*command.split()).out.splitlines())
    missing = [line for line in quoted if line not in printed]
    assert missing == [], "print the command anew and update the README"


def test_the_demo_shows_three_releases_and_their_verdicts(in_checkout: Cli) -> None:
    launches = in_checkout("check", "--format", "json", "demo").json["launches"]
    assert [(launch["path"], launch["release"]["value"], launch["verdict"]["code"]) for launch in launches] == [
        ("demo/helm/values.yaml", "0.5.21", None),
        ("demo/k8s/gpt-oss-120b.yaml", "0.5.18", "SGL101"),
        ("demo/scripts/gemma.sh", "0.5.19", "SGL102"),
    ]


def test_every_launch_of_the_demo_can_be_sized(in_checkout: Cli) -> None:
    launches = in_checkout("size", "--format", "json", "demo").json["launches"]
    assert len(launches) == 3
    assert all(launch["max_total_num_tokens"] > 0 for launch in launches)
