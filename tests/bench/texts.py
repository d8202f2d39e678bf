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


def manifests(lines: int, each: int = 200) -> str:
    """About ``lines`` lines of Deployments of ``each`` lines, as a chart prints them; the first is refused."""
    return "---\n".join(manifest(each, refused=number == 0) for number in range(lines // each))


_BLOCK = r"""
# --- part @ -------------------------------------------------------------------
PART_@_NAME="node-@"
PART_@_PORT=$((31000 + @))
PART_@_DIR="${DATA_ROOT:-/var/lib/bench}/@"
LOG_@="$PART_@_DIR/server.log"
export NCCL_DEBUG=WARN

prepare_@() {
  local target="$1"
  if [ ! -d "$target" ]; then
    echo "creating $target" >&2
    mkdir -p "$target"
  fi
  for file in config.json tokenizer.json; do
    test -f "$target/$file" || curl -sSf -o "$target/$file" "https://files.example/@/$file"
  done
}

if [[ -n "$VERBOSE" ]]; then
  echo "part @: $PART_@_NAME on $PART_@_PORT"
  set -x
else
  OPTIONS_@="--quiet"
fi

case "$MODE" in
  fast) LEVEL_@=3 ;;
  slow | careful)
    LEVEL_@=1
    ;;
  *) LEVEL_@=2 ;;
esac

[ -d "$PART_@_DIR" ] || { echo "no $PART_@_DIR" >&2; exit 1; }
prepare_@ "$PART_@_DIR" && echo "ready: $LEVEL_@" | tee -a "$LOG_@"
while ! curl -s "http://localhost:$PART_@_PORT/health"; do sleep 1; done
""".replace("\n\n", "\n")
_LAUNCH = r"""
ARGS_@=(--model-path openai/gpt-oss-120b --tp-size 1)
ARGS_@+=(--port "$PART_@_PORT" --mem-fraction-static 0.85)
python3 -m sglang.launch_server "${ARGS_@[@]}" \
  --attention-backend triton \
  --host 0.0.0.0 > "$LOG_@" 2>&1 &
"""
_PARTS_TO_A_LAUNCH = 20


def script(lines: int) -> str:
    """A shell script of about ``lines`` lines: variables, functions, conditions, and a launch every 700 lines."""
    text = "#!/bin/bash\nset -euo pipefail\n# sglint: file release=0.5.18 gpu=h200\n"
    written = text.count("\n")
    part = 0
    while written < lines:
        part += 1
        block = _BLOCK + (_LAUNCH if part % _PARTS_TO_A_LAUNCH == 1 else "")
        text += block.replace("@", str(part))
        written += block.count("\n")
    return text
