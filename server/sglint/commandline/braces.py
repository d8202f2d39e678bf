"""Braces that a shell takes apart, and whether a launch has anything that needs telling; light to import."""

from __future__ import annotations

from collections.abc import Iterator

from ..launch.model import EnvVar, Word
from ..launch.options import Parsed

PREFIX = "SGL"
"""Beginning of the environment variables that a release may have stopped reading."""


def needs_telling(parsed: Parsed, env: tuple[EnvVar, ...] = ()) -> bool:
    """Whether there is anything to refine about a launch; most have nothing."""
    if parsed.problems or any(variable.name.startswith(PREFIX) for variable in env):
        return True
    return any(True for _ in brace_words(parsed))


def brace_words(parsed: Parsed) -> Iterator[Word]:
    """Words that are not known as one because the shell may expand their braces."""
    unknown = [option.words[-1] for option in parsed.options if option.raw == (None,)]
    return (word for word in (*unknown, *parsed.holes) if written_text(word).startswith("{") and _is_taken_apart(word))


def _is_taken_apart(word: Word) -> bool:
    """Whether braces are what is not known; in a quoted text that is a variable somewhere behind them."""
    return any(start == 0 for start, _ in word.unknown)


def surplus_words(text: str) -> list[str]:
    """The words after the first that a shell makes of ``{"a":1,"b":2}``; none for braces inside of braces."""
    inner = text[1:-1]
    if any(char in inner for char in "{}[]'\\"):
        return []
    return inner.replace('"', "").split(",")[1:]


def written_text(word: Word) -> str:
    """What is written for a word, as far as its host keeps it."""
    return word.mapped.text if word.mapped else ""
