"""Strings that Python makes of strings: filled templates, split, stripped and joined ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..records import replace
from ..text import Mapped, Span
from .python_values import Item, Listing, Part, Table, Text, Value, joined, text_of

_PERCENT = re.compile(r"%(?:\((?P<name>\w+)\))?(?P<kind>[sdr%])|%")
_BRACES = re.compile(r"\{\{|\}\}|\{(?P<name>\w*)\}|\{[^{}]*\}")
_WORD = re.compile(r"\S+")
_BLANK = frozenset(" \t\r\n")
_SHLEX = re.compile(
    r"""'(?P<single>[^']*)(?:'|\Z)|"(?P<double>(?:[^"\\]|\\(?:.|\Z))*)(?:"|\Z)|\\(?P<escaped>.|\Z)"""
    r"""|(?P<plain>[^ \t\r\n'"\\]+)""",
    re.DOTALL,
)
_IN_QUOTES = re.compile(r'\\(?=["\\])')


def percent(template: Text, arguments: Value) -> Text:
    """``template % arguments``."""
    waiting = list(arguments.items) if isinstance(arguments, Listing) else [Item(arguments)]

    def fill(found: re.Match[str]) -> Value | str | None:
        if found["kind"] == "%":
            return "%"
        if found["name"] is not None:
            return arguments.get(found["name"]) if isinstance(arguments, Table) else None
        return waiting.pop(0).value if found["kind"] and waiting and not waiting[0].many else None

    return _filled(template, _PERCENT, fill)


def braces(template: Text, arguments: Sequence[Item], keywords: Table) -> Text:
    """``template.format(*arguments, **keywords)``."""
    counted = iter(range(len(arguments)))

    def fill(found: re.Match[str]) -> Value | str | None:
        if found[0] in ("{{", "}}"):
            return found[0][0]
        name = found["name"]
        if name is None or any(item.many for item in arguments):
            return None
        index = next(counted, None) if not name else int(name) if name.isdecimal() and len(name) < 6 else None
        if index is not None:
            return arguments[index].value if index < len(arguments) else None
        return keywords.get(name)

    return _filled(template, _BRACES, fill)


def _filled(template: Text, marks: re.Pattern[str], fill: Callable[[re.Match[str]], Value | str | None]) -> Text:
    texts: list[Text] = []
    for part in template.parts:
        if not part.known:
            texts.append(Text((part,)))
            continue
        at = 0
        for mark in marks.finditer(part.mapped.text):
            texts.append(_cut(part, at, mark.start()))
            span = part.placed.span() if part.site else part.mapped.span(*mark.span())
            found = fill(mark)
            if isinstance(found, str):
                texts.append(Text((Part(Mapped.whole(found, span)),)))
            elif found is None:
                texts.append(Text((Part(Mapped.whole(mark[0], span), known=False),)))
            else:
                texts.append(Text(tuple(_at(one, span, mark[0]) for one in text_of(found).parts)))
            at = mark.end()
        texts.append(_cut(part, at, len(part.mapped.text)))
    return joined(texts, template.at)


def _at(part: Part, span: Span, mark: str) -> Part:
    return replace(part, mapped=part.mapped if part.known else Mapped.whole(mark, span), site=span)


def _cut(part: Part, start: int, end: int) -> Text:
    if start >= end:
        return Text((), part.mapped.point(start))
    return Text((replace(part, mapped=part.mapped.slice(start, end)),))


def stripped(text: Text, *, left: bool = True, right: bool = True) -> Text:
    """Without the blanks at its ends."""
    parts = list(text.parts)
    if left and parts and parts[0].known:
        body = parts[0].mapped.text
        parts[:1] = _cut(parts[0], len(body) - len(body.lstrip()), len(body)).parts
    if right and parts and parts[-1].known:
        parts[-1:] = _cut(parts[-1], 0, len(parts[-1].mapped.text.rstrip())).parts
    return Text(tuple(parts), text.at)


def together(separator: str, items: Sequence[Item], at: int) -> Text:
    """``separator.join(items)``."""
    texts: list[Text] = []
    for index, item in enumerate(items):
        if index:
            place = texts[-1].parts[-1].placed.span().end if texts[-1].parts else at
            texts.append(Text((Part(Mapped.whole(separator, Span(place, place))),)))
        text = text_of(item.value)
        if item.many:
            text = Text(tuple(replace(part, known=False, many=True) for part in text.parts), text.at)
        elif item.presence == "maybe":
            text = Text(tuple(replace(part, maybe=True) for part in text.parts), text.at)
        texts.append(text)
    return joined(texts, at)


def at_blanks(text: Text) -> list[Item]:
    """``text.split()``."""
    return _pieces(text, [match.span() for match in _WORD.finditer(_all(text))])


def _pieces(text: Text, spans: Sequence[tuple[int, int]]) -> list[Item]:
    return [Item(_between(text, start, end)) for start, end in spans]


def _all(text: Text) -> str:
    """The text, with one sign for each character that is not known."""
    return "".join(part.mapped.text if part.known else "\ue000" * len(part.mapped.text) for part in text.parts)


def _between(text: Text, start: int, end: int) -> Text:
    parts: list[Part] = []
    at = 0
    for part in text.parts:
        size = len(part.mapped.text)
        first, last = max(start - at, 0), min(end - at, size)
        if first < last:
            parts += _cut(part, first, last).parts if part.known else (part,)
        at += size
    return Text(tuple(parts), parts[0].mapped.anchor if parts else text.at)


def as_shell_words(text: Text) -> list[Item]:
    """``shlex.split(text)``: quotes and backslashes, no comments and no expansion."""
    plain = _all(text)
    items: list[Item] = []
    at = 0
    while at < len(plain):
        if plain[at] in _BLANK:
            at += 1
            continue
        start, pieces = at, []
        while token := _SHLEX.match(plain, at):
            kind = token.lastgroup
            if kind == "double":
                first = token.start("double")
                for escape in _IN_QUOTES.finditer(plain, *token.span("double")):
                    pieces.append(_between(text, first, escape.start()))
                    first = escape.start() + 1
                pieces.append(_between(text, first, token.end("double")))
            elif kind is not None:
                pieces.append(_between(text, *token.span(kind)))
            at = token.end()
        items.append(Item(_written(joined(pieces, _between(text, start, start + 1).at))))
    return [Item(item.value, "yes", _is_hole(item.value)) for item in items]


def _written(text: Text) -> Text:
    """Words split out of a named string stand where they are written."""
    return Text(tuple(replace(part, site=None, definitions=()) for part in text.parts), text.at)


def _is_hole(value: Value) -> bool:
    return isinstance(value, Text) and len(value.parts) == 1 and value.parts[0].many
