"""More processes change nothing but the time: same output, same order, and nothing is lost when one dies."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from sglint import lint
from sglint.cli import attempts, linting, options, parallel
from sglint.cli.check import FORMATS
from sglint.report.codeclimate import issues
from sglint.report.json import check_json
from sglint.report.junit import junit
from sglint.report.run import Run
from sglint.report.sarif import sarif_log
from sglint.report.style import Style
from sglint.report.text import render
from sglint.rules.findings import Report
from sglint.settings import Settings
from sglint.text import Document, Sources
from sglint.text.document import LANGUAGES

from .conftest import Cli
from .launches import CLEAN, DEPLOYMENT, SCRIPT

CASES = Path(__file__).parents[2].parent / "shared" / "cases"


@pytest.fixture
def fleet(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Files enough for processes."""
    monkeypatch.setattr(attempts, "WORTH_PROCESSES", 6)
    for number in range(4):
        cli.write(f"team-{number}/a.yaml", DEPLOYMENT.replace("name: gpt-oss", f"name: llm-{number}"))
        cli.write(f"team-{number}/b.sh", CLEAN)
    cli.write("team-0/c.sh", SCRIPT)
    cli.write("team-1/sglint.toml", 'releese = "0.5.18"\n')
    cli.write("team-2/sglint.toml", 'ignore = ["SGL101"]\n')
    cli.write("chart/values.yaml", "args: [--tp-size=2, --no-such-flag]\n")
    return cli


@pytest.mark.parametrize("wanted", FORMATS)
def test_output_does_not_depend_on_the_number_of_processes(fleet: Cli, wanted: str) -> None:
    alone = fleet("check", "--format", wanted, "-j", "1")
    assert fleet("check", "--format", wanted, "-j", "3") == alone
    assert "team-1" in alone.out and "SGL012" in alone.out


def test_a_baseline_does_not_depend_on_it_either(fleet: Cli) -> None:
    (fleet.folder / "team-1" / "sglint.toml").unlink()
    written = []
    for jobs in ("1", "3"):
        assert fleet("baseline", "-j", jobs).code == 0
        written.append((fleet.folder / "sglint-baseline.json").read_text())
    assert written[0] == written[1]


def test_processes_are_used_from_enough_files_on(fleet: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    here: list[str] = []
    judged_by = attempts.attempt

    def attempt(*words: object, **named: object) -> attempts.Attempt:
        here.append("file")
        return judged_by(*words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(attempts, "attempt", attempt)
    fleet("check", "-j", "3")
    assert here == []
    fleet("check", "-j", "3", "team-0")
    assert len(here) == 3


def test_a_bug_in_a_process_is_one_line_and_the_rest_is_told(fleet: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    linted = lint.lint

    def failing(document: object, *words: object, **named: object) -> Report:
        if getattr(document, "path", "") == "team-0/a.yaml":
            raise RuntimeError("spilt milk")
        return linted(document, *words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(lint, "lint", failing)
    result = fleet("check", "-j", "3", "--format", "json")
    assert result.code == 3
    (line,) = result.err.splitlines()
    assert line.startswith("sglint: internal error in linting team-0/a.yaml: RuntimeError: spilt milk")
    assert len(result.json["launches"]) == 8


def test_a_process_that_is_killed_costs_nothing(
    fleet: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    expected = fleet("check", "-j", "1")
    mark = tmp_path_factory.mktemp("killed") / "mark"
    linted = lint.lint
    parent = os.getpid()

    def killed(document: object, *words: object, **named: object) -> Report:
        if getattr(document, "path", "") == "team-3/a.yaml" and os.getpid() != parent:
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return linted(document, *words, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(lint, "lint", killed)
    assert fleet("check", "-j", "2") == expected
    assert mark.exists()


def test_a_report_that_cannot_leave_its_process_is_found_again_here(
    fleet: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = fleet("check", "-j", "1")
    monkeypatch.setattr(parallel, "portable", lambda report: lambda: report)
    assert fleet("check", "-j", "2") == expected


RENDERERS: list[Callable[[Run], object]] = [
    lambda run: list(render(run, Style(), "all")),
    check_json,
    lambda run: sarif_log(run, {}),
    lambda run: junit(run, ("error",)),
    issues,
]


def test_what_leaves_a_process_renders_as_what_stays() -> None:
    """Every case of every notation, through every format."""
    files = sorted(path for path in (CASES / "extraction").rglob("*") if path.suffix in LANGUAGES)
    assert len(files) > 50
    for path in files:
        document = Document(path.name, path.read_bytes().decode("utf-8", "replace"), LANGUAGES[path.suffix])
        report = lint.lint(document, Settings(), Sources(lambda name: None), fixes=False)
        moved = pickle.loads(pickle.dumps(parallel.portable(report)))
        for renderer in RENDERERS:
            assert renderer(Run((moved,))) == renderer(Run((report,))), path


@pytest.mark.parametrize("jobs", ["0", "-1", "many", "1.5"])
def test_a_number_that_is_none(cli: Cli, jobs: str) -> None:
    result = cli("check", f"--jobs={jobs}")
    assert (result.code, result.out) == (2, "")
    assert "must be a whole number from 1 on" in result.err


def test_the_default_is_as_many_as_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3, 5}, raising=False)
    assert options.cores() == 3


def test_a_file_that_vanishes_during_the_scan_is_skipped(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("a.sh", CLEAN)
    cli.write("b.sh", CLEAN)
    templates = linting.templates

    def vanishing(*words: object) -> object:
        Path("a.sh").unlink(missing_ok=True)
        return templates(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(linting, "templates", vanishing)
    result = cli("check", "--format", "json")
    assert result.code == 2
    assert result.json["files"]["skipped"] == [{"path": "a.sh", "reason": "no such file or directory"}]
    assert len(result.json["launches"]) == 1
