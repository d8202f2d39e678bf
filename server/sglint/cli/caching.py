"""Reports kept from one run to the next, in the user's cache folder.

A report is found by everything it was made from: the document, its path, the settings, this installation of SGLint
with its rules and catalogue, and what the user added to them. It is used when the other files that were asked about
while it was made still give the same answers. So there is nothing to expire; what is too much is removed, the
oldest first.
"""

# ruff: noqa: PTH118
# A Path object for each of ten thousand files costs more than reading them.

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Container
from pathlib import Path
from typing import Any

from ..records import replace
from ..rules.findings import Report
from ..settings import Settings
from .attempts import Attempt
from .discovery import reason_of
from .installation import installation, listed
from .loading import Loaded
from .portable import portable
from .tracing import Disk, digest_of

FORMAT = 1
"""Raise with every change of what entries hold; another version of SGLint has entries of its own anyway."""

MOST_BYTES = 256 << 20
SHELVES = 16
"""Folders, each with an equal part of the bytes, so that one can be tidied without looking at all."""

SUFFIX = ".report"
TAG = "CACHEDIR.TAG"
_TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by sglint; `sglint cache clean` empties it.\n"
_MAGIC = b"sglint report\n"
_DIGEST_LENGTH = 16
_LARGEST = MOST_BYTES // SHELVES // 8
_USED_AGAIN = 24 * 3600
"""Seconds after which a use is noted: noting every one would write as many times as the cache spares reading."""


class Cache:
    """The reports kept in ``folder``. Nothing that goes wrong here costs more than the time it would have spared:
    ``trouble`` says it in one line."""

    def __init__(self, folder: Path, linted: Container[str]) -> None:
        self.folder = folder
        self._disk = Disk(linted)
        self._context = digest_of(repr((FORMAT, str(Path.cwd()), installation())).encode("utf-8", "surrogatepass"))
        self._settings: dict[int, tuple[Settings, bytes]] = {}
        self._written: set[str] = set()
        self._damaged = 0
        self._refused: str | None = None

    def get(self, found: Loaded, settings: Settings, *, fixes: bool) -> Attempt | None:
        """What is kept for a document, if it still holds."""
        path = self._path(found, settings, fixes)
        try:
            with open(path, "rb") as file:
                data = file.read()
                used = os.fstat(file.fileno()).st_mtime
        except OSError:
            return None
        kept = _unpacked(data)
        if kept is None or isinstance(kept.report, str):
            self._damaged += 1
            return None
        if kept.answers is None or not self._disk.agree(kept.answers):
            return None
        self._note_use(path, used)
        return replace(kept, report=replace(kept.report, document=found.document))

    def put(self, found: Loaded, settings: Settings, new: Attempt, *, fixes: bool) -> None:
        """Keep a report, unless it tells of a bug or rests on files that changed meanwhile. After a failure no more is
        tried."""
        if self._refused is not None or isinstance(new.report, str) or new.answers is None:
            return
        from ..rules.build import INTERNAL

        if any(finding.code == INTERNAL for finding in new.report.findings):
            return
        try:
            payload = pickle.dumps(replace(new, report=_bare(new.report)))
        except (pickle.PicklingError, AttributeError, TypeError):
            return
        if len(payload) > _LARGEST:
            return
        path = self._path(found, settings, fixes)
        shelf = os.path.dirname(path)  # noqa: PTH120
        scratch = f"{path}.{os.getpid()}"
        try:
            if shelf not in self._written:
                _prepare(self.folder, shelf)
                self._written.add(shelf)
            try:
                with open(scratch, "wb") as file:
                    file.write(_MAGIC + digest_of(payload) + payload)
                os.replace(scratch, path)  # noqa: PTH105
            except OSError:
                Path(scratch).unlink(missing_ok=True)
                raise
        except OSError as error:
            self._refused = reason_of(error)

    def tidy(self) -> None:
        """Remove the oldest of what is too much, where something was added."""
        for shelf in self._written:
            _shrink(shelf, MOST_BYTES // SHELVES)

    def trouble(self) -> str | None:
        if self._refused is not None:
            return f"results are not kept in {self.folder}: {self._refused} (`--no-cache` does without)"
        if self._damaged:
            return f"{self._damaged} damaged {'entry' if self._damaged == 1 else 'entries'} of the cache made anew"
        return None

    def _path(self, found: Loaded, settings: Settings, fixes: bool) -> str:
        document = found.document
        about = repr((document.path, document.language, found.damaged, fixes)).encode("utf-8", "surrogatepass")
        text = digest_of(document.text.encode("utf-8", "surrogatepass"))
        name = digest_of(b"".join((self._context, self._of_settings(settings), digest_of(about), text))).hex()
        return os.path.join(self.folder, name[0], name + SUFFIX)

    def _of_settings(self, settings: Settings) -> bytes:
        known = self._settings.get(id(settings))
        if known is None:
            rules = [listed(folder) for folder in settings.rules]
            known = settings, digest_of(repr((settings, rules)).encode("utf-8", "surrogatepass"))
            self._settings[id(settings)] = known
        return known[1]

    def _note_use(self, path: str, used: float) -> None:
        from time import time

        if time() - used > _USED_AGAIN:
            try:
                os.utime(path)
            except OSError:
                return


def _bare(report: Report) -> Report:
    """What can leave the process, without the text, which the next run has anyway."""
    moved = portable(report)
    return replace(moved, document=replace(moved.document, text=""))


def _unpacked(data: bytes) -> Attempt | None:
    """What an entry holds; None for one that is torn or not ours."""
    body = len(_MAGIC) + _DIGEST_LENGTH
    payload = data[body:]
    if data[:body] != _MAGIC + digest_of(payload):
        return None
    try:
        found = _Unpickler(io.BytesIO(payload)).load()
    except Exception:
        return None
    return found if isinstance(found, Attempt) else None


class _Unpickler(pickle.Unpickler):
    """Makes nothing but the records of reports: a cache that somebody else wrote cannot run anything."""

    def find_class(self, module: str, name: str) -> Any:
        if name in _RECORDS.get(module, ()):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a report")


_RECORDS = {
    "sglint.cli.attempts": ("Attempt",),
    "sglint.cli.portable": ("NoEditor",),
    "sglint.cli.tracing": ("Answer",),
    "sglint.launch.model": ("Directives", "Evidence", "Launch", "NotLaunch", "Place", "Word"),
    "sglint.launch.options": ("Parsed",),
    "sglint.rules.findings": ("EvidenceAt", "Finding", "Fix", "Judged", "Related", "Report", "Verdict"),
    "sglint.text.document": ("Document",),
    "sglint.text.edits": ("Edit",),
    "sglint.text.spans": ("Span",),
}


def _prepare(folder: Path, shelf: str) -> None:
    """Make a shelf, in a folder that says what it is: backups leave it out by its tag."""
    os.makedirs(shelf, exist_ok=True)  # noqa: PTH103
    tag = folder / TAG
    if not tag.exists():
        tag.write_text(_TAG_TEXT, encoding="ascii")
        (folder / ".gitignore").write_text("*\n", encoding="ascii")


def shelves(folder: Path) -> list[str]:
    """The shelves that are there."""
    return [shelf for digit in "0123456789abcdef" if os.path.isdir(shelf := os.path.join(folder, digit))]  # noqa: PTH112


def entries(shelf: str) -> list[tuple[float, int, str]]:
    """(time of the last use in seconds, bytes, path) of what a shelf holds, scratch of killed runs among it."""
    found = []
    try:
        with os.scandir(shelf) as scan:
            for entry in scan:
                if SUFFIX in entry.name:
                    state = entry.stat()
                    found.append((state.st_mtime, state.st_size, entry.path))
    except OSError:
        pass
    return found


def remove(path: str) -> bool:
    """Whether this call removed the file: another run may tidy at the same time."""
    try:
        os.unlink(path)  # noqa: PTH108
    except OSError:
        return False
    return True


def _shrink(shelf: str, most: int) -> None:
    """Remove the longest unused until a quarter of the room is free again, if it is used up."""
    found = sorted(entries(shelf))
    size = sum(length for _, length, _ in found)
    if size <= most:
        return
    for _, length, path in found:
        if size <= most * 3 // 4:
            break
        remove(path)
        size -= length
