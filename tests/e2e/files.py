"""The conflict the project was started for in the three kinds of files that each editor is tried on."""

from __future__ import annotations

from pathlib import Path

from ..lsp.texts import MANIFEST, SCRIPT

TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  template:
    spec:
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-H200
      containers:
        - name: server
          image: "lmsysorg/sglang:{{ .Values.image.tag }}"
          command: ["python3", "-m", "sglang.launch_server"]
          # sglint: draft=draft-dspark-qwen3
          args:
            - --model-path={{ .Values.model }}
            {{- toYaml .Values.extraArgs | nindent 12 }}
"""
VALUES = """\
# 🚀 née
image: {tag: v0.5.18-cu129}
model: openai/gpt-oss-120b
extraArgs:
  - --attention-backend=triton
  - --enable-unified-memory
  - --speculative-algorithm=DSPARK
  - --speculative-draft-model-path=acme/gpt-oss-120b-dspark
"""
SIZED = """\
#!/bin/bash
# sglint: file release=0.5.18 gpu=h200
python3 -m sglang.launch_server --model-path openai/gpt-oss-120b --tp 2 --mem-fraction-static 0.85 --enable-metrix
"""
HOSTS = {"yaml": ("chat.yaml", MANIFEST), "shell": ("chat.sh", SCRIPT), "helm": ("values.yaml", VALUES)}


def written(host: str, folder: Path) -> Path:
    """The file to open, with what belongs to it beside it."""
    name, text = HOSTS[host]
    if host == "helm":
        (folder / "templates").mkdir()
        (folder / "Chart.yaml").write_text("apiVersion: v2\nname: chat\nversion: 1.0.0\n", encoding="utf-8")
        (folder / "templates" / "deployment.yaml").write_text(TEMPLATE, encoding="utf-8")
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def without_the_unified_pool(text: str) -> str:
    """What the fix leaves: one line less, and nothing else."""
    return "".join(line for line in text.splitlines(keepends=True) if "--enable-unified-memory" not in line)
