"""Hooks, action, matcher and template: their steps really run, and say what they should."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from sglint.cli import app
from sglint.report.text import render_concise

from ..cli.launches import CLEAN, DEPLOYMENT, SCRIPT
from ..report.samples import RUN

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
TEMPLATE = yaml.safe_load((ROOT / "integrations" / "gitlab" / "sglint.gitlab-ci.yml").read_text(encoding="utf-8"))


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """The environment of a step; the installed program stands where the first step would put it."""
    temp = tmp_path / "runner"
    (temp / "sglint" / "bin").mkdir(parents=True)
    program = temp / "sglint" / "bin" / "sglint"
    package = ROOT / "server"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{package}" exec "{sys.executable}" -m sglint "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    work = tmp_path / "work tree"
    work.mkdir()
    (work / "a b.yaml").write_text(DEPLOYMENT, encoding="utf-8")
    (work / "clean.sh").write_text(CLEAN, encoding="utf-8")
    return {"PATH": os.environ["PATH"], "RUNNER_TEMP": str(temp), "GITHUB_WORKSPACE": str(work)}


def step(environment: dict[str, str], **inputs: str) -> subprocess.CompletedProcess[str]:
    """Runs the action's check as a runner would, with its inputs or their defaults."""
    (check,) = [found for found in ACTION["runs"]["steps"] if found["name"] == "Check"]
    given = {name: str(told["default"]) for name, told in ACTION["inputs"].items()} | inputs
    variables = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], text)
        for name, text in check["env"].items()
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check["run"]],
        cwd=environment["GITHUB_WORKSPACE"],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_actions_step_annotates_and_fails(runner: dict[str, str]) -> None:
    done = step(runner)
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=a b.yaml,line=16,")
    assert done.stderr == ""


def test_the_actions_inputs(runner: dict[str, str]) -> None:
    assert step(runner, paths="clean.sh\n").returncode == 0
    assert step(runner, paths="a b.yaml\nclean.sh", **{"fail-on": "never"}).returncode == 0
    assert step(runner, arguments="--ignore=SGL101\n\n--gpu=h100\n").returncode == 0
    assert step(runner, paths="nowhere").returncode == 2


def test_the_action_writes_sarif_also_when_it_fails(runner: dict[str, str]) -> None:
    assert step(runner, sarif="out.sarif").returncode == 1
    log = json.loads((Path(runner["GITHUB_WORKSPACE"]) / "out.sarif").read_text(encoding="utf-8"))
    assert next(result["ruleId"] for result in log["runs"][0]["results"]) == "SGL101"


def test_no_input_of_the_action_is_code(runner: dict[str, str]) -> None:
    """Inputs reach the scripts as variables only: one in a script's text could end a command."""
    assert all("${{" not in found["run"] for found in ACTION["runs"]["steps"])
    done = step(runner, paths="$(touch owned); `touch owned`", arguments="--gpu=h100; touch owned")
    assert done.returncode == 2
    assert not list(Path(runner["GITHUB_WORKSPACE"]).glob("owned*"))


def test_the_matcher_reads_the_concise_format() -> None:
    text = (ROOT / "integrations" / "github" / "problem-matcher.json").read_text(encoding="utf-8")
    ((pattern,),) = [matcher["pattern"] for matcher in json.loads(text)["problemMatcher"]]
    found = [re.match(pattern["regexp"], line) for line in render_concise(RUN)]
    places = [(m[pattern["file"]], m[pattern["line"]], m[pattern["column"]], m[pattern["code"]]) for m in found if m]
    assert places == [("deploy/start.sh", "2", "1", "SGL005"), ("deploy/start.sh", "5", "2", "SGL101")]


def test_gitlabs_commands_run_and_the_last_one_decides(runner: dict[str, str]) -> None:
    job = TEMPLATE["sglint"]
    program = Path(runner["RUNNER_TEMP"]) / "sglint" / "bin"
    script = [command for command in job["script"] if "pip install" not in command]
    assert len(script) == len(job["script"]) - 1
    environment = {**runner, **job["variables"], "PATH": f"{program}{os.pathsep}{runner['PATH']}"}
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(script)],
        cwd=runner["GITHUB_WORKSPACE"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    work = Path(runner["GITHUB_WORKSPACE"])
    for kind, name in job["artifacts"]["reports"].items():
        assert (work / name).stat().st_size > 100, kind


def test_hooks_name_commands_that_there_are() -> None:
    assert [hook["id"] for hook in HOOKS] == ["sglint", "sglint-fix"]
    for hook in HOOKS:
        program, command, *_ = hook["entry"].split()
        assert (program, hook["language"]) == ("sglint", "python")
        assert command in app.COMMANDS


@pytest.mark.parametrize(("text", "code"), [(SCRIPT, 1), (CLEAN, 0)])
def test_a_hook_gets_files_behind_its_entry(tmp_path: Path, text: str, code: int) -> None:
    (tmp_path / "a.sh").write_text(text, encoding="utf-8")
    _, *words = HOOKS[0]["entry"].split()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    command = [sys.executable, "-m", "sglint", *words, "a.sh"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == code
