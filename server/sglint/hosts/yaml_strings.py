"""Words of an argv written in one string, split as Compose does (blanks, quotes, backslashes; no shell)."""

from __future__ import annotations

import re

from ..launch.model import CannotEdit, Word
from ..patterns import lazy
from ..records import dataclass
from ..text import Mapped
from .embedding import Embedding
from .expansion import Expanded
from .origins import HOLE, UNKNOWN
from .yaml_tree import Item, Tree

_STOP = frozenset("|;&<>")
_BLANK = frozenset(" \t\r\n")
_TOKEN = lazy(
    r"""'(?P<single>[^']*)(?:'|\Z)|"(?P<double>(?:[^"\\]|\\(?:.|\Z))*)(?:"|\Z)|\\(?P<escaped>.|\Z)"""
    r"""|(?P<plain>[^ \t\r\n'"\\|;&<>]+)""",
    re.DOTALL,
)
_ESCAPE = lazy(r'\\(?=["\\])')
_MARKS = lazy(f"[{UNKNOWN}{HOLE}]")


@dataclass(frozen=True)
class StringSlot:
    """Editing key of a word inside a string: decoded ``[start, end)`` of the scalar's own text, quotes included.

    ``index`` counts the words of the string; ``words`` are the extents of all of them.
    """

    tree: Tree
    item: Item
    embedding: Embedding
    index: int
    words: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class _Cut:
    """One word: the extent with its quotes, and the decoded pieces in it."""

    start: int
    end: int
    parts: tuple[Mapped, ...]


def string_words(tree: Tree, item: Item, embedding: Embedding, expanded: Expanded) -> list[Word]:
    """The words of a string after its variables were expanded. Splitting ends at an unquoted ``|``, ``;``, ``&``."""
    cuts = _split(expanded.mapped)
    extents = tuple(expanded.extent(cut.start, cut.end) for cut in cuts)
    return [_word(cut, expanded, StringSlot(tree, item, embedding, index, extents)) for index, cut in enumerate(cuts)]


def embedded_word(word: Word, mapped: Mapped) -> Embedding:
    """A word of a string as a script of its own, with the way to write into its quotes."""
    slot = word.handle
    if not isinstance(slot, StringSlot):
        return Embedding(mapped)
    start, end = slot.words[slot.index]
    written = slot.embedding.text[start:end]
    quote = written[:1]
    plain = quote in ("'", '"') and written == f"{quote}{mapped.text}{quote}"

    def encode(text: str, offset: int) -> str:
        if not plain or "$" in text:
            raise CannotEdit("the script is a word of a string whose quotes and variables stand in the way")
        inside = text.replace("'", "'\\''") if quote == "'" else re.sub(r'([\\"])', r"\\\1", text)
        return slot.embedding.encode(inside, start + 1 + offset)

    return Embedding(mapped, encode, word.path)


def cut_off(expanded: Expanded) -> Mapped | None:
    """What stands from an unquoted sign on at which splitting ends; None where all of the string is words."""
    cuts = _split(expanded.mapped)
    text = expanded.mapped.text
    start = cuts[-1].end if cuts else 0
    start += len(text) - start - len(text[start:].lstrip(" \t\r\n"))
    end = len(text.rstrip())
    return expanded.mapped.slice(start, end) if start < end and text[start] in _STOP else None


def _word(cut: _Cut, expanded: Expanded, slot: StringSlot) -> Word:
    mapped = Mapped.join(cut.parts, anchor=expanded.mapped.point(cut.start))
    inside = [piece for piece in expanded.pieces if piece.start < cut.end and piece.end > cut.start]
    definitions = tuple(piece.definition for piece in inside if piece.definition)
    if mapped.text and not mapped.text.strip(HOLE):
        return Word(None, mapped.span(), many=True, handle=slot)
    unknown = tuple(match.span() for match in _MARKS.finditer(mapped.text))
    text = None if unknown else mapped.text
    return Word(text, mapped.span(), mapped, defined_at=definitions, handle=slot, unknown=unknown)


def _split(mapped: Mapped) -> list[_Cut]:
    text = mapped.text
    cuts: list[_Cut] = []
    at = 0
    while at < len(text):
        if text[at] in _BLANK or text.startswith("\\\n", at):
            at += 2 if text[at] == "\\" else 1
        elif text[at] in _STOP:
            break
        else:
            cut = _word_at(mapped, at)
            cuts.append(cut)
            at = cut.end
    return cuts


def _word_at(mapped: Mapped, start: int) -> _Cut:
    text = mapped.text
    parts: list[Mapped] = []
    at = start
    while (token := _TOKEN.match(text, at)) and not token[0].startswith("\\\n"):
        kind = token.lastgroup
        if kind == "double":
            parts += _unescaped(mapped, *token.span("double"))
        elif kind is not None:
            parts.append(mapped.slice(*token.span(kind)))
        at = token.end()
    return _Cut(start, at, tuple(parts))


def _unescaped(mapped: Mapped, start: int, end: int) -> list[Mapped]:
    """The inside of double quotes."""
    parts: list[Mapped] = []
    for escape in _ESCAPE.finditer(mapped.text, start, end):
        parts.append(mapped.slice(start, escape.start()))
        start = escape.start() + 1
    parts.append(mapped.slice(start, end))
    return parts
