"""Scalars of values files as Helm sees them: every number is a 64-bit float, printed as Go prints one.

So ``1048576`` comes out of a template as ``1.048576e+06``, which SGLang refuses as an integer; ``| int`` and
``toYaml`` keep it whole. Told by Helm 4.1.4 (``tests/hosts/chart_argv.json``); the rule is that of Go's
``strconv.FormatFloat`` with format ``g`` and the shortest precision.
"""

from __future__ import annotations

import re
from math import inf, isfinite
from typing import Any

from .yaml_tree import Item

_FLOAT = re.compile(r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?")
_TRUE = frozenset(("true", "yes", "on", "y"))
_FALSE = frozenset(("false", "no", "off", "n"))
_UNQUOTED = (None, "")


def tag_of(item: Item) -> str:
    """The short YAML tag of a scalar: ``str``, ``int``, ``bool`` ...; ``y`` and ``n`` are truths to Go."""
    node = item.node
    if node.value in ("y", "Y", "n", "N") and node.style in _UNQUOTED:
        return "bool"
    return str(node.tag).rpartition(":")[2]


def key_of(node: Any) -> str:
    """A key as Helm has it: every key becomes a text, a truth ``true`` or ``false``."""
    text = str(node.value)
    plain = text.lower()
    if plain in _TRUE or plain in _FALSE:
        return text if node.style not in _UNQUOTED else "true" if plain in _TRUE else "false"
    return text


def is_truth(text: str) -> bool:
    """Whether a key of this text may be written otherwise."""
    return text.lower() in _TRUE or text.lower() in _FALSE


def number_of(item: Item) -> float | None:
    """The number that Helm reads; None for anything else."""
    text, tag = item.node.value, tag_of(item)
    if tag == "int":
        return _integer(text)
    # `1e3` is a number to Go and a text to PyYAML.
    if tag == "float" or (tag == "str" and item.node.style in _UNQUOTED):
        number = float(text) if _FLOAT.fullmatch(text) else inf
        return number if isfinite(number) else None
    return None


def _integer(text: str) -> float | None:
    plain = text.replace("_", "").lower().lstrip("+")
    if re.fullmatch(r"-?0[0-7]+", plain):
        return float(int(plain, 8))
    if len(plain) > 300:
        return None
    for base, pattern in ((10, r"-?(0|[1-9]\d*)"), (16, r"-?0x[0-9a-f]+"), (2, r"-?0b[01]+")):
        if re.fullmatch(pattern, plain):
            return float(int(plain, base))
    return None


def printed(item: Item, *, as_yaml: bool = False) -> str | None:
    """A scalar as a template prints it (``as_yaml``: as ``toYaml`` does); None for null."""
    tag, text = tag_of(item), item.node.value
    if tag == "null":
        return None
    if tag == "bool":
        return "true" if text.lower() in _TRUE else "false"
    number = number_of(item)
    if number is None:
        return str(text)
    if as_yaml and number == int(number):
        return str(int(number))
    return shortest(number)


def shortest(number: float) -> str:
    """A float in Go's ``%v``: an exponent below -4 or from 6 on is written out."""
    sign, digits, exponent = _decimal(number)
    power = len(digits) + exponent - 1
    if -4 <= power < 6 or digits == "0":
        return repr(number).removesuffix(".0") if number != 0 else "0"
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _decimal(number: float) -> tuple[str, str, int]:
    """Sign, significant digits and decimal exponent of the last one."""
    mantissa, _, power = f"{abs(number)!r}".partition("e")
    whole, _, part = mantissa.partition(".")
    part = "" if part == "0" else part
    digits = (whole + part).lstrip("0") or "0"
    exponent = int(power or 0) - len(part)
    while len(digits) > 1 and digits.endswith("0"):
        digits, exponent = digits[:-1], exponent + 1
    return "-" if number < 0 else "", digits, exponent
