"""Files that make a launch together, each open by itself: where findings stand and what fixes edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from .talk import Session

pytestmark = pytest.mark.asyncio

TEMPLATE = """\
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
    - name: server
      image: lmsysorg/sglang:v0.5.18
      command: ["python3", "-m", "sglang.launch_server"]
      args:
        - --model-path={{ .Values.model }}
        - --attention-backend=triton
        {{- toYaml .Values.extraArgs | nindent 8 }}
"""
VALUES = "model: Qwen/Qwen3-8B\nextraArgs:\n  - --enable-metrics\n  - --tp-sise=2\n"


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("name: chart\n", encoding="utf-8")
    (tmp_path / "values.yaml").write_text(VALUES, encoding="utf-8")
    (tmp_path / "templates" / "pod.yaml").write_text(TEMPLATE, encoding="utf-8")
    return tmp_path


def unknown_flag(diagnostics: list[types.Diagnostic]) -> types.Diagnostic:
    (found,) = [diagnostic for diagnostic in diagnostics if diagnostic.code == "SGL020"]
    return found


def files_of(edit: types.WorkspaceEdit) -> set[str]:
    changes = [change for change in edit.document_changes or [] if isinstance(change, types.TextDocumentEdit)]
    return {change.text_document.uri for change in changes} or set(edit.changes or {})


async def test_a_values_file_shows_and_mends_what_its_template_prints(session: Session, chart: Path) -> None:
    uri, diagnostics = await session.open("values.yaml", "yaml", VALUES, str(chart))
    found = unknown_flag(diagnostics)
    assert session.words_at(uri, found.range) == "--tp-sise"
    actions = await session.actions(uri, found.range)
    assert [action.title for action in actions if action.edit]


async def test_a_template_shows_the_finding_at_its_action_and_edits_the_values(session: Session, chart: Path) -> None:
    uri, diagnostics = await session.open("pod.yaml", "yaml", TEMPLATE, str(chart / "templates"))
    found = unknown_flag(diagnostics)
    assert session.words_at(uri, found.range) == "{{- toYaml .Values.extraArgs | nindent 8 }}"
    values = (chart / "values.yaml").as_uri()
    assert [related.location.uri for related in found.related_information or []] == [values]
    actions = [action for action in await session.actions(uri, found.range) if not action.title.startswith("Ignore ")]
    edits = [action.edit for action in actions if action.edit]
    assert edits
    assert all(files_of(edit) == {values} for edit in edits)
