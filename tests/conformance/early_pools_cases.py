"""Settings that releases before 0.5.15 were asked about. Only the standard library: old interpreters run it, too."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

RELEASES = (
    *("0.5.1.post3", "0.5.2", "0.5.3", "0.5.3.post1", "0.5.3.post3", "0.5.4", "0.5.4.post1", "0.5.4.post3"),
    *("0.5.5", "0.5.5.post3", "0.5.6", "0.5.6.post2", "0.5.7", "0.5.8.post1", "0.5.9", "0.5.10.post1"),
    *("0.5.11", "0.5.12.post1", "0.5.13.post1", "0.5.14"),
)
"""One of each group of releases whose sizing code is the same, word for word."""

MODELS = (
    "llama-3.1-8b",
    "llama-3.1-70b",
    "qwen3-8b",
    "qwen3-30b-a3b",
    "gpt-oss-120b",
    "gemma-3-27b",
    "llama-4-scout",
    "mimo-v2-flash",
    "olmo3-32b",
    "gemma-4-26b-a4b",
    "deepseek-v3",
    "deepseek-v3.2",
)
PER_MODEL = int(__import__("os").environ.get("PM", "5"))


def cases(release: str) -> Iterator[dict[str, Any]]:
    for model in MODELS:
        for number in range(PER_MODEL):
            yield _case(release, model, number)


def _case(release: str, model: str, number: int) -> dict[str, Any]:
    draw = random.Random(f"{release}:{model}:{number}")
    argv: list[str] = ["--trust-remote-code"] if model == "mimo-v2-flash" else []
    tp = draw.choice((1, 2, 4, 8))
    argv += ["--tp", str(tp)]
    if tp > 1 and draw.random() < 0.2:
        argv += ["--enable-dp-attention", "--dp-size", str(draw.choice([each for each in (2, 4, 8) if each <= tp]))]
    if draw.random() < 0.4:
        argv += ["--kv-cache-dtype", draw.choice(("fp8_e4m3", "fp8_e5m2", "auto"))]
    if draw.random() < 0.4:
        argv += ["--page-size", str(draw.choice((1, 16, 32, 64)))]
    if draw.random() < 0.3:
        argv += ["--max-total-tokens", str(draw.choice((1000, 65536, 200001, 90000000)))]
    if draw.random() < 0.4:
        argv += ["--max-running-requests", str(draw.choice((1, 7, 64, 256, 5000)))]
    if draw.random() < 0.3:
        argv += ["--swa-full-tokens-ratio", draw.choice(("0.1", "0.33", "0.5", "1.0"))]
    if draw.random() < 0.1:
        argv += ["--disable-hybrid-swa-memory"]
    if draw.random() < 0.2:
        argv += ["--context-length", str(draw.choice((4096, 32768)))]
    if draw.random() < 0.4:
        argv += ["--attention-backend", draw.choice(("fa3", "triton", "flashinfer", "flashmla"))]
    return {
        "version": release,
        "model_config": model,
        "gpu": "h200",
        "argv": argv,
        "rest_bytes": draw.randrange(1 << 30, 120 << 30),
    }
