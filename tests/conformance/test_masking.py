"""Hiding parts of a command line that a release accepts must never make a certain refusal of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from sglint import catalogue
from sglint.launch.argv import parse, words_of
from sglint.launch.model import Word

from .test_parsers import vectors

RELEASES = catalogue.releases()[-9:]
Mask = Callable[[Sequence[Word], random.Random], list[Word]]


def one_unknown(words: Sequence[Word], dice: random.Random) -> list[Word]:
    at = dice.randrange(len(words))
    return [*words[:at], replace(words[at], text=None, mapped=None), *words[at + 1 :]]


def a_value_unknown(words: Sequence[Word], dice: random.Random) -> list[Word]:
    """Of ``--flag=value`` only the flag stays known."""
    masked = []
    for word in words:
        assert word.text is not None
        flag, equals, value = word.text.partition("=")
        hide = equals and flag.startswith("--") and dice.random() < 0.7
        stretch = ((len(flag) + 1, len(flag) + 1 + len(value)),)
        masked.append(replace(word, text=None, unknown=stretch) if hide else word)
    return masked


def a_hole(words: Sequence[Word], dice: random.Random) -> list[Word]:
    start = dice.randint(0, len(words))
    stop = dice.randint(start, len(words))
    hole = replace(words[0], text=None, mapped=None, many=True)
    return [*words[:start], hole, *words[stop:]]


def an_idle_hole(words: Sequence[Word], dice: random.Random) -> list[Word]:
    """A hole that stands for nothing, anywhere."""
    at = dice.randint(0, len(words))
    return [*words[:at], replace(words[0], text=None, mapped=None, many=True), *words[at:]]


def some_maybe(words: Sequence[Word], dice: random.Random) -> list[Word]:
    return [replace(word, presence="maybe") if dice.random() < 0.3 else word for word in words]


def more_maybe(words: Sequence[Word], dice: random.Random) -> list[Word]:
    """Words that are maybe there, and are not when the line is accepted."""
    extra = replace(words[0], text=dice.choice(("--tp-size", "--no-such", "8", "--port=x")), presence="maybe")
    at = dice.randint(0, len(words))
    return [*words[:at], extra, *words[at:]]


MASKS: tuple[Mask, ...] = (one_unknown, a_value_unknown, a_hole, an_idle_hole, some_maybe, more_maybe)


@pytest.mark.parametrize("mask", MASKS, ids=lambda mask: mask.__name__)
@pytest.mark.parametrize("release", RELEASES)
def test_what_is_accepted_is_not_refused_when_parts_are_hidden(release: str, mask: Mask) -> None:
    table = catalogue.load(release)
    dice = random.Random(f"{release}/{mask.__name__}")
    accepted = [case for case, expected in vectors(release) if isinstance(case, list) and "values" in expected]
    assert len(accepted) > 50
    wrong = []
    for argv in accepted:
        masked = mask(words_of(argv), dice)
        fatal = [problem for problem in parse(masked, table).problems if problem.fatal]
        if fatal:
            wrong.append((argv, [(word.text, word.presence, word.many) for word in masked], fatal[0].kind))
    assert wrong[:3] == []
