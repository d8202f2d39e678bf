"""Charts and kustomizations with random pieces in random places: no crash, places within the text, edits that apply."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import hosts
from sglint.assist.navigation import definition, references
from sglint.text import Document, Sources

from .kustomize_texts import FOLDERS
from .mangling import check, mangled
from .record_charts import charts

SIGNS = """{{ }} {{- end }} {{range . {{else}} {{define"a"}} {{include"a". {{tpl.. | := ( ) $x .Values " ' - & * [ ] { }
~1 op: path: value: <<: null 1e999 😀 \ufeff""".split()
PIECES = [*SIGNS, "\n", "  ", "\n- ", ": ", "\r\n"]
SETS = [*charts().values(), *FOLDERS.values()]


@st.composite
def broken(draw: st.DrawFn) -> tuple[Mapping[str, str], str]:
    """The files of a chart or kustomization, one of them mangled, and its path."""
    files = draw(st.sampled_from(SETS))
    path = draw(st.sampled_from(sorted(files)))
    return {**files, path: draw(mangled([files[path]], PIECES))}, path


@settings(max_examples=150, derandomize=True, deadline=None)
@given(broken(), st.integers(0, 2000))
def test_a_broken_file_costs_no_more_than_itself(made: tuple[Mapping[str, str], str], offset: int) -> None:
    files = {f"x/{path}": text for path, text in made[0].items()}

    def names(folder: str) -> list[str]:
        return sorted({path[len(folder) + 1 :].split("/")[0] for path in files if path.startswith(folder + "/")})

    for path, text in files.items():
        if path.endswith((".yaml", ".tpl")):
            sources = Sources(files.get, names=names)
            document = Document(path, text, "yaml")
            check(hosts.read(document, sources), text)
            for place in (*definition(document, sources, offset), *references(document, sources, offset)):
                assert place.path is not None
                assert place.span.end <= len(files[place.path])
