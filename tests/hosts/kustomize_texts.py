"""Invented kustomizations, for a real Kustomize to build (``record_charts.py``); the overlay is the folder ``over``."""

from __future__ import annotations

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: llm, labels: {tier: gpu}}
spec:
  selector: {matchLabels: {app: llm}}
  template:
    metadata: {labels: {app: llm}}
    spec:
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-H200
      containers:
        - name: server
          image: lmsysorg/sglang:v0.5.17
          command: [python3, -m, sglang.launch_server]
          args:
            - --model-path=/m/a
            - --tp-size
            - "8"   # all cards
            - --enable-metrics
          env: [{name: A, value: "1"}]
          resources: {limits: {nvidia.com/gpu: 8}}
        - name: side
          image: busybox
          command: [sleep, "1"]
"""
SCRIPT = """\
apiVersion: v1
kind: Pod
metadata: {name: script}
spec:
  containers:
    - name: server
      image: lmsysorg/sglang:v0.5.18
      command:
        - bash
        - -c
        - |
          set -e
          exec python3 -m sglang.launch_server \\
            --model-path /m/b --tp-size 2
"""
GROUP = """\
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: group}
spec:
  leaderWorkerTemplate:
    leaderTemplate:
      spec:
        containers:
          - name: leader
            image: lmsysorg/sglang:v0.5.18
            command: [python3, -m, sglang.launch_server, --model-path=/m/c, --nnodes=2]
"""
BASE = {"base/llm.yaml": DEPLOYMENT, "base/kustomization.yaml": "resources: [llm.yaml]\n"}


def patched(operations: str, target: str = "{kind: Deployment, name: llm}") -> str:
    lines = "".join(f"      {line}\n" for line in operations.splitlines())
    return f"resources: [../base]\npatches:\n  - target: {target}\n    patch: |-\n{lines}"


def merged(patch: str) -> str:
    lines = "".join(f"      {line}\n" for line in patch.splitlines())
    return f"resources: [../base]\npatches:\n  - patch: |-\n{lines}"


SERVER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: llm}
spec:
  selector: {matchLabels: {app: llm}}
  template:
    metadata: {labels: {app: llm}}
    spec:
      containers:
        - name: server
          image: lmsysorg/sglang:v0.5.17
          command: [python3, -m, sglang.launch_server]
          args: [--model-path=$(MODEL), --tp-size, $(TP), --port=$(PORT), --host, "$(HOST)", --log-level=PLACEHOLDER]
          envFrom:
            - configMapRef: {name: settings}
            - prefix: X_
              configMapRef: {name: more}
          env:
            - name: PORT
              valueFrom: {configMapKeyRef: {name: more, key: port}}
            - {name: HOST, value: 0.0.0.0}
"""
GENERATORS = """\
resources: [../base]
configMapGenerator:
  - name: settings
    envs: [settings.env]
    literals:
      - MODEL="org/wren-7b"   # quoted for nobody
  - name: more
    literals: [port=30000]
    files: [start.sh, other=settings.env]
"""
SETTINGS = "# how many\n  TP=4\r\nEMPTY\nQUOTED='a'\n"
SERVED = {
    "base/llm.yaml": SERVER,
    "base/kustomization.yaml": "resources: [llm.yaml]\n",
    "over/kustomization.yaml": GENERATORS,
    "over/settings.env": SETTINGS,
    "over/start.sh": "sglang serve --model-path m\n",
}
REPLACEMENTS = """\
replacements:
  - source: {kind: ConfigMap, name: settings, fieldPath: data.MODEL}
    targets:
      - select: {kind: Deployment, name: llm}
        fieldPaths:
          - spec.template.spec.containers.[name=server].args.0
        options: {delimiter: "=", index: 1}
      - select: {kind: Deployment}
        reject: [{name: llm}]
        fieldPaths: [spec.template.spec.containers.*.args.5]
  - source: {kind: ConfigMap, name: more, fieldPath: data.level, options: {delimiter: "-", index: 1}}
    targets:
      - select: {name: llm}
        fieldPaths: [spec.template.spec.containers.0.args.6]
        options: {delimiter: "=", index: 1}
  - source: {kind: ConfigMap, name: more, fieldPath: data.tag}
    targets:
      - select: {kind: Deployment}
        fieldPaths: ["spec.template.spec.containers.[name=server].image"]
        options: {delimiter: ":", index: 1}
  - path: port.yaml
"""
VARS = """\
resources: [../base]
configMapGenerator:
  - {name: settings, literals: [MODEL=org/wren-7b, TP=2]}
  - {name: more, literals: [port=1]}
vars:
  - name: TP
    objref: {apiVersion: v1, kind: ConfigMap, name: settings}
    fieldref: {fieldpath: data.TP}
  - name: HOST
    objref: {apiVersion: apps/v1, kind: Deployment, name: llm}
"""

FOLDERS: dict[str, dict[str, str]] = {
    "variables-of-generated-maps": SERVED,
    "a-generated-map-is-merged-above": {
        **SERVED,
        "base/kustomization.yaml": "resources: [llm.yaml]\nconfigMapGenerator:\n"
        "  - {name: settings, literals: [MODEL=org/other, TP=1]}\n  - {name: more, literals: [port=1]}\n",
        "over/kustomization.yaml": "resources: [../base]\nconfigMapGenerator:\n"
        "  - {name: settings, behavior: merge, literals: [TP=8]}\n"
        "  - {name: more, behavior: replace, literals: [port=2]}\n",
    },
    "texts-of-generated-maps-are-put-in": {
        **SERVED,
        "over/kustomization.yaml": GENERATORS.replace("[port=30000]", "[port=30000, level=a-debug-b, tag=v0.5.20]")
        + REPLACEMENTS,
        "over/port.yaml": "source: {kind: ConfigMap, name: more, fieldPath: data.port}\n"
        "targets: [{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.0.env.1.value]}]\n",
    },
    "a-component-merges-into-a-generated-map": {
        **SERVED,
        "base/kustomization.yaml": "resources: [llm.yaml]\nconfigMapGenerator:\n"
        "  - {name: settings, literals: [MODEL=org/other, TP=1]}\n  - {name: more, literals: [port=1]}\n",
        "part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
        "configMapGenerator:\n  - {name: settings, behavior: merge, literals: [TP=16]}\n",
        "over/kustomization.yaml": "resources: [../base]\ncomponents: [../part]\n",
    },
    "a-text-of-another-resource-in-all-items": {
        **SERVED,
        "base/kustomization.yaml": "resources: [llm.yaml, settings.yaml]\n",
        "base/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
        "data: {MODEL: org/wren-7b, TP: '2'}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n"
        "data: {port: '1'}\n",
        "over/kustomization.yaml": "resources: [../base]\nreplacements:\n"
        "  - source: {kind: ConfigMap, name: settings, fieldPath: data.MODEL}\n"
        "    targets:\n      - select: {kind: Deployment}\n"
        '        fieldPaths: ["spec.template.spec.containers.[name=server].args.[=--tp-size]"]\n'
        '      - select: {kind: Deployment}\n        options: {delimiter: "/", index: -1}\n'
        '        fieldPaths: ["spec.template.spec.containers.[name=server].args.4"]\n'
        '      - select: {kind: Deployment}\n        options: {delimiter: "/", index: 9}\n'
        '        fieldPaths: ["spec.template.spec.containers.[name=server].args.5"]\n'
        "      - select: {kind: Deployment}\n        options: {create: true}\n"
        '        fieldPaths: ["spec.template.spec.containers.[name=server].workingDir"]\n',
    },
    "variables-of-kustomize": {**SERVED, "over/kustomization.yaml": VARS},
    "another-tag": {
        **BASE,
        "over/kustomization.yaml": "resources: [../base]\nimages:\n  - {name: lmsysorg/sglang, newTag: v0.5.20}\n",
    },
    "another-name-and-digest": {
        **BASE,
        "over/kustomization.yaml": "resources: [../base]\nimages:\n  - name: lmsysorg/sglang\n"
        "    newName: harbor.example/ai/sglang\n    newTag: v0.5.21-cu130\n",
    },
    "a-word-is-replaced": {
        **BASE,
        "over/kustomization.yaml": patched(
            '- op: replace\n  path: /spec/template/spec/containers/0/args/2\n  value: "4"\n'
            "- op: add\n  path: /spec/template/spec/containers/0/args/-\n  value: --disable-radix-cache\n"
        ),
    },
    "words-are-removed-and-put-before": {
        **BASE,
        "over/kustomization.yaml": patched(
            "- op: remove\n  path: /spec/template/spec/containers/0/args/3\n"
            "- op: add\n  path: /spec/template/spec/containers/0/args/0\n  value: --host=0.0.0.0\n"
            "- op: test\n  path: /kind\n  value: Deployment\n"
        ),
    },
    "all-words-and-the-image-in-a-file": {
        **BASE,
        "over/kustomization.yaml": "resources: [../base]\npatches:\n"
        "  - path: ops.yaml\n    target: {kind: Deployment}\n",
        "over/ops.yaml": "- op: replace\n  path: /spec/template/spec/containers/0/args\n"
        "  value: [--model-path=/m/z, --mem-fraction-static=0.8]\n"
        "- op: replace\n  path: /spec/template/spec/containers/0/image\n  value: lmsysorg/sglang:v0.5.22\n",
    },
    "merged-by-name": {
        **BASE,
        "over/kustomization.yaml": merged(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: llm}\nspec:\n  template:\n    spec:\n"
            "      containers:\n        - name: server\n          args: [--model-path=/m/p, --tp-size=4]\n"
            "          env: [{name: B, value: '2'}]\n"
        ),
    },
    "a-patch-in-a-file": {
        **BASE,
        "over/kustomization.yaml": "resources: [../base]\npatches:\n  - path: patch.yaml\n",
        "over/patch.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: llm}\n"
        "spec:\n  template:\n    spec:\n"
        "      nodeSelector: {nvidia.com/gpu.product: null, pool: b200}\n"
        "      containers:\n        - name: server\n          image: lmsysorg/sglang:v0.5.19\n"
        "        - name: side\n          $patch: delete\n",
    },
    "components-and-folders-in-each-other": {
        **BASE,
        "middle/kustomization.yaml": "resources: [../base]\nimages: [{name: lmsysorg/sglang, newTag: v0.5.18}]\n",
        "part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n"
        "  - target: {kind: Deployment}\n    patch: |\n      - op: add\n"
        "        path: /spec/template/spec/containers/0/args/-\n        value: --enable-torch-compile\n",
        "over/kustomization.yaml": "resources: [../middle]\ncomponents: [../part]\n"
        "images: [{name: lmsysorg/sglang, newTag: v0.5.20}]\n",
    },
    "a-script-is-kept": {
        "base/pod.yaml": SCRIPT,
        "base/kustomization.yaml": "resources: [pod.yaml]\n",
        "over/kustomization.yaml": "resources: [../base]\nimages: [{name: lmsysorg/sglang, newTag: v0.5.20}]\n",
    },
    "lists-of-other-kinds-are-replaced": {
        "base/lws.yaml": GROUP,
        "base/kustomization.yaml": "resources: [lws.yaml]\n",
        "over/kustomization.yaml": merged(
            "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: group}\nspec:\n"
            "  leaderWorkerTemplate:\n    leaderTemplate:\n      spec:\n        containers:\n"
            "          - name: leader\n            image: lmsysorg/sglang:v0.5.21\n"
            "            command: [python3, -m, sglang.launch_server, --model-path=/m/d]\n"
        ),
    },
    "a-patch-for-those-with-a-label": {
        **BASE,
        "over/kustomization.yaml": patched(
            "- op: add\n  path: /spec/template/spec/containers/0/args/-\n  value: --log-level=debug\n",
            "{labelSelector: tier=gpu}",
        )
        + "  - target: {labelSelector: tier=cpu}\n    patch: |-\n      - op: remove\n"
        "        path: /spec/template/spec/containers/0/args\n",
    },
    "moved-and-copied": {
        **BASE,
        "over/kustomization.yaml": patched(
            "- op: move\n  from: /spec/template/spec/containers/0/args/0\n"
            "  path: /spec/template/spec/containers/0/args/-\n"
            "- op: copy\n  from: /metadata/name\n  path: /metadata/labels/copied~1name\n"
        ),
    },
}
