"""What lies around a script: files of the workspace that it sources."""

from __future__ import annotations

import posixpath
import re

from ..launch.model import Word
from ..records import dataclass, field, replace
from ..text import Mapped, Sources, Span
from .shell_values import Item, Piece, State, Variable

MAX_FILES = 20
"""Sourced files read for one script."""

MAX_CHARACTERS = 1_000_000

_OWN_FOLDER = re.compile(r"\$\(dirname[^)]*\)|\$\{(?:BASH_SOURCE(?:\[0\])?|0)%/\*\}|\$(?:HERE|SCRIPT_DIR|DIR)")


@dataclass
class Surrounding:
    """``path`` of the document; ``sources`` answers for files beside it."""

    path: str
    sources: Sources
    _reading: list[str] = field(default_factory=list)
    _read: int = 0

    def enter(self, word: Word) -> str | None:
        """The text of the file that ``word`` names; None when it is not there or being read. Ends with ``leave``."""
        name = _file_name(word)
        if name is None or name.startswith("/") or self._read >= MAX_FILES:
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self.path), name))
        if path in self._reading or path == posixpath.normpath(self.path):
            return None
        text = self.sources.text(path)
        self._read += 1
        if text is None or len(text) > MAX_CHARACTERS or "\0" in text:
            return None
        self._reading.append(path)
        return text

    def again(self) -> None:
        """Before the script is read once more."""
        self._read = 0

    def leave(self) -> None:
        self._reading.pop()


def _file_name(word: Word) -> str | None:
    """A file beside the script, as far as that can be told."""
    if word.text is not None:
        return word.text or None
    text = word.mapped.text if word.mapped is not None else ""
    folder = _OWN_FOLDER.match(text)
    if folder is None or len(word.unknown) != 1 or word.unknown[0][0] != 0 or not text.startswith("/", folder.end()):
        return None
    return text[folder.end() + 1 :] or None


def moved(state: State, before: dict[str, Variable], place: Span) -> None:
    """Put what a sourced file set at ``place``, the word that names the file: its own offsets are another text's."""
    for name, variable in state.variables.items():
        if before.get(name) is not variable:
            scalar = None if variable.scalar is None else tuple(_piece(piece, place) for piece in variable.scalar)
            items = None if variable.items is None else tuple(_item(item, place) for item in variable.items)
            state.variables[name] = replace(variable, scalar=scalar, items=items, place=place)


def _item(item: Item, place: Span) -> Item:
    return Item(tuple(_piece(piece, place) for piece in item.pieces), item.maybe)


def _piece(piece: Piece, place: Span) -> Piece:
    return piece._replace(mapped=Mapped.whole(piece.text, place), uses=(), raw=None)
