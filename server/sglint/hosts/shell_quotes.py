"""Writing text into a place inside shell quotes."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from ..launch.model import CannotEdit
from ..records import dataclass
from .shell_values import Piece, Raw, placed_use

_SAFE = re.compile(r"[\w@%+=:,./~^-]*", re.ASCII)


def quoted(text: str) -> str:
    """One shell word that is ``text``."""
    if text and _SAFE.fullmatch(text) and not text.startswith("~"):
        return text
    return "'" + text.replace("'", "'\\''") + "'"


def inside(text: str, quote: str) -> str:
    """``text`` as it must be written between the given quotes. Raises CannotEdit where that cannot be."""
    if quote in ("", "\\"):
        return re.sub(r"([^\w@%+=:,./~^-])", r"\\\1", text, flags=re.ASCII)
    if quote == "'":
        return text.replace("'", "'\\''")
    if quote == '"':
        return re.sub(r'([\\"$`])', r"\\\1", text)
    if quote == "heredoc":
        return re.sub(r"([\\$`])", r"\\\1", text)
    if quote == "verbatim":
        return text
    if quote == "$'":
        return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    raise CannotEdit("the text is put together in a way that cannot be written back")


@dataclass(frozen=True)
class Outer:
    """The pieces of an outer script that make the text of an inner one, and how to write into them.

    ``body``: the outer text is a here-document, ``heredoc`` (expanded) or ``verbatim``; empty for quoted words.
    """

    pieces: tuple[Piece, ...]
    body: str = ""

    @cached_property
    def _starts(self) -> list[int]:
        starts: list[int] = []
        at = 0
        for piece in self.pieces:
            starts.append(at)
            at += len(piece.text)
        return starts

    def encode(self, text: str, offset: int) -> str:
        """``text`` as it is written in the document at inner ``offset``. Raises CannotEdit."""
        index = bisect_right(self._starts, offset) - 1
        # An empty piece has no characters to stand beside; at a boundary the text before is as good a place.
        while index > 0 and (self.pieces[index].raw is None or not self.pieces[index].text):
            index -= 1
        raw = self.pieces[index].raw if index >= 0 else None
        if raw is None:
            raise CannotEdit("this part of the script comes from a variable")
        written = inside(text, self.body or raw.quote)
        return raw.script.embedding.encode(written, raw.start + max(0, offset - self._starts[index]))

    def is_at_use(self, offset: int) -> bool:
        """Whether what is at inner ``offset`` stands where a variable is used, not where it gets its text."""
        index = bisect_right(self._starts, offset) - 1
        return index >= 0 and placed_use(self.pieces[index]) is not None

    def check(self, start: int, end: int) -> None:
        """Raises CannotEdit unless inner ``[start, end)`` is one unbroken stretch within the same quotes outside."""
        found = [
            (piece, at)
            for piece, at in zip(self.pieces, self._starts, strict=True)
            if piece.text and at < end and at + len(piece.text) > start
        ]
        before: Raw | None = None
        for piece, _ in found:
            raw = piece.raw
            if raw is None or (piece.uses[:1] and len({item.uses for item, _ in found}) > 1):
                raise CannotEdit("the words come from a variable of the script around them")
            if before is not None:
                between = raw.script.text[before.end : raw.start] if raw.script is before.script else "?"
                if between.replace("\\\n", "") or raw.quote != before.quote:
                    raise CannotEdit("the words are put together from pieces with quotes of their own")
            before = raw
        if found and before is not None and before.script.outer is not None:
            first = found[0][0].raw
            assert first is not None
            before.script.outer.check(first.start, before.end)
