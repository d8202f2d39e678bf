"""The demo folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli

ROOT = Path(__file__).parents[2]


@pytest.fixture
def in_checkout(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(ROOT)
    return cli


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
