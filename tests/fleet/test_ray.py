"""Workers of a Ray cluster change nothing but the time: the same bytes, whatever they see, know or survive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import ray

from sglint.cli import attempts
from sglint.cli import ray as by_ray
from sglint.cli.check import FORMATS
from sglint.rules.findings import Report

from ..cli.conftest import Cli
from ..cli.launches import DEPLOYMENT

pytestmark = pytest.mark.ray

SERVER = Path(__file__).parents[2] / "server"


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are linted in this process."""
    here: list[str] = []
    really = by_ray.attempt

    def attempt(found: object, *words: object, **named: object) -> attempts.Attempt:
        here.append(getattr(found, "path", ""))
        return really(found, *words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(by_ray, "attempt", attempt)
    return here


@pytest.mark.parametrize("wanted", FORMATS)
def test_every_format_is_the_same_byte_for_byte(fleet: Cli, monkeypatch: pytest.MonkeyPatch, wanted: str) -> None:
    alone = fleet("check", "--format", wanted, "-j", "1")
    here = counted(monkeypatch)
    assert fleet("check", "--format", wanted, "--ray", "local") == alone
    assert here == []
    assert "team-1" in alone.out and "SGL101" in alone.out


def test_objects_of_a_cluster_are_spread_too(fleet: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    items = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"llm-{number}", "namespace": "prod"},
            "spec": {
                "containers": [
                    {
                        "name": "s",
                        "image": "lmsysorg/sglang:v0.5.18",
                        "args": ["--no-such-flag"],
                        "command": ["python3", "-m", "sglang.launch_server"],
                    }
                ]
            },
        }
        for number in range(40)
    ]
    fleet.write("dump/pods.json", json.dumps({"apiVersion": "v1", "kind": "PodList", "items": items}, indent=4))
    words = ("check", "--cluster-dump", "dump", "--format", "json")
    alone = fleet(*words, "-j", "1")
    here = counted(monkeypatch)
    assert fleet(*words, "--ray", "local") == alone
    assert here == []
    assert len(alone.json["launches"]) == len(items)


DYING = """
import os, signal, sys
from sglint.cli import app, ray
really, mark = ray._lint_there, sys.argv[1]
ray.RETRIES = 1 if mark == "always" else ray.RETRIES

def lint_there(given, handful):
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return really(given, handful)
    os.kill(os.getpid(), signal.SIGKILL)

def die(given, handful):
    os.kill(os.getpid(), signal.SIGKILL)

ray._lint_there = die if mark == "always" else lint_there
sys.exit(app.run(sys.argv[2:]))
"""


def with_dying_workers(fleet: Cli, mark: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A run with a Ray of its own, of which the first worker dies at its first work (and makes the file ``mark``)."""
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    command = [sys.executable, "-c", DYING, mark, "check", "--format", "json", "--ray", "local", "-j", "2", *words]
    return subprocess.run(command, cwd=fleet.folder, env=environment, capture_output=True, text=True, check=False)


def test_a_worker_that_is_killed_costs_nothing(fleet: Cli, tmp_path: Path) -> None:
    """Ray gives its work to another, and what Ray says of it does not get into the report."""
    alone = fleet("check", "--format", "json", "-j", "1")
    mark = tmp_path.parent / f"{tmp_path.name}-killed"
    done = with_dying_workers(fleet, str(mark))
    assert (done.returncode, done.stdout) == (alone.code, alone.out)
    assert mark.exists()
    assert "linted here" not in done.stderr


def test_work_that_kills_every_worker_is_done_here(fleet: Cli) -> None:
    alone = fleet("check", "--format", "json", "-j", "1", "team-0")
    done = with_dying_workers(fleet, "always", "team-0")
    assert (done.returncode, done.stdout) == (alone.code, alone.out)
    assert "sglint: linted here: 3 because workers were lost\n" in done.stderr


def test_a_worker_that_sees_other_files_is_not_believed(fleet: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder lacks what a script sources, so its report would lack a model."""
    alone = fleet("check", "--format", "json", "-j", "1", "team-3")
    really = by_ray._lint_there
    elsewhere = str(fleet.write("elsewhere/empty", "").parent)

    def astray(given: by_ray.Given, handful: by_ray.Handful) -> object:
        moved = by_ray.Given(given.program, given.linted, given.fixes, elsewhere, given.models)
        return really(moved, handful)

    monkeypatch.setattr(by_ray, "_lint_there", astray)
    here = counted(monkeypatch)
    done = fleet("check", "--format", "json", "--ray", "local", "team-3")
    assert (done.code, done.out) == (alone.code, alone.out)
    assert "team-3/d.sh" in here
    assert "see other files" in done.err


def test_a_worker_with_another_sglint_is_refused(fleet: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_ray, "program", lambda: b"another")
    done = fleet("check", "--ray", "local")
    assert done.code == 2
    assert "another SGLint" in done.err and len(done.err.splitlines()) == 1


def test_rules_of_the_users_own_hold_there(fleet: Cli) -> None:
    rule = (
        'code = "ACME001"\nname = "a"\nseverity = "warning"\nstage = "arguments"\nsummary = "S."\n'
        'message = "Ours."\nexplanation = "E."\nat = ["--model-path"]\n'
        '[[case]]\nreleases = ">=0.5.15"\norder = 1\nwhen = "args.tp_size >= 1"\nhead = ""\n'
        'evidence = ["ours"]\n'
    )
    fleet.write("lint-rules/ACME001-a.toml", rule)
    fleet.write("sglint.toml", 'rules = ["lint-rules"]\n')
    alone = fleet("check", "--format", "json", "-j", "1")
    assert fleet("check", "--format", "json", "--ray", "local") == alone
    assert "ACME001" in alone.out


def test_what_workers_found_is_kept_for_a_later_run(fleet: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SGLINT_NO_CACHE")
    kept = ("--cache-dir", str(fleet.folder.parent / f"{fleet.folder.name}-cache"), "--format", "json")
    first = fleet("check", "--ray", "local", *kept)
    here = counted(monkeypatch)
    linted: list[object] = []
    monkeypatch.setattr(attempts, "attempt", lambda *words, **named: linted.append(words))
    assert fleet("check", "-j", "1", *kept) == first
    assert here == linted == []


def test_a_bug_in_a_worker_is_one_line(fleet: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    really = by_ray._lint_there

    def buggy(given: by_ray.Given, handful: by_ray.Handful) -> object:
        from sglint import lint

        linted = lint.lint

        def failing(document: object, *words: object, **named: object) -> Report:
            if getattr(document, "path", "") == "team-0/a.yaml":
                raise RuntimeError("spilt milk")
            return linted(document, *words, **named)  # type: ignore[arg-type]

        lint.lint = failing
        try:
            return really(given, handful)
        finally:
            lint.lint = linted

    monkeypatch.setattr(by_ray, "_lint_there", buggy)
    done = fleet("check", "--format", "json", "--ray", "local", "team-0", "team-4")
    assert done.code == 3
    assert "spilt milk" in done.err and len(done.err.splitlines()) == 1
    assert {launch["path"] for launch in done.json["launches"]} > {"team-4/a.yaml", "team-0/c.sh"}


def test_nothing_is_started_for_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("a.txt", DEPLOYMENT)
    monkeypatch.setattr(ray, "is_initialized", lambda: pytest.fail("Ray was asked"))
    assert cli("check", "--ray", "nowhere:1").code == 0
