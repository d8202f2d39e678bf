"""Throughput of ``sglint verdict --batch`` on varied launches, on one core."""

from __future__ import annotations

import itertools
import json

from .measure import ROOT, run, sglint

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
    one, _ = run(sglint("verdict", "--batch"), ROOT, lines[: lines.index("\n") + 1])
    all_of_them, output = run(sglint("verdict", "--batch"), ROOT, lines)
    answers = [json.loads(line) for line in output.splitlines()]
    if len(answers) != LINES:
        raise RuntimeError(f"{LINES} cases gave {len(answers)} answers")
    decided = sum(answer.get("status") in ("accepted", "refused") for answer in answers)
    each = (all_of_them - one) / (LINES - 1)
    print(f"verdict --batch, {LINES} launches: {each:.2f} ms of CPU each, {1000 / each:.0f} a second on one core")
    print(f"  start and first launch {one:.0f} ms; decided {decided} of {LINES}; aim: at least {AIM} a second\n")


if __name__ == "__main__":
    main()
