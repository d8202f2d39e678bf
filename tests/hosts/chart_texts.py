"""Invented charts whose rendering a real Helm has told (``record_charts.py`` asks it anew)."""

from __future__ import annotations

HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec:\n  containers:\n    - name: server\n"
LAUNCH = '      command: ["python3", "-m", "sglang.launch_server"]\n      args:\n'
IMAGE = "      image: lmsysorg/sglang:v0.5.18\n"


def pod(args: str, before: str = "", after: str = "") -> str:
    return before + HEAD + IMAGE + LAUNCH + args + after


CHARTS: dict[str, dict[str, str]] = {
    "with-and-else": {
        "values.yaml": "model: {path: /m/a, revision: main}\n",
        "templates/pod.yaml": pod(
            "        {{- with .Values.model }}\n        - --model-path={{ .path }}\n"
            "        - --revision={{ .revision }}\n"
            "        {{- else }}\n        - --model-path=none\n        {{- end }}\n"
            "        {{- with .Values.absent }}\n        - --served-model-name={{ . }}\n        {{- end }}\n"
        ),
    },
    "range-with-index-and-dollar": {
        "values.yaml": "port: 30000\nnames: [one, two]\n",
        "templates/pod.yaml": pod(
            "        - --model-path=/m/a\n        {{- range $i, $n := .Values.names }}\n"
            "        - --served-model-name={{ $n }}\n        - --port={{ $.Values.port }}\n        {{- end }}\n"
        ),
    },
    "numbers-and-truth": {
        "values.yaml": "args:\n  mem-fraction-static: 0.90\n  context-length: 1048576\n  watchdog-timeout: 1e3\n"
        "  stream-interval: 010\n  log-level: 'on'\n  enable: true\n",
        "templates/pod.yaml": pod(
            "        - --model-path=/m/a\n        {{- range $k, $v := .Values.args }}\n"
            '        - {{ printf "--%s=%v" $k $v | quote }}\n        {{- end }}\n'
        ),
    },
    "defaults": {
        "values.yaml": "empty: ''\nzero: 0\nno: false\nset: yes-it-is\n",
        "templates/pod.yaml": pod(
            '        - --model-path={{ .Values.missing | default "/m/default" }}\n'
            '        - --a={{ .Values.empty | default "e" }}\n        - --b={{ default 7 .Values.zero }}\n'
            '        - --c={{ .Values.no | default true }}\n        - --d={{ .Values.set | default "x" }}\n'
            '        - --e={{ coalesce .Values.empty .Values.set "z" }}\n'
        ),
    },
    "join-and-concat": {
        "values.yaml": "base: [--model-path, /m/a]\nmore: ['--tp-size', '2']\nbuckets: ['1', '2', '4']\n",
        "templates/pod.yaml": pod(
            "        {{- toYaml (concat .Values.base .Values.more) | nindent 8 }}\n"
            '        - --cuda-graph-bs={{ join "," .Values.buckets }}\n'
        ),
    },
    "to-yaml-of-a-container": {
        "values.yaml": "server:\n  image: lmsysorg/sglang:v0.5.18\n  command: [python3, -m, sglang.launch_server]\n"
        '  args:\n    - --model-path\n    - "/m/it\'s: here"\n    - --tp-size\n    - \'8\'\n    - "true"\n'
        "  resources: {limits: {nvidia.com/gpu: 8}}\n",
        "templates/pod.yaml": HEAD + "      {{- toYaml .Values.server | nindent 6 }}\n",
    },
    "named-templates": {
        "values.yaml": "model: /m/a\ntp: 4\n",
        "templates/_helpers.tpl": '{{- define "c.name" -}}{{ .Chart.Name }}-{{ .Values.tp }}{{- end -}}\n'
        '{{- define "c.args" }}\n- --model-path\n- {{ .Values.model | quote }}\n'
        "- --tp-size={{ .Values.tp }}\n{{- end }}\n",
        "templates/pod.yaml": pod(
            '        {{- include "c.args" . | trim | nindent 8 }}\n'
            '        - --served-model-name={{ include "c.name" . }}\n'
        ),
    },
    "variables": {
        "values.yaml": "tp: 2\nmodel: /m/a\nroles: {prefill: true}\n",
        "templates/pod.yaml": pod(
            "        - --model-path={{ $model }}\n        - --tp-size={{ $tp | toString }}\n        - {{ $flag }}\n",
            before='{{- $model := .Values.model }}\n{{- $tp := .Values.tp }}\n{{- $flag := "--enable-metrics" }}\n',
        ),
    },
    "a-shell-line": {
        "values.yaml": "model: /m/it is\nextra: --tp-size 2 --enable-metrics\nport: 8000\n",
        "templates/pod.yaml": HEAD
        + IMAGE
        + '      command: ["sh", "-c"]\n      args:\n        - |\n          exec python3 -m sglang.launch_server \\\n'
        "            --model-path {{ .Values.model | quote }} --port {{ .Values.port }} \\\n"
        "            {{ .Values.extra }}\n",
    },
    "trimmed-inside": {
        "values.yaml": "a: true\nmodel: /m/a\n",
        "templates/pod.yaml": pod(
            "        - --model-path=\n          {{- .Values.model }}\n        {{ if .Values.a -}}\n"
            "        - --enable-metrics\n        {{- end }}\n        {{- /* - --never */}}\n        - --port=1\n"
        ),
    },
    "append-under-conditions": {
        "values.yaml": "metrics: true\ntrust: false\n",
        "templates/pod.yaml": pod(
            "        {{- toYaml $args | nindent 8 }}\n",
            before='{{- $args := list "--model-path" "/m/a" }}\n{{- if .Values.metrics }}\n'
            '{{- $args = append $args "--enable-metrics" }}\n{{- end }}\n{{- if .Values.trust }}\n'
            '{{- $args = append $args "--trust-remote-code" }}\n{{- end }}\n{{- $args = append $args "--port=1" }}\n',
        ),
    },
    "conditions-of-items": {
        "values.yaml": "flags: {enable-metrics: true, disable-radix-cache: false, tp-size: 2, log-level: info}\n",
        "templates/pod.yaml": pod(
            "        - --model-path=/m/a\n        {{- range $k, $v := .Values.flags }}\n"
            '        {{- if eq (toString $v) "true" }}\n        - --{{ $k }}\n'
            '        {{- else if ne (toString $v) "false" }}\n        - --{{ $k }}={{ $v }}\n'
            "        {{- end }}\n        {{- end }}\n"
        ),
    },
    "ternary-and-tests": {
        "values.yaml": "metrics: true\nmode: prefill-fast\nlevels: {log: info}\n",
        "templates/pod.yaml": pod(
            "        - --model-path=/m/a\n"
            '        - --log-level={{ ternary "debug" "info" (hasKey .Values.levels "none") }}\n'
            '        - --log-level-http={{ get .Values.levels "log" }}\n'
            '        - {{ ternary "--enable-metrics" "--disable-metrics" .Values.metrics }}\n'
            '        - --mode={{ if hasPrefix "prefill" .Values.mode }}prefill{{ else }}null{{ end }}\n'
            '        - --served-model-name={{ trimSuffix "-fast" .Values.mode }}\n'
        ),
    },
    "text-rendered-as-a-template": {
        "values.yaml": "name: one\nport: 8000\nmodel: /m/{{ .Values.name }}\nextra: |\n"
        "  - --port={{ .Values.port }}\n  - --enable-metrics\n",
        "templates/pod.yaml": pod(
            "        - --model-path={{ tpl .Values.model . }}\n        {{- tpl .Values.extra . | nindent 8 }}\n"
        ),
    },
    "dict-for-a-named-template": {
        "values.yaml": "prefill: {tp: 4}\n",
        "templates/_helpers.tpl": '{{- define "c.role" }}\n- --tp-size={{ .role.tp }}\n'
        "- --disaggregation-mode={{ .name }}\n- --served-model-name={{ .top.Chart.Name }}\n{{- end }}\n",
        "templates/pod.yaml": pod(
            "        - --model-path=/m/a\n"
            '        {{- include "c.role" (dict "name" "prefill" "role" .Values.prefill "top" $) | nindent 8 }}\n'
        ),
    },
    "index-and-ends-of-lists": {
        "values.yaml": "names: [one, two, three]\nby-name: {a-b: x}\n",
        "templates/pod.yaml": pod(
            "        - --model-path=/m/{{ first .Values.names }}\n"
            "        - --served-model-name={{ last .Values.names }}\n"
            '        - --revision={{ index .Values.names 1 }}\n        - --host={{ index .Values "by-name" "a-b" }}\n'
            '        - --tokenizer-path={{ .Values.names | join "," | replace "," "/" }}\n'
        ),
    },
}

SUBCHARTS: dict[str, dict[str, str]] = {
    "values-of-a-subchart": {
        "values.yaml": "inner: {tp: 8, extra: null}\n",
        "charts/inner/Chart.yaml": "apiVersion: v2\nname: inner\nversion: 0.1.0\n",
        "charts/inner/values.yaml": "tp: 1\nmodel: /m/inner\nextra: [--enable-metrics]\n",
        "charts/inner/templates/pod.yaml": pod(
            "        - --model-path={{ .Values.model }}\n        - --tp-size={{ .Values.tp }}\n"
            "        {{- range .Values.extra }}\n        - {{ . }}\n        {{- end }}\n"
        ),
    },
}

ALL_CHARTS = {**CHARTS, **SUBCHARTS}
