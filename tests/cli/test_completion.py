"""``sglint completion``: the shells themselves say what they would complete."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from sglint.cli import app
from sglint.cli.check import FORMATS

from .conftest import Cli

ASK = """
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); _sglint; printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(cli: Cli, *words: str) -> set[str]:
    bash = shutil.which("bash")
    assert bash is not None
    quoted = " ".join(f"'{word}'" for word in words)
    script = cli("completion", "bash").out + ASK.format(words=quoted)
    done = subprocess.run([bash, "-uc", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_commands(cli: Cli) -> None:
    assert completed(cli, "sglint", "") == {*app.COMMANDS, "--help", "--version"}
    assert completed(cli, "sglint", "ver") == {"verdict"}


def test_options_of_a_command(cli: Cli) -> None:
    assert completed(cli, "sglint", "check", "--fo") == {"--format"}
    assert completed(cli, "sglint", "fix", "a.yaml", "--un") == {"--unsafe"}
    assert completed(cli, "sglint", "rules", "--un") == set()


def test_values_of_an_option(cli: Cli) -> None:
    assert completed(cli, "sglint", "check", "--format", "") == set(FORMATS)
    assert completed(cli, "sglint", "rules", "--format", "ma") == {"markdown"}
    assert completed(cli, "sglint", "upstream", "") >= {"flags", "diff"}


def test_free_values_are_left_to_the_shell(cli: Cli) -> None:
    assert completed(cli, "sglint", "check", "--config", "sgl") == set()


@pytest.mark.parametrize("name", app.COMMANDS)
def test_fish_knows_every_command_and_its_format(cli: Cli, name: str) -> None:
    lines = cli("completion", "fish").out.splitlines()
    assert sum(f"-a {name} -d '" in line for line in lines) == 1
    takes_format = "--format" in cli(name, "--help").out
    assert any(f"from {name}' -l format -x -a 'text" in line for line in lines) == takes_format


def test_zsh_gets_what_bash_gets(cli: Cli) -> None:
    first, *rest = cli("completion", "zsh").out.splitlines()
    assert "bashcompinit" in first
    assert rest == cli("completion", "bash").out.splitlines()
