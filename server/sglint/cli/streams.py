"""YAML and JSON that is too large to be held at once, one object at a time.

Each object becomes a text of its own, as ``kubectl get KIND NAME`` would print it; its places count from its own first
line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..records import dataclass
from ..report.run import Skipped
from .loading import MAX_BYTES, MENTIONS, Loaded, Words, decoded, mentions_sglang
from .pieces import Malformed, Piece, Stream, json_pieces, yaml_pieces

_KIND = re.compile(rb"^kind:[ \t]*(\S+)", re.MULTILINE)
_METADATA = re.compile(rb"^metadata:[ \t]*\r?\n((?:[ \t]+.*\r?\n?)+)", re.MULTILINE)
_NAME = re.compile(rb"^  name:[ \t]*(\S+)", re.MULTILINE)
_NAMESPACE = re.compile(rb"^  namespace:[ \t]*(\S+)", re.MULTILINE)
_OWNERS = re.compile(rb"^  ownerReferences:[ \t]*\r?\n((?:(?:  - |    ).*\r?\n?)+)", re.MULTILINE)
_OWNER = re.compile(rb"^  - ", re.MULTILINE)
_FIELD = re.compile(rb"^(?:  - |    )(kind|name|controller):[ \t]*(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Named:
    """An object of a cluster by kind, namespace and name; None for what is not told."""

    kind: str | None
    namespace: str | None
    name: str | None

    def __str__(self) -> str:
        return "/".join(part for part in (self.kind, self.namespace, self.name) if part)


def objects(head: bytes, rest: BinaryIO, name: str, words: Words = MENTIONS) -> Iterator[Loaded | Skipped]:
    """The objects of a stream that have one of ``words``; ``head`` is what was read of it already.

    They are called ``NAME#Kind/namespace/name``. An object too large to be read is skipped; the others are not.
    """
    stream = Stream(head, rest)
    pieces = json_pieces(stream, exact=True) if looks_like_json(head) else yaml_pieces(stream, MAX_BYTES)
    try:
        for number, piece in enumerate(pieces, 1):
            found = _document(piece, name, number) if mentions_sglang(piece.data, words) else None
            if found is not None:
                yield found
    except Malformed as error:
        yield Skipped(name, str(error))


def _document(piece: Piece, name: str, number: int) -> Loaded | Skipped | None:
    """The text of an object; ``number`` is what it is called by where it has no name."""
    text = piece.text()
    called = named(text, piece.kind)
    return decoded(text, f"{name}#{called if called.name else number}", "yaml", named=True)


def looks_like_json(head: bytes) -> bool:
    return head.lstrip()[:1] in (b"{", b"[")


def named(text: bytes, kind: str | None) -> Named:
    """What an object is called; ``kind`` where it does not say its own."""
    if looks_like_json(text):
        found = _json_object(text)
        metadata = _mapping(found.get("metadata"))
        return Named(
            _string(found.get("kind")) or kind, _string(metadata.get("namespace")), _string(metadata.get("name"))
        )
    own, metadata_text = _KIND.search(text), _metadata(text)
    return Named(_plain(own) or kind, _plain(_NAMESPACE.search(metadata_text)), _plain(_NAME.search(metadata_text)))


def owner_of(text: bytes, of: Named) -> Named | None:
    """The object whose controller made this one."""
    for reference in _owners(text):
        if reference.get("controller") in (True, "true") and reference.get("kind") and reference.get("name"):
            return Named(str(reference["kind"]), of.namespace, str(reference["name"]))
    return None


def _owners(text: bytes) -> Iterator[dict[str, Any]]:
    if looks_like_json(text):
        references = _mapping(_json_object(text).get("metadata")).get("ownerReferences")
        yield from map(_mapping, references if isinstance(references, list) else ())
        return
    block = _OWNERS.search(_metadata(text))
    for reference in _OWNER.split(block[1])[1:] if block else ():
        yield {
            key.decode(): value.strip(b"\"'").decode("utf-8", "replace")
            for key, value in _FIELD.findall(b"  - " + reference)
        }


def _metadata(text: bytes) -> bytes:
    found = _METADATA.search(text)
    return found[1] if found else b""


def _json_object(text: bytes) -> dict[str, Any]:
    try:
        return _mapping(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _plain(found: re.Match[bytes] | None) -> str | None:
    return found[1].strip(b"\"'").decode("utf-8", "replace") if found else None
