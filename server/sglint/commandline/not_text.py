"""Arguments of a container that YAML reads as a number or a truth value, where the API takes only text.

Source: ``Container`` of the Kubernetes core API (``command`` and ``args`` are lists of strings), whose decoder refuses
the manifest.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..catalogue import Flag
from ..launch.model import Word
from ..launch.options import Parsed, ParseProblem
from ..records import replace


def with_not_text(parsed: Parsed) -> Parsed:
    """``parsed`` with a problem for each word that is not text."""
    return replace(parsed, problems=(*parsed.problems, *_problems(parsed)))


def _problems(parsed: Parsed) -> Iterator[ParseProblem]:
    for option in parsed.options:
        for word in option.words:
            if word.read_as is not None:
                yield _problem(word, option.flag)
    for word in parsed.positional:
        if word.read_as is not None:
            yield _problem(word, None)


def _problem(word: Word, flag: Flag | None) -> ParseProblem:
    detail = f"Kubernetes takes only text in `command` and `args`, and YAML reads `{word.text}` as {word.read_as}"
    return ParseProblem("not-text", word.span, word, flag, "", detail, fatal=False)
