"""One command in every notation: the same words for certain, each letter in its place."""

from __future__ import annotations

import random

import pytest

from sglint import catalogue, hosts
from sglint.launch import Launch, Word
from sglint.launch.argv import parse
from sglint.launch.model import AddOption, CannotEdit, Change, RemoveOption, RenameFlag, SetValue
from sglint.text import Document, Sources, apply_edits

from .notation_maker import MAKERS, made, value_made

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


OPERATIONS = ("remove", "set", "add", "rename")
READ_ONLY = {"program"}


@pytest.mark.parametrize("name", sorted(MAKERS.keys() - READ_ONLY))
def test_edits_give_the_words_asked_for_or_are_refused(name: str) -> None:
    done = 0
    for number in range(NUMBERS):
        words, (path, language, text) = made(name, number)
        (launch,) = hosts.read(Document(path, text, language), Sources.none()).launches
        dice = random.Random(number)
        value = value_made(name, dice)
        change, allowed = asked(launch, words, value, dice)
        try:
            edits = launch.editor.edits(launch, [change])
        except CannotEdit as refusal:
            assert str(refusal)
            continue
        after = apply_edits(text, edits)
        (other,) = hosts.read(Document(path, after, language), Sources.none()).launches
        assert [word.text for word in other.words] in allowed, (change, text, after)
        done += 1
    assert done > NUMBERS * 0.8


def asked(launch: Launch, words: list[str], value: str, dice: random.Random) -> tuple[Change, list[list[str]]]:
    """A change of some option, and the words that it may leave."""
    options = [option for option in parse(launch.words, catalogue.load("0.5.18")).options if not option.implied]
    places = {id(word): place for place, word in enumerate(launch.words)}
    option = dice.choice(options)
    first = places[id(option.words[0])]
    flag, sign, written = words[first].partition("=")
    operation = dice.choice(OPERATIONS)
    if operation == "remove":
        gone = {places[id(word)] for word in option.words}
        return RemoveOption(option.words), [[word for place, word in enumerate(words) if place not in gone]]
    if operation == "rename":
        return RenameFlag(option.words[0], "--other"), [
            [*words[:first], f"--other{sign}{written}", *words[first + 1 :]]
        ]
    if operation == "set" and sign:
        return SetValue(option.words, value), [[*words[:first], f"{flag}={value}", *words[first + 1 :]]]
    if operation == "set" and len(option.words) == 2:
        return SetValue(option.words, value), [[*words[: first + 1], value, *words[first + 2 :]]]
    ways = (["--chat-template", value], [f"--chat-template={value}"])
    return AddOption("--chat-template", value), [
        [*words[:place], *way, *words[place:]] for place in range(len(words) + 1) for way in ways
    ]
