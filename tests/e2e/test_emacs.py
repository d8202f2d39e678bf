"""A real Emacs with eglot, of two versions, shows the conflict in each kind of file and applies a fix."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .files import HOSTS, without_the_unified_pool, written

pytestmark = pytest.mark.e2e

DRIVER = Path(__file__).with_name("emacs.el")
CACHE = Path(os.environ.get("SGLINT_E2E_CACHE") or Path.home() / ".cache" / "sglint-e2e")
PACKAGES = ("emacs-nox", "elpa-eglot", "elpa-yaml-mode")


@pytest.fixture(scope="module")
def system_emacs() -> str:
    """The editor on the path, else the one of the system's packages."""
    if shutil.which("emacs") is None:
        for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
            run = subprocess.run(["apt-get", "-qq", *command], capture_output=True, text=True, check=False)
            assert run.returncode == 0, f"Emacs could not be installed: {run.stderr}"
    found = shutil.which("emacs")
    assert found, "no emacs on the path"
    return found


@pytest.fixture(scope="module", params=["28", "30"])
def emacs(request: pytest.FixtureRequest, system_emacs: str) -> str:
    if request.param == "28":
        return system_emacs
    script = DRIVER.with_name("emacs30.sh")
    run = subprocess.run(["bash", str(script), str(CACHE)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"Emacs 30 could not be unpacked: {run.stderr}"
    return run.stdout.strip()


@pytest.mark.parametrize("host", HOSTS)
def test_conflict_is_shown_and_fixed(emacs: str, tmp_path: Path, host: str) -> None:
    (tmp_path / ".git").mkdir()
    file = written(host, tmp_path)
    text = file.read_text(encoding="utf-8")
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
    assert seen["text"] == without_the_unified_pool(text)
