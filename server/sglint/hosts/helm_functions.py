"""The template functions whose result can be told without Helm; any other one gives what is not known.

Source: the documentation of Helm's template functions, of Sprig's, and of Go's ``text/template``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..launch.model import Definition, Place
from ..records import replace
from ..text import Span
from .helm_json import to_json
from .helm_lists import LISTS
from .helm_numbers import shortest
from .helm_texts import TEXTS, Function, known
from .helm_values import (
    NOT_KNOWN,
    NOTHING,
    Missing,
    Rich,
    Truth,
    Value,
    constant,
    is_true,
    kind_of,
)
from .helm_yaml import rich, written

_INTEGER = re.compile(r"-?(0|[1-9]\d*)(\.0*)?")
_FLOAT = re.compile(r"[-+]?\d+\.\d*(?:e[-+]?\d+)?|[-+]?\d+e[-+]?\d+")
_NUMBER_KINDS = frozenset(("int", "int64", "float64"))


# choices ---------------------------------------------------------------------------------------------------


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
    named = replace(first, definitions=(definition,))
    return Rich((named, *text.fragments[1:]), text.kind)


def _required(operands: Sequence[Value], path: str) -> Value:
    return operands[-1] if operands and is_true(operands[-1]) else NOT_KNOWN


def _first_that_is(truth: bool) -> Function:
    """``or`` and ``and``: the first operand that decides, else the last one."""

    def function(operands: Sequence[Value], path: str) -> Value:
        for operand in operands:
            found = is_true(operand)
            if found is None:
                rest = [is_true(one) for one in operands]
                return Truth(truth if truth in rest else None, is_bool=False)
            if found == truth:
                return operand
        return operands[-1] if operands else NOT_KNOWN

    return function


def _coalesce(operands: Sequence[Value], path: str) -> Value:
    for operand in operands:
        truth = is_true(operand)
        if truth is None:
            return NOT_KNOWN
        if truth:
            return operand
    return NOTHING


def _not(operands: Sequence[Value], path: str) -> Value:
    truth = is_true(operands[0]) if operands else None
    return Truth(None if truth is None else not truth)


def _eq(operands: Sequence[Value], path: str) -> Value:
    texts = [known(operand) for operand in operands]
    if len(texts) < 2 or None in texts:
        known_missing = any(isinstance(operand, Missing) and operand.known for operand in operands)
        return Truth(False if known_missing and any(text is not None for text in texts) else None)
    return Truth(texts[0] in texts[1:])


def _ne(operands: Sequence[Value], path: str) -> Value:
    return _not([_eq(operands, path)], path)


def _compared(holds: Callable[[float | str, float | str], bool]) -> Function:
    """An order of numbers or texts; of one kind, since Go compares no others."""

    def function(operands: Sequence[Value], path: str) -> Value:
        texts, kinds = [known(operand) for operand in operands], {kind_of(operand) for operand in operands}
        if len(operands) != 2 or None in texts:
            return Truth(None)
        if kinds == {"string"}:
            return Truth(holds(str(texts[0]), str(texts[1])))
        if kinds <= {"int", "int64"} or kinds == {"float64"}:
            return Truth(holds(float(texts[0] or 0), float(texts[1] or 0)))
        return Truth(None)

    return function


def _all(*, wanted: bool) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        truths = [is_true(operand) for operand in operands]
        if (not wanted) in truths and wanted:
            return Truth(False)
        if not wanted and True in truths:
            return Truth(True)
        return Truth(None if None in truths else wanted)

    return function


def _kind_is(operands: Sequence[Value], path: str) -> Value:
    wanted, kind = (known(operands[0]), kind_of(operands[1])) if len(operands) == 2 else (None, None)
    return Truth(None if wanted is None or kind is None else kind == wanted)


_TYPES = {"map": "map[string]interface {}", "slice": "[]interface {}", "invalid": "<nil>"}


def _type_is(operands: Sequence[Value], path: str) -> Value:
    wanted, kind = (known(operands[0]), kind_of(operands[1])) if len(operands) == 2 else (None, None)
    return Truth(None if wanted is None or kind is None else _TYPES.get(kind, kind) == wanted)


def _kind(operands: Sequence[Value], path: str) -> Value:
    kind = kind_of(operands[0]) if len(operands) == 1 else None
    return NOT_KNOWN if kind is None else constant(kind, Span(0, 0), path)


def _type(operands: Sequence[Value], path: str) -> Value:
    kind = kind_of(operands[0]) if len(operands) == 1 else None
    return NOT_KNOWN if kind is None else constant(_TYPES.get(kind, kind), Span(0, 0), path)


# numbers ---------------------------------------------------------------------------------------------------


def whole_number(value: Value) -> int | None:
    """What ``int`` makes of a value; None when it is not known."""
    text, kind = known(value), kind_of(value)
    if text is None or kind is None:
        return None
    if kind == "bool":
        return int(text == "true")
    if kind in _NUMBER_KINDS:
        return int(float(text)) if kind == "float64" else int(text)
    if _INTEGER.fullmatch(text):
        return int(text.partition(".")[0])
    return None if re.match(r"[-+]?\d", text) else 0


def _int(kind: str) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        found = whole_number(operands[-1]) if operands else None
        text = rich(operands[-1]) if operands else None
        if found is None:
            return NOT_KNOWN
        return _numeral(str(found), text, path, kind)

    return function


def _numeral(shown: str, like: Rich | None, path: str, kind: str) -> Rich:
    if like is None or not like.fragments:
        return constant(shown, Span(0, 0), path, kind)
    return like.put_together(shown, kind) if like.text != shown else Rich(like.fragments, kind)


def _float(operands: Sequence[Value], path: str) -> Value:
    text = rich(operands[-1]) if operands else None
    if text is None or not text.known or not re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", text.text):
        return NOT_KNOWN
    return _numeral(shortest(float(text.text)), text, path, "float64")


def _arithmetic(calculate: Callable[[int, int], int | None], first: int | None = None) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        numbers = [first] if first is not None else []
        numbers += [found for operand in operands if (found := whole_number(operand)) is not None]
        if not operands or len(numbers) < len(operands) + (first is not None):
            return NOT_KNOWN
        total = numbers[0]
        for one in numbers[1:]:
            result = calculate(total, one)
            if result is None or abs(result) >= 2**63:
                return NOT_KNOWN
            total = result
        like = next((text for operand in operands if (text := rich(operand)) is not None and text.fragments), None)
        return _numeral(str(total), like, path, "int64")

    return function


def _divided(one: int, other: int) -> int | None:
    return None if other == 0 else abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)


def _modulo(one: int, other: int) -> int | None:
    whole = _divided(one, other)
    return None if whole is None else one - whole * other


def _rounded(change: Callable[[float], float]) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        text = rich(operands[0]) if len(operands) == 1 else None
        if text is None or not text.known or not re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", text.text):
            return NOT_KNOWN
        return _numeral(shortest(change(float(text.text))), text, path, "float64")

    return function


def _floor(value: float) -> float:
    return float(value // 1)


def _ceil(value: float) -> float:
    return -float(-value // 1)


# YAML ------------------------------------------------------------------------------------------------------


def _to_yaml(operands: Sequence[Value], path: str) -> Value:
    text = written(operands[-1], path) if operands and not isinstance(operands[-1], Missing) else None
    return NOT_KNOWN if text is None else text


_OTHERS: dict[str, Function] = {
    "default": _default,
    "required": _required,
    "coalesce": _coalesce,
    "eq": _eq,
    "ne": _ne,
    "lt": _compared(lambda one, other: one < other),  # type: ignore[operator]
    "le": _compared(lambda one, other: one <= other),  # type: ignore[operator]
    "gt": _compared(lambda one, other: one > other),  # type: ignore[operator]
    "ge": _compared(lambda one, other: one >= other),  # type: ignore[operator]
    "not": _not,
    "empty": _not,
    "and": _first_that_is(False),
    "or": _first_that_is(True),
    "all": _all(wanted=True),
    "any": _all(wanted=False),
    "kindIs": _kind_is,
    "kindOf": _kind,
    "typeIs": _type_is,
    "typeOf": _type,
    "int": _int("int"),
    "int64": _int("int64"),
    "atoi": _int("int"),
    "float64": _float,
    "add": _arithmetic(lambda one, other: one + other),
    "add1": _arithmetic(lambda one, other: one + other, first=1),
    "sub": _arithmetic(lambda one, other: one - other),
    "mul": _arithmetic(lambda one, other: one * other),
    "div": _arithmetic(_divided),
    "mod": _arithmetic(_modulo),
    "max": _arithmetic(max),
    "min": _arithmetic(min),
    "floor": _rounded(_floor),
    "ceil": _rounded(_ceil),
    "toYaml": _to_yaml,
    "toJson": to_json,
    "toRawJson": to_json,
    "fail": lambda operands, path: NOTHING,
}

_PLAIN = {**TEXTS, **LISTS, **_OTHERS}
FUNCTIONS: dict[str, Function] = {**_PLAIN, **{f"must{name[0].upper()}{name[1:]}": one for name, one in _PLAIN.items()}}
"""By name; each gets its operands and the template's path."""


def literal(value: str | bool | None, span: Span, path: str, *, is_number: bool = False) -> Value:
    """A constant of a template."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return Truth(value)
    if not is_number:
        return _literal(constant(value, span, path), "string")
    try:
        return _literal(constant(str(int(value, 0)), span, path, "int"), "number")
    except ValueError:
        known = constant(shortest(float(value)), span, path, "float64") if _FLOAT.fullmatch(value) else None
        return NOT_KNOWN if known is None else _literal(known, "number")


def _literal(text: Rich, kind: str) -> Rich:
    return replace(text, fragments=tuple(replace(piece, literal=kind) for piece in text.fragments))
