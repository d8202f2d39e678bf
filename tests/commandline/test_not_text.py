"""Arguments of a container that YAML takes for numbers or truth values."""

from __future__ import annotations

import pytest

from sglint.lint import lint
from sglint.rules.findings import Finding
from sglint.settings import Settings
from sglint.text import Document, Sources, apply_edits

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
    - name: server
      image: lmsysorg/sglang:v0.5.18
      command: [python3, -m, sglang.launch_server, --model-path, m]
      args: [ARGS]
"""


def found(text: str, path: str = "pod.yaml", sources: Sources | None = None) -> list[Finding]:
    findings = lint(Document(path, text, "yaml"), Settings(), sources or Sources.none()).findings
    return [finding for finding in findings if finding.code == "SGL803"]


@pytest.mark.parametrize(
    ("args", "marked"),
    [
        ("--tp-size, 8", ["8"]),
        ("--mem-fraction-static, 0.8, --port, 30000", ["0.8", "30000"]),
        ("--log-level, true", ["true"]),
        # The library of Kubernetes reads this as a number too, though YAML 1.1 does not.
        ("--served-model-name, 1e3", ["1e3"]),
        ("--served-model-name, off, --cuda-graph-bs, 1, 2", ["off", "1", "2"]),
        ('--tp-size, "8"', []),
        ("--tp-size, '8', --mem-fraction-static=0.8", []),
        ("--port, !!str 8", []),
        ("--served-model-name, 8b, --chat-template, 1.2.3", []),
        ("--served-model-name, 1:30", []),
    ],
)
def test_what_is_no_text_is_told(args: str, marked: list[str]) -> None:
    text = POD.replace("ARGS", args)
    assert [text[slice(*finding.span)] for finding in found(text)] == marked


def test_the_fix_writes_quotes_and_nothing_else() -> None:
    text = POD.replace("[ARGS]", "\n        - --tp-size\n        - 8   # all of them\n        - --enable-metrics")
    (finding,) = found(text)
    (fix,) = finding.fixes
    assert fix.safety == "safe" and fix.verified
    assert apply_edits(text, fix.edits) == text.replace("- 8 ", '- "8" ')


def test_values_that_other_fixes_write_are_text() -> None:
    text = POD.replace("ARGS", "--tp-size, 8, --chunked-prefill-size, 0x10")
    findings = lint(Document("pod.yaml", text, "yaml"), Settings()).findings
    edits = [fix.edits for finding in findings for fix in finding.fixes if finding.code != "SGL803" and fix.edits]
    for edit in edits:
        assert len(found(apply_edits(text, edit))) <= len(found(text))


@pytest.mark.parametrize(
    ("item", "count"), [("{{ .Values.tp }}", 1), ("{{ .Values.tp | quote }}", 0), ("{{ .Values.name }}", 0)]
)
def test_a_chart_is_told_what_it_renders(item: str, count: int) -> None:
    template = POD.replace("[ARGS]", f"\n        - --tp-size\n        - {item}")
    files = {"c/Chart.yaml": "name: c\n", "c/values.yaml": "tp: 8\nname: wren\n", "c/templates/pod.yaml": template}
    names = {"c": ["Chart.yaml", "templates", "values.yaml"], "c/templates": ["pod.yaml"]}
    sources = Sources(files.get, names=lambda folder: names.get(folder, []))
    assert len(found(template, "c/templates/pod.yaml", sources)) == count


def test_other_notations_take_numbers() -> None:
    compose = "services:\n  a:\n    image: lmsysorg/sglang:v0.5.18\n    command: [sglang, serve, --tp-size, 8]\n"
    assert found(compose, "compose.yaml") == []
