"""Source maps: decoded text keeps the place of every character through cutting, joining and nesting."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.text import Mapped, Run, Span


@st.composite
def mapped_texts(draw: st.DrawFn, source_length: int = 80) -> Mapped:
    """A decoded text whose runs go forward through a source of ``source_length`` characters."""
    runs: list[Run] = []
    at, source = 0, draw(st.integers(0, 5))
    for _ in range(draw(st.integers(0, 6))):
        length = draw(st.integers(1, 5))
        exact = draw(st.booleans())
        width = length if exact else draw(st.integers(1, 6))
        if source + width > source_length:
            break
        runs.append(Run(at, length, source, source + width, exact))
        at += length
        source += width + draw(st.integers(0, 2))
    text = draw(st.text(alphabet="abc \n", min_size=at, max_size=at))
    return Mapped(text, tuple(runs), runs[0].start if runs else source)


def cut(data: st.DataObject, text: str) -> tuple[int, int]:
    start = data.draw(st.integers(0, len(text)))
    return start, data.draw(st.integers(start, len(text)))


@settings(derandomize=True, deadline=None)
@given(mapped_texts(), st.data())
def test_a_slice_keeps_text_and_places(mapped: Mapped, data: st.DataObject) -> None:
    start, end = cut(data, mapped.text)
    part = mapped.slice(start, end)
    assert part.text == mapped.text[start:end]
    assert part.span() == mapped.span(start, end)
    for offset in range(end - start):
        assert part.span(offset, offset + 1) == mapped.span(start + offset, start + offset + 1)


@settings(derandomize=True, deadline=None)
@given(mapped_texts(), st.data())
def test_joining_the_slices_gives_the_text_back(mapped: Mapped, data: st.DataObject) -> None:
    middle = data.draw(st.integers(0, len(mapped.text)))
    joined = Mapped.join([mapped.slice(0, middle), mapped.slice(middle)], anchor=mapped.anchor)
    assert joined.text == mapped.text
    for offset in range(len(mapped.text)):
        assert joined.span(offset, offset + 1) == mapped.span(offset, offset + 1)


@settings(derandomize=True, deadline=None)
@given(mapped_texts(), mapped_texts())
def test_joined_parts_keep_their_own_places(first: Mapped, second: Mapped) -> None:
    joined = Mapped.join([first, second])
    assert joined.text == first.text + second.text
    shift = len(first.text)
    for offset in range(len(second.text)):
        assert joined.span(shift + offset, shift + offset + 1) == second.span(offset, offset + 1)


@settings(derandomize=True, deadline=None)
@given(mapped_texts(), st.data())
def test_a_map_through_a_map_finds_the_outer_source(outer: Mapped, data: st.DataObject) -> None:
    inner = data.draw(mapped_texts(source_length=len(outer.text)))
    through = inner.through(outer)
    assert through.text == inner.text
    for offset in range(len(inner.text)):
        source = inner.span(offset, offset + 1)
        assert through.span(offset, offset + 1) == outer.span(source.start, source.end)


@settings(derandomize=True, deadline=None)
@given(mapped_texts(), st.data())
def test_the_runs_cover_every_character_once(mapped: Mapped, data: st.DataObject) -> None:
    start, end = cut(data, mapped.text)
    at = 0
    for run in mapped.slice(start, end).runs:
        assert run.at == at
        assert run.length > 0
        at += run.length
    assert at == end - start


@settings(derandomize=True, deadline=None)
@given(mapped_texts(), st.data())
def test_an_empty_stretch_is_an_empty_span_at_its_place(mapped: Mapped, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(mapped.text)))
    assert mapped.span(offset, offset) == Span(mapped.point(offset), mapped.point(offset))


def test_an_escape_cannot_be_cut_in_two() -> None:
    mapped = Mapped.join([Mapped.identity("a", 0), Mapped.whole("xyz", Span(1, 5)), Mapped.identity("b", 5)])
    assert mapped.is_exact(0, 1)
    assert mapped.is_exact(1, 4)
    assert not mapped.is_exact(0, 2)
    assert mapped.span(2, 3) == Span(1, 5)
    assert mapped.span(0, 5) == Span(0, 6)
