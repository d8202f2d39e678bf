"""YAML that is too large to be held at once, one object at a time: lists as kubectl prints them, and many documents.

Each object becomes a text of its own, as ``kubectl get KIND NAME -o yaml`` would print it; its places count from its
own first line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ..report.run import Skipped
from .loading import MAX_BYTES, Loaded, decoded, mentions_sglang

_KIND = re.compile(rb"^kind:[ \t]*(\S+)", re.MULTILINE)
_METADATA = re.compile(rb"^metadata:[ \t]*\r?\n((?:[ \t]+.*\r?\n?)+)", re.MULTILINE)
_NAME = re.compile(rb"^  name:[ \t]*(\S+)", re.MULTILINE)
_NAMESPACE = re.compile(rb"^  namespace:[ \t]*(\S+)", re.MULTILINE)
_LONGEST_LINE = 1 << 20


def objects(head: bytes, rest: BinaryIO, name: str) -> Iterator[Loaded | Skipped]:
    """The objects of a stream that mention SGLang; ``head`` is what was read of it already.

    They are called ``NAME#Kind/namespace/name``. An object too large to be read is skipped; the others are not.
    """
    for number, piece in enumerate(_pieces(_lines(head, rest)), 1):
        if not mentions_sglang(piece):
            continue
        found = decoded(piece, f"{name}#{_called(piece) or number}", "yaml", named=True)
        if found is not None:
            yield found


def _lines(head: bytes, rest: BinaryIO) -> Iterator[bytes]:
    *whole, begun = head.splitlines(keepends=True) or [b""]
    # CR alone ends no line of a stream; kubectl writes LF.
    yield from whole
    yield begun + (b"" if begun.endswith(b"\n") else rest.readline(_LONGEST_LINE))
    while line := rest.readline(_LONGEST_LINE):
        yield line


def _pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Documents; of a document with ``items:`` at its left edge each item, moved to that edge."""
    piece: list[bytes] = []
    size = 0
    in_items = False
    for line in lines:
        starts_document = line.startswith(b"---")
        starts_item = in_items and line.startswith(b"- ")
        if starts_document or starts_item or (in_items and line[:1].isalpha()):
            yield b"".join(piece)
            piece, size = [], 0
        if starts_document or (in_items and line[:1].isalpha()):
            in_items = False
        if line.rstrip() == b"items:":
            in_items = True
            piece, size = [], 0
            continue
        text = line[2:] if in_items and line[:2] in (b"- ", b"  ") else line
        size += len(text)
        # Past the limit the rest of an object is let go; its beginning says that it was too large.
        if size - len(text) <= MAX_BYTES:
            piece.append(text)
    yield b"".join(piece)


def _called(piece: bytes) -> str:
    kind, metadata = _KIND.search(piece), _METADATA.search(piece)
    name = _NAME.search(metadata[1]) if metadata else None
    if kind is None or metadata is None or name is None:
        return ""
    namespace = _NAMESPACE.search(metadata[1])
    parts = [kind[1], *([namespace[1]] if namespace else []), name[1]]
    return b"/".join(part.strip(b"\"'") for part in parts).decode("utf-8", "replace")
