"""A real Emacs with eglot opens a manifest and a script, shows the conflict, and applies a fix."""

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

DRIVER = Path(__file__).with_name("emacs.el")
PACKAGES = ("emacs-nox", "elpa-eglot", "elpa-yaml-mode")


@pytest.fixture(scope="module")
def emacs() -> str:
    """The editor on the path, else the one of the system's packages."""
    if shutil.which("emacs") is None:
        for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
            run = subprocess.run(["apt-get", "-qq", *command], capture_output=True, text=True, check=False)
            assert run.returncode == 0, f"Emacs could not be installed: {run.stderr}"
    found = shutil.which("emacs")
    assert found, "no emacs on the path"
    return found


@pytest.mark.parametrize(("name", "text"), [("chat.yaml", MANIFEST), ("chat.sh", SCRIPT)], ids=["yaml", "shell"])
def test_conflict_is_shown_and_fixed(emacs: str, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    out = tmp_path / "seen.json"
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "SGLINT_PYTHON": sys.executable,
        "FILE": str(file),
        "TITLE": "unified",
        "OUT": str(out),
    }
    run = subprocess.run(
        [emacs, "--batch", "-l", str(DRIVER)], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert run.returncode == 0 and out.exists(), run.stderr
    seen = json.loads(out.read_text(encoding="utf-8"))
    assert (seen["errors"], seen["words"]) == (1, "--enable-unified-memory")
    assert "SGL101" in seen["hover"]
    assert "--speculative-algorithm" in seen["text"]
    assert "--enable-unified-memory" not in seen["text"]
    assert seen["text"].count("\n") == text.count("\n") - 1
