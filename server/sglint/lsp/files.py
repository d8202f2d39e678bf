"""Files that are not open: linted from disk when somebody asks, and remembered until something they rest on changes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Iterable
from typing import Any

from ..discovery import Candidate, candidates, language_at
from ..hosts import MAX_CHARACTERS
from ..hosts.gate import may_be_completed, mentions
from ..records import dataclass
from ..text import Document, Encoding
from . import overview
from .buffers import CONFIGURATION, Buffer, Buffers, is_configuration, on_disk
from .convert import to_uri
from .linting import Linted, SettingsFor, work
from .results import Result

State = tuple[int, int]
KINDS = "SGLint does not read this kind of file. It reads YAML, shell scripts and their relatives."


@dataclass(frozen=True)
class Closed:
    """What a file on disk gave: its result, its launches in brief, and a line for each of them."""

    state: State
    result: Result
    launches: tuple[dict[str, Any], ...]
    lines: tuple[str, ...]
    used_paths: frozenset[str]


class ClosedFiles:
    """Reports of files on disk by path. Everything but :meth:`drop` and :meth:`clear` is for the thread that lints."""

    def __init__(
        self,
        buffers: Buffers,
        settings_for: SettingsFor,
        result: Callable[[Linted], Result],
        encoding: Callable[[], Encoding],
    ) -> None:
        self._buffers = buffers
        self._settings_for = settings_for
        self._result = result
        self._encoding = encoding
        self._known: dict[str, Closed] = {}

    def clear(self) -> None:
        self._known.clear()

    def drop(self, paths: Collection[str]) -> bool:
        """Forget what these files gave and what rests on them; whether there was something."""
        gone = [
            path
            for path, known in tuple(self._known.items())
            if path in paths or not known.used_paths.isdisjoint(paths)
        ]
        for path in gone:
            self._known.pop(path, None)
        return bool(gone)

    def read(self, path: str) -> Closed | None:
        """What a file gives; None for one that is not there, not read, or that a configuration leaves out."""
        state = _state(path)
        if state is None:
            return None
        known = self._known.get(path)
        if known is not None and known.state == state:
            return known
        linted = self.linted(path)
        if linted is None:
            return None
        self._known[path] = closed = self._closed(state, linted)
        return closed

    def linted(self, path: str) -> Linted | None:
        """The whole report of a file; None for one that is not there or not read."""
        state = _state(path)
        language = CONFIGURATION if is_configuration(path) else language_at(path)
        if state is None or language is None:
            return None
        text = on_disk(path) if state[1] <= MAX_CHARACTERS else None
        if text is None:
            return None
        document = Document(path, text, language)
        return work(Buffer(to_uri(path), 0, "", document, text, self._buffers.read), document, self._settings_for)

    def _closed(self, state: State, linted: Linted) -> Closed:
        report = linted.report
        return Closed(
            state,
            self._result(linted),
            tuple(overview.launches(report, self._encoding())),
            tuple(overview.launch_lines(report)),
            report.used_paths,
        )


def worth_linting(roots: Iterable[str], stop: threading.Event, settings_for: SettingsFor) -> list[str]:
    """Paths of the files under ``roots`` that can hold a launch, in a fixed order; for a thread of its own."""
    found = []
    words: dict[str, tuple[bytes, ...]] = {}
    for candidate in candidates(roots):
        if stop.is_set():
            break
        if not isinstance(candidate, Candidate):
            continue
        folder = os.path.dirname(candidate.path)  # noqa: PTH120
        if folder not in words:
            words[folder] = mentions(settings_for(Document(candidate.path, "", "")).launchers)
        if may_be_completed(candidate.path) or _mentions(candidate.path, words[folder]):
            found.append(candidate.path)
    return found


def why_not_read(path: str) -> str:
    """What keeps a file that is not open from being linted, as a sentence."""
    state = _state(path)
    if state is None:
        return "There is no such file."
    if state[1] > MAX_CHARACTERS:
        return f"The file is longer than {MAX_CHARACTERS:,} characters and is not checked."
    if language_at(path) is None and not is_configuration(path):
        return KINDS
    return "The file cannot be read, or is not UTF-8."


def _mentions(path: str, words: tuple[bytes, ...]) -> bool:
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_CHARACTERS + 1)
    except OSError:
        return False
    return len(data) <= MAX_CHARACTERS and any(word in data for word in words)


def _state(path: str) -> State | None:
    try:
        found = os.stat(path)  # noqa: PTH116 (asked of every file of a workspace)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size
