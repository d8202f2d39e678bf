"""``toJson``: values as Go writes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..text import Mapped, Span
from .helm_lists import pairs_of
from .helm_numbers import number_of, tag_of
from .helm_texts import known
from .helm_values import NOT_KNOWN, Choice, Fragment, Missing, Node, Rich, Top, Value, kind_of, structure
from .helm_yaml import items, rich

_MAX_DEPTH = 20


def to_json(operands: Sequence[Value], path: str) -> Value:
    value = operands[-1] if operands else NOT_KNOWN
    try:
        plain = json_value(value)
    except ValueError:
        return NOT_KNOWN
    text = json.dumps(plain, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    whole = rich(value)
    if whole is not None:
        return whole.put_together(text) if text != f'"{whole.text}"' else _around(whole, path)
    if isinstance(value, Node):
        span = value.tree.span(value.item.node)
        return Rich((Fragment(Mapped.whole(text, span), value.path),))
    return Rich((Fragment(Mapped.whole(text, Span(0, 0)), path),))


def _around(text: Rich, path: str) -> Rich:
    mark = structure('"', text.fragments[0] if text.fragments else None, path)
    return Rich((mark, *text.fragments, mark))


def json_value(value: Value, depth: int = 0) -> Any:
    """A value as Python has it. Raises ValueError where it is not known."""
    if depth > _MAX_DEPTH or isinstance(value, (Top, Choice)):
        raise ValueError
    pairs = pairs_of(value)
    if pairs is not None:
        return {key: json_value(one, depth + 1) for key, one in pairs}
    found = items(value)
    if found is not None and found.certain:
        return [json_value(one, depth + 1) for one in found.items]
    if isinstance(value, Missing) and value.known:
        return None
    text, kind = known(value), kind_of(value)
    if isinstance(value, Node) and value.item.kind == "scalar" and kind != "string":
        number = number_of(value.item)
        if number is not None:
            return int(number) if number == int(number) and abs(number) < 1e21 else number
        return {"bool": text == "true"}.get(tag_of(value.item))
    if text is None or kind not in ("string", "int", "int64", "bool", "float64"):
        raise ValueError
    if kind in ("string", "bool"):
        return text if kind == "string" else text == "true"
    return int(float(text)) if kind != "float64" or float(text).is_integer() else float(text)
