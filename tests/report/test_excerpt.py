"""Source excerpts: exact words underlined, whatever the line holds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.report.columns import cells_of, width_of
from sglint.report.excerpt import Mark, excerpt
from sglint.report.style import Style
from sglint.text import LineIndex, Span

PLAIN = Style(False, 80)


def shown(text: str, *words: str, style: Style = PLAIN) -> list[str]:
    marks = []
    for number, word in enumerate(words):
        at = text.index(word)
        label = "" if number == 0 else "why"
        marks.append(Mark(Span(at, at + len(word)), "error", label, primary=number == 0))
    return excerpt(LineIndex(text), marks, style)


def test_one_word() -> None:
    assert shown("a\n  - --flag=value\nb\n", "--flag") == [
        "  |",
        "2 |   - --flag=value",
        "  |     ^^^^^^",
    ]


def test_related_words_on_other_lines_and_a_gap() -> None:
    text = "one\ntwo\nthree\nfour\nfive\n"
    assert shown(text, "five", "two", "one") == [
        "  |",
        "1 | one",
        "  | --- why",
        "2 | two",
        "  | --- why",
        "...",
        "5 | five",
        "  | ^^^^",
    ]


def test_two_words_of_one_line_share_its_print() -> None:
    assert shown("run --a 1 --b 2", "--b", "--a") == [
        "  |",
        "1 | run --a 1 --b 2",
        "  |           ^^^",
        "  |     --- why",
    ]


def test_tabs_wide_characters_and_emoji_before_the_word() -> None:
    assert shown("\techo 漢字 🚀 --flag", "--flag") == [
        "  |",
        "1 |     echo 漢字 🚀 --flag",
        "  |                  ^^^^^^",
    ]


def test_an_empty_span_gets_one_caret() -> None:
    assert excerpt(LineIndex("abc"), [Mark(Span(1, 1), "error", primary=True)], PLAIN)[-1] == "  |  ^"


def test_a_span_over_lines_shows_its_first_and_last() -> None:
    text = "start \\\n  --a \\\n  --b\n"
    assert excerpt(LineIndex(text), [Mark(Span(0, len(text) - 1), "error", "here", primary=True)], PLAIN) == [
        "  |",
        "1 | start \\",
        "  | ^^^^^^^",
        "...",
        "3 |   --b",
        "  |   ^^^ here",
    ]


def test_a_long_line_is_cut_around_the_word() -> None:
    text = "x" * 500 + " --flag " + "y" * 500
    lines = shown(text, "--flag")
    assert all(width_of(line) <= PLAIN.width for line in lines)
    source, carets = lines[1], lines[2]
    assert source[carets.index("^") : carets.rindex("^") + 1] == "--flag"


def test_colour_does_not_move_anything() -> None:
    coloured = shown("run --flag", "--flag", style=Style(True, 80))
    assert any("\x1b[1;31m^^^^^^\x1b[0m" in line for line in coloured)


@settings(derandomize=True, deadline=None)
@given(st.text(st.sampled_from("ab \t漢🚀é\u0301\x07-"), max_size=300), st.data())
def test_carets_stand_under_the_first_character_of_the_span(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    lines = excerpt(LineIndex(line), [Mark(Span(start, end), "error", primary=True)], PLAIN)
    source, carets = lines[1], lines[2]
    column = carets.index("^") - len("1 | ")
    printed = source[len("1 | ") :] if len(source) > 4 else ""
    if printed.startswith("…"):
        assert width_of(carets) <= PLAIN.width + 2
        return
    assert column == cells_of(line).edges[start]
