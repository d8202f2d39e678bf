"""One command in every notation: the same words for certain, each letter in its place."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch import Word
from sglint.text import Document, Sources

from .notation_maker import MAKERS, made

NUMBERS = 40


@pytest.mark.parametrize("name", MAKERS)
def test_the_words_are_those_that_another_encoder_wrote(name: str) -> None:
    for number in range(NUMBERS):
        words, (path, language, text) = made(name, number)
        reading = hosts.read(Document(path, text, language), Sources.none())
        assert reading.problems == (), text
        (launch,) = reading.launches
        assert [(word.text, word.presence) for word in launch.words] == [(word, "yes") for word in words], text
        assert [misplaced(word, text) for word in launch.words] == [[]] * len(words), text


def misplaced(word: Word, text: str) -> list[str]:
    """Letters and digits of a word that do not stand where it says."""
    assert word.text is not None
    plain = [(at, char) for at, char in enumerate(word.text) if char.isascii() and char.isalnum()]
    places = [(word.span_of(at, at + 1), char) for at, char in plain]
    return [char for span, char in places if text[span.start : span.end] != char]
