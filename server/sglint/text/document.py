"""A document: one text with a path and a language."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Sequence
from functools import cached_property
from pathlib import PurePath

from ..records import dataclass, field
from .spans import LineIndex

LANGUAGES = {
    ".yaml": "yaml",
    ".yml": "yaml",
    ".sh": "shell",
    ".bash": "shell",
    ".slurm": "shell",
    ".sbatch": "shell",
    ".dockerfile": "dockerfile",
    ".service": "systemd",
    ".mk": "makefile",
    ".just": "justfile",
    ".py": "python",
}
NAMES = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "makefile": "makefile",
    "gnumakefile": "makefile",
    "justfile": "justfile",
}
"""File names without an extension, and first parts of names (``Dockerfile.cuda``), in small letters."""


@dataclass(frozen=True)
class Document:
    """``text`` of the file at ``path`` (as shown to the user); ``language`` is a key of the hosts."""

    path: str
    text: str
    language: str

    @cached_property
    def lines(self) -> LineIndex:
        return LineIndex(self.text)


TEMPLATES = (".j2", ".jinja", ".jinja2")
"""Ends of the names of Jinja templates; the name before them says what they make."""


def is_template(path: str) -> bool:
    """Whether the file is a Jinja template of another one."""
    return path.lower().endswith(TEMPLATES)


def language_of(path: str, first_line: str = "") -> str | None:
    """Language by file name, else by a ``#!`` line of a shell or Python; None when it is not one SGLint reads."""
    name = PurePath(path).name.lower()
    if is_template(name):
        return "shell" if language_of(PurePath(name).stem, first_line) == "shell" else None
    known = LANGUAGES.get(PurePath(name).suffix) or NAMES.get(name.partition(".")[0])
    if known:
        return known
    if name.endswith(".conf") and PurePath(path).parent.name.endswith(".service.d"):
        return "systemd"
    if first_line.startswith("#!"):
        return "python" if "python" in first_line else "shell" if "sh" in first_line else None
    return None


def names_on_disk(folder: str) -> Sequence[str]:
    """The names in a folder, in order; none when it cannot be read."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 (a Path costs more than the listing)
    except OSError:
        return ()


@dataclass
class Sources:
    """Answers for other files (open editor buffers over disk) and records what was read.

    ``read(path)`` returns a text or None; ``names(folder)`` the names of the files in a folder (none where nobody
    can tell). ``used`` holds every path asked for, found or not, so that a change there can trigger a new lint.
    ``linted`` are the files that are linted in their own right, whose launches no other file needs to tell.
    """

    read: Callable[[str], str | None]
    used: set[str] = field(default_factory=set)
    names: Callable[[str], Sequence[str]] = names_on_disk
    linted: Container[str] = frozenset()

    def text(self, path: str) -> str | None:
        self.used.add(path)
        return self.read(path)

    @staticmethod
    def none() -> Sources:
        return Sources(lambda path: None, names=lambda folder: ())
