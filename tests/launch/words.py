"""Words for parser tests: plain text, and markers for what a host may not know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sglint import catalogue
from sglint.launch.argv import parse, words_of
from sglint.launch.model import Word
from sglint.launch.options import Option, Parsed, ParseProblem
from sglint.text import Mapped

HOLE = "<hole>"
UNKNOWN = "<unknown>"


def words(*texts: str) -> tuple[Word, ...]:
    """``<hole>`` is any number of words, ``<unknown>`` one; ``--x=<unknown>`` is known in part; ``?word`` is maybe."""
    return tuple(_words(texts))


def _words(texts: Iterable[str]) -> Iterable[Word]:
    for word in words_of(list(texts)):
        assert word.text is not None
        text = word.text
        if text.startswith("?"):
            text = text[1:]
            word = replace(word, text=text, mapped=Mapped.identity(text, word.span.start + 1), presence="maybe")
        if text == HOLE:
            yield replace(word, text=None, mapped=None, many=True)
        elif UNKNOWN in text:
            at = text.index(UNKNOWN)
            known = at > 0
            stretch = ((at, at + len(UNKNOWN)),) if known else ()
            yield replace(word, text=None, mapped=word.mapped if known else None, unknown=stretch)
        else:
            yield word


def parsed(*texts: str, release: str = "0.5.23", serve: bool = False) -> Parsed:
    return parse(words(*texts), catalogue.load(release), serve=serve)


def only(parsed: Parsed, dest: str) -> Option:
    (option,) = parsed.of(dest)
    return option


def fatal(parsed: Parsed) -> list[ParseProblem]:
    return [problem for problem in parsed.problems if problem.fatal]


def kinds(parsed: Parsed) -> list[str]:
    return [problem.kind for problem in parsed.problems]
