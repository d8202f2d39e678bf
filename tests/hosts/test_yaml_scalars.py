"""Every character of a YAML scalar knows the characters that made it, and new text is written so that it reads back."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sglint.hosts.embedding import Embedding
from sglint.hosts.yaml_scalars import embedding
from sglint.launch.model import CannotEdit
from sglint.text import apply_edits

NEWLINES = ("\n", "\r\n")


def read(text: str) -> tuple[str, Embedding]:
    """The value of the only key of ``text`` and its embedding."""
    root = yaml.CSafeLoader(text).get_single_node()
    node = root.value[0][1]
    return node.value, embedding(text, node)


def written(text: str, found: Embedding, start: int, end: int) -> str:
    span = found.mapped.span(start, end)
    return text[span.start : span.end]


@pytest.mark.parametrize(
    ("text", "value", "pieces"),
    [
        ("a: plain # note\n", "plain", {"plain": "plain"}),
        ("a: &x !!str 30\n", "30", {"30": "30"}),
        ("a: one\n  two\n\n  three\n", "one two\nthree", {"one two": "one\n  two", "three": "three"}),
        ("a: 'it''s'\n", "it's", {"it's": "it''s", "t'": "t''"}),
        ('a: "--log-\\\n   level=info"\n', "--log-level=info", {"--log-level": "--log-\\\n   level", "info": "info"}),
        ('a: "caf\\u00e9 \\x41"\n', "café A", {"é": "\\u00e9", "A": "\\x41"}),
        ("a: |2-\n      x\n    y\n", "    x\n  y", {"x": "x", "y": "y"}),
        ("a: |\n  x\n\n  y\n", "x\n\ny\n", {"x": "x", "y": "y", "x\n": "x\n"}),
        ("a: >+\n  one\n  two\n\n", "one two\n\n", {"one": "one", "one two": "one\n  two"}),
        ("a: >\n  one\n    deep\n  two\n", "one\n  deep\ntwo\n", {"  deep": "  deep", "two": "two"}),
        ("a: 😀 x\n", "😀 x", {"x": "x"}),
        ("a: ''\n", "", {"": ""}),
    ],
)
def test_pieces_of_a_scalar_are_found_where_they_stand(text: str, value: str, pieces: dict[str, str]) -> None:
    decoded, found = read(text)
    assert decoded == value == found.text
    for piece, source in pieces.items():
        start = value.index(piece)
        assert written(text, found, start, start + len(piece)) == source


def test_removing_a_line_of_a_block_leaves_the_next_one_indented() -> None:
    text = "a: |\n    one\n    two\n    three\n"
    _, found = read(text)
    assert apply_edits(text, [found.edit(4, 8, "")]) == "a: |\n    one\n    three\n"


def test_a_new_line_in_a_block_is_indented_with_the_files_line_end() -> None:
    text = "a: |\r\n    one\r\n"
    _, found = read(text)
    after = apply_edits(text, [found.edit(3, 3, "\ntwo")])
    assert after == "a: |\r\n    one\r\n    two\r\n"
    assert yaml.safe_load(after) == {"a": "one\ntwo\n"}


@pytest.mark.parametrize("text", ["a: x\n", "a: 'x'\n", "a: >\n  x\n"])
def test_a_line_break_is_refused_where_it_would_be_folded(text: str) -> None:
    _, found = read(text)
    with pytest.raises(CannotEdit):
        found.edit(0, 1, "y\nz")


@st.composite
def scalars(draw: st.DrawFn) -> str:
    """A mapping with one scalar, in some style, with odd spacing, line ends and characters."""
    newline = draw(st.sampled_from(NEWLINES))
    word = st.text(alphabet="abé😀-:#=\"'\\$ {},\t", min_size=1, max_size=8)
    style = draw(st.sampled_from(["plain", "'", '"', "|", ">"]))
    lines = draw(st.lists(st.one_of(word, st.just("")), min_size=1, max_size=5))
    if style in ("|", ">"):
        indent = draw(st.integers(1, 4))
        explicit = draw(st.booleans())
        chomp = draw(st.sampled_from(["", "-", "+"]))
        header = style + (str(indent) if explicit else "") + chomp + draw(st.sampled_from(["", " # note"]))
        body = newline.join(" " * indent + line if line else line for line in lines)
        return f"a: {header}{newline}{body}{draw(st.sampled_from(['', newline, newline * 3]))}"
    if style == "'":
        lines = [line.replace("'", "''") for line in lines]
    if style == '"':
        escapes = st.sampled_from(["\\n", "\\x41", "\\u00e9", "\\\\", '\\"', "\\" + newline, "\\ "])
        lines = [line.replace("\\", "/").replace('"', "'") + draw(st.one_of(st.just(""), escapes)) for line in lines]
    quote = "" if style == "plain" else style
    anchor = draw(st.sampled_from(["", "&x ", "!!str "]))
    body = (newline + draw(st.sampled_from([" ", "   "]))).join(lines)
    return f"a: {anchor}{quote}{body}{quote}{newline}"


def scalar_of(text: str) -> tuple[str, Embedding]:
    """As :func:`read`, for texts libyaml takes as one scalar."""
    try:
        root = yaml.CSafeLoader(text).get_single_node()
    except yaml.YAMLError:
        assume(False)
    assume(len(root.value) == 1 and isinstance(root.value[0][1], yaml.ScalarNode))
    node = root.value[0][1]
    return node.value, embedding(text, node)


@settings(derandomize=True, deadline=None, max_examples=600)
@given(scalars())
def test_every_decoded_character_maps_to_the_character_that_made_it(text: str) -> None:
    value, found = scalar_of(text)
    assert found.text == value
    assert all(run.exact or run.length == 1 for run in found.mapped.runs), "the scalar was mapped as a whole"
    previous = 0
    for run in found.mapped.runs:
        assert run.start >= previous
        previous = run.stop
    for offset, char in enumerate(value):
        span = found.mapped.span(offset, offset + 1)
        source = text[span.start : span.end]
        if char == "\n":
            assert "\n" in source or source == "\\n"
        elif char == " " and source != " ":
            assert source.strip(" \t\r\n") == "" or source == "\\ "
        else:
            assert source == char or source.startswith("\\") or source == "''"


@settings(derandomize=True, deadline=None, max_examples=600)
@given(scalars(), st.data())
def test_an_edited_scalar_reads_as_the_edited_value(text: str, data: st.DataObject) -> None:
    value, found = scalar_of(text)
    start = data.draw(st.integers(0, len(value)))
    end = data.draw(st.integers(start, len(value)))
    new = data.draw(st.text(alphabet="xé😀'\"\\=", max_size=4))
    assume("\n" not in value[start:end])
    assume(new or (value[start - 1 : start].strip() and value[end : end + 1].strip()))
    wanted = value[:start] + new + value[end:]
    assume(wanted.strip() == wanted and wanted)
    try:
        edit = found.edit(start, end, new)
    except CannotEdit:
        assume(False)
    after = apply_edits(text, [edit])
    try:
        root = yaml.CSafeLoader(after).get_single_node()
    except yaml.YAMLError:
        assert text.split(": ", 1)[1].lstrip()[0] not in "'\"|>", "a quoted scalar stays well formed"
        return
    assert root.value[0][1].value == wanted


@pytest.mark.parametrize("written", [":--port", ":8", "?x"])
def test_an_anchor_ends_where_the_parser_ends_it(written: str) -> None:
    text = f"- &po{written}\n"
    node = yaml.CSafeLoader(text).get_single_node().value[0]
    assert node.value == written
    start = text.index(written)
    assert embedding(text, node).mapped.span() == (start, start + len(written))
