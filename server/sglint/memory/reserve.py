"""Defaults that depend on the GPU's memory: prefill chunk, decode batch, memory fraction.

Source: ``server_args.py:ServerArgs._handle_gpu_memory_settings`` through 0.5.18,
``arg_groups/memory_hook.py:handle_gpu_memory_settings`` after.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..catalogue import release_key
from ..facts import Facts, Undecided, Unknown
from ..models.facts import ModelFacts
from .early_facts import is_early
from .early_reserve import (
    CHUNK_MIB_PER_TOKEN,
    GIB_IN_MIB,
    LARGE_GPU_MIB,
    LARGE_GPU_RESERVE_MIB,
    LATENT_PREFILL_GRAPH_MIB,
    LEAST_ACTIVATION_TOKENS,
    META_MIB,
    PREFILL_GRAPH_MIB,
    early_reserve_mib,
    early_tier,
)

DEEPEP_MIB = 2 * GIB_IN_MIB

_PREFILL_STEPS = ((4, 33, 4), (48, 257, 16), (288, 513, 32), (576, 1025, 64), (1280, 4097, 256))


def total_mib(facts: Facts) -> int:
    """Memory of one GPU as the driver reports it, MiB. Raises :class:`Undecided` when it is not known."""
    value = facts["gpu.memory_mib"]
    if value is None:
        raise Undecided(Unknown((f"how much memory the driver of {facts['gpu.title']} reports",)))
    return int(value)


def default_chunk(facts: Facts) -> int:
    """``--chunked-prefill-size`` when unset, tokens."""
    if is_early(facts["release"]):
        return early_tier(facts, total_mib(facts))[0]
    return _tier(total_mib(facts), int(facts["args.tp_size"] or 1), facts["release"])[0]


def chunk(facts: Facts) -> int:
    """``--chunked-prefill-size`` in force before data-parallel attention divides it, tokens."""
    written = facts["args.chunked_prefill_size"]
    return default_chunk(facts) if written is None else int(written)


def decode_batch(facts: Facts) -> int:
    """Largest decode batch that is captured as a graph."""
    listed = facts["args.cuda_graph_bs_decode"]
    if listed:
        return max(int(size) for size in listed)
    written = facts["args.cuda_graph_max_bs_decode"]
    if written is not None:
        return int(written)
    size = _tier(total_mib(facts), int(facts["args.tp_size"] or 1), facts["release"])[1]
    asked = facts["args.max_running_requests"]
    if asked is not None and release_key(facts["release"]) >= release_key("0.5.22"):
        size = min(size, int(asked))
    return size


def memory_fraction(facts: Facts) -> float:
    """``--mem-fraction-static`` as written or by default. Raises :class:`Undecided` when the GPU is not known."""
    written = facts["args.mem_fraction_static"]
    if written is not None:
        return float(written)
    if facts["env.SGLANG_ENABLE_POST_CAPTURE_KV_SIZING"] not in (None, "0", "false", "False"):
        raise Undecided(Unknown(("the memory left after graph capture (SGLANG_ENABLE_POST_CAPTURE_KV_SIZING)",)))
    total = total_mib(facts)
    reserve = early_reserve_mib(facts, total) if is_early(facts["release"]) else reserve_mib(facts)
    fraction = round((total - reserve) / total, 3)
    return fraction * vision_factor(facts)


def reserve_mib(facts: Facts) -> float:
    """What the default fraction leaves free, MiB."""
    parallel = int(facts["args.tp_size"] or 1) * int(facts["args.pp_size"] or 1)
    reserve = META_MIB + CHUNK_MIB_PER_TOKEN * _activation_tokens(facts) + parallel / 8 * GIB_IN_MIB
    reserve += _graph_mib(facts)
    if total_mib(facts) > LARGE_GPU_MIB:
        reserve = max(reserve, LARGE_GPU_RESERVE_MIB)
    captures = facts["args.disaggregation_mode"] != "prefill" and facts["resolved.cuda_graph_decode"] != "disabled"
    return reserve + (DEEPEP_MIB if captures and facts["args.moe_a2a_backend"] == "deepep" else 0)


def _activation_tokens(facts: Facts) -> int:
    if facts["args.disaggregation_mode"] == "decode":
        requests = facts["resolved.max_running_requests"] or decode_batch(facts)
        return max(int(requests) * int(facts["resolved.speculative_num_draft_tokens"] or 1), LEAST_ACTIVATION_TOKENS)
    size = chunk(facts)
    return max(size if size > 0 else int(facts["args.max_prefill_tokens"]), LEAST_ACTIVATION_TOKENS)


def _graph_mib(facts: Facts) -> float:
    mode = facts["args.disaggregation_mode"]
    reserve = 0.0
    if mode != "prefill":
        batch = decode_batch(facts)
        if facts["resolved.cuda_graph_decode"] != "disabled":
            reserve += batch * 2
        copies = int(facts["resolved.attn_dp_size"])
        if facts["args.enable_dp_attention"] or copies > 1:
            reserve += batch * copies * (4.5 if batch > 300 else 3)
    prefill = facts["resolved.cuda_graph_prefill"]
    if mode == "decode" or prefill == "disabled":
        return reserve
    reserve += LATENT_PREFILL_GRAPH_MIB if facts["model.mla"] else PREFILL_GRAPH_MIB * prefill_buckets(facts)
    if prefill == "breakable" and facts["args.moe_a2a_backend"] == "deepep":
        reserve += GIB_IN_MIB
    return reserve


def prefill_buckets(facts: Facts) -> int:
    """How many prefill sizes are captured (``generate_prefill_cuda_graph_batch_sizes``)."""
    listed = facts["args.cuda_graph_bs_prefill"]
    if listed:
        return len(listed)
    largest = facts["args.cuda_graph_max_bs_prefill"]
    if largest is None:
        largest = chunk(facts)
        if facts["args.max_total_tokens"] is not None:
            largest = min(largest, int(facts["args.max_total_tokens"]))
    sizes = [size for steps in (*_PREFILL_STEPS, (4608, int(largest) + 1, 512)) for size in range(*steps)]
    return sum(size <= largest for size in sizes)


def vision_factor(facts: Facts) -> float:
    """Factor on the default fraction of a multimodal target (``adjust_mem_fraction_for_vlm``)."""
    model: ModelFacts = facts["model.facts"]
    vision: Any = model.config.get("vision_config")
    off = facts["args.enable_multimodal"] is False or facts["args.language_only"] or facts["args.language_model_only"]
    serves = model.traits(facts["release"]).multimodal or facts["args.enable_multimodal"]
    if not serves or off or not isinstance(vision, Mapping) or facts["args.disaggregation_mode"] == "decode":
        return 1.0
    layers, width = vision.get("num_hidden_layers", 24), vision.get("hidden_size", 1024)
    complexity = layers * width**2 / (24 * 1024**2)
    return float(0.95 * max(0.8, min(1.05, 1.0 - 0.1 * (complexity - 1.0))))


def _tier(mib: int, tp: int, release: str) -> tuple[int, int]:
    """(prefill chunk, largest captured decode batch) by GPU memory."""
    late = release_key(release) >= release_key("0.5.20")
    wide = tp >= 4
    if mib < 20 * GIB_IN_MIB:
        return 2048, 8
    if mib < 35 * GIB_IN_MIB:
        if late:
            return 4096, 160 if wide else 48
        return 2048, 80 if wide else 24
    if mib < 60 * GIB_IN_MIB:
        return 4096, 160 if wide else 32
    if mib < 160 * GIB_IN_MIB:
        return 8192, 512 if wide else 256
    return 16384, 512
