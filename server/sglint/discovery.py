"""Which files a run looks at: named ones, and those under named folders that have a language SGLint reads."""

# ruff: noqa: PTH100, PTH116, PTH118
# A Path object for each of ten thousand files costs more than reading them.

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator

from .gitignore import Ignored, ignored_in
from .records import dataclass
from .report.run import Skipped
from .text import language_of

SKIPPED_FOLDERS = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        "node_modules",
        "__pycache__",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
    )
)
_SHEBANG_BYTES = 128


@dataclass(frozen=True)
class Candidate:
    """A file to read. ``named``: asked for by name, so that it is never passed over in silence.

    ``language`` is None for a pipe, whose content tells it.
    """

    path: str
    language: str | None
    named: bool


class NoSuchPath(Exception):
    """A path that was asked for by name does not exist."""


def candidates(paths: Iterable[str], *, gitignore: bool = True) -> Iterator[Candidate | Skipped | NoSuchPath]:
    """Files in a fixed order, each once. Folders are walked by name; symbolic links to folders are not entered.

    With ``gitignore`` what a repository ignores is passed over unless it is asked for by name.
    """
    met: set[str] = set()
    for path in paths:
        # An empty text, as of a variable that is not set, is no way to write the current folder.
        for found in _under(os.path.normpath(path), gitignore) if path else (NoSuchPath("''"),):
            where = str(found) if isinstance(found, NoSuchPath) else os.path.abspath(found.path)
            if where not in met:
                met.add(where)
                yield found


def _under(path: str, gitignore: bool) -> Iterator[Candidate | Skipped | NoSuchPath]:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        yield NoSuchPath(path)
        return
    except OSError as error:
        yield Skipped(path, reason_of(error), failed=True)
        return
    if stat.S_ISDIR(mode):
        yield from _walk(path, ignored_in(path) if gitignore else None)
        return
    language = language_of(path, _first_line(path))
    if language is None and stat.S_ISREG(mode):
        yield Skipped(path, "not a kind of file sglint reads (YAML or shell, by name or by #! line)")
    else:
        yield Candidate(path, language, True)


def _walk(folder: str, ignored: Ignored | None) -> Iterator[Candidate | Skipped]:
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError as error:
        yield Skipped(folder, reason_of(error), failed=True)
        return
    prefix = "" if folder == os.curdir else folder
    for entry in entries:
        path = os.path.join(prefix, entry.name)
        try:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in SKIPPED_FOLDERS and not _is_ignored(ignored, entry.name, is_folder=True):
                    yield from _walk(path, ignored and ignored.inside(entry.name, path))
                continue
            language = _language(entry.name, path)
            if language is None or _is_ignored(ignored, entry.name, is_folder=False) or entry.is_dir():
                continue
            if entry.is_file():
                yield Candidate(path, language, False)
            elif entry.is_symlink():
                yield Skipped(path, "a symbolic link that leads nowhere")
            else:
                yield Skipped(path, "not a regular file")
        except OSError as error:
            yield Skipped(path, reason_of(error), failed=not entry.is_symlink())


def _is_ignored(ignored: Ignored | None, name: str, *, is_folder: bool) -> bool:
    return ignored is not None and ignored.holds(name, is_folder=is_folder)


def language_at(path: str) -> str | None:
    """The language of a file by its name, else by its first line if it is there."""
    return _language(os.path.basename(path), path)  # noqa: PTH119


def _language(name: str, path: str) -> str | None:
    known = language_of(name)
    if known or "." in name.lstrip("."):
        return known
    return language_of(name, _first_line(path))


def _first_line(path: str) -> str:
    """The beginning of a regular file, up to its first line end; empty for anything else."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return ""
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return ""
        return os.read(handle, _SHEBANG_BYTES).split(b"\n", 1)[0].decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(handle)


def reason_of(error: OSError) -> str:
    """The system's words for why a file cannot be read."""
    return (error.strerror or type(error).__name__).lower()
