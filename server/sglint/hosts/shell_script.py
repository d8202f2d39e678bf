"""A script text inside a document: what the shell host reads words from."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from ..launch.model import Definition
from ..records import dataclass
from ..text import Mapped, Span
from .embedding import Embedding
from .origins import Origin

if TYPE_CHECKING:
    from .shell_quotes import Outer


_SPEAKERS = re.compile(r"(?:echo|printf)[ \t]*\(\)")


@dataclass(frozen=True, eq=False)
class Script:
    """One script text, its place in the document, and what is known of stretches that variables put there.

    Line ends of ``embedding.text`` are LF; see :func:`line_feeds`. ``outer``: the pieces of the script around that
    make this one. ``speaks_otherwise``: the script it is a part of has functions called ``echo`` or
    ``printf``.
    """

    embedding: Embedding
    origins: tuple[Origin, ...] = ()
    outer: Outer | None = None
    speaks_otherwise: bool = False

    @property
    def text(self) -> str:
        return self.embedding.text

    def mapped(self, start: int, end: int) -> Mapped:
        """The text of a stretch, mapped to the document."""
        return self.embedding.mapped.slice(start, end)

    def span(self, start: int, end: int) -> Span:
        """Where a stretch stands in the document."""
        return self.embedding.mapped.span(start, end)

    def definitions(self, start: int, end: int) -> tuple[Definition, ...]:
        """The variables that gave text within a stretch, in order."""
        return tuple(name for origin in self._origins(start, end) for name in origin.definitions)

    def is_maybe(self, start: int, end: int) -> bool:
        """Whether a condition decides on text within a stretch."""
        return any(origin.maybe for origin in self._origins(start, end))

    def _origins(self, start: int, end: int) -> list[Origin]:
        if not self.origins:
            return []
        found: list[Origin] = []
        index = bisect_left(self.origins, start + 1, key=lambda origin: origin.end)
        while index < len(self.origins) and self.origins[index].start < max(end, start + 1):
            found.append(self.origins[index])
            index += 1
        return found


def speaks_otherwise(text: str) -> bool:
    """Whether a script has functions called ``echo`` or ``printf``."""
    return "()" in text and _SPEAKERS.search(text) is not None


def line_feeds(embedding: Embedding) -> Embedding:
    """The same embedding with CRLF and CR read as LF; new lines are written with the ending in use."""
    text = embedding.text
    if "\r" not in text:
        return embedding
    parts: list[Mapped] = []
    at = 0
    ending = "\r\n" if "\r\n" in text else "\r"
    while (cut := text.find("\r", at)) >= 0:
        stop = cut + (2 if text.startswith("\r\n", cut) else 1)
        parts += [Mapped.identity(text[at:cut], at), Mapped.whole("\n", Span(cut, stop))]
        at = stop
    parts.append(Mapped.identity(text[at:], at))
    return embedding.within(Mapped.join(parts), lambda new, offset: new.replace("\n", ending))
