"""Random command lines for released code to answer: the unified pool, what it depends on, and everything else.

    python -m tests.conformance.draw_verdicts COUNT SEED [--wide SHARE] > cases.jsonl

Each line is a case of the tool that runs released code: version, model, GPU, environment and words. Flags of the
family get the values that conditions of rules ask about; a ``--wide`` share of the cases carries some other flag of the
release too. The lines are in order of version, GPU and environment, which is the quickest to answer.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

from sglint import catalogue

from .coverage import followed

NOT_RUN = ("0.5.15",)
"""Followed releases that were not run; the post-release behind them was."""
GPUS = ("h200", "b200", "rtx5090")
ENVIRONMENTS: tuple[dict[str, str], ...] = (
    {"SGLANG_UNIFIED_RADIX_TREE_CORE_BACKEND": "cpp"},
    {"SGLANG_ENABLE_UNIFIED_RADIX_TREE": "1"},
    {"SGLANG_ENABLE_PP_SPEC": "1"},
    {"SGLANG_IS_IN_CI": "1"},
)
SHARE_WITH_ENVIRONMENT = 0.1
MODELS = {
    "deepseek-v3": (),
    "deepseek-v3.2": (),
    "deepseek-v4-flash": (),
    "falcon-h1-34b": (),
    "gemma-3-27b": (),
    "gemma-4-26b-a4b": ("draft-dspark-qwen3",),
    "gemma-4-31b": ("draft-dspark-qwen3",),
    "gpt-oss-120b": ("draft-dspark-qwen3", "draft-eagle3-llama"),
    "gpt-oss-20b": ("draft-dspark-qwen3", "draft-eagle3-llama"),
    "inkling-synthetic": (),
    "kimi-k2": (),
    "kimi-k3": (),
    "kimi-linear-48b-a3b": ("draft-dflash-qwen3", "draft-dspark-qwen3"),
    "llama-3.1-70b": ("draft-eagle3-llama",),
    "llama-3.1-8b": ("draft-eagle3-llama8b",),
    "llama-4-scout": ("draft-eagle3-llama",),
    "mimo-v2-flash": (),
    "nemotron-3-nano-30b-a3b": (),
    "nemotron-3-super-120b": (),
    "nemotron-h-56b": (),
    "olmo3-32b": (),
    "qwen3-30b-a3b": ("draft-dflash-qwen3",),
    "qwen3-32b": ("draft-dflash-qwen3", "draft-standalone-qwen3-0.6b"),
    "qwen3-8b": ("draft-dflash-qwen3", "draft-standalone-qwen3-0.6b"),
    "qwen3-next-80b-a3b": ("draft-dflash-qwen3",),
    "qwen3.5-27b": ("draft-dflash-qwen3",),
    "qwen3.5-35b-a3b": (),
    "qwen3.5-397b-a17b": (),
    "step-3.5-flash": (),
}
"""Models of the vectors, with drafts that may be given to them."""
UNREADABLE = {"step-3.5-flash": ("0.5.22", "0.5.23"), "kimi-k3": ("0.5.15.post1", "0.5.16")}
"""Configurations that the library of these releases refuses as they are given."""
ALGORITHMS = {
    "draft-dspark-qwen3": ("DSPARK",),
    "draft-dflash-qwen3": ("DFLASH", "DFLASH", "UNO"),
    "draft-standalone-qwen3-0.6b": ("STANDALONE",),
}
BACKENDS = ("triton", "triton", "fa3", "fa4", "flashinfer", "trtllm_mha", "trtllm_mla", "cutedsl_mla", "flashmla")
LINEAR = ("triton", "cutedsl", "flashinfer", "flashkda", "helion")
SWITCH: tuple[str, ...] = ()
FAMILY: tuple[tuple[float, str, tuple[str, ...]], ...] = (
    (0.6, "--enable-unified-memory", SWITCH),
    (0.06, "--enable-page-major-kv-layout", SWITCH),
    (0.6, "--attention-backend", BACKENDS),
    (0.05, "--prefill-attention-backend", BACKENDS),
    (0.05, "--decode-attention-backend", BACKENDS),
    (0.25, "--page-size", ("1", "16", "32", "64", "128")),
    (0.22, "--kv-cache-dtype", ("fp8_e4m3", "fp8_e5m2", "bf16", "mxfp8", "nvfp4", "fp4_e2m1", "fp4_mx_block16")),
    (0.15, "--disable-radix-cache", SWITCH),
    (0.08, "--disable-hybrid-swa-memory", SWITCH),
    (0.06, "--swa-full-tokens-ratio", ("0.1", "1.0", "1.5")),
    (0.08, "--pp-size", ("2", "4")),
    (0.10, "--dcp-size", ("2", "4")),
    (0.06, "--attn-cp-size", ("2", "3")),
    (0.04, "--enable-prefill-cp", SWITCH),
    (0.04, "--enable-prefill-context-parallel", SWITCH),
    (0.08, "--mamba-radix-cache-strategy", ("no_buffer", "extra_buffer", "extra_buffer_lazy")),
    (0.04, "--mamba-track-interval", ("48", "64", "256")),
    (0.04, "--mamba-ssm-dtype", ("bfloat16", "float32")),
    (0.04, "--mamba-backend", ("triton", "flashinfer")),
    (0.04, "--linear-attn-backend", LINEAR),
    (0.05, "--linear-attn-decode-backend", LINEAR),
    (0.05, "--linear-attn-prefill-backend", LINEAR),
    (0.15, "--disaggregation-mode", ("prefill", "decode", "decode")),
    (0.06, "--disaggregation-transfer-backend", ("nixl", "mooncake", "fake", "mori")),
    (0.05, "--disaggregation-decode-enable-radix-cache", SWITCH),
    (0.05, "--disaggregation-decode-enable-offload-kvcache", SWITCH),
    (0.04, "--disaggregation-decode-retraction-backup", ("cpu_tensor", "host_pool", "none")),
    (0.10, "--enable-hierarchical-cache", SWITCH),
    (0.05, "--hicache-storage-backend", ("file", "mooncake")),
    (0.04, "--hicache-host-memory-mode", ("cache", "buffer_only")),
    (0.05, "--hicache-mem-layout", ("layer_first", "page_first", "page_first_direct")),
    (0.05, "--enable-lmcache", SWITCH),
    (0.05, "--enable-hisparse", SWITCH),
    (0.04, "--enable-unified-cache-external-linker", SWITCH),
    (0.03, "--radix-cache-backend", ("default",)),
    (0.05, "--enable-two-batch-overlap", SWITCH),
    (0.03, "--moe-a2a-backend", ("none", "deepep", "mooncake")),
    (0.04, "--moe-runner-backend", ("triton", "marlin", "flashinfer_trtllm")),
    (0.04, "--enable-kv-cache-sharding", SWITCH),
    (0.06, "--cuda-graph-backend-prefill", ("disabled", "breakable", "full", "tc_piecewise")),
    (0.04, "--cuda-graph-backend-decode", ("disabled", "breakable", "full")),
    (0.03, "--cuda-graph-config", ('{"prefill": {"backend": "breakable"}}', '{"decode": {"backend": "disabled"}}')),
    (0.04, "--disable-cuda-graph", SWITCH),
    (0.03, "--disable-prefill-cuda-graph", SWITCH),
    (0.03, "--disable-decode-cuda-graph", SWITCH),
    (0.05, "--enable-deterministic-inference", SWITCH),
    (0.02, "--rl-on-policy-target", ("fsdp",)),
    (0.05, "--disable-overlap-schedule", SWITCH),
    (0.03, "--enable-mis", SWITCH),
    (0.03, "--enable-encoder-swa-bounded-replay", SWITCH),
    (0.03, "--prefill-kv-cache-dequant-dtype", ("fp8_e4m3", "nvfp4", "auto")),
    (0.03, "--quantization", ("fp8", "mxfp4", "modelopt_fp4")),
    (0.04, "--context-length", ("8192", "32768")),
    (0.04, "--max-running-requests", ("8", "64", "300")),
    (0.03, "--max-mamba-cache-size", ("1", "64")),
    (0.03, "--device", ("cuda",)),
    (0.02, "--json-model-override-args", ('{"max_position_embeddings": 4096}',)),
)
"""Probability, flag, and values of which one is drawn."""
WHILE_SPECULATING: tuple[tuple[float, str, tuple[str, ...]], ...] = (
    (0.12, "--speculative-draft-attention-backend", BACKENDS),
    (0.10, "--speculative-dspark-block-size", ("3", "7")),
    (0.08, "--speculative-dflash-block-size", ("8", "16")),
    (0.05, "--speculative-adaptive", SWITCH),
    (0.05, "--speculative-ngram-max-bfs-breadth", ("1", "4")),
    (0.03, "--uno-lora-path", ("x",)),
    (0.05, "--enable-multi-layer-eagle", SWITCH),
    (0.03, "--speculative-attention-mode", ("prefill", "decode")),
)
OUTSIDE = frozenset(
    """help config enable_flexkv grammar_backend load_format weight_loader_prefetch_checkpoints use_ray grpc_mode
    smg_grpc_mode elastic_ep_backend ep_join_mode weight_cache_mode remote_instance_weight_loader_backend
    encoder_transfer_backend enable_memory_saver enable_lora kv_canary enable_http2""".split()
)
"""Arguments whose answer depends on the machine, on files or on packages that released code was not given."""


class Draw:
    """An endless, seeded source of cases."""

    def __init__(self, seed: int, wide: float) -> None:
        self.dice = random.Random(seed)
        self.wide = wide
        self.releases = [release for release in followed() if release not in NOT_RUN]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        while True:
            yield self._case()

    def _case(self) -> dict[str, Any]:
        dice = self.dice
        release = dice.choice(self.releases)
        model = dice.choice([name for name in MODELS if release not in UNREADABLE.get(name, ())])
        words = ["--tp", dice.choice(("1", "2", "4", "8"))]
        if words[1] != "1" and dice.random() < 0.15:
            words += ["--dp-size", "2", "--enable-dp-attention"]
        if model in ("mimo-v2-flash", "kimi-linear-48b-a3b", "kimi-k2", "kimi-k3"):
            words += ["--trust-remote-code"]
        words += self._drawn(FAMILY)
        if dice.random() < 0.5:
            words += self._speculation(model)
        flags = {flag.dest: flag for flag in catalogue.load(release).flags}
        known = {name for flag in flags.values() for name in flag.names}
        words = _without(words, known)
        if dice.random() < self.wide:
            words += self._other(list(flags.values()), words)
        env = dice.choice(ENVIRONMENTS) if dice.random() < SHARE_WITH_ENVIRONMENT else {}
        gpu = GPUS[0] if env else dice.choice(GPUS)
        case = {"version": release, "model_config": model, "gpu": gpu, "argv": words, "env": env, "pool_init": {}}
        return case | ({"num_gpus": 16} if _ranks(words) > 8 else {})

    def _drawn(self, flags: tuple[tuple[float, str, tuple[str, ...]], ...]) -> list[str]:
        words: list[str] = []
        for share, name, values in flags:
            if self.dice.random() < share:
                words += [name, self.dice.choice(values)] if values else [name]
        return words

    def _speculation(self, model: str) -> list[str]:
        dice = self.dice
        draft = dice.choice((*MODELS[model], None))
        if draft is None:
            words = ["--speculative-algorithm", dice.choice(("EAGLE", "NEXTN", "NGRAM", "EAGLE"))]
        else:
            name = dice.choice(ALGORITHMS.get(draft, ("EAGLE3", "EAGLE3", "EAGLE")))
            words = ["--speculative-algorithm", name, "--speculative-draft-model-path", f"@{draft}"]
        if dice.random() < 0.5:
            words += ["--speculative-num-steps", dice.choice(("1", "3", "5"))]
            words += ["--speculative-eagle-topk", dice.choice(("1", "1", "2", "4"))]
            words += ["--speculative-num-draft-tokens", dice.choice(("2", "4", "8", "16"))]
        return words + self._drawn(WHILE_SPECULATING)

    def _other(self, flags: list[catalogue.Flag], words: list[str]) -> list[str]:
        dice = self.dice
        free = [f for f in flags if f.dest not in OUTSIDE and not set(f.names) & set(words) and not f.deprecated]
        flag = dice.choice([f for f in free if (f.nargs == 0 and f.action == "store_true") or f.choices])
        return [flag.names[0]] if flag.nargs == 0 else [flag.names[0], str(dice.choice(flag.choices or ("",)))]


def _ranks(words: list[str]) -> int:
    sizes = [words[words.index(name) + 1] if name in words else "1" for name in ("--tp", "--pp-size")]
    return int(sizes[0]) * int(sizes[1])


def _without(words: list[str], known: set[str]) -> list[str]:
    """The words without flags that the release does not have, and without their values."""
    kept: list[str] = []
    keeping = True
    for word in words:
        if word.startswith("--"):
            keeping = word in known or word == "--tp"
        if keeping:
            kept.append(word)
    return kept


def main(arguments: list[str]) -> int:
    wide = float(arguments[arguments.index("--wide") + 1]) if "--wide" in arguments else 0.0
    count, seed = int(arguments[0]), int(arguments[1])
    cases = [case for case, _ in zip(Draw(seed, wide), range(count), strict=False)]
    cases.sort(key=lambda case: (case["version"], case["gpu"], json.dumps(case["env"])))
    for case in cases:
        print(json.dumps(case))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
