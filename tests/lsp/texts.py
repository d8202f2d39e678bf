"""Texts the protocol tests open: the conflict the project was started for, in a manifest and in a script."""

MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat
spec:
  template:
    spec:
      nodeSelector:
        nvidia.com/gpu.product: NVIDIA-H200
      containers:
        - name: server # 🚀 née
          image: lmsysorg/sglang:v0.5.18-cu129
          command: ["python3", "-m", "sglang.launch_server"]
          # sglint: draft=draft-dspark-qwen3
          args:
            - --model-path
            - openai/gpt-oss-120b
            - --attention-backend
            - triton
            - --enable-unified-memory
            - --speculative-algorithm
            - DSPARK
            - --speculative-draft-model-path
            - acme/gpt-oss-120b-dspark
"""

SCRIPT = """\
#!/bin/bash
# sglint: file release=0.5.18 gpu=h200 draft=draft-dspark-qwen3
echo "🚀 starting"; python3 -m sglang.launch_server --model-path openai/gpt-oss-120b \\
  --attention-backend triton \\
  --enable-unified-memory \\
  --speculative-algorithm DSPARK \\
  --speculative-draft-model-path acme/gpt-oss-120b-dspark
"""
