"""Columns of printed source: the caret must stand under the character it means."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.report.columns import TAB_STOP, cells_of, printable, width_of


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("plain", 5),
        ("\t", 4),
        ("a\tb", 5),
        ("漢字", 4),
        ("é", 1),
        ("e\u0301", 1),
        ("🚀", 2),
        ("👩\u200d🚀", 2),
        ("❤\ufe0f", 2),
        ("🇩🇪", 2),
        ("\u200b", 0),
        ("\x1b[31m", 5),
        ("", 0),
    ],
)
def test_width(text: str, width: int) -> None:
    assert width_of(text) == width


def test_a_tab_reaches_the_next_stop() -> None:
    assert cells_of("ab\tc").edges == (0, 1, 2, TAB_STOP, TAB_STOP + 1)


def test_an_escape_sequence_of_a_file_never_reaches_the_terminal() -> None:
    assert printable("a\x1b]0;title\x07b\x9bz\u202e") == "a␛]0;title␇b\ufffdz\ufffd"


@settings(derandomize=True, deadline=None)
@given(st.text())
def test_every_character_has_an_edge_and_edges_never_go_back(text: str) -> None:
    cells = cells_of(text)
    assert len(cells.pieces) == len(text)
    assert len(cells.edges) == len(text) + 1
    assert list(cells.edges) == sorted(cells.edges)
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in cells.text)
