"""Bytes of files to documents: limits, encodings, and the search that spares files without SGLang."""

from __future__ import annotations

import codecs
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from ..hosts.gate import MAX_CHARACTERS, may_be_completed, mentions
from ..records import dataclass, replace
from ..report.run import Skipped
from ..text import Document, Span, language_of
from .discovery import Candidate, reason_of

MAX_BYTES = MAX_CHARACTERS

Words = tuple[bytes, ...]

MENTIONS = mentions()
"""Without one of these words nothing starts an SGLang server, unless the user has launchers of their own."""

_HEAD = 8192
_WIDE_BOMS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"))
_BOMS = (*_WIDE_BOMS, (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True)
class Loaded:
    """A document, how its bytes are to be written back, and the place of a byte that is no UTF-8, if any.

    ``named``: asked for by name, so that it is linted whatever a configuration excludes. ``whole``: a file, and neither
    standard input nor a part of a stream.
    """

    document: Document
    data: bytes
    encoding: str
    bom: bytes
    named: bool
    damaged: Span | None = None
    whole: bool = False

    @property
    def path(self) -> str:
        return self.document.path

    def encode(self, text: str) -> bytes:
        """Bytes of a changed text, in the encoding the file has."""
        return self.bom + text.encode(self.encoding)


def load(candidate: Candidate, words: Words = MENTIONS) -> Loaded | Skipped | None:
    """The document of a file; None when it has none of ``words``, so that nothing in it can start a server."""
    try:
        data = read_bytes(candidate.path)
    except OSError as error:
        return Skipped(candidate.path, reason_of(error), failed=True)
    language = candidate.language or language_of_content(data)
    found = decoded(data, candidate.path, language, named=candidate.named, words=words)
    return replace(found, whole=True) if isinstance(found, Loaded) else found


def load_stdin(name: str | None, words: Words = MENTIONS, *, split: bool) -> Iterator[Loaded | Skipped | None]:
    """Standard input as the file ``name``; where the name tells no language its content does.

    With ``split`` YAML that is larger than a file may be is read object by object.
    """
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    language = language_of(name or "") or language_of_content(data)
    shown = name or "<stdin>"
    if split and len(data) > MAX_BYTES and language == "yaml":
        from .streams import objects

        yield from objects(data, sys.stdin.buffer, shown, words)
    else:
        yield decoded(data, shown, language, named=True)


def load_split(candidate: Candidate, words: Words = MENTIONS) -> Iterator[Loaded | Skipped | None]:
    """As :func:`load`, but a YAML file that was asked for by name and is too large is read object by object."""
    try:
        large = candidate.named and candidate.language == "yaml" and _size(candidate.path) > MAX_BYTES
        if large:
            from .streams import objects

            with open(candidate.path, "rb") as file:
                yield from objects(file.read(_HEAD), file, candidate.path, words)
            return
    except OSError as error:
        yield Skipped(candidate.path, reason_of(error), failed=True)
        return
    yield load(candidate, words)


def _size(path: str) -> int:
    return Path(path).stat().st_size


def language_of_content(data: bytes) -> str:
    """Shell when it begins with a shell's ``#!`` line, else YAML."""
    return language_of("", data[:_HEAD].split(b"\n", 1)[0].decode("utf-8", "replace")) or "yaml"


def read_bytes(path: str) -> bytes:
    """At most one byte more than the limit. Raises OSError."""
    with open(path, "rb", buffering=0) as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return file.read(MAX_BYTES + 1) or b""
        pieces, size = [], 0
        while size <= MAX_BYTES:
            piece = file.read(MAX_BYTES + 1 - size)
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
        return b"".join(pieces)


def read_text(path: str) -> str | None:
    """Text of a file that a document refers to; None when there is none to be had."""
    try:
        data = read_bytes(path)
    except (OSError, ValueError):
        return None
    loaded = decoded(data, path, "text", named=True)
    return loaded.document.text if isinstance(loaded, Loaded) else None


def mentions_sglang(data: bytes, words: Words = MENTIONS) -> bool:
    """Whether bytes in UTF-8 hold a word without which nothing starts an SGLang server."""
    return any(word in data for word in words)


def decoded(data: bytes, path: str, language: str, *, named: bool, words: Words = MENTIONS) -> Loaded | Skipped | None:
    """The document of a file's bytes; None when nothing in it can start an SGLang server."""
    if len(data) > MAX_BYTES:
        return Skipped(path, f"larger than {MAX_BYTES / 1e6:g} MB")
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _decode_wide(data, bom, encoding, Document(path, "", language), named=named)
    if b"\0" in data[:_HEAD]:
        return Skipped(path, "binary: it holds NUL bytes")
    if not (named or may_be_completed(path) or mentions_sglang(data, words)):
        return None
    bom = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    body = data[len(bom) :]
    try:
        return Loaded(Document(path, body.decode("utf-8"), language), data, "utf-8", bom, named)
    except UnicodeDecodeError as error:
        at = len(body[: error.start].decode("utf-8"))
        text = body.decode("utf-8", "replace")
        return Loaded(Document(path, text, language), data, "utf-8", bom, named, Span(at, at + 1))


def _decode_wide(data: bytes, bom: bytes, encoding: str, empty: Document, *, named: bool) -> Loaded | Skipped:
    order = "le" if bom in (codecs.BOM_UTF32_LE, codecs.BOM_UTF16_LE) else "be"
    try:
        text = data[len(bom) :].decode(f"{encoding}-{order}")
    except UnicodeDecodeError as error:
        return Skipped(empty.path, f"begins like {encoding.upper()} and is not, at byte {error.start + len(bom)}")
    return Loaded(replace(empty, text=text), data, f"{encoding}-{order}", bom, named)
