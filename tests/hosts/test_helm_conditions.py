"""Conditions in templates: which of them leave a word in doubt, and which choose an image."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch.model import Launch
from sglint.text import Document, Sources

VALUES = """\
engine: sglang
command: []
apiKey: ""
metrics: true
image: {registry: docker.io, repository: lmsysorg/sglang, tag: v0.5.18, digest: ""}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
    - name: server
      image: lmsysorg/sglang:v0.5.18
      %s
      args:
        - --model-path=a/b
        %s
"""


def launch_of(pod: str, helpers: str = "", values: str = VALUES) -> Launch:
    files = {
        "chart/Chart.yaml": "name: chart\n",
        "chart/values.yaml": values,
        "chart/templates/_helpers.tpl": helpers,
        "chart/templates/pod.yaml": pod,
    }
    sources = Sources(
        files.get,
        names=lambda folder: sorted(
            {path[len(folder) + 1 :].split("/")[0] for path in files if path.startswith(folder + "/")}
        ),
    )
    reading = hosts.read(Document("chart/templates/pod.yaml", pod, "yaml"), sources)
    assert reading.problems == ()
    (launch,) = reading.launches
    return launch


def doubts(launch: Launch) -> list[tuple[str | None, str, str | None]]:
    return [(word.text, word.presence, word.with_defaults) for word in launch.words]


COMMANDS = {
    "certain": "command: [sglang, serve]",
    "chosen": "{{- if .Values.command }}\n      command: {{ toYaml .Values.command | nindent 8 }}\n      {{- else }}\n"
    "      command: [sglang, serve]\n      {{- end }}",
    "one branch": "{{- if not .Values.command }}\n      command: [sglang, serve]\n      {{- end }}",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_condition_of_the_launcher_takes_none_away_from_the_words(command: str) -> None:
    flags = "{{- if .Values.apiKey }}\n        - --api-key={{ .Values.apiKey }}\n        {{- end }}\n"
    flags += "        {{- if .Values.metrics }}\n        - --enable-metrics\n        {{- end }}"
    assert doubts(launch_of(POD % (command, flags))) == [
        ("--model-path=a/b", "yes", None),
        ("--api-key=", "maybe", "no"),
        ("--enable-metrics", "maybe", "yes"),
    ]


@pytest.mark.parametrize("dollar", ["", "$"])
def test_what_the_launcher_rests_on_is_no_doubt_of_a_word(dollar: str) -> None:
    command = '{{- if eq .Values.engine "sglang" }}\n      command: [sglang, serve]\n      {{- end }}'
    flags = f'{{{{- if eq {dollar}.Values.engine "sglang" }}}}\n        - --tp-size=2\n        {{{{- end }}}}\n'
    flags += '        {{- if eq .Values.engine "vllm" }}\n        - --page-size=2\n        {{- end }}'
    assert doubts(launch_of(POD % (command, flags))) == [
        ("--model-path=a/b", "yes", None),
        ("--tp-size=2", "yes", None),
        ("--page-size=2", "maybe", "no"),
    ]


def test_the_negation_of_the_launchers_condition_is_another_condition() -> None:
    command = "{{- if not .Values.command }}\n      command: [sglang, serve]\n      {{- end }}"
    flags = "{{- if .Values.command }}\n        - --tp-size=2\n        {{- else }}\n"
    flags += "        - --tp-size=4\n        {{- end }}"
    assert doubts(launch_of(POD % (command, flags)))[1:] == [
        ("--tp-size=2", "maybe", "no"),
        ("--tp-size=4", "yes", None),
    ]


@pytest.mark.parametrize(
    "image",
    [
        "{{ with .Values.image }}{{ .registry }}/{{ .repository }}"
        "{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag }}{{ end }}{{ end }}",
        '{{ include "x.image" . }}',
        '{{ include "x.image" . | quote }}',
    ],
)
def test_an_image_is_the_one_that_the_charts_own_values_choose(image: str) -> None:
    helpers = """\
{{- define "x.image" -}}
{{- if .Values.image.digest -}}
{{ printf "%s/%s@%s" .Values.image.registry .Values.image.repository .Values.image.digest }}
{{- else -}}
{{ printf "%s/%s:%s" .Values.image.registry .Values.image.repository .Values.image.tag }}
{{- end -}}
{{- end -}}
"""
    pod = (POD % ("command: [sglang, serve]", "")).replace("lmsysorg/sglang:v0.5.18", image)
    launch = launch_of(pod, helpers)
    assert launch.image is not None
    assert launch.image.text == "docker.io/lmsysorg/sglang:v0.5.18"
    assert launch.release is not None
    assert (launch.release.value, launch.release.source) == ("0.5.18", "image tag")


def test_a_part_of_an_argument_that_a_condition_chooses_is_not_known() -> None:
    flags = "- --log-level={{ if .Values.metrics }}info{{ else }}debug{{ end }}"
    assert launch_of(POD % ("command: [sglang, serve]", flags)).words[1].text is None
