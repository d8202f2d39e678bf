"""Template functions of lists and maps. Source: the documentation of Sprig's list and dictionary functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ..text import Span
from .helm_texts import Function, known, number
from .helm_values import (
    NOT_KNOWN,
    NOTHING,
    Choice,
    DictValue,
    Fragment,
    ListValue,
    Missing,
    Node,
    Rich,
    Truth,
    Value,
    certain_list,
    child,
    children,
    constant,
    kind_of,
    owned,
    part,
    structure,
)
from .helm_yaml import items, rich, written

MAX_ITEMS = 1000
_MAX_DEPTH = 20


def _list(operands: Sequence[Value], path: str) -> Value:
    return certain_list(operands)


def _append(operands: Sequence[Value], path: str) -> Value:
    before = items(operands[0]) if len(operands) == 2 else None
    if before is None:
        return NOT_KNOWN
    return ListValue((*before.items, operands[1]), (*before.doubts, ()))


def _prepend(operands: Sequence[Value], path: str) -> Value:
    before = items(operands[0]) if len(operands) == 2 else None
    if before is None:
        return NOT_KNOWN
    return ListValue((operands[1], *before.items), ((), *before.doubts))


def _concat(operands: Sequence[Value], path: str) -> Value:
    lists = [items(operand) for operand in operands]
    found = [one for one in lists if one is not None]
    if len(found) < len(lists):
        return NOT_KNOWN
    return ListValue(
        tuple(item for one in found for item in one.items), tuple(doubts for one in found for doubts in one.doubts)
    )


def _cut(start: int | None, end: int | None) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        found = items(operands[0]) if len(operands) == 1 else None
        if found is None or not found.certain:
            return NOT_KNOWN
        return certain_list(found.items[start:end]) if found.items else NOTHING

    return function


def _end(which: int) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        found = items(operands[0]) if len(operands) == 1 else None
        if found is None or not found.certain:
            return NOT_KNOWN
        return found.items[which] if found.items else NOTHING

    return function


def _of_known(change: Callable[[list[tuple[str, Value]]], list[tuple[str, Value]]]) -> Function:
    """A function of a list whose items are all known texts."""

    def function(operands: Sequence[Value], path: str) -> Value:
        found = items(operands[-1]) if operands else None
        texts = [known(item) for item in found.items] if found is not None and found.certain else [None]
        if found is None or None in texts:
            return NOT_KNOWN
        pairs = [(text or "", item) for text, item in zip(texts, found.items, strict=True)]
        return certain_list([item for _, item in change(pairs)])

    return function


def _sorted(operands: Sequence[Value], path: str) -> Value:
    found = items(operands[0]) if len(operands) == 1 else None
    if found is None:
        return NOT_KNOWN
    texts = [rich(item) for item in found.items]
    if any(text is None or not text.known for text in texts) or any(found.doubts):
        return NOT_KNOWN
    shown = sorted((Rich(text.fragments) for text in texts if text is not None), key=lambda text: text.text)
    return certain_list(shown)


def _unique(pairs: list[tuple[str, Value]]) -> list[tuple[str, Value]]:
    return list({text: (text, item) for text, item in reversed(pairs)}.values())[::-1]


def _without(operands: Sequence[Value], path: str) -> Value:
    gone = {known(operand) for operand in operands[1:]}
    if None in gone:
        return NOT_KNOWN
    return _of_known(lambda pairs: [pair for pair in pairs if pair[0] not in gone])(operands[:1], path)


def _has(operands: Sequence[Value], path: str) -> Value:
    found = items(operands[1]) if len(operands) == 2 else None
    wanted = known(operands[0]) if operands else None
    texts = [known(item) for item in found.items] if found is not None and found.certain else [None]
    if found is None or wanted is None or None in texts:
        return Truth(None)
    same = (one for text, one in zip(texts, found.items, strict=True) if text == wanted)
    return Truth(any(kind_of(one) == kind_of(operands[0]) for one in same))


def _join(operands: Sequence[Value], path: str) -> Value:
    found = items(operands[-1]) if len(operands) == 2 else None
    between = rich(operands[0]) if found is not None else None
    texts = [rich(item) for item in found.items] if found is not None else []
    if found is None or between is None or not found.certain:
        return NOT_KNOWN
    pieces: list[Fragment] = []
    for place, text in enumerate(texts):
        if text is None:
            return NOT_KNOWN
        like = text.fragments[0] if text.fragments else None
        pieces += ([structure(between.text, like, path)] if place else []) + list(owned(text).fragments)
    return Rich(tuple(pieces))


def _split_list(operands: Sequence[Value], path: str) -> Value:
    sign, text = (known(operands[0]), rich(operands[1])) if len(operands) == 2 else (None, None)
    if not sign or text is None or not text.known:
        return NOT_KNOWN
    found: list[Value] = []
    at = 0
    for piece in text.text.split(sign)[:MAX_ITEMS]:
        found.append(part(text, at, at + len(piece)))
        at += len(piece) + len(sign)
    return certain_list(found)


def _numbers(start: int, end: int, step: int) -> Value:
    count = range(start, end, step)[:MAX_ITEMS]
    return certain_list([constant(str(one), Span(0, 0), "", "int") for one in count])


def _until(operands: Sequence[Value], path: str) -> Value:
    found = [number(operand) for operand in operands]
    if len(found) == 1 and found[0] is not None:
        return _numbers(0, found[0], 1 if found[0] >= 0 else -1)
    if len(found) == 3 and found[0] is not None and found[1] is not None and found[2]:
        return _numbers(found[0], found[1], found[2])
    return NOT_KNOWN


def _length(operands: Sequence[Value], path: str) -> Value:
    value = operands[0] if len(operands) == 1 else NOT_KNOWN
    found = items(value)
    if found is not None:
        count = len(found.items) if found.certain else None
    elif isinstance(value, DictValue):
        count = len(value.items)
    elif isinstance(value, Node) and value.item.kind == "mapping":
        count = len(children(value))
    else:
        text = known(value) if kind_of(value) == "string" else None
        count = len(text.encode()) if text is not None else None
    return NOT_KNOWN if count is None else constant(str(count), Span(0, 0), path, "int")


# maps ------------------------------------------------------------------------------------------------------


def _dict(operands: Sequence[Value], path: str) -> Value:
    keys = [known(key) for key in operands[::2]]
    if len(operands) % 2 or None in keys:
        return NOT_KNOWN
    return DictValue({key or "": value for key, value in zip(keys, operands[1::2], strict=True)}, set())


def at_key(value: Value, key: str) -> Value:
    """What a map has under a key."""
    if isinstance(value, DictValue):
        return value.items.get(key, NOTHING)
    if isinstance(value, Choice):
        return agreed([at_key(one, key) for one in value.values])
    if not isinstance(value, Node) or value.item.kind != "mapping":
        return NOTHING if isinstance(value, Missing) and value.known else NOT_KNOWN
    return child(value, key) or NOTHING


def agreed(values: Sequence[Value]) -> Value:
    """What several values have in common."""
    if all(isinstance(one, Missing) and one.known for one in values):
        return NOTHING
    if all(kind_of(one) == "map" for one in values):
        return Choice(tuple(values))
    texts = {(kind_of(one), None if found is None else found.text) for one in values for found in (written(one, ""),)}
    return values[0] if len(texts) == 1 and None not in texts.pop() else NOT_KNOWN


def _index(operands: Sequence[Value], path: str) -> Value:
    """``index map "key" ...`` and ``index list 0``; ``get`` is the first with one key."""
    if not operands:
        return NOT_KNOWN
    value, *keys = operands
    for key in keys:
        text = known(key)
        if text is None:
            return NOT_KNOWN
        listed = items(value)
        if listed is None:
            value = at_key(value, text)
        elif text.isdecimal() and int(text) < len(listed.items) and listed.certain:
            value = listed.items[int(text)]
        else:
            return NOT_KNOWN
    return value


def _get(operands: Sequence[Value], path: str) -> Value:
    found = _index(operands, path) if len(operands) == 2 else NOT_KNOWN
    return Rich(()) if isinstance(found, Missing) and found.known else found


def _dig(operands: Sequence[Value], path: str) -> Value:
    """``dig "a" "b" default map``."""
    if len(operands) < 3:
        return NOT_KNOWN
    *keys, otherwise, value = operands
    found = _index((value, *keys), path)
    return otherwise if isinstance(found, Missing) and found.known else found


def _has_key(operands: Sequence[Value], path: str) -> Value:
    if len(operands) == 2 and isinstance(operands[0], Node) and not operands[0].under:
        # A key with null for a value is there.
        key = known(operands[1])
        return Truth(None if key is None else any(one.key == key for one in children(operands[0])))
    found = _index(operands, path) if len(operands) == 2 else NOT_KNOWN
    if isinstance(found, Missing):
        return Truth(False if found.known else None)
    return Truth(True)


def pairs_of(value: Value) -> list[tuple[str, Value]] | None:
    """Keys and values of a map; None where they are not known."""
    if isinstance(value, DictValue):
        return list(value.items.items())
    if isinstance(value, Node) and value.item.kind == "mapping":
        return [(one.key, one.node) for one in children(value)]
    return None


def _picked(*, inside: bool) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        pairs = pairs_of(operands[0]) if operands else None
        keys = [known(key) for key in operands[1:]]
        if pairs is None or None in keys:
            return NOT_KNOWN
        return DictValue({key: value for key, value in pairs if (key in keys) == inside}, set())

    return function


def merged(operands: Sequence[Value], *, last_wins: bool) -> Value:
    """The maps as one; of maps under one key likewise."""
    found: dict[str, Value] = {}
    for operand in operands:
        pairs = pairs_of(operand)
        if pairs is None:
            return NOT_KNOWN
        for key, value in pairs:
            if key not in found:
                found[key] = value
            elif kind_of(found[key]) == kind_of(value) == "map":
                found[key] = merged((found[key], value), last_wins=last_wins)
            elif last_wins or isinstance(found[key], Missing):
                found[key] = value
    return DictValue(found, set())


def copied(value: Value, changes: Mapping[tuple[int, str], Value] = MappingProxyType({})) -> Value:
    """A map as one of its own, with ``changes`` by the identity of a map's node and a key; other values as they are."""
    pairs = pairs_of(value)
    if pairs is None:
        return value
    own = {key: copied(one, changes) for key, one in pairs}
    if isinstance(value, Node):
        node = id(value.item.node)
        own.update({key: new for (place, key), new in changes.items() if place == node})
    return DictValue({key: one for key, one in own.items() if not (isinstance(one, Missing) and one.known)}, set())


def _values(operands: Sequence[Value], path: str) -> Value:
    pairs = pairs_of(operands[0]) if len(operands) == 1 else None
    return NOT_KNOWN if pairs is None or len(pairs) > 1 else certain_list([value for _, value in pairs])


def _keys(operands: Sequence[Value], path: str) -> Value:
    """In Go's random order, so that only the number of keys, and sorted ones, are known."""
    pairs = pairs_of(operands[0]) if len(operands) == 1 else None
    if pairs is None:
        return NOT_KNOWN
    texts = tuple(constant(key, Span(0, 0), path) for key in sorted(key for key, _ in pairs))
    return ListValue(texts, ((),) * len(texts), is_ordered=len(texts) < 2)


LISTS: dict[str, Function] = {
    "list": _list,
    "tuple": _list,
    "append": _append,
    "push": _append,
    "prepend": _prepend,
    "concat": _concat,
    "first": _end(0),
    "last": _end(-1),
    "rest": _cut(1, None),
    "initial": _cut(None, -1),
    "uniq": _of_known(_unique),
    "reverse": _of_known(lambda pairs: pairs[::-1]),
    "sortAlpha": _sorted,
    "compact": _of_known(lambda pairs: [pair for pair in pairs if pair[0]]),
    "without": _without,
    "has": _has,
    "join": _join,
    "splitList": _split_list,
    "until": _until,
    "untilStep": _until,
    "len": _length,
    "dict": _dict,
    "index": _index,
    "get": _get,
    "dig": _dig,
    "hasKey": _has_key,
    "pick": _picked(inside=True),
    "omit": _picked(inside=False),
    "merge": lambda operands, path: merged(operands, last_wins=False),
    "mergeOverwrite": lambda operands, path: merged(operands, last_wins=True),
    "deepCopy": lambda operands, path: copied(operands[0]) if operands else NOT_KNOWN,
    "values": _values,
    "keys": _keys,
}
"""By name; each gets its operands and the template's path."""
