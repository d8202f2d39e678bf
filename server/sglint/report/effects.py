"""What a fix does to the memory plan, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NAMES = {"full_tokens": "full tokens", "swa_tokens": "sliding-window tokens", "tokens": "tokens"}


def effect_line(effect: Mapping[str, Any] | None) -> str:
    """``full tokens 756,607 -> 779,959 (+3 %), ..., with ...``; empty where nothing is known.

    ``effect`` has pairs ``{"before", "after"}`` by quantity and, under ``basis``, the byte budget they rest on.
    """
    pairs = [(name, pair) for name, pair in (effect or {}).items() if isinstance(pair, Mapping)]
    if effect is None or not pairs:
        return ""
    if all(pair.get("before") is not None and pair.get("before") == pair.get("after") for _, pair in pairs):
        return "the pools stay as large as they are"
    text = ", ".join(_change(_NAMES.get(name, name.replace("_", " ")), pair) for name, pair in pairs)
    return f"{text}, with {effect['basis']}" if effect.get("basis") else text


def _change(name: str, pair: Mapping[str, Any]) -> str:
    before, after = pair.get("before"), pair.get("after")
    if before is None or after is None:
        return f"{name} {_number(before)} -> {_number(after)}"
    if before == after:
        return f"{name} stay {before:,}"
    relative = f" ({100 * (after - before) / before:+.0f} %)" if before else ""
    return f"{name} {before:,} -> {after:,}{relative}"


def _number(value: int | None) -> str:
    return "none" if value is None else f"{value:,}"
