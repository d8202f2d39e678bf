"""Texts that the benchmarks read."""

from __future__ import annotations

REFUSED = "--enable-unified-memory"
FLAGS = (
    "--model-path=openai/gpt-oss-120b",
    "--attention-backend=triton",
    REFUSED,
    "--speculative-algorithm=DSPARK",
    "--speculative-draft-model-path=draft-dspark-qwen3",
    "--tp-size=1",
    "--host=0.0.0.0",
    "--port=30000",
    "--mem-fraction-static=0.85",
)

_HEAD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: bench
  labels:
    app: bench
spec:
  replicas: 1
  selector:
    matchLabels:
      app: bench
  template:
    metadata:
      labels:
        app: bench
    spec:
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-H200
      containers:
        - name: server
          image: lmsysorg/sglang:v0.5.18-cu129
          command: ["python3", "-m", "sglang.launch_server"]
          args:
"""
_TAIL = """\
          resources:
            limits:
              nvidia.com/gpu: 1
"""


def manifest(lines: int, *, refused: bool = True) -> str:
    """A Deployment of exactly ``lines`` lines with one launch; environment variables fill it up.

    Unless ``refused``, the flag that the release refuses is left out.
    """
    flags = [flag for flag in FLAGS if refused or flag != REFUSED]
    body = _HEAD + "".join(f"            - {flag}\n" for flag in flags) + _TAIL
    missing = lines - body.count("\n") - 1
    if missing < 2:
        return body
    body += "          env:\n"
    body += "".join(f'            - {{name: SETTING_{number}, value: "{number}"}}\n' for number in range(missing))
    return body
