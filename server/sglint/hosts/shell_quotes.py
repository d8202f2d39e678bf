"""Writing text into a place inside shell quotes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from ..launch.model import CannotEdit
from .embedding import Encode
from .shell_values import Piece, Raw

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


def encoder(pieces: Sequence[Piece], body: str = "") -> Encode:
    """How new text is written into a script that an outer script holds as ``pieces``.

    ``body``: the outer text is a here-document, ``heredoc`` (expanded) or ``verbatim``.
    """
    starts: list[int] = []
    at = 0
    for piece in pieces:
        starts.append(at)
        at += len(piece.text)

    def encode(text: str, offset: int) -> str:
        raw, start = _raw_at(pieces, starts, offset)
        if raw is None:
            raise CannotEdit("this part of the script comes from a variable")
        written = inside(text, body or raw.quote)
        return raw.script.embedding.encode(written, raw.start + max(0, offset - start))

    return encode


def _raw_at(pieces: Sequence[Piece], starts: Sequence[int], offset: int) -> tuple[Raw | None, int]:
    index = bisect_right(starts, offset) - 1
    # At a boundary the text before is as good a place; an empty piece has no characters to stand beside.
    while index > 0 and (pieces[index].raw is None or not pieces[index].text):
        index -= 1
    if index < 0:
        return None, 0
    return pieces[index].raw, starts[index]
