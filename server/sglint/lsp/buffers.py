"""Texts that are open in the editor.

Edits are applied with our own line index: the protocol ends lines at LF, CRLF and CR only, and a text that holds
a form feed or U+2028 must not shift by a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePath

from lsprotocol import types
from pygls import uris

from ..records import dataclass, field
from ..settings import FILES
from ..text import Document, Encoding, LineIndex, Position, language_of

_LANGUAGE_IDS = {
    "yaml": "yaml",
    "helm": "yaml",
    "helm-values": "yaml",
    "yaml.helm-values": "yaml",
    "dockercompose": "yaml",
    "yaml.docker-compose": "yaml",
    "shellscript": "shell",
    "shell": "shell",
    "sh": "shell",
    "bash": "shell",
    "dockerfile": "dockerfile",
    "makefile": "makefile",
    "make": "makefile",
    "just": "justfile",
    "systemd": "systemd",
    "python": "python",
}

CONFIGURATION = "toml"
"""Language of configuration files: no host reads it."""


@dataclass(frozen=True)
class Buffer:
    """One open text. ``document`` is None when its language is not one SGLint reads; ``read`` answers for others.

    ``serial`` is another for every text that was ever open: versions begin anew when a file is opened again.
    """

    uri: str
    version: int
    language_id: str
    document: Document | None
    text: str
    read: Callable[[str], str | None] = field(default=lambda path: None, compare=False)
    serial: int = 0


class Buffers:
    """All open texts by URI."""

    def __init__(self) -> None:
        self._open: dict[str, Buffer] = {}
        self._uris: dict[str, str] = {}
        self._opened = 0

    def __iter__(self) -> Iterator[Buffer]:
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> Buffer | None:
        return self._open.get(uri)

    def open(self, uri: str, version: int, language_id: str, text: str) -> Buffer:
        self._opened += 1
        document = _document(uri, language_id, text)
        buffer = Buffer(uri, version, language_id, document, text, self.read, self._opened)
        self._open[uri] = buffer
        self._uris[path_of(uri)] = uri
        return buffer

    def change(
        self,
        uri: str,
        version: int,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> Buffer | None:
        """Apply the changes in order; None for a text that is not open."""
        buffer = self._open.get(uri)
        if buffer is None:
            return None
        text = buffer.text
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangeWholeDocument):
                text = change.text
                continue
            lines = LineIndex(text)
            start = lines.offset(Position(change.range.start.line, change.range.start.character), encoding)
            end = lines.offset(Position(change.range.end.line, change.range.end.character), encoding)
            text = text[:start] + change.text + text[max(start, end) :]
        return self.open(uri, version, buffer.language_id, text)

    def close(self, uri: str) -> None:
        self._open.pop(uri, None)
        if self._uris.get(path_of(uri)) == uri:
            del self._uris[path_of(uri)]

    def at(self, path: str) -> Buffer | None:
        """The open text of a file."""
        return self._open.get(self._uris.get(path, ""))

    def read(self, path: str) -> str | None:
        """Text of a file: the open one, else the one on disk; None when neither can be had."""
        buffer = self.at(path)
        if buffer is not None:
            return buffer.text
        return on_disk(path)

    def differs(self, uri: str) -> bool:
        """Whether an open text is another than its file's."""
        buffer = self._open.get(uri)
        return buffer is not None and buffer.text != on_disk(path_of(uri))


def on_disk(path: str) -> str | None:
    """Text of a file; None when it cannot be had."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError, ValueError):
        return None


def path_of(uri: str) -> str:
    """File path of a URI; the URI itself for texts that are no files (``untitled:``)."""
    if not uri.startswith("file:"):
        return uri
    return uris.to_fs_path(uri) or uri


def is_configuration(path: str) -> bool:
    """Whether a file can hold settings of SGLint, by its name."""
    return PurePath(path).name in FILES


def _document(uri: str, language_id: str, text: str) -> Document | None:
    path = path_of(uri)
    if is_configuration(path):
        return Document(path, text, CONFIGURATION)
    language = _LANGUAGE_IDS.get(language_id) or language_of(path, text[:80].partition("\n")[0])
    return Document(path, text, language) if language else None
