"""Edits that reach a chart's values files: new text is written as the YAML around it wants, or not at all."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
import yaml

from sglint import hosts
from sglint.launch.model import AddOption, CannotEdit, Change, Launch, RemoveOption, SetImageTag, SetValue, Word
from sglint.text import Document, Edit, Sources, apply_edits

TEMPLATE = "chart/templates/pod.yaml"
VALUES = "chart/values.yaml"
HELPERS = "chart/templates/_helpers.tpl"
POD = """\
kind: Pod
metadata: {name: x}
spec:
  containers:
    - image: {{ include "x.image" . }}
      command: [sglang, serve, --model-path, {{ .Values.model }}, --dtype, {{ .Values.dtype | quote }}]
    {{- range $name, $one := .Values.models }}
    - image: x
      command: [sh, -c, "sglang serve --model-path {{ $one.path }} {{ $one.flags }} --x={{ $one.x }}"]
    {{- end }}
"""
HELP = """\
{{- define "x.image" -}}
{{- if .Values.digest -}}
{{ printf "%s@%s" .Values.repository .Values.digest }}
{{- else -}}
{{ printf "%s:%s" .Values.repository .Values.tag }}
{{- end -}}
{{- end -}}
"""
CHART_VALUES = """\
repository: lmsysorg/sglang
tag: v0.5.18  # the release
model: org/model
dtype: auto
models:
  one: {path: org/other, flags: "--tp-size 2 --page-size 16", x: 7}
"""
FILES = {"chart/Chart.yaml": "name: chart\n", TEMPLATE: POD, HELPERS: HELP, VALUES: CHART_VALUES}


def launches(files: Mapping[str, str]) -> tuple[Launch, ...]:
    names = {"chart/templates": ["_helpers.tpl", "pod.yaml"]}
    sources = Sources(files.get, names=lambda folder: names.get(folder, []))
    return hosts.read(Document(TEMPLATE, files[TEMPLATE], "yaml"), sources).launches


def option(launch: Launch, flag: str, count: int = 2) -> tuple[Word, ...]:
    at = next(index for index, word in enumerate(launch.words) if word.known_prefix.startswith(flag))
    return launch.words[at : at + count]


def changed(number: int, change: Change) -> dict[str, str]:
    launch = launches(FILES)[number]
    by_path: dict[str, list[Edit]] = {}
    for edit in launch.editor.edits(launch, [change]):
        by_path.setdefault(edit.path or TEMPLATE, []).append(edit)
    return {path: apply_edits(text, by_path.get(path, [])) for path, text in FILES.items()}


@pytest.mark.parametrize(
    "value", ["other", "8", "0.85", "true", "yes", "0x1F", "0.90", "null", "~", "1_000", "@x", "%x"]
)
@pytest.mark.parametrize(("number", "flag", "key"), [(0, "--dtype", "dtype"), (1, "--model-path", "models")])
def test_a_value_is_written_so_that_it_is_printed_as_it_was_meant(number: int, flag: str, key: str, value: str) -> None:
    launch = launches(FILES)[number]
    try:
        after = changed(number, SetValue(option(launch, flag), value))
    except CannotEdit:
        assert value in ("@x", "%x", "~")
        return
    assert {path for path in FILES if after[path] != FILES[path]} == {VALUES}
    assert set(yaml.safe_load(after[VALUES])) == set(yaml.safe_load(CHART_VALUES))
    assert option(launches(after)[number], flag)[1].text == value


def test_a_value_that_the_template_would_quote_another_way_is_left() -> None:
    for value in ('say "x"', "it's", "a\\b", "line\nbreak"):
        with pytest.raises(CannotEdit):
            changed(1, SetValue(option(launches(FILES)[1], "--model-path"), value))


def test_words_in_a_string_of_the_values_are_written_in_its_quotes() -> None:
    launch = launches(FILES)[1]
    after = changed(1, SetValue(option(launch, "--tp-size"), "4"))
    assert after[VALUES] == CHART_VALUES.replace("--tp-size 2", "--tp-size 4")


def test_no_words_are_put_behind_a_value_that_is_no_list_of_words() -> None:
    with pytest.raises(CannotEdit, match="no list of words"):
        changed(1, AddOption("--log-level", "info"))


def test_the_tag_is_changed_where_the_values_file_has_it() -> None:
    after = changed(0, SetImageTag("v0.5.20"))
    assert after == {**FILES, VALUES: CHART_VALUES.replace("v0.5.18", "v0.5.20")}
    (image, *_) = (launch.image for launch in launches(after))
    assert image is not None
    assert image.text == "lmsysorg/sglang:v0.5.20"


def test_what_the_chart_itself_is_stays() -> None:
    files = {**FILES, TEMPLATE: POD.replace("{{ .Values.model }}", "{{ .Chart.Name }}")}
    launch = launches(files)[0]
    with pytest.raises(CannotEdit, match="the chart itself"):
        launch.editor.edits(launch, [SetValue(option(launch, "--model-path"), "other")])


OVERLAY = """\
resources: [pod.yaml]
patches:
  - target: {kind: Pod}
    patch: |-
      - op: add
        path: /spec/containers/0/args/-
        value: --enable-metrics
"""
BASE = """\
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
    - name: server
      command: [sglang, serve]
      args: [--model-path, a/b]
"""


def test_a_word_that_a_patch_puts_in_is_neither_taken_out_nor_followed_by_another() -> None:
    files = {"k/kustomization.yaml": OVERLAY, "k/pod.yaml": BASE}
    (launch,) = hosts.read(Document("k/kustomization.yaml", OVERLAY, "yaml"), Sources(files.get)).launches
    assert [word.text for word in launch.words] == ["--model-path", "a/b", "--enable-metrics"]
    for change in (RemoveOption(launch.words[2:]), AddOption("--log-level", "info")):
        with pytest.raises(CannotEdit, match="value of a key"):
            launch.editor.edits(launch, [change])
    (edit,) = launch.editor.edits(launch, [SetValue(launch.words[:2], "c/d")])
    assert apply_edits(BASE, [edit]) == BASE.replace("a/b", "c/d")
