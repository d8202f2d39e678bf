"""A chart's findings as seen from its values files: at the value, with the template that prints it."""

from __future__ import annotations

from sglint.lint import lint
from sglint.rules.findings import Finding
from sglint.settings import Settings
from sglint.text import Document, Sources

TEMPLATE = "chart/templates/pod.yaml"
VALUES = "chart/values.yaml"
PROD = "chart/values-prod.yaml"
FILES = {
    "chart/Chart.yaml": "name: chart\n",
    VALUES: "image: lmsysorg/sglang:v0.5.18\nmodel: Qwen/Qwen3-8B\nbackend: triton\n",
    PROD: "backend: tritn\n",
    TEMPLATE: """\
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
    - name: server
      image: {{ .Values.image }}
      command: ["python3", "-m", "sglang.launch_server"]
      args:
        - --model-path={{ .Values.model }}
        - --attention-backend={{ .Values.backend }}
        - --no-such-flag
""",
}


def findings(path: str, code: str) -> list[Finding]:
    def names(folder: str) -> list[str]:
        return ["pod.yaml"] if folder == "chart/templates" else []

    report = lint(Document(path, FILES[path], "yaml"), Settings(), Sources(FILES.get, names=names))
    assert all(finding.path == path for finding in report.findings) or path == TEMPLATE
    return [finding for finding in report.findings if finding.code == code]


def test_a_refused_value_is_told_where_the_overriding_file_writes_it() -> None:
    (finding,) = findings(PROD, "SGL022")
    assert FILES[PROD][slice(*finding.span)] == "tritn"
    (related,) = finding.related
    assert related.place.path == TEMPLATE
    assert FILES[TEMPLATE][slice(*related.place.span)] == "{{ .Values.backend }}"
    (edit,) = finding.fixes[0].edits
    assert (edit.path, FILES[PROD][slice(*edit.span)], edit.text) == (None, "tritn", "triton")
    assert findings(VALUES, "SGL022") == findings(TEMPLATE, "SGL022") == []


def test_what_only_the_template_writes_is_no_finding_of_a_values_file() -> None:
    assert len(findings(TEMPLATE, "SGL020")) == 1
    assert findings(VALUES, "SGL020") == findings(PROD, "SGL020") == []
