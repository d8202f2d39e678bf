"""The ``---`` documents of a YAML text, each composed on its own and kept by content.

One document at a time: a document broken by typing costs only itself, and a key press composes one document anew.
Offsets of composed nodes count from the beginning of their document.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import yaml

from ..launch.model import Problem
from ..patterns import lazy
from ..records import dataclass
from ..text import Span

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PLAIN_TAGS: dict[str, str] = {}
_KEPT_TAGS = 4096
_KEPT_TAG_CHARACTERS = 80


class LOADER(_BASE):  # type: ignore[misc]
    """The safe loader; a plain scalar that was met before has the tag it had then.

    PyYAML looks the tag up in Python for every scalar, which is half of the time a manifest takes to compose.
    """

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        if kind is not yaml.ScalarNode:
            return super().resolve(kind, value, implicit)
        if not implicit[0]:
            return self.DEFAULT_SCALAR_TAG
        tag = _PLAIN_TAGS.get(value)
        if tag is None:
            tag = super().resolve(kind, value, implicit)
            if len(_PLAIN_TAGS) >= _KEPT_TAGS:
                _PLAIN_TAGS.clear()
            if len(value) <= _KEPT_TAG_CHARACTERS:
                _PLAIN_TAGS[value] = tag
        return tag

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:
        """No tag depends on a path here."""

    def ascend_resolver(self) -> None:
        """As above."""


KEPT_CHARACTERS = 200_000
"""Longer documents are composed every time they are read."""

_START = lazy(r"---(?=[ \t\r\n]|\Z)")
_END = lazy(r"\.\.\.(?=[ \t\r\n]|\Z)[^\r\n]*(?:\r\n|\n|\r|\Z)")
_CONTENT = lazy(r"(?:\A|[\r\n])[ \t]*[^ \t\r\n#%]")


@dataclass(frozen=True)
class Chunk:
    """One document of a stream: its text and the offset of its first character in the file."""

    text: str
    base: int


@dataclass(frozen=True)
class Composed:
    """The node graph of a document (None when empty), or why there is none and where."""

    root: Any
    error: str | None = None
    at: int = 0


def chunks(text: str) -> Iterator[Chunk]:
    """The documents of ``text``. Directives and comments stay with the document they stand before."""
    start = 1 if text.startswith("\ufeff") else 0
    for end, begins in _markers(text, start):
        piece = text[start:end]
        if begins and not _CONTENT.search(piece):
            continue
        yield Chunk(piece, start)
        start = end
    if start < len(text):
        yield Chunk(text[start:], start)


def _markers(text: str, first: int) -> list[tuple[int, bool]]:
    """Where a document begins (True) or has ended (False)."""
    starts = [(found.start(), True) for found in _START.finditer(text) if _begins_line(text, found.start(), first)]
    ends = [(found.end(), False) for found in _END.finditer(text) if _begins_line(text, found.start(), first)]
    return sorted(starts + ends)


def _begins_line(text: str, at: int, first: int) -> bool:
    return at == first or text[at - 1] in "\r\n"


def compose(text: str) -> Composed:
    """The node graph of one document."""
    return _kept(text) if len(text) <= KEPT_CHARACTERS else _compose(text)


def _compose(text: str) -> Composed:
    try:
        return Composed(LOADER(text).get_single_node())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = error.problem or error.context or "it is not well formed"
        return Composed(None, reason, min(mark.index, len(text)) if mark else 0)
    except yaml.reader.ReaderError as error:
        return Composed(None, f"character U+{ord(_char(error)):04X} is not allowed", _offset_of(text, error))
    except UnicodeEncodeError as error:
        return Composed(None, "a lone surrogate is not allowed", error.start)
    except RecursionError:
        return Composed(None, "it is nested too deeply")


_kept = lru_cache(maxsize=128)(_compose)


def _char(error: yaml.reader.ReaderError) -> str:
    found: Any = error.character
    return chr(found) if isinstance(found, int) else str(found)[:1]


def _offset_of(text: str, error: yaml.reader.ReaderError) -> int:
    return max(0, text.find(_char(error)))


def problem(chunk: Chunk, composed: Composed) -> Problem:
    """The finding for a document that does not parse; a template of some other tool is no mistake."""
    at = chunk.base + composed.at
    span = Span(at, min(at + 1, chunk.base + len(chunk.text)))
    if "{{" in chunk.text or "{%" in chunk.text:
        message = "This is a template that is no YAML before it is rendered; launches in it are not checked."
        return Problem("SGL001", "yaml-syntax", "info", message, span)
    message = (
        f"This YAML document does not parse: {composed.error}. "
        "Launches in it are not checked; the file's other documents are."
    )
    return Problem("SGL001", "yaml-syntax", "warning", message, span)
