"""Edits: all spans refer to the text before any of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.text import Edit, OverlappingEdits, Span, apply_edits, edits_between


@settings(derandomize=True, deadline=None)
@given(st.text(alphabet="ab\n😀", max_size=30), st.data())
def test_edits_apply_like_replacing_from_the_end(text: str, data: st.DataObject) -> None:
    bounds = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    pairs = list(zip(bounds[::2], bounds[1::2], strict=False))
    edits = [Edit(Span(start, end), data.draw(st.text(alphabet="xy", max_size=3))) for start, end in pairs]
    expected = text
    for edit in reversed(edits):
        expected = expected[: edit.span.start] + edit.text + expected[edit.span.end :]
    assert apply_edits(text, data.draw(st.permutations(edits))) == expected


def test_two_edits_of_one_character_are_refused() -> None:
    with pytest.raises(OverlappingEdits):
        apply_edits("abc", [Edit(Span(0, 2), "x"), Edit(Span(1, 3), "y")])


def test_edits_may_touch() -> None:
    assert apply_edits("abcd", [Edit(Span(2, 4), "Y"), Edit(Span(0, 2), "X")]) == "XY"


LINES = st.lists(st.sampled_from(["a\n", "b\r\n", "\n", "c\r", "d\u2028", "e"]), max_size=8).map("".join)


@settings(derandomize=True, deadline=None)
@given(LINES, LINES)
def test_edits_between_two_texts_make_the_one_of_the_other(before: str, after: str) -> None:
    edits = edits_between(before, after)
    assert apply_edits(before, edits) == after
    assert edits_between(after, after) == ()


def test_lines_that_stay_are_in_no_edit() -> None:
    assert edits_between("a\nb\nc\n", "a\nx\nc\n") == (Edit(Span(2, 4), "x\n"),)
