"""A real Neovim opens a manifest and a script, shows the conflict, and applies a fix."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..lsp.texts import MANIFEST, SCRIPT

pytestmark = pytest.mark.e2e

DRIVER = Path(__file__).with_name("neovim.lua")


def neovim() -> str:
    """The editor the test requirements bring, else one on the path."""
    beside = Path(sys.executable).with_name("nvim")
    found = str(beside) if beside.exists() else shutil.which("nvim")
    assert found, "no nvim: the test requirements install one on Linux x86-64; elsewhere put it on the path"
    return found


@pytest.mark.parametrize(("name", "text"), [("chat.yaml", MANIFEST), ("chat.sh", SCRIPT)], ids=["yaml", "shell"])
def test_conflict_is_shown_and_fixed(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    out = tmp_path / "seen.json"
    run = subprocess.run(
        [neovim(), "--clean", "--headless", "-l", str(DRIVER)],
        env={
            **os.environ,
            "HOME": str(tmp_path),
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "SGLINT_PYTHON": sys.executable,
            "FILE": str(file),
            "TITLE": "unified",
            "OUT": str(out),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    seen = json.loads(out.read_text(encoding="utf-8"))
    assert (seen["errors"], seen["code"], seen["source"]) == (1, "SGL101", "sglint")
    assert seen["words"] == "--enable-unified-memory"
    assert seen["encoding"] == "utf-8"
    assert "SGL101" in seen["hover"]
    assert "--enable-unified-memory" not in seen["text"]
    assert "--speculative-algorithm" in seen["text"]
    assert seen["text"].count("\n") == text.count("\n") - 1
