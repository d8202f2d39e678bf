#!/usr/bin/env bash
# Gemma on a single H200. The model comes from the environment, so the comment below says which one it is.
set -euo pipefail

MODEL=${MODEL:?set MODEL to a model path}
ARGS=(
  --host 0.0.0.0
  --port 30000
  --enable-unified-memory
)

pip install "sglang==0.5.19"

# sglint: model=google/gemma-4-31B-it gpu=h200 draft=draft-eagle3-llama
python -m sglang.launch_server --model-path "$MODEL" --attention-backend triton \
  --speculative-algorithm EAGLE3 --speculative-draft-model-path example/gemma-4-eagle3 "${ARGS[@]}"
