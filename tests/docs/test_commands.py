"""Every command that a page shows is run, and prints what the page says it does."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sglint.cli import app

from .consoles import Command, agrees, commands

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EVERY = {path.relative_to(ROOT).as_posix(): tuple(commands(path, ROOT)) for path in PAGES}

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

SGLINT = f'#!/bin/sh\nexec "{sys.executable}" -m sglint "$@"\n'
KUBECTL = """#!/bin/sh
# A cluster with one Deployment: the demo's.
for word; do
  case $word in --output-directory) folder=next;; *) [ "$folder" = next ] && folder=$word;; esac
done
[ "$1" = cluster-info ] || exec cat demo/k8s/gpt-oss-120b.yaml
mkdir -p "$folder/prod"
cp demo/k8s/gpt-oss-120b.yaml "$folder/prod/deployments.yaml"
"""
MAKE = f"""#!/bin/sh
exec "{shutil.which("make") or "make"}" --dry-run -C "{ROOT}" "$@"
"""

ELSEWHERE = {
    "python3 -m venv .venv": "tests/docs/fresh.py",
    ".venv/bin/pip install .": "tests/docs/fresh.py",
    ".venv/bin/sglint --version": "tests/docs/fresh.py",
    ".venv/bin/sglint check --fail-on never demo": "tests/docs/fresh.py",
}
"""Commands that need a network or minutes, and what runs them for real: ``make fresh``."""


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of what the pages talk about, with stand-ins for programs that a suite cannot have."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "demo", folder / "demo")
    shutil.copytree(ROOT / "docs" / "pictures", folder / "docs" / "pictures")
    shutil.copytree(ROOT / "demo" / "k8s", folder / "deploy")
    (folder / ".git").mkdir()
    (folder / "cases.jsonl").write_text('{"id": 1, "argv": ["--model-path", "Qwen/Qwen3-32B"]}\n', encoding="utf-8")
    tools = folder / "bin"
    tools.mkdir()
    for name, script in {"sglint": SGLINT, "kubectl": KUBECTL, "make": MAKE}.items():
        (tools / name).write_text(script, encoding="utf-8")
        (tools / name).chmod(0o755)
    yield folder


def ran(command: Command, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Exit code and standard output; a plain command of ours runs in this process, which is much faster."""
    words = shlex.split(command.words, comments=True)
    if words[0] == "sglint" and not re.search(r"[|<>;&`$]", command.words):
        code = app.run(words[1:])
        return code, capsys.readouterr().out
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.words],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "server"), "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("page", EVERY)
def test_commands_do_what_the_page_says(
    page: str, workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    monkeypatch.setenv("SGLINT_NO_CACHE", "1")
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    for command in EVERY[page]:
        if command.words in ELSEWHERE:
            assert (ROOT / ELSEWHERE[command.words]).is_file()
            continue
        code, out = ran(command, workplace, capsys)
        assert code in (0, 1), f"{command}: `{command.words}` left with {code}"
        if command.shown:
            assert agrees(out.splitlines(), command.shown), f"{command}: `{command.words}` prints\n{out}"


def test_no_command_hides_in_a_block_of_another_kind() -> None:
    """A block without a language shows the forms of commands; one that could be run has to be ``console``."""
    hidden = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in PAGES
        for kind, block in re.findall(
            r"^```(\w*)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
        if kind in ("", "sh", "bash", "shell")
        for line in block.splitlines()
        if re.match(r"(?:\$ )?(?:sglint|make|kubectl|python3?|pip)\b", line) and "[" not in line
    ]
    assert hidden == []


@pytest.mark.parametrize(
    ("shown", "fits"),
    [
        ("a\nb", True),
        ("...\nb", True),
        ("a\n...", True),
        ("...\nc", False),
        ("a", False),
        ("...\na\n...\nb\n...", True),
    ],
)
def test_ellipses_stand_for_any_lines(shown: str, fits: bool) -> None:
    assert agrees(["a", "b"], shown.splitlines()) is fits
