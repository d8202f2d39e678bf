"""What a repository tells git to ignore, read from its ``.gitignore`` files.

Git itself is not asked: a repository's configuration can make git run programs, and nothing in the files that are
looked at is ever run. Files that are tracked although a pattern matches count as ignored, as in most tools.
"""

# ruff: noqa: PTH118
# A Path object for each of ten thousand files costs more than reading them.

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from .patterns import lazy
from .records import dataclass

FILE = ".gitignore"
_EXCLUDE = os.path.join(".git", "info", "exclude")


@dataclass(frozen=True)
class Pattern:
    """One line. ``regex`` is matched against the path from the file's folder, with slashes."""

    regex: re.Pattern[str]
    negated: bool
    folders_only: bool


@dataclass(frozen=True)
class Ignored:
    """The patterns that hold in a folder: its own, then those of the folders around it.

    ``below`` is the folder's path from where ``patterns`` stand, ending in a slash or empty.
    """

    patterns: Sequence[Pattern] = ()
    below: str = ""
    around: Ignored | None = None

    def holds(self, name: str, *, is_folder: bool) -> bool:
        """Whether the entry ``name`` of the folder is ignored: the last pattern of the nearest file decides."""
        level: Ignored | None = self
        while level is not None:
            path = level.below + name
            for pattern in reversed(level.patterns):
                if (is_folder or not pattern.folders_only) and pattern.regex.match(path):
                    return not pattern.negated
            level = level.around
        return False

    def inside(self, name: str, path: str) -> Ignored:
        """The patterns in the folder ``name`` of this one, which is at ``path``."""
        own = _read(os.path.join(path, FILE))
        moved = self._moved(name)
        return Ignored(own, "", moved) if own else moved

    def _moved(self, name: str) -> Ignored:
        around = None if self.around is None else self.around._moved(name)
        return Ignored(self.patterns, f"{self.below}{name}/", around)


NOTHING = Ignored()


def ignored_in(folder: str) -> Ignored:
    """What holds in a folder that is asked for by name; nothing outside of a repository."""
    top = os.path.abspath(folder)  # noqa: PTH100
    steps: list[str] = []
    while not os.path.exists(os.path.join(top, ".git")):  # noqa: PTH110
        parent, name = os.path.split(top)
        if parent == top:
            return NOTHING
        steps.append(name)
        top = parent
    found = Ignored(_read(os.path.join(top, FILE)), "", Ignored(_read(os.path.join(top, _EXCLUDE))))
    for name in reversed(steps):
        top = os.path.join(top, name)
        found = found.inside(name, top)
    return found


def compile_patterns(lines: Iterable[str]) -> tuple[Pattern, ...]:
    """The patterns of a ``.gitignore`` text; lines that can match nothing are left out."""
    return tuple(filter(None, map(_pattern, lines)))


def _read(path: str) -> tuple[Pattern, ...]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return compile_patterns(file.read().split("\n"))
    except OSError:
        return ()


@lru_cache(maxsize=1024)
def _pattern(line: str) -> Pattern | None:
    text = _without_blanks(line.removesuffix("\r"))
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text[negated:]
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    anchored = "/" in text
    text = text.removeprefix("/")
    if not text:
        return None
    try:
        regex = re.compile(("" if anchored else "(?:.*/)?") + _translated(text, anchored) + r"\Z", re.DOTALL)
    except re.error:
        return None
    return Pattern(regex, negated, folders_only)


def _without_blanks(line: str) -> str:
    """The line without blanks at its end, but for an escaped one."""
    stripped = line.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return stripped + " " if backslashes % 2 and stripped != line else stripped


def _translated(glob: str, anchored: bool) -> str:
    parts: list[str] = []
    at = 0
    while at < len(glob):
        rest = glob[at:]
        stars = len(rest) - len(rest.lstrip("*"))
        # Git takes the plain text in front of the first wildcard off before it looks at the rest.
        begins = at == 0 or glob[at - 1] == "/" or (anchored and not _WILD.search(glob[:at]))
        whole_step = stars > 1 and begins
        if whole_step and rest[stars : stars + 1] == "/":
            parts.append("(?:.*/)?")
            at += stars + 1
        elif whole_step and stars == len(rest):
            parts.append(".*")
            at += stars
        elif stars:
            parts.append("[^/]*")
            at += stars
        elif rest[0] == "?":
            parts.append("[^/]")
            at += 1
        elif rest[0] == "[":
            piece, length = _bracket(rest)
            parts.append(piece)
            at += length
        else:
            escaped = rest[0] == "\\" and len(rest) > 1
            parts.append(re.escape(rest[escaped]))
            at += 1 + escaped
    return "".join(parts)


_WILD = lazy(r"[*?\[\\]")
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "space": r"\s",
    "xdigit": "0-9a-fA-F",
}


def _bracket(text: str) -> tuple[str, int]:
    """A set of characters at the beginning of ``text``, and its length; one that never ends matches nothing."""
    at = 1
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    members: list[str] = []
    first = True
    while at < len(text) and (first or text[at] != "]"):
        first = False
        named = re.match(r"\[:(\w+):\]", text[at:])
        if named and named[1] in _CLASSES:
            members.append(_CLASSES[named[1]])
            at += named.end()
            continue
        if text[at] == "-" and members and text[at + 1 : at + 2] not in ("", "]"):
            members.append("-")
        else:
            at += text[at] == "\\" and at + 1 < len(text)
            members.append(re.escape(text[at]))
        at += 1
    if at >= len(text):
        return "(?!)", len(text)
    # Git's sets never match a slash, not even the negated ones.
    return f"(?!/)[{'^' * negated}{''.join(members)}]", at + 1
