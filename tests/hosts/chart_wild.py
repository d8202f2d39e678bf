"""Invented charts in the manner of published ones, for :mod:`.record_charts` to render.

A name in ``OVER`` is rendered with that values file on top of the chart's own.
"""

from __future__ import annotations

from .chart_texts import HEAD, IMAGE, LAUNCH, pod

FULLNAME = """\
{{- define "serve.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- define "serve.labels" -}}
app.kubernetes.io/name: {{ include "serve.name" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.extraLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}
"""

ENGINES = """\
{{- range $model := .Values.engine.models }}
{{- with $ }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: "{{ .Release.Name }}-{{ $model.name }}"
  labels:
    {{- include "serve.labels" . | nindent 4 }}
spec:
  replicas: {{ $model.replicas | default 1 }}
  template:
    metadata:
      labels: {model: {{ $model.name | quote }}}
    spec:
      {{- if .Values.engine.runtimeClassName }}
      runtimeClassName: {{ .Values.engine.runtimeClassName }}
      {{- end }}
      containers:
        - name: "{{ $model.name }}"
          image: "{{ required "a repository" $model.repository }}:{{ required "a tag" $model.tag }}"
          command: ["python3", "-m", "sglang.launch_server"]
          args:
            - "--model-path"
            - {{ $model.url | quote }}
            - "--host"
            - "0.0.0.0"
            - "--port"
            - {{ $.Values.engine.containerPort | quote }}
            {{- with $model.config }}
            {{- if hasKey . "tensorParallelSize" }}
            - "--tp-size"
            - {{ .tensorParallelSize | quote }}
            {{- end }}
            {{- if .maxModelLen }}
            - "--context-length"
            - {{ .maxModelLen | int | quote }}
            {{- end }}
            {{- if .extraArgs }}
            {{- range .extraArgs }}
            - {{ . | quote }}
            {{- end }}
            {{- end }}
            {{- end }}
          env:
            - name: HF_HOME
              value: /data
            {{- range $model.env }}
            - name: {{ .name }}
              value: {{ .value | quote }}
            {{- end }}
          resources:
            limits:
              nvidia.com/gpu: {{ $model.gpus | quote }}
{{- end }}
{{- end }}
"""

RENDER = """\
{{- define "common.render" -}}
{{- $value := typeIs "string" .value | ternary .value (.value | toYaml) }}
{{- if contains "{{" (toJson .value) }}
{{- tpl $value .context }}
{{- else }}
{{- $value }}
{{- end }}
{{- end }}
"""

ROLE = """\
{{- define "role.pod" -}}
{{- $top := index . 0 }}
{{- $name := index . 1 }}
{{- $role := index . 2 }}
apiVersion: v1
kind: Pod
metadata: {name: {{ $name }}}
spec:
  containers:
    - name: {{ $name }}
      image: {{ $top.Values.image.repository }}:{{ $top.Values.image.tag | default $top.Chart.AppVersion }}
      command: ["python3", "-m", "sglang.launch_server"]
      args:
        - --model-path={{ $top.Values.model }}
        - --disaggregation-mode={{ $name }}
        {{- range $key, $value := $role.args }}
        {{- if kindIs "bool" $value }}
        {{- if $value }}
        - --{{ $key }}
        {{- end }}
        {{- else if kindIs "slice" $value }}
        - --{{ $key }}
        {{- range $value }}
        - {{ . | toString | quote }}
        {{- end }}
        {{- else }}
        - --{{ $key }}={{ $value }}
        {{- end }}
        {{- end }}
{{- end }}
"""

WILD: dict[str, dict[str, str]] = {
    "one-deployment-for-each-model": {
        "values.yaml": "engine:\n  containerPort: 8000\n  runtimeClassName: nvidia\n  models:\n    - name: oss\n"
        "      repository: lmsysorg/sglang\n      tag: v0.5.18\n      url: openai/gpt-oss-120b\n      gpus: 2\n"
        "      env:\n        - {name: NCCL_DEBUG, value: INFO}\n      config:\n        tensorParallelSize: 2\n"
        "        maxModelLen: 131072\n        extraArgs: ['--enable-metrics', '--mem-fraction-static', '0.85']\n",
        "templates/_helpers.tpl": FULLNAME,
        "templates/engines.yaml": ENGINES,
    },
    "several-models-that-differ": {
        "values.yaml": "engine:\n  containerPort: 8000\n  models:\n"
        "    - {name: a, repository: lmsysorg/sglang, tag: v0.5.18,"
        " url: m/a, gpus: 1, config: {tensorParallelSize: 1}}\n"
        "    - {name: b, repository: lmsysorg/sglang, tag: v0.5.18,"
        " url: m/b, gpus: 1, config: {tensorParallelSize: 1, extraArgs: [--enable-metrics]}}\n",
        "templates/_helpers.tpl": FULLNAME,
        "templates/engines.yaml": ENGINES,
    },
    "values-that-are-templates": {
        "values.yaml": "model: org/some-model\nport: 30000\nargs:\n  - --model-path={{ .Values.model }}\n"
        "  - '--served-model-name={{ .Values.model | replace \"/\" \"--\" }}'\n  - --port\n  - '{{ .Values.port }}'\n"
        "plain: [--enable-metrics, --log-level=info]\n",
        "templates/_render.tpl": RENDER,
        "templates/pod.yaml": pod(
            '        {{- include "common.render" (dict "value" .Values.args "context" $) | nindent 8 }}\n'
            '        {{- include "common.render" (dict "value" .Values.plain "context" $) | nindent 8 }}\n'
        ),
    },
    "all-arguments-through-tpl": {
        "values.yaml": "model: org/m\ntp: 4\nargs:\n  - --model-path\n  - '{{ .Values.model }}'\n"
        '  - --tp-size={{ .Values.tp | default "1" }}\n  - --enable-metrics\n',
        "templates/pod.yaml": pod("        {{- tpl (toYaml .Values.args) . | nindent 8 }}\n"),
    },
    "global-values-of-a-subchart": {
        "values.yaml": "global:\n  image: {tag: v0.5.19}\n  storage: /models\nserver:\n  model: oss\n",
        "charts/server/Chart.yaml": "apiVersion: v2\nname: server\nversion: 0.1.0\n",
        "charts/server/values.yaml": "global: {image: {tag: v0.5.0}, extra: --enable-metrics}\nmodel: none\ntp: 8\n",
        "charts/server/templates/pod.yaml": HEAD
        + "      image: lmsysorg/sglang:{{ .Values.global.image.tag }}\n"
        + LAUNCH
        + "        - --model-path={{ .Values.global.storage }}/{{ .Values.model }}\n"
        "        - --tp-size={{ .Values.tp }}\n        - {{ .Values.global.extra }}\n",
    },
    "the-chart-around-reads-its-subchart": {
        "values.yaml": "inner: {tp: 4}\n",
        "charts/inner/Chart.yaml": "apiVersion: v2\nname: inner\nversion: 0.1.0\n",
        "charts/inner/values.yaml": "tp: 1\nport: 9000\n",
        "charts/inner/templates/_args.tpl": '{{- define "inner.port" }}{{ .Values.port | default 1 }}{{ end }}',
        "templates/pod.yaml": pod(
            "        - --model-path=/m\n        - --tp-size={{ .Values.inner.tp }}\n"
            "        - --port={{ .Values.inner.port }}\n"
            '        - --nccl-port={{ include "inner.port" (dict "Values" .Values.inner) }}\n'
        ),
    },
    "one-subchart-under-two-aliases": {
        "Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\ndependencies:\n"
        "  - {name: worker, version: 0.1.0, alias: prefill, condition: prefill.enabled}\n"
        "  - {name: worker, version: 0.1.0, alias: decode, condition: decode.enabled}\n",
        "values.yaml": "prefill: {enabled: true, mode: prefill, tp: 4}\ndecode: {enabled: true, mode: decode, tp: 8}\n",
        "charts/worker/Chart.yaml": "apiVersion: v2\nname: worker\nversion: 0.1.0\n",
        "charts/worker/values.yaml": "mode: null\ntp: 1\nextraArgs: [--enable-metrics]\n",
        "charts/worker/templates/pod.yaml": HEAD.replace("name: x", "name: {{ .Chart.Name }}").replace(
            "name: server", "name: {{ .Values.mode }}"
        )
        + IMAGE
        + LAUNCH
        + "        - --model-path=/m\n        - --disaggregation-mode={{ .Values.mode }}\n"
        "        - --tp-size={{ .Values.tp }}\n        {{- toYaml .Values.extraArgs | nindent 8 }}\n",
    },
    "another-values-file": {
        "values.yaml": "model: {path: /m/a, revision: main}\ntp: 1\nargs: [--enable-metrics]\nflags: {a: 1, b: 2}\n",
        "values-prod.yaml": "model: {path: /m/prod}\ntp: 8\nargs: [--log-level, debug]\nflags: {b: null, c: 3}\n",
        "templates/pod.yaml": pod(
            "        - --model-path={{ .Values.model.path }}\n        - --revision={{ .Values.model.revision }}\n"
            "        - --tp-size={{ .Values.tp }}\n        {{- toYaml .Values.args | nindent 8 }}\n"
            "        {{- range $k, $v := .Values.flags }}\n        - --{{ $k }}={{ $v }}\n        {{- end }}\n"
        ),
    },
    "roles-with-maps-of-arguments": {
        "Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\nappVersion: v0.5.20\n",
        "values.yaml": "image: {repository: lmsysorg/sglang}\nmodel: /m/a\nprefill:\n  args:\n    tp-size: 4\n"
        "    enable-metrics: true\n    disable-radix-cache: false\n    cuda-graph-bs: [1, 2, 4]\n"
        "    mem-fraction-static: 0.9\n"
        "decode:\n  args: {tp-size: 8, log-level: info}\n",
        "templates/_role.tpl": ROLE,
        "templates/pods.yaml": '{{ include "role.pod" (list . "prefill" .Values.prefill) }}\n---\n'
        '{{ include "role.pod" (list . "decode" .Values.decode) }}\n',
    },
    "camel-case-keys": {
        "values.yaml": "engine:\n  modelPath: /m/a\n  tpSize: 8\n  memFractionStatic: 0.85\n  enableDPAttention: true\n"
        "  kvCacheDtype: fp8_e5m2\n  moeA2ABackend: deepep\n  maxRunningRequests: 256\n",
        "templates/pod.yaml": pod(
            '        {{- range $k, $v := .Values.engine }}\n        {{- if kindIs "bool" $v }}\n        {{- if $v }}\n'
            "        - --{{ $k | kebabcase }}\n        {{- end }}\n        {{- else }}\n"
            "        - --{{ kebabcase $k }}\n"
            "        - {{ $v | quote }}\n        {{- end }}\n        {{- end }}\n"
        ),
    },
    "a-list-that-a-helper-builds": {
        "values.yaml": "model: {path: /m/a, quantization: fp8}\nparallel: {tp: 8, dp: 2}\nmetrics: {enabled: true}\n"
        "extraArgs: [--schedule-policy=lpm]\n",
        "templates/_args.tpl": '{{- define "serve.args" -}}\n{{- $args := list "--model-path" .Values.model.path -}}\n'
        '{{- with .Values.model.quantization -}}\n{{- $args = concat $args (list "--quantization" .) -}}\n{{- end -}}\n'
        '{{- $args = append $args (printf "--tp-size=%d" (int .Values.parallel.tp)) -}}\n'
        "{{- if gt (int .Values.parallel.dp) 1 -}}\n"
        '{{- $args = append $args (printf "--dp-size=%d" (int .Values.parallel.dp)) -}}\n'
        '{{- $args = append $args "--enable-dp-attention" -}}\n{{- end -}}\n'
        '{{- if .Values.metrics.enabled -}}\n{{- $args = append $args "--enable-metrics" -}}\n{{- end -}}\n'
        "{{- $args = concat $args .Values.extraArgs -}}\n{{- toYaml $args -}}\n{{- end -}}\n",
        "templates/pod.yaml": pod('        {{- include "serve.args" . | nindent 8 }}\n'),
    },
    "words-of-one-string": {
        "values.yaml": 'args: "--model-path /m/a --tp-size 2 --enable-metrics"\n',
        "templates/pod.yaml": pod(
            '        {{- range splitList " " .Values.args }}\n        - {{ . | quote }}\n        {{- end }}\n'
        ),
    },
    "json-for-the-server": {
        "values.yaml": "model: /m/a\noverride:\n  rope_scaling: {factor: 4.0, rope_type: yarn}\n"
        "  max_position_embeddings:"
        " 131072\n  tie: true\n  name: a<b\n",
        "templates/pod.yaml": pod(
            "        - --model-path={{ .Values.model }}\n        - --json-model-override-args\n"
            "        - {{ .Values.override | toJson | squote }}\n"
            '        - --preferred-sampling-params={{ toJson (dict "top_p" 0.9 "n" 1) | replace " " "" | squote }}\n'
        ),
    },
    "a-pod-for-each-node": {
        "values.yaml": "nodes: 2\nmodel: /m/a\n",
        "templates/pods.yaml": "{{- $nodes := int .Values.nodes }}\n{{- range $rank := until $nodes }}\n---\n"
        + HEAD.replace("name: x", "name: node-{{ $rank }}").replace("name: server", "name: node-{{ $rank }}")
        + IMAGE
        + LAUNCH
        + "        - --model-path={{ $.Values.model }}\n        - --nnodes={{ $nodes }}\n"
        "        - --node-rank={{ $rank }}\n"
        "        - --dist-init-addr={{ $.Release.Name }}-0:5000\n{{- end }}\n",
    },
    "sums-and-products": {
        "values.yaml": "dp: 4\nper: 256\nmemory: 80\nbase: 30000\nhalf: 0.5\n",
        "templates/pod.yaml": pod(
            "        - --model-path=/m\n        - --max-running-requests={{ mul .Values.dp .Values.per }}\n"
            "        - --port={{ add .Values.base 1 }}\n        - --context-length={{ mul 4 1024 | int }}\n"
            "        - --tp-size={{ div .Values.memory 10 }}\n        - --dp-size={{ max .Values.dp 2 }}\n"
            "        - --page-size={{ sub .Values.memory 16 }}\n        - --nnodes={{ len (list 1 2) }}\n"
            "        - --stream-interval={{ mod .Values.memory 7 }}\n"
            "        - --chunked-prefill-size={{ .Values.per }}\n"
            '        - --mem-fraction-static={{ printf "%.2f" .Values.half }}\n'
        ),
    },
    "defaults-merged-into-roles": {
        "values.yaml": "defaults: {tp: 1, port: 30000, extra: {a: 1, b: 2}}\nroles:\n"
        "  prefill: {tp: 4, extra: {b: 3}}\n",
        "templates/pod.yaml": "{{- $role := mergeOverwrite (deepCopy .Values.defaults) .Values.roles.prefill }}\n"
        + pod(
            "        - --model-path=/m\n        - --tp-size={{ $role.tp }}\n        - --port={{ $role.port }}\n"
            '        - --nnodes={{ $role.extra.a }}\n        - --dp-size={{ get $role.extra "b" }}\n'
            '        - --log-level={{ dig "log" "level" "info" .Values.roles.prefill }}\n'
        ),
    },
    "one-or-the-other": {
        "values.yaml": "name: ''\nalias: served\nmode: decode\nreplicas: 3\n",
        "templates/pod.yaml": pod(
            "        - --model-path=/m\n        - --served-model-name={{ or .Values.name .Values.alias .Chart.Name }}\n"
            '        - --tokenizer-path={{ coalesce .Values.name .Values.none "/t" }}\n'
            '        {{- if eq .Values.mode "prefill" }}\n        - --disaggregation-mode=prefill\n'
            '        {{- else if eq .Values.mode "decode" }}\n        - --disaggregation-mode=decode\n'
            "        {{- else }}\n        - --enable-metrics\n        {{- end }}\n"
            "        {{- if and .Values.alias (gt (int .Values.replicas) 1) }}\n        - --enable-dp-attention\n"
            "        {{- end }}\n        {{- if or .Values.name (not .Values.alias) }}\n        - --never\n"
            "        {{- end }}\n"
        ),
    },
    "items-in-one-line": {
        "values.yaml": "args: [--model-path, /m/a, --tp-size, '2']\nmodel: x\n",
        "templates/pod.yaml": HEAD
        + IMAGE
        + '      command: ["python3", "-m", "sglang.launch_server"]\n'
        + "      args: [{{ range $i, $a := .Values.args }}{{ if $i }}, {{ end }}{{ $a | quote }}{{ end }},"
        ' "--served-model-name", "{{ .Values.model }}"]\n',
    },
    "names-cut-to-length": {
        "values.yaml": "model: OpenGVLab/Some_Model-8B-Instruct-FP8\n",
        "templates/pod.yaml": pod(
            "        - --model-path={{ .Values.model }}\n        - --served-model-name="
            '{{ .Values.model | replace "/" "-" | lower | trunc 21 | trimSuffix "-" }}\n'
            '        - --tokenizer-path={{ regexReplaceAll "[^a-zA-Z0-9-]" .Values.model "-" }}\n'
            '        - --revision={{ .Values.model | splitList "/" | last | upper }}\n'
            "        - --host={{ substr 0 4 .Values.model | nospace }}\n"
        ),
    },
    "maps-that-are-changed": {
        "values.yaml": "args: {tp-size: 2}\nbig: true\n",
        "templates/pod.yaml": '{{- $args := dict "model-path" "/m" "port" 1 }}\n'
        '{{- $_ := set $args "port" 8000 }}\n{{- if .Values.big }}\n{{- $_ := set $args "tp-size" 8 }}\n{{- end }}\n'
        '{{- $_ := set .Values "late" "yes-it-is" }}\n'
        + pod(
            "        {{- range $k, $v := $args }}\n        - --{{ $k }}={{ $v }}\n        {{- end }}\n"
            "        - --log-level={{ .Values.late }}\n"
        ),
    },
    "parts-of-a-container": {
        "values.yaml": "server:\n  image: lmsysorg/sglang:v0.5.18\n  command: [python3, -m, sglang.launch_server]\n"
        "  args: [--model-path, /m, --tp-size, '4']\n  note: none\n",
        "templates/pod.yaml": HEAD + '      {{- omit .Values.server "note" | toYaml | nindent 6 }}\n',
    },
    "a-script-with-conditions": {
        "values.yaml": "model: /m/a\ntp: 4\nspec: {enabled: false, algorithm: EAGLE}\nmetrics: true\n"
        "extra: --log-level info\n",
        "templates/pod.yaml": HEAD
        + IMAGE
        + '      command: ["bash", "-c"]\n      args:\n        - |\n          exec python3 -m sglang.launch_server \\\n'
        "            --model-path {{ .Values.model }} \\\n            {{- if .Values.spec.enabled }}\n"
        "            --speculative-algorithm {{ .Values.spec.algorithm }} \\\n            {{- end }}\n"
        "            {{- if .Values.metrics }}\n            --enable-metrics \\\n            {{- else }}\n"
        "            --disable-radix-cache \\\n            {{- end }}\n"
        "            {{ .Values.extra }} \\\n            --tp-size {{ .Values.tp }}\n",
    },
    "a-script-of-the-chart": {
        "values.yaml": "x: 1\n",
        "files/start.sh": "exec python3 -m sglang.launch_server --model-path /m/a --tp-size 2\n",
        "templates/pod.yaml": HEAD
        + IMAGE
        + '      command: ["bash", "-c"]\n      args:\n        - |\n'
        + '          {{- .Files.Get "files/start.sh" | nindent 10 }}\n',
    },
    "checks-before-anything": {
        "values.yaml": "model: /m/a\nfoo: bar\n",
        "templates/pods/deep/pod.yaml": '{{- if not .Values.model }}\n{{- fail "a model is needed" }}\n{{- end }}\n'
        '{{- $known := list "bar" "baz" }}\n{{- if not (has .Values.foo $known) }}{{ fail "no" }}{{ end }}\n'
        + pod(
            '        - --model-path={{ required "model" .Values.model }}\n'
            "        {{- if has .Values.foo $known }}\n        - --enable-metrics\n        {{- end }}\n"
            "        - --served-model-name={{ .Release.Name }}-{{ .Values.foo }}\n"
        ),
    },
    "a-library-beside-the-chart": {
        "Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\ndependencies:\n  - {name: lib, version: 0.1.0}\n",
        "values.yaml": "server: {model: /m/a, tp: 2}\n",
        "charts/lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 0.1.0\ntype: library\n",
        "charts/lib/templates/_server.tpl": '{{- define "lib.args" -}}\n- --model-path={{ .model }}\n'
        "- --tp-size={{ .tp }}\n{{- if .metrics }}\n- --enable-metrics\n{{- end }}\n{{- end -}}\n",
        "templates/pod.yaml": pod('        {{- include "lib.args" .Values.server | nindent 8 }}\n'),
    },
    "numbers-in-every-dress": {
        "values.yaml": "a: 1000000\nb: 8\nc: 0.5\nd: '8'\ne: 1e6\nf: true\ng: 12345678\nh: -1\ni: 0x10\nj: 1.0\n",
        "templates/pod.yaml": pod(
            "        - --model-path=/m\n"
            + "".join(
                f"        - --{key}1={{{{ .Values.{key} }}}}\n        - --{key}2={{{{ .Values.{key} | int }}}}\n"
                f"        - --{key}3={{{{ .Values.{key} | toString }}}}\n        - {{{{ .Values.{key} | quote }}}}\n"
                f'        - {{{{ printf "--{key}4=%v" .Values.{key} }}}}\n'
                for key in "abcdefghij"
            )
        ),
    },
    "formats-for-the-wrong-kind": {
        "values.yaml": "tp: 8\nname: x\nflag: true\n",
        "templates/pod.yaml": pod(
            "        - --model-path=/m\n"
            '        - {{ printf "--tp-size=%d" .Values.tp | quote }}\n'
            '        - {{ printf "--dp-size=%s" .Values.tp | quote }}\n'
            '        - {{ printf "--name=%d" .Values.name | quote }}\n'
            '        - {{ printf "--a=%s" .Values.flag | quote }}\n'
            '        - {{ printf "--b=%t" .Values.flag | quote }}\n'
            '        - {{ printf "--c=%q" .Values.name | squote }}\n'
            '        - {{ print "--d=" .Values.tp | quote }}\n        - {{ print .Values.tp .Values.tp | quote }}\n'
        ),
    },
}

OVER = {"another-values-file": "values-prod.yaml"}
