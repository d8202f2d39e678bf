"""A real Neovim, configured as its page says, shows the conflict in each kind of file and applies a fix."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .files import HOSTS, SIZED, without_the_unified_pool, written

pytestmark = pytest.mark.e2e

DRIVER = Path(__file__).with_name("neovim.lua")
PAGE = Path(__file__).parents[2] / "docs" / "editors" / "neovim.md"


def neovim() -> str:
    """The editor the test requirements bring, else one on the path."""
    beside = Path(sys.executable).with_name("nvim")
    found = str(beside) if beside.exists() else shutil.which("nvim")
    assert found, "no nvim: the test requirements install one on Linux x86-64; elsewhere put it on the path"
    return found


@pytest.mark.parametrize("host", HOSTS)
def test_conflict_is_shown_and_fixed(tmp_path: Path, host: str) -> None:
    file = written(host, tmp_path)
    text = file.read_text(encoding="utf-8")
    seen = drive(tmp_path, file, "unified")
    assert (seen["errors"], seen["code"], seen["source"]) == (1, "SGL101", "sglint")
    assert seen["words"] == "--enable-unified-memory"
    assert seen["encoding"] == "utf-8"
    assert "SGL101" in seen["hover"]
    assert seen["text"] == without_the_unified_pool(text)


def test_lens_and_hints_are_shown_as_the_page_configures_them(tmp_path: Path) -> None:
    file = tmp_path / "sized.sh"
    file.write_text(SIZED, encoding="utf-8")
    seen = drive(tmp_path, file, "metrics", LENS="1", HINT="1")
    assert seen["words"] == "--enable-metrix"
    assert "refused at parse by SGL020" in seen["lens"]
    assert any("for the pools" in hint for hint in seen["hints"])
    assert any("of weights on each GPU" in hint for hint in seen["hints"])


def drive(folder: Path, file: Path, title: str, **extra: str) -> dict[str, Any]:
    """What the editor saw in ``file`` before and after the fix that has ``title`` in its name."""
    out = folder / "seen.json"
    run = subprocess.run(
        [neovim(), "--clean", "--headless", "-l", str(DRIVER)],
        env={
            **os.environ,
            "HOME": str(folder),
            "XDG_STATE_HOME": str(folder / "state"),
            "SGLINT_PYTHON": sys.executable,
            "PAGE": str(PAGE),
            "SECTION": "## 0.11",
            "FILE": str(file),
            "TITLE": title,
            "OUT": str(out),
            **extra,
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    seen: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return seen
