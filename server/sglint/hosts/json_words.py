"""Words of a JSON list of strings, as exec forms have them."""

from __future__ import annotations

import re

from ..launch.model import Word
from ..text import Mapped, Span
from .embedding import Embedding

_STRING = re.compile(r"\"((?:[^\"\\]|\\.)*)\"", re.DOTALL)
_PIECE = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)|[^\\]+", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LIST = re.compile(r"\s*\[(?:[^\"\[\]]|\"(?:[^\"\\]|\\.)*\")*\]\s*$", re.DOTALL)


def json_words(text: Mapped) -> tuple[Word, ...] | None:
    """The strings of the list that ``text`` is; None when it is none. Each word's handle is its embedding."""
    if not _LIST.match(text.text):
        return None
    return tuple(_word(text.slice(*found.span(1))) for found in _STRING.finditer(text.text))


def _word(written: Mapped) -> Word:
    parts = []
    for piece in _PIECE.finditer(written.text):
        here = written.slice(*piece.span())
        if piece[1]:
            parts.append(Mapped.whole(chr(int(piece[1], 16)), here.span()))
        elif piece[2]:
            parts.append(Mapped.whole(_ESCAPES.get(piece[2], piece[2]), here.span()))
        else:
            parts.append(here)
    mapped = Mapped.join(parts, anchor=written.anchor)
    span = mapped.span() if mapped.text else Span(written.anchor, written.anchor)
    return Word(mapped.text, span, mapped, handle=Embedding(mapped, json_escape))


def json_escape(text: str, offset: int) -> str:
    """Text as it stands inside a JSON string."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
