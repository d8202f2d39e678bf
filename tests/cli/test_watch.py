"""``check --watch`` in a real terminal: it follows what the findings rest on, and ends when it is told to."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

from .conftest import Cli
from .launches import CLEAN, DEPLOYMENT, SCRIPT

SERVER = Path(__file__).parents[2] / "server"
PATIENCE = 120
"""Seconds until a test gives up: far more than a loaded machine needs."""


class Watch:
    """A running ``check --watch`` and what it has written since it was last asked."""

    def __init__(self, folder: Path, *words: str, terminal: bool = True) -> None:
        environment = {**os.environ, "PYTHONPATH": str(SERVER), "TERM": "xterm", "NO_COLOR": "1"}
        ours, theirs = pty.openpty()
        if not terminal:
            os.close(ours)
            os.close(theirs)
            ours, theirs = os.pipe()
        self._out = ours
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sglint", "check", "--watch", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)

    def until_quiet(self) -> str:
        """Everything up to the line that says it waits for changes."""
        text = ""
        end = monotonic() + PATIENCE
        while "Ctrl-C ends" not in text:
            ready, _, _ = select.select([self._out], [], [], max(0, end - monotonic()))
            assert ready, text
            data = os.read(self._out, 65536)
            assert data, text
            text += data.decode()
        assert "Traceback" not in text
        return text

    def end(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._out)


@pytest.fixture
def folder(cli: Cli) -> Cli:
    cli.write("a.sh", CLEAN)
    cli.write("chart/Chart.yaml", "apiVersion: v2\nname: llm\nversion: 1.0.0\n")
    cli.write(
        "chart/templates/deploy.yaml",
        DEPLOYMENT.replace("- --model-path", "- --tp-size={{ .Values.tp }}\n            - --model-path"),
    )
    return cli


@pytest.fixture
def watch(folder: Cli) -> Iterator[Watch]:
    running = Watch(folder.folder, "-q")
    yield running
    running.close()


def own_part(text: str) -> str:
    """What is said of ``a.sh``, which comes before the chart."""
    return text.partition("a.sh:")[2].partition("chart/templates/deploy.yaml:")[0]


def test_it_follows_files_as_they_change_appear_and_vanish(folder: Cli, watch: Watch) -> None:
    first = watch.until_quiet()
    assert first.startswith("\x1b[H\x1b[2J")
    assert "2 launches" in first and "a.sh:" in first

    folder.write("a.sh", SCRIPT)
    assert "refused" in own_part(watch.until_quiet())

    # As git and most editors do: a new file in place of the old one.
    folder.write("other", CLEAN).replace(folder.folder / "a.sh")
    assert "refused" not in own_part(watch.until_quiet())

    folder.write("new/b.sh", SCRIPT)
    assert "new/b.sh:" in watch.until_quiet()

    (folder.folder / "new" / "b.sh").unlink()
    assert "new/b.sh:" not in watch.until_quiet()
    assert watch.end() == 130


def test_it_follows_what_is_no_document_itself(folder: Cli, watch: Watch) -> None:
    watch.until_quiet()
    folder.write("chart/values.yaml", "tp: two\n")
    assert "`two` is no valid value of `--tp-size`" in watch.until_quiet()
    folder.write("sglint.toml", 'releese = "0.5.18"\n')
    assert "did you mean `release`" in watch.until_quiet()
    folder.write("sglint.toml", "")
    assert "did you mean `release`" not in watch.until_quiet()
    assert watch.end() == 130


def test_without_a_terminal_nothing_is_cleared(folder: Cli) -> None:
    running = Watch(folder.folder, "--format", "concise", terminal=False)
    try:
        assert "\x1b" not in running.until_quiet()
        folder.write("a.sh", SCRIPT)
        again = running.until_quiet()
        assert "\x1b" not in again and "error[SGL101]" in again
        assert running.end() == 130
    finally:
        running.close()


@pytest.mark.parametrize("words", [("--format", "json"), ("--cluster-dump", "."), ("-",), ("--baseline", "gone.json")])
def test_what_cannot_be_watched_is_refused(cli: Cli, words: tuple[str, ...]) -> None:
    cli.write("a.sh", CLEAN)
    result = cli("check", "--watch", *words)
    assert (result.code, len(result.err.splitlines())) == (2, 1)
