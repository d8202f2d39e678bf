"""Positions: offsets in code points to lines and columns of three encodings, and back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.text import Encoding, LineIndex, Position, Span

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
TEXTS = st.text(alphabet="ab\t\n\r\u2028\x0cé😀\U0001d54f", max_size=60)


def reference_position(text: str, offset: int, encoding: Encoding) -> Position:
    before = text[:offset]
    ends = [match for match in re.finditer(r"\r\n|\n|\r", text) if match.end() <= offset]
    start = ends[-1].end() if ends else 0
    codec, width = CODECS[encoding]
    return Position(len(ends), len(before[start:].encode(codec)) // width)


@settings(derandomize=True, deadline=None)
@given(TEXTS, st.sampled_from(ENCODINGS), st.data())
def test_position_counts_units_after_the_last_line_end(text: str, encoding: Encoding, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    assert LineIndex(text).position(offset, encoding) == reference_position(text, offset, encoding)


@settings(derandomize=True, deadline=None)
@given(TEXTS, st.sampled_from(ENCODINGS))
def test_every_offset_outside_a_line_end_comes_back(text: str, encoding: Encoding) -> None:
    lines = LineIndex(text)
    for offset in range(len(text) + 1):
        inside_line_end = text[offset - 1 : offset + 1] == "\r\n"
        if not inside_line_end:
            assert lines.offset(lines.position(offset, encoding), encoding) == offset


def test_only_the_protocols_three_line_ends_end_a_line() -> None:
    assert LineIndex("a\u2028b\x0cc\x85d\ne\rf\r\ng").starts == [0, 8, 10, 13]


@pytest.mark.parametrize(("line", "character"), [(0, 99), (7, 0), (1, 99)])
def test_a_position_past_the_end_is_held_at_the_end(line: int, character: int) -> None:
    lines = LineIndex("ab\ncd")
    assert lines.offset(Position(line, character)) == (2 if line == 0 else 5)


def test_a_line_span_leaves_its_line_end_out_unless_asked() -> None:
    lines = LineIndex("ab\r\ncd")
    assert lines.line_span(0) == Span(0, 2)
    assert lines.line_span(0, with_end=True) == Span(0, 4)
    assert lines.line_text(1) == "cd"


def test_a_column_inside_a_surrogate_pair_is_the_next_character() -> None:
    assert LineIndex("😀b").offset(Position(0, 1), "utf-16") == 1
