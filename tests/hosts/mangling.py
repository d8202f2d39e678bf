"""Texts with random pieces in random places, and what holds however a text looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

from sglint.launch import Reading
from sglint.launch.model import AddOption, CannotEdit, Launch, RemoveOption
from sglint.text import Span, apply_edits


@st.composite
def mangled(draw: st.DrawFn, texts: Sequence[str], pieces: Sequence[str]) -> str:
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.sampled_from(pieces)) + text[end:]
    return text


def spans(launch: Launch) -> Iterator[Span]:
    yield launch.span
    for word in launch.words:
        if word.path is None:
            yield word.span
    for evidence in (launch.release, launch.gpu, launch.gpu_count):
        if evidence is not None and evidence.place is not None and evidence.place.path is None:
            yield evidence.place.span


def check(reading: Reading, text: str) -> None:
    assert [problem.message for problem in reading.problems if problem.code == "SGL000"] == []
    for launch in reading.launches:
        for span in spans(launch):
            assert 0 <= span.start <= span.end <= len(text)
        for change in (RemoveOption(launch.words[:1]), AddOption("--page-size", "1")):
            try:
                edits = launch.editor.edits(launch, [change])
            except CannotEdit:
                continue
            apply_edits(text, [edit for edit in edits if edit.path is None])
