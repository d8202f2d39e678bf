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


FOLDERS: dict[str, dict[str, str]] = {
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
