"""Half-typed and mangled files: never a fault of ours, always places inside the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import hosts
from sglint.text import Document, Sources

from .chart_texts import CHARTS
from .mangling import check, mangled
from .test_cases_yaml import ALL

MARKS = """ : - |- >- ' " | &a *a <<: { } [ ] , # ${X:- $(X) {{ }} {{-end}} {{if.Values.a}} \\ --tp-size 😀 """.split()
BREAKS = ["", " ", "  - ", ": ", "\n", "\r\n", "\t", "---\n", "\x85", "\u2028"]
PIECES = [*MARKS, *BREAKS]
TEMPLATES = [files["templates/pod.yaml"] for files in CHARTS.values() if "templates/pod.yaml" in files]


@settings(derandomize=True, deadline=None, max_examples=400)
@given(mangled([case.text for case in ALL], PIECES), st.sampled_from(["a.yaml", "values.yaml"]))
def test_mangled_files_are_read_without_a_fault(text: str, path: str) -> None:
    check(hosts.read(Document(path, text, "yaml"), Sources.none()), text)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(mangled(TEMPLATES, PIECES), st.sampled_from(sorted(CHARTS)))
def test_mangled_templates_are_read_without_a_fault(text: str, chart: str) -> None:
    files = {f"chart/{path}": value for path, value in {**CHARTS[chart], "Chart.yaml": "name: chart\n"}.items()}
    check(hosts.read(Document("chart/templates/pod.yaml", text, "yaml"), Sources(files.get)), text)
