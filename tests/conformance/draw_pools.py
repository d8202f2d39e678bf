"""Draw settings of the rarer kinds of pool, ask the releases for their sizes, and keep what they answer.

    python -m tests.conformance.draw_pools [--release R ...] [--count N] [--seed S] > answers.jsonl
    xz -9 < answers.jsonl > tests/conformance/pools_kinds.jsonl.xz

Needs a prepared oracle (``ORACLE_HOME``, see shared/oracle). Lines that the arguments refuse are dropped, since they
reach no pool.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .parser_dump import ORACLE

RELEASES = ("0.5.15.post1", *(f"0.5.{minor}" for minor in range(16, 24)))
CONFIGS = Path(__file__).resolve().parents[3] / "shared" / "models" / "configs"
SHAPES = Path(__file__).resolve().parents[1] / "data" / "configs"
FILES = {
    "minimax-m3-shape": SHAPES / "minimax-m3-shape",
    "zai-org/GLM-5.2": CONFIGS / "zai-org--GLM-5.2.json",
}
"""Models that the oracle has no folder of its own for."""

Case = dict[str, Any]
Draw = Callable[[random.Random], tuple[str, str, list[str]]]


def _maybe(draw: random.Random, chance: float, *words: str) -> list[str]:
    return list(words) if draw.random() < chance else []


def _common(draw: random.Random, tp: int | None = None) -> list[str]:
    argv = ["--tp", str(tp or draw.choice((1, 2, 4, 8)))]
    argv += _maybe(draw, 0.2, "--max-total-tokens", str(draw.choice((4096, 100001, 10**8))))
    return argv + _maybe(draw, 0.3, "--max-running-requests", str(draw.choice((1, 16, 300))))


def context_parallel(draw: random.Random) -> tuple[str, str, list[str]]:
    model = draw.choice(("llama-3.1-8b", "qwen3-30b-a3b", "deepseek-v3", "deepseek-v3.2", "zai-org/GLM-5.2"))
    argv = [*_common(draw, draw.choice((4, 8))), "--attn-cp-size", draw.choice(("2", "4"))]
    strategy = draw.choice(("zigzag", "interleave"))
    argv += _maybe(draw, 0.5, "--enable-prefill-cp", "--cp-strategy", strategy)
    argv += _maybe(draw, 0.3, "--kv-cache-dtype", "fp8_e4m3")
    argv += _maybe(draw, 0.3, "--enable-dp-attention", "--dp-size", "2") + _maybe(draw, 0.5, "--trust-remote-code")
    return model, "h200", argv + _maybe(draw, 0.3, "--page-size", "64")


def prefill_only(draw: random.Random) -> tuple[str, str, list[str]]:
    model = draw.choice(("llama-3.1-8b", "qwen3-8b", "qwen3-30b-a3b", "gpt-oss-20b"))
    needed = ["--is-embedding", "--prefill-only-disable-kv-cache", "--chunked-prefill-size", "-1"]
    argv = [*_common(draw), *needed, "--disable-radix-cache"]
    return model, "h200", argv + _maybe(draw, 0.3, "--kv-cache-dtype", "fp8_e4m3") + _maybe(draw, 0.3, "--pp-size", "2")


def hierarchical_sparse(draw: random.Random) -> tuple[str, str, list[str]]:
    model = draw.choice(("deepseek-v3.2", "zai-org/GLM-5.2", "minimax-m3-shape", "deepseek-v3.2"))
    argv = [*_common(draw, draw.choice((4, 8))), "--enable-hisparse", "--disable-radix-cache"]
    argv += ["--kv-cache-dtype", draw.choice(("bfloat16", "fp8_e4m3", "bfloat16"))]
    config = draw.choice(('{"host_to_device_ratio": 4}', '{"host_to_device_ratio": 3, "top_k": 2048}', None))
    argv += [*(["--hisparse-config", config] if config else []), "--trust-remote-code"]
    argv += _maybe(draw, 0.2, "--speculative-algorithm", "EAGLE", "--speculative-eagle-topk", "1")
    return model, draw.choice(("h200", "b200")), argv


def four_bit(draw: random.Random) -> tuple[str, str, list[str]]:
    model = draw.choice(("llama-3.1-8b", "qwen3-8b", "qwen3-30b-a3b", "llama-3.1-70b", "deepseek-v3", "gpt-oss-20b"))
    argv = [*_common(draw), "--kv-cache-dtype", draw.choice(("nvfp4", "fp4_mx_block16", "fp4_mx_block16"))]
    backend = draw.choice((None, "trtllm_mha", "flashinfer", "triton", "mixed"))
    if backend == "mixed":
        argv += ["--prefill-attention-backend", "flashinfer", "--decode-attention-backend", "trtllm_mha"]
    elif backend:
        argv += ["--attention-backend", backend]
    return model, draw.choice(("b200", "b200", "h200")), argv + _maybe(draw, 0.3, "--page-size", "64")


def microscaled(draw: random.Random) -> tuple[str, str, list[str]]:
    model = draw.choice(("llama-3.1-8b", "qwen3-30b-a3b", "gpt-oss-20b", "mimo-v2-flash", "gemma-4-26b-a4b"))
    argv = [*_common(draw), "--kv-cache-dtype", "mxfp8"]
    argv += ["--attention-backend", draw.choice(("triton", "fa4", "flashinfer", "trtllm_mha"))]
    argv += ["--trust-remote-code"] if model == "mimo-v2-flash" else []
    return model, "b200", argv


def block_sparse(draw: random.Random) -> tuple[str, str, list[str]]:
    argv = _common(draw, draw.choice((4, 8)))
    argv += _maybe(draw, 0.8, "--kv-cache-dtype", draw.choice(("fp8_e4m3", "fp8_e5m2", "bfloat16")))
    argv += _maybe(draw, 0.5, "--attention-backend", draw.choice(("trtllm_mha", "fa4", "fa3", "flashinfer")))
    return "minimax-m3-shape", draw.choice(("b200", "h200")), [*argv, "--trust-remote-code"]


def replayed_state(draw: random.Random) -> tuple[str, str, list[str]]:
    model = draw.choice(("qwen3-next-80b-a3b", "qwen3.5-27b", "kimi-linear-48b-a3b"))
    argv = [*_common(draw, draw.choice((2, 4))), "--enable-linear-replayssm-spec", "--trust-remote-code"]
    argv += ["--speculative-algorithm", "EAGLE", "--speculative-eagle-topk", "1", "--speculative-num-steps", "3"]
    argv += ["--speculative-num-draft-tokens", "4", "--linear-attn-backend", "triton"]
    return model, "h200", argv


def decode_context_parallel(draw: random.Random) -> tuple[str, str, list[str]]:
    model = draw.choice(("deepseek-v3", "deepseek-v3.2", "qwen3-30b-a3b", "llama-3.1-70b", "kimi-linear-48b-a3b"))
    argv = [*_common(draw, draw.choice((4, 8))), "--dcp-size", draw.choice(("2", "4")), "--trust-remote-code"]
    return model, "h200", argv + _maybe(draw, 0.4, "--kv-cache-dtype", "fp8_e4m3")


KINDS: tuple[Draw, ...] = (
    context_parallel,
    prefill_only,
    hierarchical_sparse,
    four_bit,
    microscaled,
    block_sparse,
    replayed_state,
    decode_context_parallel,
)


FIRST_RELEASE = {"block_sparse": "0.5.16", "hierarchical_sparse": "0.5.18", "replayed_state": "0.5.20"}
"""Where a kind came later than the first release: or it is not modelled before."""


def cases(release: str, count: int, seed: int) -> Iterator[Case]:
    """``count`` settings of each kind."""
    for kind in KINDS:
        if RELEASES.index(release) < RELEASES.index(FIRST_RELEASE.get(kind.__name__, RELEASES[0])):
            continue
        for number in range(count):
            draw = random.Random(f"{seed}:{release}:{kind.__name__}:{number}")
            model, gpu, argv = kind(draw)
            if release == "0.5.15.post1":
                argv = ["fp4_e2m1" if word in ("nvfp4", "fp4_mx_block16") else word for word in argv]
            yield {
                "kind": kind.__name__,
                "version": release,
                "model_config": model,
                "gpu": gpu,
                "argv": argv,
                "env": {},
                "rest_bytes": draw.randrange(2 << 30, 100 << 30),
            }


def ask(wanted: list[Case]) -> Iterator[tuple[Case, dict[str, Any]]]:
    """Each setting with the raw answer of its release."""
    lines = []
    for case in wanted:
        asked = {name: case[name] for name in ("version", "gpu", "argv", "env")}
        known = FILES.get(case["model_config"])
        asked["model_config"] = str(known) if known else case["model_config"]
        if "/" in case["model_config"]:
            asked["argv"] = ["--model-path", case["model_config"], *case["argv"]]
        lines.append(json.dumps({**asked, "pool_init": {"rest_bytes": case["rest_bytes"]}}))
    command = [sys.executable, str(ORACLE), "batch"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as run:
        assert run.stdin is not None and run.stdout is not None
        run.stdin.write("\n".join(lines) + "\n")
        run.stdin.close()
        for case, line in zip(wanted, run.stdout, strict=False):
            yield case, json.loads(line)


_SIDES = ("full_attn_allocator", "swa_attn_allocator", "mamba_allocator")


def kept(case: Case, answer: dict[str, Any]) -> Case | None:
    """The line that is kept of an answer, in the form of the recording; None where no pool was reached."""
    if answer["stage"] not in ("ok", "pool-init") or answer.get("suspect_artifact"):
        return None
    line = {**case, "verdict": "accept" if answer["ok"] else "reject"}
    line["message_head"] = (answer.get("message") or "")[:60]
    pools = answer.get("pools")
    if not answer["ok"] or pools is None:
        return line if line["verdict"] == "reject" else None
    schedule = pools.get("schedule") or {}
    line["max_mamba_cache_size"] = schedule.get("max_mamba_cache_size")
    line["target"] = _runner(pools["target"])
    line["draft"] = _runner(pools["draft"]) if pools.get("draft") else None
    return line


def _runner(told: dict[str, Any]) -> dict[str, Any]:
    config, allocator = told["pool_config"], told["allocator"]
    names = ("max_total_num_tokens", "max_running_requests", "full_max_total_num_tokens", "swa_max_total_num_tokens")
    names += ("c4_max_total_num_tokens", "c128_max_total_num_tokens")
    found = {name: config[name] for name in names if config.get(name)}
    found["kv_budget_bytes"] = told.get("kv_budget_bytes")
    found["configurator"] = {
        name: value for name, value in told["configurator"].items() if name in ("class", "_cell_size")
    }
    found["pool_class"], found["pool_size"] = told["pool"]["class"], told["pool"].get("size")
    found["allocator_class"] = allocator["class"]
    found["allocator_size"] = allocator.get("size")
    found["allocator_size_full"] = allocator.get("size_full", allocator.get("size"))
    if "size_swa" in allocator:
        found["allocator_size_swa"] = allocator["size_swa"]
    if "mamba_cache_per_req" in told:
        found["mamba_cache_per_req"] = told["mamba_cache_per_req"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", action="append")
    parser.add_argument("--count", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--raw", action="store_true", help="every answer as it was told")
    asked = parser.parse_args()
    for release in asked.release or RELEASES:
        for case, answer in ask(list(cases(release, asked.count, asked.seed))):
            line = {**case, "answer": answer} if asked.raw else kept(case, answer)
            if line is not None:
                print(json.dumps(line, separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
