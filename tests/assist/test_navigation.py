"""Definitions and references between the templates and the values files of a chart."""

from __future__ import annotations

import pytest

from sglint.assist.navigation import definition, references
from sglint.launch import Place
from sglint.text import Document, Sources

TEMPLATE, HELPERS, VALUES = "chart/templates/server.yaml", "chart/templates/_helpers.tpl", "chart/values.yaml"
PROD, SUB, SUB_VALUES = (
    "chart/values-prod.yaml",
    "chart/charts/cache/templates/pod.yaml",
    "chart/charts/cache/values.yaml",
)
FILES = {
    "chart/Chart.yaml": "name: whole\ndependencies:\n  - {name: cache, alias: store}\n",
    VALUES: """\
model:
  path: openai/gpt-oss-120b
  tp: 2
extraArgs:
  - --enable-metrics
roles:
  prefill: {tp: 4}
  decode: {tp: 8}
store: {size: 7}
global: {tag: v0.5.18}
odd-key: {x: 1}
""",
    PROD: "model:\n  tp: 8\nroles:\n  decode: {tp: 16}\n",
    HELPERS: """\
{{- define "role.args" -}}
- --tp-size={{ .role.tp }}
- --model-path={{ .top.Values.model.path }}
{{- end }}
""",
    TEMPLATE: """\
{{- $m := .Values.model }}
image: lmsysorg/sglang:{{ .Values.global.tag }}
args:
  - --model-path={{ $m.path | quote }}
  {{- with .Values.model }}
  - --tp-size={{ .tp }}
  {{- end }}
  {{- range $name, $role := .Values.roles }}
  {{- include "role.args" (dict "role" $role "top" $) | nindent 2 }}
  {{- end }}
  {{- toYaml .Values.extraArgs | nindent 2 }}
  - --x={{ (index .Values "odd-key").x }}
""",
    "chart/charts/cache/Chart.yaml": "name: cache\n",
    SUB_VALUES: "size: 1\n",
    SUB: "a: {{ .Values.size }}\nimage: {{ .Values.global.tag }}\n",
}


def sources() -> Sources:
    def names(folder: str) -> list[str]:
        return sorted({path[len(folder) + 1 :].split("/")[0] for path in FILES if path.startswith(folder + "/")})

    return Sources(FILES.get, names=names)


def at(path: str, text: str, inside: str) -> tuple[Document, int]:
    """The document and the offset of ``inside`` in the first occurrence of ``text``."""
    place = FILES[path].index(text) + text.index(inside)
    return Document(path, FILES[path], "yaml"), place


def shown(places: tuple[Place, ...]) -> list[str]:
    """Places as ``file:line text``."""
    found = []
    for place in places:
        assert place.path is not None
        text = FILES[place.path]
        line = text.count("\n", 0, place.span.start) + 1
        found.append(f"{place.path.removeprefix('chart/')}:{line} {text[slice(*place.span)]}")
    return found


def defined(path: str, text: str, inside: str) -> list[str]:
    document, offset = at(path, text, inside)
    return shown(definition(document, sources(), offset))


def used(path: str, text: str, inside: str) -> list[str]:
    document, offset = at(path, text, inside)
    return sorted(shown(references(document, sources(), offset)))


@pytest.mark.parametrize(
    ("text", "inside", "places"),
    [
        ("$m.path", "path", ["values.yaml:2 path"]),
        (".tp }}", "tp", ["values.yaml:3 tp", "values-prod.yaml:2 tp"]),
        (".Values.model }}", "model", ["values.yaml:1 model", "values-prod.yaml:1 model"]),
        (".Values.roles", "roles", ["values.yaml:6 roles", "values-prod.yaml:3 roles"]),
        (".Values.global.tag", "tag", ["values.yaml:10 tag"]),
        ('"odd-key"', "odd", ["values.yaml:11 odd-key"]),
        (").x }}", "x", ["values.yaml:11 x"]),
        ('"role.args"', "role", ["templates/_helpers.tpl:1 role.args"]),
        ("$m.path", "$m", ["templates/server.yaml:1 $m"]),
        ("image:", "image", []),
    ],
)
def test_what_a_template_names_is_defined_in_values_and_helpers(text: str, inside: str, places: list[str]) -> None:
    assert defined(TEMPLATE, text, inside) == places


def test_what_a_named_template_gets_is_followed_from_its_includes() -> None:
    assert defined(HELPERS, ".role.tp", "tp") == ["values.yaml:7 tp", "values.yaml:8 tp", "values-prod.yaml:4 tp"]
    assert defined(HELPERS, "Values.model.path", "path") == ["values.yaml:2 path"]


def test_a_subchart_s_values_are_its_own_and_those_of_the_chart_around_it() -> None:
    assert defined(SUB, ".Values.size", "size") == ["charts/cache/values.yaml:1 size", "values.yaml:9 size"]
    assert defined(SUB, ".Values.global.tag", "tag") == ["values.yaml:10 tag"]


def test_a_key_is_used_where_templates_print_it_a_part_of_it_or_what_it_is_in() -> None:
    assert used(VALUES, "  path: openai", "path") == ["templates/_helpers.tpl:3 path", "templates/server.yaml:4 path"]
    assert used(VALUES, "openai/gpt", "gpt") == used(VALUES, "  path: openai", "path")
    assert used(VALUES, "--enable-metrics", "enable") == ["templates/server.yaml:11 extraArgs"]
    assert used(VALUES, "prefill: {tp: 4}", "tp") == ["templates/_helpers.tpl:2 tp", "templates/server.yaml:8 roles"]
    assert used(VALUES, "{size: 7}", "size") == ["charts/cache/templates/pod.yaml:1 size"]
    assert used(VALUES, "tag: v0", "v0") == ["charts/cache/templates/pod.yaml:2 tag", "templates/server.yaml:2 tag"]
    assert used(PROD, "tp: 8", "tp") == ["templates/server.yaml:6 tp"]
    assert used(SUB_VALUES, "size", "size") == ["charts/cache/templates/pod.yaml:1 size"]


def test_a_key_of_an_overriding_file_is_defined_where_it_overrides() -> None:
    assert defined(PROD, "tp: 8", "tp") == ["values.yaml:3 tp"]


def test_names_and_variables_are_used_where_they_are_named() -> None:
    assert used(HELPERS, '"role.args"', "role") == ["templates/server.yaml:9 role.args"]
    assert used(TEMPLATE, "$m := ", "$m") == ["templates/server.yaml:4 $m"]
    assert used(TEMPLATE, ".Values.model }}", "model") == [
        "templates/_helpers.tpl:3 model",
        "templates/server.yaml:1 model",
        "templates/server.yaml:4 path",
        "templates/server.yaml:5 model",
        "templates/server.yaml:6 tp",
    ]


def test_a_variable_of_a_script_is_defined_where_it_gets_its_text() -> None:
    text = "TP=8\npython -m sglang.launch_server --model-path m --tp-size $TP\n"
    document = Document("start.sh", text, "shell")
    (place,) = definition(document, Sources.none(), text.index("$TP") + 1)
    assert (place.path, text[slice(*place.span)]) == ("start.sh", "8")
    assert references(document, Sources.none(), text.index("$TP")) == ()


@pytest.mark.parametrize("template", ["{{ .Values.a", "{{ if }}", '{{ define "a" }}{{ include "a" . }}{{ end }}'])
def test_broken_and_endless_templates_lead_nowhere(template: str) -> None:
    files = {**FILES, TEMPLATE: template}
    document = Document(TEMPLATE, template, "yaml")
    for offset in range(len(template)):
        found = definition(document, Sources(files.get, names=lambda folder: []), offset)
        assert all(place.path for place in found)
