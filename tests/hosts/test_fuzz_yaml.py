"""Half-typed and mangled files: never a fault of ours, always places inside the text."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import hosts
from sglint.launch.model import AddOption, CannotEdit, Launch, RemoveOption
from sglint.text import Document, Sources, Span, apply_edits

from .chart_texts import CHARTS
from .test_cases_yaml import ALL

MARKS = """ : - |- >- ' " | &a *a <<: { } [ ] , # ${X:- $(X) {{ }} {{-end}} {{if.Values.a}} \\ --tp-size 😀 """.split()
BREAKS = ["", " ", "  - ", ": ", "\n", "\r\n", "\t", "---\n", "\x85", "\u2028"]
PIECES = st.sampled_from([*MARKS, *BREAKS])


@st.composite
def mangled(draw: st.DrawFn, texts: list[str]) -> str:
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(PIECES) + text[end:]
    return text


def spans(launch: Launch) -> Iterator[Span]:
    yield launch.span
    for word in launch.words:
        if word.path is None:
            yield word.span
    for evidence in (launch.release, launch.gpu, launch.gpu_count):
        if evidence is not None and evidence.place is not None and evidence.place.path is None:
            yield evidence.place.span


def check(reading: hosts.Reading, text: str) -> None:
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


@settings(derandomize=True, deadline=None, max_examples=400)
@given(mangled([case.text for case in ALL]), st.sampled_from(["a.yaml", "values.yaml"]))
def test_mangled_files_are_read_without_a_fault(text: str, path: str) -> None:
    check(hosts.read(Document(path, text, "yaml"), Sources.none()), text)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(mangled([files["templates/pod.yaml"] for files in CHARTS.values()]), st.sampled_from(sorted(CHARTS)))
def test_mangled_templates_are_read_without_a_fault(text: str, chart: str) -> None:
    files = {f"chart/{path}": value for path, value in {**CHARTS[chart], "Chart.yaml": "name: chart\n"}.items()}
    check(hosts.read(Document("chart/templates/pod.yaml", text, "yaml"), Sources(files.get)), text)
