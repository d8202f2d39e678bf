"""Texts of rules with facts filled in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..facts import Unknown
from ..patterns import lazy

PLACEHOLDER = lazy(r"\{([a-z_]+(?:\.\w+)*)\}")
NOT_KNOWN = "not known"

_GROUPED_FROM = 10_000
"""Whole numbers from here on are written with separators; smaller ones are page sizes, ranks and the like."""


def fill(template: str, look: Callable[[str], Any]) -> str:
    """``template`` with every ``{fact}`` replaced; an unknown fact reads ``not known``."""
    return PLACEHOLDER.sub(lambda found: shown(look(found[1])), template)


def shown(value: Any) -> str:
    """A fact's value as it stands in a sentence."""
    if isinstance(value, Unknown):
        return NOT_KNOWN
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int) and abs(value) >= _GROUPED_FROM:
        return f"{value:,}"
    if isinstance(value, tuple | list | set | frozenset):
        members = sorted(value) if isinstance(value, set | frozenset) else value
        return ", ".join(dict.fromkeys(map(shown, members)))
    return str(value)


def paragraphs(text: str) -> tuple[str, ...]:
    """Paragraphs on one line each; indented lines and lists keep their lines."""
    result: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.split("\n")
        verbatim = any(line.startswith((" ", "-", "*", "|", "#")) for line in lines)
        result.append(block if verbatim else " ".join(line.strip() for line in lines))
    return tuple(filter(None, result))
