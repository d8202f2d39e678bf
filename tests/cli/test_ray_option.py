"""``--ray`` where there is no Ray, or none to be reached."""

from __future__ import annotations

import sys

import pytest

from .conftest import Cli
from .launches import DEPLOYMENT


def test_without_the_library_the_remedy_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    monkeypatch.setitem(sys.modules, "ray", None)
    done = cli("check", "--ray", "local")
    assert done.code == 2
    assert done.err == "sglint: --ray needs the Ray library: `pip install 'sglint[ray]'`\n"
    assert done.out == ""


def test_watching_is_for_one_machine(cli: Cli) -> None:
    done = cli("check", "--ray", "local", "--watch")
    assert done.code == 2
    assert "--ray" in done.err
