"""The template functions whose result can be told without Helm; any other one gives what is not known.

Source: the documentation of Helm's template functions and of Go's ``text/template``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..launch.model import Definition, Place
from .helm_numbers import number_of, tag_of
from .helm_values import (
    NOT_KNOWN,
    NOTHING,
    DictValue,
    ListValue,
    Missing,
    Node,
    Rich,
    Truth,
    Value,
    certain_list,
    child,
    constant,
    indented,
    is_true,
    owned,
    part,
    quoted,
    structure,
    trimmed,
)
from .helm_yaml import items, rich, written

Function = Callable[[Sequence[Value], str], Value]
MAX_INDENT = 200


def _text(change: Callable[[Rich, str], Rich]) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        text = rich(operands[-1]) if operands else None
        return NOT_KNOWN if text is None else change(text, path)

    return function


def _same(operands: Sequence[Value], path: str) -> Value:
    return operands[-1] if operands else NOT_KNOWN


def _number(value: Value) -> int | None:
    text = rich(value)
    found = re.fullmatch(r"\d{1,3}", text.text) if text is not None else None
    return min(int(found[0]), MAX_INDENT) if found else None


def _indent(operands: Sequence[Value], path: str) -> Value:
    if len(operands) < 2:
        return NOT_KNOWN
    width, text = _number(operands[0]), rich(operands[-1])
    return NOT_KNOWN if width is None or text is None else indented(text, width, path)


def _nindent(operands: Sequence[Value], path: str) -> Value:
    text = _indent(operands, path)
    if not isinstance(text, Rich):
        return text
    like = text.fragments[0] if text.fragments else None
    return Rich((structure("\n", like, path), *text.fragments))


def _default(operands: Sequence[Value], path: str) -> Value:
    if len(operands) != 2:
        return NOT_KNOWN
    truth = is_true(operands[1])
    if truth is None:
        return NOT_KNOWN
    if truth:
        return operands[1]
    text = rich(operands[0])
    if text is None or any(piece.definitions for piece in text.fragments) or not text.fragments:
        return operands[0]
    piece = text.fragments[0]
    return _defined(text, Definition("default", Place(piece.mapped.span(), piece.path)))


def _defined(text: Rich, definition: Definition) -> Rich:
    first = text.fragments[0]
    named = type(first)(first.mapped, first.path, first.known, definitions=(definition,))
    return Rich((named, *text.fragments[1:]))


def _required(operands: Sequence[Value], path: str) -> Value:
    return operands[-1] if operands and is_true(operands[-1]) else NOT_KNOWN


def _to_yaml(operands: Sequence[Value], path: str) -> Value:
    text = written(operands[-1], path) if operands else None
    return NOT_KNOWN if text is None else text


def _printf(operands: Sequence[Value], path: str) -> Value:
    form = rich(operands[0]) if operands else None
    if form is None or len(form.fragments) != 1:
        return NOT_KNOWN
    pattern, values = form.fragments[0], list(operands[1:])
    found = []
    at = 0
    for verb in re.finditer(r"%([%sdvq])", pattern.text):
        if at < verb.start():
            found.append(pattern.cut(at, verb.start()))
        at = verb.end()
        if verb[1] == "%":
            found.append(pattern.cut(verb.start(), verb.start() + 1))
            continue
        text = rich(values.pop(0)) if values else None
        if text is None:
            return NOT_KNOWN
        found += (quoted(text, '"', path) if verb[1] == "q" else text).fragments
    if at < len(pattern.text):
        found.append(pattern.cut(at))
    return Rich(tuple(found))


def _int(text: Rich, path: str) -> Rich:
    return text.map(lambda part: str(int(float(part))) if re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", part) else "0")


def _kebab(text: Rich, path: str) -> Rich:
    return text.map(lambda part: re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_|\s+", "-", part).lower())


def _list(operands: Sequence[Value], path: str) -> Value:
    return certain_list(operands)


def _append(operands: Sequence[Value], path: str) -> Value:
    before = items(operands[0]) if len(operands) == 2 else None
    if before is None:
        return NOT_KNOWN
    return ListValue((*before.items, operands[1]), (*before.doubts, ()))


def _concat(operands: Sequence[Value], path: str) -> Value:
    lists = [items(operand) for operand in operands]
    known = [found for found in lists if found is not None]
    if len(known) < len(lists):
        return NOT_KNOWN
    return ListValue(
        tuple(item for found in known for item in found.items), tuple(one for found in known for one in found.doubts)
    )


def _join(operands: Sequence[Value], path: str) -> Value:
    found = items(operands[-1]) if len(operands) == 2 else None
    between = rich(operands[0]) if found is not None else None
    texts = [rich(item) for item in found.items] if found is not None else []
    if between is None or any(text is None for text in texts) or (found is not None and not found.certain):
        return NOT_KNOWN
    pieces = []
    for number, text in enumerate(texts):
        assert text is not None
        like = text.fragments[0] if text.fragments else None
        pieces += ([structure(between.text, like, path)] if number else []) + list(owned(text).fragments)
    return Rich(tuple(pieces))


def _coalesce(operands: Sequence[Value], path: str) -> Value:
    for operand in operands:
        truth = is_true(operand)
        if truth is None:
            return NOT_KNOWN
        if truth:
            return operand
    return NOTHING


def _eq(operands: Sequence[Value], path: str) -> Value:
    texts = [rich(operand) for operand in operands]
    if len(texts) < 2 or any(text is None or not text.known for text in texts):
        known_missing = any(isinstance(operand, Missing) and operand.known for operand in operands)
        return Truth(False if known_missing and any(text is not None for text in texts) else None)
    first = texts[0]
    return Truth(any(first is not None and other is not None and first.text == other.text for other in texts[1:]))


def _not(operands: Sequence[Value], path: str) -> Value:
    truth = is_true(operands[0]) if operands else None
    return Truth(None if truth is None else not truth)


def _ne(operands: Sequence[Value], path: str) -> Value:
    return _not([_eq(operands, path)], path)


def _and(operands: Sequence[Value], path: str) -> Value:
    truths = [is_true(operand) for operand in operands]
    return Truth(False if False in truths else None if None in truths else True)


def _or(operands: Sequence[Value], path: str) -> Value:
    truths = [is_true(operand) for operand in operands]
    return Truth(True if True in truths else None if None in truths else False)


def _kind_is(operands: Sequence[Value], path: str) -> Value:
    wanted = rich(operands[0]) if len(operands) == 2 else None
    value = operands[-1] if operands else NOT_KNOWN
    if wanted is None or not isinstance(value, Node):
        return Truth(None)
    kind = {"mapping": "map", "sequence": "slice"}.get(value.item.kind)
    if kind is None and number_of(value.item) is not None:
        kind = "float64"
    return Truth((kind or {"bool": "bool", "null": "invalid"}.get(tag_of(value.item), "string")) == wanted.text)


def _print(operands: Sequence[Value], path: str) -> Value:
    texts = [rich(operand) for operand in operands]
    if any(text is None for text in texts):
        return NOT_KNOWN
    return Rich(tuple(piece for text in texts if text is not None for piece in text.fragments))


def _dict(operands: Sequence[Value], path: str) -> Value:
    keys = [rich(key) for key in operands[::2]]
    if len(operands) % 2 or any(key is None or not key.known for key in keys):
        return NOT_KNOWN
    return DictValue({key.text: value for key, value in zip(keys, operands[1::2], strict=True) if key is not None})


def at_key(value: Value, key: str) -> Value:
    """What a map has under a key."""
    if isinstance(value, DictValue):
        return value.items.get(key, NOTHING)
    if not isinstance(value, Node) or value.item.kind != "mapping":
        return NOT_KNOWN
    return child(value, key) or NOTHING


def _index(operands: Sequence[Value], path: str) -> Value:
    """``index map "key" ...`` and ``index list 0``; ``get`` is the first with one key."""
    if not operands:
        return NOT_KNOWN
    value, *keys = operands
    for key in keys:
        text = rich(key)
        if text is None or not text.known:
            return NOT_KNOWN
        listed = items(value)
        if listed is None:
            value = at_key(value, text.text)
        elif text.text.isdecimal() and int(text.text) < len(listed.items) and listed.certain:
            value = listed.items[int(text.text)]
        else:
            return NOT_KNOWN
    return value


def _has_key(operands: Sequence[Value], path: str) -> Value:
    found = _index(operands, path) if len(operands) == 2 else NOT_KNOWN
    if isinstance(found, Missing):
        return Truth(False if found.known else None)
    return Truth(True)


def _end(which: int) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        found = items(operands[0]) if len(operands) == 1 else None
        if found is None or not found.certain:
            return NOT_KNOWN
        return found.items[which] if found.items else NOTHING

    return function


def _with_text(change: Callable[[str, str], str]) -> Function:
    """A function of a known text and a text to change, which stays as it is written where nothing changes."""

    def function(operands: Sequence[Value], path: str) -> Value:
        first, text = (rich(operands[0]), rich(operands[1])) if len(operands) == 2 else (None, None)
        if first is None or text is None or not first.known or not text.known:
            return NOT_KNOWN
        after = change(first.text, text.text)
        start = text.text.find(after)
        return part(text, start, start + len(after)) if start >= 0 else NOT_KNOWN

    return function


def _about_text(test: Callable[[str, str], bool]) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        first, text = (rich(operands[0]), rich(operands[1])) if len(operands) == 2 else (None, None)
        if first is None or text is None or not first.known or not text.known:
            return Truth(None)
        return Truth(test(first.text, text.text))

    return function


def _replace(operands: Sequence[Value], path: str) -> Value:
    texts = [rich(operand) for operand in operands]
    if len(texts) != 3 or texts[0] is None or texts[1] is None or texts[2] is None:
        return NOT_KNOWN
    before, after = texts[0].text, texts[1].text
    return texts[2].map(lambda text: text.replace(before, after)) if len(texts[2].fragments) == 1 else NOT_KNOWN


FUNCTIONS: dict[str, Function] = {
    "quote": _text(lambda text, path: quoted(text, '"', path)),
    "squote": _text(lambda text, path: quoted(text, "'", path)),
    "trim": _text(lambda text, path: trimmed(text)),
    "lower": _text(lambda text, path: text.map(str.lower)),
    "upper": _text(lambda text, path: text.map(str.upper)),
    "kebabcase": _text(_kebab),
    "toString": _same,
    "toJson": _same,
    "int": _text(_int),
    "int64": _text(_int),
    "float64": _same,
    "default": _default,
    "required": _required,
    "toYaml": _to_yaml,
    "indent": _indent,
    "nindent": _nindent,
    "printf": _printf,
    "print": _print,
    "list": _list,
    "append": _append,
    "concat": _concat,
    "join": _join,
    "coalesce": _coalesce,
    "eq": _eq,
    "ne": _ne,
    "not": _not,
    "and": _and,
    "or": _or,
    "kindIs": _kind_is,
    "dict": _dict,
    "get": _index,
    "index": _index,
    "hasKey": _has_key,
    "first": _end(0),
    "last": _end(-1),
    "empty": _not,
    "trimSuffix": _with_text(lambda end, text: text.removesuffix(end)),
    "trimPrefix": _with_text(lambda start, text: text.removeprefix(start)),
    "contains": _about_text(lambda inner, text: inner in text),
    "hasPrefix": _about_text(lambda start, text: text.startswith(start)),
    "hasSuffix": _about_text(lambda end, text: text.endswith(end)),
    "replace": _replace,
}
"""By name; each gets its operands and the template's path."""


def literal(value: str | bool | None, span: object, path: str) -> Value:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return Truth(value)
    return constant(value, span, path)  # type: ignore[arg-type]
