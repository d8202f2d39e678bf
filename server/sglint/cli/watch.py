"""``sglint check --watch``: check again whenever something changed that the findings rest on.

Files are looked at again and again instead of being reported by the system: that works on every system and network
drive, with editors that replace files and with checkouts that replace all of them.
"""

# ruff: noqa: PTH116
# A Path object for each of ten thousand files costs more than looking at them.

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from time import monotonic, sleep, strftime
from typing import NoReturn

from ..report.text import plural
from .console import clear_screen, complain, write
from .discovery import Candidate
from .errors import UsageError
from .inputs import STDIN, listing
from .installation import listed
from .linting import Outcome
from .tracing import Disk

_PAUSE = 0.3
"""Least seconds between two looks."""

_SHARE = 10
"""Looking takes at most one part in so many of the time."""

_SETTLED = 0.1
"""Seconds without a further change after which a change is taken for complete: a checkout writes file after file."""

_MOST_PATIENCE = 3.0
"""Seconds after which one that does not end is looked into anyway."""

State = dict[str, tuple[int, ...] | None]


def watch(arguments: argparse.Namespace, once: Callable[[], Outcome]) -> NoReturn:
    """Run ``once``, which prints what it finds, after every change; ends with KeyboardInterrupt only.

    Raises UsageError for what cannot be watched.
    """
    if STDIN in arguments.paths:
        raise UsageError("--watch follows files; standard input cannot be read again")
    rests_on: set[str] = set()
    first = True
    while True:
        before = _look(_watched(arguments, rests_on))
        clear_screen()
        try:
            outcome = once()
        except UsageError as error:
            # A mistake that the command line itself holds stays one whatever happens to files.
            if first:
                raise
            complain(str(error))
        else:
            rests_on = _rests_on(arguments, outcome)
            before |= _look(rests_on - before.keys())
            if not Disk(frozenset()).agree(answer for answer in outcome.answers if answer.is_of_disk):
                continue
        first = False
        there = sum(state is not None for state in before.values())
        write([f"{strftime('%H:%M:%S')} watching {plural(there, 'file')}; Ctrl-C ends"])
        sys.stdout.flush()
        _wait(arguments, rests_on, before)


def _wait(arguments: argparse.Namespace, rests_on: set[str], before: State) -> None:
    """Return once something is another than ``before`` and has stayed so for a moment."""
    pause = _PAUSE
    while True:
        sleep(pause)
        start = monotonic()
        now = _look(_watched(arguments, rests_on))
        pause = max(_PAUSE, (monotonic() - start) * _SHARE)
        if now != before:
            break
    patience = monotonic() + _MOST_PATIENCE
    while monotonic() < patience:
        sleep(_SETTLED)
        later = _look(_watched(arguments, rests_on))
        if later == now:
            return
        now = later


def _watched(arguments: argparse.Namespace, rests_on: Iterable[str]) -> Iterator[str]:
    for found in listing(arguments):
        yield found.path if isinstance(found, Candidate) else str(getattr(found, "path", found))
    yield from rests_on


def _look(paths: Iterable[str]) -> State:
    """What tells one content of a file from the next, without reading it; None where there is no file."""
    return {path: _state(path) for path in paths}


def _state(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _rests_on(arguments: argparse.Namespace, outcome: Outcome) -> set[str]:
    """Files and folders beside the listed ones whose change may change a finding, there or not."""
    found = {answer.path for answer in outcome.answers if answer.is_of_disk}
    found |= set(outcome.configured.files())
    for folder in outcome.configured.rule_folders():
        found |= {folder, *(path for path, _, _ in listed(folder))}
    for named in (arguments.baseline, arguments.config):
        found |= {named} if named else set()
    return found
