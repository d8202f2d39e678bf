"""Throughput of ``sglint verdict --batch`` on varied launches, on one core."""

from __future__ import annotations

import itertools
import json
import subprocess
import time
from pathlib import Path

from .measure import ROOT, cpu_of, environment, sglint, table

AIM = 500
LINES = 2000


def cases(count: int) -> list[dict[str, object]]:
    """Launches over releases, GPUs, backends, algorithms; models by registry name."""
    options = itertools.cycle(
        itertools.product(
            ("0.5.17", "0.5.18", "0.5.19", "0.5.20", "0.5.22", "0.5.23"),
            ("h200", "b200"),
            ("openai/gpt-oss-120b", "Qwen/Qwen3-32B"),
            ([], ["--attention-backend", "triton"]),
            ([], ["--enable-unified-memory"]),
            ([], ["--speculative-algorithm", "DSPARK"], ["--speculative-algorithm", "EAGLE"]),
        )
    )
    return [
        {
            "id": number,
            "release": release,
            "gpu": gpu,
            "gpus": 8,
            "argv": ["--model-path", model, "--tp-size", "2", *backend, *unified, *speculative],
        }
        for number, (release, gpu, model, backend, unified, speculative) in zip(range(count), options, strict=False)
    ]


def main() -> None:
    lines = "".join(json.dumps(case) + "\n" for case in cases(LINES))
    start = time.perf_counter()
    result = subprocess.run(
        sglint("verdict", "--batch"),
        input=lines,
        capture_output=True,
        text=True,
        env=environment(),
        cwd=ROOT,
        check=True,
    )
    wall = time.perf_counter() - start
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    if len(answers) != LINES:
        raise RuntimeError(f"{LINES} cases gave {len(answers)} answers")
    decided = sum(answer.get("status") in ("accepted", "refused") for answer in answers)
    start_up = cpu_of(sglint("--version"), Path.cwd())
    table(
        f"verdict --batch, {LINES} launches",
        {"launches per second": LINES / wall, "wall ms per launch": wall * 1000 / LINES, "start-up ms": start_up},
        unit="",
    )
    print(f"  decided: {decided} of {LINES}; aim: at least {AIM} per second\n")


if __name__ == "__main__":
    main()
