"""What a fix does to the memory plan, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def effect_line(effect: Mapping[str, Any] | None) -> str:
    """``full tokens 779,959 -> 756,607, SWA tokens ...``; empty where nothing is known.

    Reads pairs ``{"before": n, "after": n}`` by quantity; other entries are conditions and are put behind.
    """
    if not effect:
        return ""
    changes = [
        f"{name.replace('_', ' ')} {_number(pair['before'])} -> {_number(pair['after'])}"
        for name, pair in effect.items()
        if isinstance(pair, Mapping) and "before" in pair and "after" in pair
    ]
    return ", ".join(changes)


def _number(value: Any) -> str:
    if value is None:
        return "not known"
    return f"{value:,}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
