"""Definition and references: between values and templates of a chart, and from a word to what gives it its text."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from ..assist import navigation
from ..launch.model import Place
from ..settings import Settings
from ..text import Document, Encoding, LineIndex, Position, Sources
from .buffers import Buffers
from .convert import to_range, to_uri


def definitions(
    document: Document,
    position: types.Position,
    settings: Settings,
    sources: Sources,
    buffers: Buffers,
    encoding: Encoding,
) -> list[types.Location]:
    at = document.lines.offset(Position(position.line, position.character), encoding)
    return _locations(navigation.definition(document, sources, at, settings.launchers), document, buffers, encoding)


def references(
    document: Document,
    position: types.Position,
    sources: Sources,
    buffers: Buffers,
    encoding: Encoding,
    *,
    declaration: bool,
) -> list[types.Location]:
    """With ``declaration`` the places where it is written come first."""
    at = document.lines.offset(Position(position.line, position.character), encoding)
    found = navigation.references(document, sources, at)
    if declaration:
        found = (*navigation.definition(document, sources, at), *found)
    return _locations(dict.fromkeys(found), document, buffers, encoding)


def _locations(
    places: Iterable[Place], document: Document, buffers: Buffers, encoding: Encoding
) -> list[types.Location]:
    """A place in a file that cannot be read any more has none."""
    found = []
    for place in places:
        path = place.path or document.path
        text = document.text if path == document.path else buffers.read(path)
        if text is None:
            continue
        buffer = buffers.at(path)
        uri = buffer.uri if buffer is not None else to_uri(path)
        found.append(types.Location(uri, to_range(LineIndex(text), place.span, encoding)))
    return found
