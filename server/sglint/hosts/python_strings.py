"""String literals: their decoded text with the place of every character, and the fields of f-strings.

Python's parser gives the place of a literal only as a whole, and the places inside f-strings differ between its
versions, so that literals are read here once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..records import dataclass
from ..text import Mapped, Span

_GAP = re.compile(r"(?:[ \t\f\r\n()]|\\\r?\n|\\\r|#[^\r\n]*)*")
_OPEN = re.compile(r"([A-Za-z]{0,2})('''|\"\"\"|'|\")")
_ESCAPE = re.compile(
    r"\\(?:(?P<join>\r\n|\n|\r)|(?P<octal>[0-7]{1,3})|x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})"
    r"|U(?P<long>[0-9a-fA-F]{8})|N\{(?P<name>[^}]*)\}|(?P<plain>.))",
    re.DOTALL,
)
_PLAIN = {"\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_CLOSERS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Field:
    """A replacement field of an f-string, with its braces."""

    written: Mapped


def literal(text: str, span: Span) -> list[Mapped | Field] | None:
    """The pieces of the literal at ``span``, adjacent literals joined; None when it is not read to its end."""
    pieces: list[Mapped | Field] = []
    at = span.start
    while at < span.end:
        gap = _GAP.match(text, at, span.end)
        at = gap.end() if gap else at
        if at >= span.end:
            break
        opening = _OPEN.match(text, at, span.end)
        if opening is None:
            return None
        at = _one(text, opening, span.end, pieces)
        if at < 0:
            return None
    return pieces


def _one(text: str, opening: re.Match[str], end: int, pieces: list[Mapped | Field]) -> int:
    """Read one literal; the offset behind it, or -1."""
    prefix, quote = opening[1].lower(), opening[2]
    raw, formatted = "r" in prefix, "f" in prefix
    at = start = opening.end()
    while at < end:
        if text.startswith(quote, at):
            pieces.append(_plain(text, start, at))
            return at + len(quote)
        char = text[at]
        if char == "\\":
            found = None if raw else _ESCAPE.match(text, at, end)
            if raw or found is None:
                at += 2
                continue
            pieces += [_plain(text, start, at), _escaped(text, found)]
            at = start = found.end()
        elif formatted and char in "{}" and text.startswith(char * 2, at):
            pieces += [_plain(text, start, at), Mapped.whole(char, Span(at, at + 2))]
            at = start = at + 2
        elif formatted and char == "{":
            stop = _field_end(text, at, end)
            if stop < 0:
                return -1
            pieces += [_plain(text, start, at), Field(_plain(text, at, stop))]
            at = start = stop
        elif char == "\r":
            stop = at + (2 if text.startswith("\r\n", at) else 1)
            pieces += [_plain(text, start, at), Mapped.whole("\n", Span(at, stop))]
            at = start = stop
        else:
            at += 1
    return -1


def _plain(text: str, start: int, end: int) -> Mapped:
    return Mapped.identity(text[start:end], start)


def _escaped(text: str, found: re.Match[str]) -> Mapped:
    span = Span(*found.span())
    if found["join"]:
        return Mapped.whole("", span)
    digits = found["x"] or found["u"] or found["long"]
    if digits or found["octal"]:
        number = int(digits, 16) if digits else int(found["octal"], 8)
        return Mapped.whole(chr(number) if number < 0x110000 else "\ufffd", span)
    if found["name"] is not None:
        import unicodedata

        try:
            return Mapped.whole(unicodedata.lookup(found["name"]), span)
        except KeyError:
            return Mapped.whole("\ufffd", span)
    plain = found["plain"]
    if plain in _PLAIN:
        return Mapped.whole(_PLAIN[plain], span)
    return _plain(text, span.start, span.end)


def _field_end(text: str, at: int, end: int) -> int:
    """Behind the brace that closes the field opened at ``at``; -1 when nothing does."""
    waiting: list[str] = []
    for place, char in _outside_strings(text, at, end):
        if char in _CLOSERS:
            waiting.append(_CLOSERS[char])
        elif waiting and char == waiting[-1]:
            waiting.pop()
            if not waiting:
                return place + 1
    return -1


def _outside_strings(text: str, at: int, end: int) -> Iterator[tuple[int, str]]:
    """The characters that stand in no string of the expression."""
    while at < end:
        char = text[at]
        if char in "'\"":
            quote = char * 3 if text.startswith(char * 3, at) else char
            close = text.find(quote, at + len(quote), end)
            if close < 0:
                return
            at = close + len(quote)
            continue
        yield at, char
        at += 1
