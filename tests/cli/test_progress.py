"""How far a long run is: on a terminal, after a while, and gone at the end."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from sglint.cli import progress
from sglint.cli.progress import SILENT, Progress

from .conftest import Cli
from .launches import CLEAN


class Terminal(io.StringIO):
    """Remembers what it was sent; ``screen`` is what is left to be seen of its last line."""

    def isatty(self) -> bool:
        return True

    @property
    def screen(self) -> str:
        columns: list[str] = []
        at = 0
        for sign in self.getvalue().rpartition("\n")[2]:
            if sign == "\r":
                at = 0
                continue
            columns[at : at + 1] = [sign]
            at += 1
        return "".join(columns).rstrip()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_it_is_shown_from_a_second_on_and_overwritten(clock: list[float]) -> None:
    terminal = Terminal()
    shown = Progress(terminal)
    shown.show("reading", 1, 10_000)
    assert terminal.getvalue() == ""
    clock[0] += 1
    shown.show("reading", 2_000, 10_000)
    assert terminal.screen == "sglint: reading 2,000 of 10,000"
    shown.show("reading", 2_001, 10_000)
    assert terminal.screen == "sglint: reading 2,000 of 10,000"
    clock[0] += 0.1
    shown.show("checking", 7)
    assert terminal.screen == "sglint: checking 7"
    shown.clear()
    assert terminal.screen == ""
    length = len(terminal.getvalue())
    shown.clear()
    assert len(terminal.getvalue()) == length


def test_a_run_leaves_nothing_of_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        cli.write(f"{number}.sh", CLEAN)
    monkeypatch.setattr(progress, "_SHOWN_AFTER", 0.0)
    monkeypatch.setattr(progress, "_SHOWN_EVERY", 0.0)
    expected = cli("check")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert cli("check").out == expected.out
    assert "sglint: reading 4 of 5" in terminal.getvalue()
    assert "sglint: checking 4 of 5" in terminal.getvalue()
    assert "\x1b" not in terminal.getvalue()
    assert terminal.screen == ""


def test_a_line_about_something_else_is_not_written_into_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("a.sh", CLEAN)
    monkeypatch.setattr(progress, "_SHOWN_AFTER", 0.0)
    monkeypatch.setattr(progress, "_SHOWN_EVERY", 0.0)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    cli("check", "a.sh", "gone.sh")
    before, _, after = terminal.getvalue().partition("sglint: gone.sh: no such file or folder\n")
    assert before.endswith("\r") and after != ""


@pytest.mark.parametrize(
    ("words", "term", "stream"),
    [(("-q",), "xterm", Terminal()), ((), "dumb", Terminal()), ((), "xterm", io.StringIO())],
)
def test_where_nobody_wants_it_there_is_none(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], term: str, stream: Any
) -> None:
    cli.write("a.sh", CLEAN)
    monkeypatch.setattr(progress, "_SHOWN_AFTER", 0.0)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", term)
    cli("check", *words)
    assert stream.getvalue() == ""
    SILENT.show("reading", 1)
