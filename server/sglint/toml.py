"""TOML texts with the places of their keys, so that a mistake is reported where it stands.

The parser of the standard library keeps no places. Keys are found again in the text; that covers tables, arrays
of tables, dotted and quoted keys, which is what people write in configuration and rule files. A key that is not
found (inside an inline table, say) is placed at the nearest key around it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from .patterns import lazy
from .text import LineIndex, Span

KeyPath = tuple[str | int, ...]

_HEADER = lazy(r"\s*(\[\[?)\s*([^\[\]\s](?:[^\[\]]*[^\[\]\s])?)\s*\]\]?\s*(?:#.*)?$")
_KEY = lazy(r"""\s*((?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*'))*)\s*=""")
_PART = lazy(r"""[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*'""")
_AT = lazy(r"\(at line (\d+), column (\d+)\)|at end of document")


class TomlError(ValueError):
    """The text is not TOML; ``span`` is where the parser stopped."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


def parse(text: str) -> dict[str, Any]:
    """Raises :class:`TomlError`."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        # The grammar knows LF and CRLF only, and a BOM is no character of it.
        data: dict[str, Any] = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise TomlError(_AT.sub("", str(error)).strip(" ."), _span_of_error(text, str(error))) from None
    return data


def span_of(text: str, path: Sequence[str | int]) -> Span:
    """Place of the value of ``path`` (keys, and numbers of array members): the key's own span, else one around it."""
    places = dict(_keys(text))
    for length in range(len(path), 0, -1):
        span = places.get(tuple(path[:length]))
        if span is not None:
            return span
    return Span(0, 0)


def _keys(text: str) -> Iterator[tuple[KeyPath, Span]]:
    table: KeyPath = ()
    members: dict[KeyPath, int] = {}
    lines = LineIndex(text)
    fence: str | None = None
    for number in range(len(lines.starts)):
        line, start = lines.line_text(number), lines.starts[number]
        if fence is not None:
            fence = None if fence in line else fence
            continue
        header = _HEADER.match(line)
        key = None if header else _KEY.match(line)
        if header:
            table = _numbered(_split(header[2]), members, is_array=header[1] == "[[")
            yield table, Span(start + header.start(2), start + header.end(2))
        elif key:
            yield table + _split(key[1]), Span(start + key.start(1), start + key.end(1))
        fence = _opened(line)


def _numbered(keys: KeyPath, members: dict[KeyPath, int], *, is_array: bool) -> KeyPath:
    """``fix`` as ``fix, 1`` where the second ``[[fix]]`` is meant."""
    path: KeyPath = ()
    for index, key in enumerate(keys):
        path += (key,)
        if is_array and index == len(keys) - 1:
            members[path] = members.get(path, -1) + 1
        if path in members:
            path += (members[path],)
    return path


def _split(dotted: str) -> KeyPath:
    return tuple(part.strip("\"'") for part in _PART.findall(dotted))


def _opened(line: str) -> str | None:
    """The quotes of a text over several lines that the line leaves open."""
    for fence in ('"""', "'''"):
        if line.count(fence) % 2:
            return fence
    return None


def _span_of_error(text: str, message: str) -> Span:
    at = _AT.search(message)
    if at is None or at[1] is None:
        return Span(len(text), len(text))
    lines = LineIndex(text)
    line = min(int(at[1]), len(lines.starts)) - 1
    start = min(lines.starts[line] + int(at[2]) - 1, len(text))
    return Span(start, max(start, lines.line_span(line).end))
