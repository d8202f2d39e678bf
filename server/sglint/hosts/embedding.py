"""Text embedded in a document: where its characters stand, and how new text is written there."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from ..launch.model import CannotEdit
from ..records import dataclass
from ..text import Edit, Mapped

Encode = Callable[[str, int], str]
"""(new decoded text, decoded offset it goes to) -> source text. Raises CannotEdit."""


def verbatim(text: str, offset: int) -> str:
    """Encoder of text that stands in the source as it is."""
    return text


@dataclass(frozen=True)
class Embedding:
    """A decoded text with its source map and the notation's way of writing into it.

    In an indented block a decoded line feed maps to the source line end **and** the next line's indentation, so
    that removing whole decoded lines leaves the block well indented; ``encode`` adds the indentation back after
    every line feed of new text.
    """

    mapped: Mapped
    encode: Encode = verbatim
    path: str | None = None

    @property
    def text(self) -> str:
        return self.mapped.text

    def edit(self, start: int, end: int, text: str) -> Edit:
        """Replace decoded ``[start, end)``. Raises CannotEdit where a source piece would be cut in two."""
        if not self.mapped.is_exact(start, end):
            raise CannotEdit("this text is assembled from pieces that cannot be taken apart")
        return Edit(self.mapped.span(start, end), self.encode(text, start) if text else "", self.path)

    def stretch(self, start: int, end: int) -> Embedding:
        """The decoded ``[start, end)`` as an embedding of its own."""
        if start == 0 and end == len(self.text):
            return self
        return self.within(Mapped.identity(self.text[start:end], start), verbatim)

    def within(self, inner: Mapped, encode: Encode) -> Embedding:
        """An embedding inside this one: ``inner`` maps to this text, ``encode`` writes into this text."""

        def both(text: str, offset: int) -> str:
            return self.encode(encode(text, offset), inner.point(offset))

        return Embedding(inner.through(self.mapped), both, self.path)


class Stretches(Embedding):
    """A text of stretches of the document, between which stands what no edit may take along."""

    between = "something else stands in between"

    def edit(self, start: int, end: int, text: str) -> Edit:
        """As for any embedding, within one stretch. Raises CannotEdit."""
        runs = self.mapped.slice(start, end).runs
        if any(before.stop != after.start for before, after in pairwise(runs)):
            raise CannotEdit(self.between)
        self.encode(text, start)
        return super().edit(start, end, text)

    def within(self, inner: Mapped, encode: Encode) -> Embedding:
        both = super().within(inner, encode)
        return type(self)(both.mapped, both.encode, both.path)
