"""JSON values that the shell took apart, or that are JSON but for their quotes."""

from __future__ import annotations

import json
from typing import Any

from ..launch.model import Word

LONGEST = 4096


def lost_quotes(word: Word) -> str | None:
    """The JSON an unquoted word was meant to be: its source has single characters that the decoded text lacks.

    A shell takes unescaped double quotes away, so ``{"a":1}`` arrives as ``{a:1}``; of braces with a comma in them it
    makes several words, which are not known as one. None when putting quotes back
    where characters are missing makes no JSON.
    """
    mapped, text = word.mapped, word.text
    if text is None and mapped is not None and '"' in mapped.text:
        return mapped.text if _loads(mapped.text) is not None else None
    if mapped is None or text is None or '"' in text or not text.startswith(("{", "[")) or len(text) > LONGEST:
        return None
    pieces: list[str] = []
    stop: int | None = None
    for run in mapped.runs:
        if not run.exact:
            return None
        if stop is not None and run.start > stop:
            if run.start - stop > 2:
                return None
            pieces.append('"' * (run.start - stop))
        pieces.append(text[run.at : run.at + run.length])
        stop = run.stop
    restored = "".join(pieces)
    return restored if restored != text and _loads(restored) is not None else None


def as_json(text: str) -> str | None:
    """``text`` as JSON when it is a Python literal of the same shape (single quotes, True, trailing commas)."""
    if len(text) > LONGEST:
        return None
    # Costs as much as all of this package, and few launches need it.
    from ast import literal_eval

    try:
        value = literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    if not isinstance(value, dict | list):
        return None
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        return None


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
