"""The ``console`` blocks of pages: commands behind ``$``, and below each what it prints, ``...`` for any lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ELLIPSIS = "..."


@dataclass(frozen=True)
class Command:
    """``line`` counts from one in the page; ``shown`` is empty where the page says nothing of the output."""

    page: str
    line: int
    words: str
    shown: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def commands(path: Path, root: Path) -> Iterator[Command]:
    """The commands of a page in their order. A line that ends in a backslash goes on in the next."""
    text = path.read_text(encoding="utf-8")
    page = path.relative_to(root).as_posix()
    for block in _BLOCK.finditer(text):
        at = text.count("\n", 0, block.start(1)) + 1
        for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE):
            if part:
                words, _, shown = re.sub(r"\\\n", "", part).partition("\n")
                yield Command(page, at, words, tuple(shown.splitlines()))
            at += part.count("\n")


def agrees(printed: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether lines are as shown."""
    if not shown:
        return not printed
    if shown[0] == ELLIPSIS:
        return any(agrees(printed[count:], shown[1:]) for count in range(len(printed) + 1))
    return bool(printed) and printed[0] == shown[0] and agrees(printed[1:], shown[1:])
