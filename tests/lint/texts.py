"""The conflict the project was started for, in each notation, with the same words."""

from __future__ import annotations

from collections.abc import Sequence

MODEL = "openai/gpt-oss-120b"
DRAFT_DIRECTIVE = "# sglint: draft=draft-dspark-qwen3"
UNIFIED = "--enable-unified-memory"
ALGORITHM = "--speculative-algorithm"


def flags(algorithm: str = "DSPARK", *, triton: bool = True, model: str = MODEL) -> list[str]:
    """The words of the launch."""
    return [
        "--model-path",
        model,
        *(["--attention-backend", "triton"] if triton else []),
        UNIFIED,
        ALGORITHM,
        algorithm,
        "--speculative-draft-model-path",
        "acme/gpt-oss-draft",
    ]


def deployment(words: Sequence[str], release: str) -> str:
    lines = [
        "apiVersion: apps/v1",
        "kind: Deployment",
        "metadata:",
        "  name: chat",
        "spec:",
        "  template:",
        "    spec:",
        "      nodeSelector:",
        "        nvidia.com/gpu.product: NVIDIA-H200",
        "      containers:",
        "        - name: server",
        f"          image: lmsysorg/sglang:v{release}-cu129",
        f"          {DRAFT_DIRECTIVE}",
        '          command: ["python3", "-m", "sglang.launch_server"]',
        "          args:",
        *(f'            - "{word}"' for word in words),
    ]
    return "\n".join(lines) + "\n"


def script(words: Sequence[str], release: str) -> str:
    head = ["#!/bin/bash", f"{DRAFT_DIRECTIVE} gpu=h200 release={release}", "python3 -m sglang.launch_server \\"]
    return "\n".join(head + _continued(words, "  ")) + "\n"


def shell_block(words: Sequence[str], release: str) -> str:
    lines = [
        "apiVersion: v1",
        "kind: Pod",
        "metadata:",
        "  name: chat",
        "spec:",
        "  nodeSelector:",
        "    nvidia.com/gpu.product: NVIDIA-H200",
        "  containers:",
        "    - name: server",
        f"      image: lmsysorg/sglang:v{release}-cu129",
        "      command:",
        "        - sh",
        "        - -c",
        "        - |",
        f"          {DRAFT_DIRECTIVE}",
        "          exec python3 -m sglang.launch_server \\",
        *_continued(words, "            "),
    ]
    return "\n".join(lines) + "\n"


def helm_values(words: Sequence[str], release: str) -> str:
    lines = [
        "image:",
        "  repository: lmsysorg/sglang",
        f"  tag: v{release}-cu129",
        "nodeSelector:",
        "  nvidia.com/gpu.product: NVIDIA-H200",
        f"{DRAFT_DIRECTIVE}",
        "extraArgs:",
        *(f"  - {word}" for word in words),
    ]
    return "\n".join(lines) + "\n"


def _continued(words: Sequence[str], indent: str) -> list[str]:
    """One flag with its value a line, continued by backslashes."""
    lines: list[str] = []
    for word in words:
        if word.startswith("--"):
            lines.append(indent + word)
        else:
            lines[-1] += f" {word}"
    return [line + " \\" for line in lines[:-1]] + lines[-1:]


NOTATIONS = {
    "deployment": (deployment, "chat.yaml", "yaml"),
    "script": (script, "chat.sh", "shell"),
    "shell-block": (shell_block, "chat.yaml", "yaml"),
    "helm-values": (helm_values, "values.yaml", "yaml"),
}
