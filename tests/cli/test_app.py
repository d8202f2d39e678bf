"""Around the commands: help, exit codes, errors in one line, closed pipes, colour."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sglint import __version__
from sglint.__main__ import main
from sglint.cli import app
from sglint.cli.console import style
from sglint.cli.errors import internal_error

from .conftest import Cli

SERVER = Path(__file__).resolve().parents[2] / "server"


def process(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "sglint", *words]
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


@pytest.mark.parametrize("command", app.COMMANDS)
def test_every_command_has_help(cli: Cli, command: str) -> None:
    result = cli(command, "--help")
    assert result.code == 0
    assert result.out.startswith(f"usage: sglint {command}")


def test_the_overview_names_every_command(cli: Cli) -> None:
    result = cli("--help")
    assert result.code == 0
    assert all(f"  {command} " in result.out for command in app.COMMANDS)


def test_no_command_is_a_usage_error_with_the_overview(cli: Cli) -> None:
    result = cli()
    assert (result.code, result.out.startswith("usage: sglint COMMAND")) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chek"], "sglint: there is no command 'chek'; did you mean `sglint check`?"),
        (["frobnicate"], "sglint: there is no command 'frobnicate'; commands are check, fix"),
        (["check", "--frob"], "sglint: unrecognized arguments: --frob; `sglint check --help` lists"),
        (["check", "--release", "new"], "sglint: --release new: it must be an SGLang release such as 0.5.18"),
        (["check", "--gpu", "h2000"], "sglint: --gpu h2000: not a GPU sglint knows; it knows "),
        (["check", "--select", "X1"], "sglint: --select X1: it holds 'X1', which is no code"),
        (["check", "--config", "gone.toml"], "sglint: --config gone.toml: no such file"),
        (["check", "--model-config", "gone"], "sglint: --model-config gone: no such file or folder"),
        (["check", "gone.yaml"], "sglint: gone.yaml: no such file or folder"),
        (["verdict"], "sglint: give the command line after `--`"),
        (["verdict", "--env", "X", "--", "--tp-size", "1"], "sglint: --env X: write NAME=VALUE"),
        (["size", "--rest-bytes", "much", "."], "sglint: argument --rest-bytes: 'much' is no number of bytes"),
        (["lsp", "--tcp", "nowhere"], "sglint: --tcp takes HOST:PORT, not 'nowhere'"),
        (["explain", "SGL999"], "sglint: there is no rule 'SGL999'"),
        (["lsp", "--tcp", "localhost:99999"], "sglint: --tcp takes HOST:PORT, not 'localhost:99999'"),
        (["upstream", "flags", "gone.whl"], "sglint: gone.whl: no such file or folder"),
        (["upstream", "flags", "."], "sglint: .: it holds no sglang/srt/server_args.py"),
        (["check", ""], "sglint: '': no such file or folder"),
        (["check", "--gpu", "h200x0"], "sglint: --gpu h200x0: not a GPU sglint knows; it knows "),
        (
            ["check", "--select", "FOO", "."],
            "sglint: --select FOO: no rule's code begins so; `sglint rules` lists them",
        ),
        (["check", "--model-config", ".", "."], "sglint: --model-config config.json: cannot be read ("),
        (["size", "--draft-model-config", os.devnull], "sglint: --draft-model-config /dev/null: not a JSON file"),
    ],
)
def test_a_mistake_costs_one_line_with_the_remedy(cli: Cli, words: list[str], message: str) -> None:
    result = cli(*words)
    assert result.code == 2
    assert result.err.startswith(message)
    assert result.err.count("\n") == 1


def test_a_bug_costs_one_line_and_code_3(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(words: list[str]) -> int:
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr(app, "_dispatch", broken)
    result = cli("check")
    assert result.code == 3
    assert result.err.startswith("sglint: internal error in check: ZeroDivisionError: by zero at ")
    assert result.err.count("\n") == 1


def test_an_internal_error_names_the_line_of_the_bug() -> None:
    try:
        raise KeyError("x")
    except KeyError as error:
        assert f"at {__name__}:" in internal_error(error, "a test")


def after(call: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter that makes a call, exits it or not, and writes the names of its modules to stderr."""
    program = f"import sys\ntry:\n    {call}\nexcept SystemExit:\n    pass\nprint(*sys.modules, file=sys.stderr)"
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    return subprocess.run([sys.executable, "-c", program, *words], env=environment, capture_output=True, text=True)


def test_version_loads_no_command() -> None:
    result = after("from sglint.__main__ import main; main()", "--version")
    assert result.stdout == f"sglint {__version__}\n"
    assert [name for name in result.stderr.split() if name.startswith("sglint")] == ["sglint", "sglint.__main__"]


def test_checking_loads_no_protocol_library(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("python -m sglang.launch_server --model-path m\n")
    result = after("from sglint.cli.app import run; run(sys.argv[1:])", "check", str(tmp_path))
    assert "1 launch" in result.stdout
    assert {"pygls", "lsprotocol", "asyncio", "packaging"}.isdisjoint(result.stderr.split())


def test_a_reader_that_leaves_early_is_no_error() -> None:
    child = process("releases", "--format", "json")
    assert child.stdout and child.stderr
    child.stdout.close()
    assert child.stderr.read() == b""
    assert child.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": ""}, False),
    ],
)
def test_colour_is_asked_for(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], coloured: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert style().colour is coloured


def test_columns_set_the_width_within_limits(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert style().width == 100
    for columns, width in (("72", 72), ("10", 60), ("900", 160), ("wide", 100)):
        monkeypatch.setenv("COLUMNS", columns)
        assert style().width == width


def test_json_stays_json_where_the_terminal_knows_few_characters(tmp_path: Path) -> None:
    script = tmp_path / "a.sh"
    script.write_text("python -m sglang.launch_server --model-path 模型/🚀\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(SERVER), "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "sglint", "launches", "--format", "json", str(script)]
    result = subprocess.run(command, env=environment, capture_output=True, check=True)
    (launch,) = json.loads(result.stdout.decode("latin-1"))["launches"]
    assert launch["options"][0]["value"] == "模型/🚀"
    text = subprocess.run(command[:-3] + command[-1:], env=environment, capture_output=True, check=True)
    assert rb"\u6a21\u578b" in text.stdout


def test_output_that_finds_no_room_is_one_line(tmp_path: Path) -> None:
    """A file may grow to ten bytes here, which the system refuses as it refuses a full disk."""
    small = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)); "
    start = "from sglint.cli import app; sys.exit(app.run(['rules']))"
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", small + start],
            stdout=out,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(SERVER)},
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (2, "sglint: the output cannot be written: file too large\n")


LONG_AND_SHORT = (["--version"], ["--help"], ["check", "--help"], ["rules"])


def end_with(redirection: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A command with a redirection of the shell."""
    line = f'exec "$0" -m sglint "$@" {redirection}'
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    return subprocess.run(
        ["sh", "-c", line, sys.executable, *words], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("words", LONG_AND_SHORT, ids=" ".join)
def test_a_full_disk_is_one_line_and_code_2(words: list[str]) -> None:
    done = end_with(">/dev/full", *words)
    assert done.returncode == 2
    assert done.stderr.startswith("sglint: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
@pytest.mark.parametrize("words", [["--version"], ["rules"], ["check", "-"]], ids=" ".join)
def test_a_stream_that_is_closed_is_an_empty_one(words: list[str], closed: str) -> None:
    done = end_with(f"</dev/null {closed}", *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_message_that_nobody_takes_leaves_the_exit_code() -> None:
    assert end_with("2>/dev/full", "check", "gone.yaml").returncode == 2
    assert end_with("2>&-", "check", "gone.yaml").returncode == 2


def test_a_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    line = 'cd gone && rmdir ../gone && exec "$0" -m sglint check .'
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    done = subprocess.run(["sh", "-c", line, sys.executable], cwd=tmp_path, env=environment, capture_output=True)
    assert done.returncode == 2
    assert done.stderr == b"sglint: the folder this runs in is gone; change to one that is there\n"


def test_an_interruption_while_modules_load_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(words: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "run", interrupted)
    monkeypatch.setattr(sys, "argv", ["sglint", "rules"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 130
