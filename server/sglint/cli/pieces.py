"""Where the objects of a long stream begin and end: lists as kubectl prints them in YAML and JSON, and documents.

The stream is read in stretches and never held at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from ..records import dataclass

STRETCH = 1 << 20
"""Bytes that are read together."""

MOST_HELD = 64 << 20
"""Bytes without the end of an object, after which a stream is not what it seemed to be."""

_EDGE = re.compile(rb"^(?:- |---|[A-Za-z])", re.MULTILINE)
_BRACKET = re.compile(rb'[^"{}\[\]]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^"{}\[\]]*)*([{}\[\]])', re.DOTALL)
_ITEMS = re.compile(rb'"items"\s*:\s*\Z')
_LIST_KIND = re.compile(rb'"kind"\s*:\s*"(\w+)List"')
_INDENTED = re.compile(rb"\r?\n( +)\{")
_FOLLOWED = re.compile(rb"\s*(?:,\s*(?=\{)|(?=\]))")
_HEADER = 4096


@dataclass(frozen=True)
class Piece:
    """One object, and where it stands: ``start`` and ``end`` count bytes from the stream's beginning.

    ``moved``: its lines are two columns further right than in a text of its own, the first behind a dash. ``kind`` is
    what the list around says of its items. ``is_object`` is false for what a list has after its items.
    """

    data: bytes
    start: int
    end: int
    moved: bool = False
    kind: str | None = None
    is_object: bool = True

    def text(self) -> bytes:
        """The object as a text of its own."""
        if not self.moved:
            return self.data
        lines = self.data.splitlines(keepends=True)
        return b"".join(line[2:] if line[:2] in (b"- ", b"  ") else line for line in lines)


class Malformed(Exception):
    """A stream that is not laid out as its beginning promised; the message says how."""


class Stream:
    """Bytes of a file or pipe, with what was read of it before."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def read(self) -> bytes:
        """The next stretch; empty at the end."""
        if self._head:
            taken, self._head = self._head[:STRETCH], self._head[STRETCH:]
            return taken
        return self._rest.read(STRETCH)

    def lines(self) -> Iterator[bytes]:
        """Stretches that end with a line."""
        begun = b""
        while stretch := self.read():
            at = stretch.rfind(b"\n") + 1
            if not at and len(begun) < MOST_HELD:
                begun += stretch
                continue
            yield begun + stretch[:at]
            begun = stretch[at:]
        if begun:
            yield begun


def yaml_pieces(stream: Stream, most: int) -> Iterator[Piece]:
    """Documents; of a document with ``items:`` at its left edge each item.

    Of an object of more than ``most`` bytes only the beginning is held.
    """
    parts: list[bytes] = []
    size = begin = base = 0
    in_items = had_items = False
    for stretch in stream.lines():
        taken = 0
        for edge in _EDGE.finditer(stretch):
            at = edge.start()
            line = stretch[at : stretch.find(b"\n", at) + 1 or len(stretch)]
            opens_items = not in_items and line.rstrip() == b"items:"
            opens_document = edge[0] == b"---"
            if not (in_items or opens_items or opens_document):
                continue
            parts.append(stretch[taken:at] if size <= most else b"")
            data = b"".join(parts)
            if not opens_items and data.strip():
                yield Piece(data, begin, base + at, in_items, is_object=in_items or not had_items)
            had_items = not opens_document and (opens_items or had_items)
            in_items = opens_items or (in_items and edge[0] == b"- ")
            # Neither line belongs to an object.
            taken = at + len(line) if opens_items or line.partition(b"#")[0].rstrip() == b"---" else at
            parts, size, begin = [], 0, base + taken
        parts.append(stretch[taken:] if size <= most else b"")
        size += len(stretch) - taken
        base += len(stretch)
    data = b"".join(parts)
    if data.strip():
        yield Piece(data, begin, base, in_items, is_object=in_items or not had_items)


def json_pieces(stream: Stream, *, exact: bool) -> Iterator[Piece]:
    """The items of lists, and objects that are no list. Raises :class:`Malformed`.

    Unless ``exact``, the items of an indented list are taken to end where their first line's indentation is met
    again, which is many times faster than looking at every bracket; a list that breaks the promise is malformed.
    """
    return _Json(stream).pieces(exact=exact)


class _Json:
    """A stretch of the stream from ``base`` on, read up to ``at``."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._held = b""
        self._base = 0
        self._at = 0

    def pieces(self, *, exact: bool) -> Iterator[Piece]:
        depth = 0
        within: int | None = None

        start = 0
        has_items = False
        kind: str | None = None
        while (bracket := self._bracket(start if depth else None)) is not None:
            at = self._base + self._at - 1
            if bracket in b"}]":
                if depth == 0:
                    continue
                depth -= 1
                if (depth == within and bracket == b"}") or (depth == 0 and not has_items):
                    yield self._piece(start, at + 1, kind)
                elif within is not None and depth < within:
                    within = None
                continue
            if depth == 0:
                start, has_items, kind = at, False, None
            opens = bracket == b"[" and (depth == 0 or (depth == 1 and self._is_items(at)))
            if opens:
                kind = self._kind(start, at)
                has_items, within = True, depth + 1
                if not exact and (indent := self._indent()) is not None:
                    yield from self._indented(indent, kind)
            elif depth == within:
                start = at
            depth += 1

    def _bracket(self, keep: int | None) -> bytes | None:
        """The next bracket outside strings; None at the end. What stands from ``keep`` on stays held."""
        while (match := _BRACKET.match(self._held, self._at)) is None:
            if not self._more(self._base + self._at if keep is None else keep):
                return None
        self._at = match.end()
        return match[1]

    def _more(self, keep: int) -> bool:
        """Read on, letting go of what stands before ``keep``; whether there was more."""
        stretch = self._stream.read()
        gone = max(0, keep - self._base)
        self._held = self._held[gone:] + stretch
        self._base += gone
        self._at -= gone
        if len(self._held) > MOST_HELD:
            raise Malformed("it is not JSON as kubectl prints it")
        return bool(stretch)

    def _piece(self, start: int, end: int, kind: str | None) -> Piece:
        return Piece(self._held[start - self._base : end - self._base], start, end, kind=kind)

    def _is_items(self, at: int) -> bool:
        before = self._held[max(0, at - self._base - 64) : at - self._base]
        return _ITEMS.search(before) is not None

    def _kind(self, start: int, at: int) -> str | None:
        header = self._held[max(0, start - self._base) : at - self._base][-_HEADER:]
        found = _LIST_KIND.search(header)
        return found[1].decode("ascii", "replace") if found else None

    def _indent(self) -> bytes | None:
        """The indentation of the items that begin here, if each begins on a line of its own."""
        while len(self._held) < self._at + 256 and self._more(self._base + self._at):
            pass
        found = _INDENTED.match(self._held, self._at)
        return found[1] if found else None

    def _indented(self, indent: bytes, kind: str | None) -> Iterator[Piece]:
        """The items up to their closing bracket, which is left to be read."""
        closing = b"\n" + indent + b"}"
        start = self._base + self._held.index(b"{", self._at)
        while True:
            if self._held[start - self._base + 1 : start - self._base + 3].lstrip(b"\r")[:1] != b"\n":
                raise Malformed("an item does not begin with a line of its own")
            end = self._held.find(closing, start - self._base)
            while end < 0:
                searched = self._base + len(self._held) - len(closing)
                if not self._more(start):
                    raise Malformed("an item has no end")
                end = self._held.find(closing, max(start, searched) - self._base)
            self._at = end + len(closing)
            yield self._piece(start, self._base + self._at, kind)
            while len(self._held) < self._at + 256 and self._more(self._base + self._at):
                pass
            follows = _FOLLOWED.match(self._held, self._at)
            if follows is None:
                raise Malformed("an item does not end with its indentation")
            self._at = follows.end()
            if self._held[self._at : self._at + 1] == b"]":
                return
            start = self._base + self._at
