"""Files with the launch that the project was started for."""

from __future__ import annotations

SCRIPT = """\
#!/bin/bash
pip install sglang==0.5.18
# sglint: gpu=h200
python -m sglang.launch_server --model-path openai/gpt-oss-120b \\
  --attention-backend triton --enable-unified-memory \\
  --speculative-algorithm DSPARK --speculative-draft-model-path draft-dspark-qwen3
"""

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: gpt-oss}
spec:
  template:
    spec:
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-H200
      containers:
        - name: server
          image: lmsysorg/sglang:v0.5.18-cu129
          command: [python3, -m, sglang.launch_server]
          args:
            - --model-path=openai/gpt-oss-120b
            - --attention-backend=triton
            - --enable-unified-memory
            - --speculative-algorithm=DSPARK
            - --speculative-draft-model-path=draft-dspark-qwen3
          resources:
            limits: {nvidia.com/gpu: 1}
"""

CLEAN = """\
pip install sglang==0.5.18
# sglint: gpu=h200
python -m sglang.launch_server --model-path Qwen/Qwen3-32B --tp-size 2
"""

ARGV = (
    "--model-path",
    "openai/gpt-oss-120b",
    "--attention-backend",
    "triton",
    "--enable-unified-memory",
    "--speculative-algorithm",
    "DSPARK",
    "--speculative-draft-model-path",
    "draft-dspark-qwen3",
)
"""The same as the words of a command line."""
