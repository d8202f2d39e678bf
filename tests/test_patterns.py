"""Patterns that are compiled on first use behave as compiled ones."""

from __future__ import annotations

import re

import pytest

from sglint.patterns import lazy


def test_it_answers_as_a_compiled_pattern_does() -> None:
    ours, compiled = lazy(r"(?P<a>x)|y", re.IGNORECASE), re.compile(r"(?P<a>x)|y", re.IGNORECASE)
    for text in ("X", "ay", "", "b"):
        assert [match.span() for match in ours.finditer(text)] == [match.span() for match in compiled.finditer(text)]
        assert bool(ours.fullmatch(text)) == bool(compiled.fullmatch(text))
    assert ours.sub("-", "axby") == "a-b-"
    assert (ours.pattern, ours.groupindex) == (compiled.pattern, compiled.groupindex)


def test_a_pattern_is_compiled_when_it_is_used() -> None:
    broken = lazy("(")
    with pytest.raises(re.error):
        broken.match("")
