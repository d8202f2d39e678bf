"""A run of ``fix`` that is killed, or that has no room, leaves every file either as it was or wholly fixed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Cli
from .launches import DEPLOYMENT

SERVER = Path(__file__).parents[2] / "server"
FILES = 5

STOPPING = """
import os, pathlib, sys, time

def stop_at(number, original):
    calls = iter(range(1, 1000))
    def call(*words):
        if next(calls) == number:
            print("here", flush=True)
            time.sleep(600)
        return original(*words)
    return call

from sglint.rules import load
load()  # what it keeps of rules that have just changed is no file of the user's

where, number = sys.argv[1], int(sys.argv[2])
if where == "written":
    os.fsync = stop_at(number, os.fsync)
elif where == "moved":
    pathlib.Path.replace = stop_at(number, pathlib.Path.replace)
elif where == "told":
    from sglint.cli import fix
    fix._told = stop_at(number, fix._told)
from sglint.cli.app import run
sys.exit(run(["fix", "--unsafe", "."]))
"""


def environment(fleet: Cli) -> dict[str, str]:
    """What other checkouts keep of their rules is none of this run's business."""
    cache = fleet.folder.with_name(f"{fleet.folder.name}-cache")
    return {**os.environ, "PYTHONPATH": str(SERVER), "XDG_CACHE_HOME": str(cache)}


@pytest.fixture
def fleet(cli: Cli) -> Cli:
    for number in range(FILES):
        cli.write(f"{number}.yaml", DEPLOYMENT.replace("name: gpt-oss", f"name: llm-{number}"))
    return cli


def names(text: bytes) -> bytes:
    return re.sub(rb"llm-\d", b"llm", text)


def fixed(fleet: Cli) -> bytes:
    """What every file becomes, up to its name."""
    other = fleet.write("other/x.yaml", DEPLOYMENT.replace("name: gpt-oss", "name: llm-0"))
    assert fleet("fix", "--unsafe", "other").code == 0
    text = other.read_bytes()
    other.unlink()
    return names(text)


@pytest.mark.parametrize(
    ("where", "number"), [("written", 1), ("moved", 1), ("told", 1), ("written", 3), ("moved", 3), ("told", 4)]
)
def test_a_killed_run_leaves_each_file_old_or_new(fleet: Cli, where: str, number: int) -> None:
    new, old = fixed(fleet), names((fleet.folder / "0.yaml").read_bytes())
    with subprocess.Popen(
        [sys.executable, "-c", STOPPING, where, str(number)],
        cwd=fleet.folder,
        stdout=subprocess.PIPE,
        env=environment(fleet),
    ) as process:
        assert process.stdout is not None
        assert any(line == b"here\n" for line in process.stdout)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    done = number if where == "told" else number - 1
    found = [names((fleet.folder / f"{file}.yaml").read_bytes()) for file in range(FILES)]
    assert found == [new] * done + [old] * (FILES - done)

    left = list(fleet.folder.glob(".*.sglint"))
    assert len(left) == (where != "told")
    for path in left:
        os.utime(path, (1, 1))
    again = fleet("fix", "--unsafe", ".")
    assert (again.code, again.out.splitlines()[-1]) == (
        0,
        f"{FILES - done} {'file' if FILES - done == 1 else 'files'} changed",
    )
    assert [names((fleet.folder / f"{file}.yaml").read_bytes()) for file in range(FILES)] == [new] * FILES
    assert list(fleet.folder.glob(".*.sglint")) == []


FULL = """
import resource, sys
from sglint.cli.app import run
resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
sys.exit(run(["fix", "--unsafe", "."]))
"""


def test_without_room_nothing_is_lost(fleet: Cli) -> None:
    before = {path.name: path.read_bytes() for path in fleet.folder.glob("*.yaml")}
    result = subprocess.run(
        [sys.executable, "-c", FULL],
        cwd=fleet.folder,
        capture_output=True,
        text=True,
        env=environment(fleet),
        check=False,
    )
    assert result.returncode == 2
    assert result.stderr.splitlines() == [f"sglint: {number}.yaml: file too large" for number in range(FILES)]
    assert result.stdout == "0 files changed\n"
    assert {path.name: path.read_bytes() for path in fleet.folder.iterdir() if path.is_file()} == before
