"""One launch out of several ways that lead to it: a function called twice, a loop's turns, two branches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ..launch.model import EnvVar, Word
from ..records import replace
from ..text import Mapped, Span
from .origins import HOLE

_MAX_WORDS = 1_000


def common_words(ways: Sequence[tuple[Word, ...]]) -> tuple[Word, ...]:
    """The words of all ways: those that differ in value not known, those that some ways have *maybe*.

    Where an expansion such as ``"$@"`` brings different words each time, it is a hole.
    """
    return reduce(_merged, ways)


def _merged(left: tuple[Word, ...], right: tuple[Word, ...]) -> tuple[Word, ...]:
    ours, theirs = [_key(word) for word in left], [_key(word) for word in right]
    if ours == theirs:
        return tuple(_either(one, other) for one, other in zip(left, right, strict=True))
    if max(len(left), len(right)) > _MAX_WORDS:
        return tuple(replace(word, presence="maybe") for word in left)
    from difflib import SequenceMatcher

    found: list[Word] = []
    for kind, first, last, start, end in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if kind == "equal":
            found += map(_either, left[first:last], right[start:end])
        else:
            found += _some_ways((*left[first:last], *right[start:end]))
    return tuple(found)


def _key(word: Word) -> tuple[Span, Span | None]:
    return word.span, word.used_at.span if word.used_at is not None else None


def _some_ways(words: Sequence[Word]) -> list[Word]:
    """Words that not all ways have."""
    found: list[Word] = []
    holes: set[Span] = set()
    for word in words:
        if word.used_at is None:
            found.append(replace(word, presence="maybe"))
        elif word.used_at.span not in holes:
            span = word.used_at.span
            holes.add(span)
            hole = Mapped.whole(HOLE, span)
            found.append(Word(None, span, hole, many=True, used_at=word.used_at, path=word.path, unknown=((0, 1),)))
    return found


def _either(left: Word, right: Word) -> Word:
    if right.many and not left.many:
        return right
    if right.presence == "maybe" and left.presence == "yes":
        left = replace(left, presence="maybe")
    if left.text == right.text or left.text is None:
        return left
    start = left.text.find("=") + 1 if left.text.startswith("-") else 0
    if not _text(right).startswith(left.text[:start]):
        start = 0
    return replace(left, text=None, unknown=((start, len(left.text)),))


def _text(word: Word) -> str:
    return word.mapped.text if word.mapped is not None else ""


def common_env(ways: Sequence[tuple[EnvVar, ...]]) -> tuple[EnvVar, ...]:
    """The variables of the first way, with values that differ elsewhere not known."""
    first = ways[0]
    for other in ways[1:]:
        values = {variable.name: variable.value for variable in other}
        first = tuple(
            variable if values.get(variable.name) == variable.value else replace(variable, value=None)
            for variable in first
        )
    return first
