"""What releases before 0.5.15 leave free by default beside weights and pools.

Source: ``server_args.py:ServerArgs.__post_init__`` of 0.5.1 and 0.5.2, ``_handle_gpu_memory_settings`` after, and
``_handle_piecewise_cuda_graph`` of 0.5.10 to 0.5.14 for when prefill graphs are off.
"""

from __future__ import annotations

from typing import Any

from ..catalogue import release_key
from ..facts import Facts

GIB_IN_MIB = 1024
META_MIB = 512
CHUNK_MIB_PER_TOKEN = 1.5
LEAST_ACTIVATION_TOKENS = 2048
LARGE_GPU_MIB = 60 * GIB_IN_MIB
LARGE_GPU_RESERVE_MIB = 10 * GIB_IN_MIB
LATENT_PREFILL_GRAPH_MIB = 1.5 * GIB_IN_MIB
LATENT_PREFILL_TOKENS = 2048
PREFILL_GRAPH_MIB = 8

_FLAT_TIERS = ((35, 2.8, 1 / 10), (90, 9.5, 1 / 2), (160, 12.0, 1 / 2))
"""Of 0.5.1 and 0.5.2: GPUs of less GiB keep so many GiB, and so many more for each GPU of the group."""
_FLAT_MOST_GIB = 32
_FLAT_DP_GIB = 4

_NO_PREFILL_GRAPHS = frozenset(
    ("Qwen3NextForCausalLM", "BailingMoeV2_5ForCausalLM", "LLaDAModelLM", "DeepseekV4ForCausalLM")
)
_SPARSE = frozenset(("DeepseekV32ForCausalLM", "GlmMoeDsaForCausalLM"))
_SWITCHES_OFF = (
    "disable_piecewise_cuda_graph",
    "disable_prefill_cuda_graph",
    "enable_dp_attention",
    "enable_torch_compile",
    "lora_paths",
    "enable_lora",
    "dllm_algorithm",
    "cpu_offload_gb",
    "enable_hierarchical_cache",
    "enable_deterministic_inference",
    "enable_symm_mem",
    "enable_eplb",
    "expert_distribution_recorder_mode",
)


def early_reserve_mib(facts: Facts, total_mib: int) -> float:
    """MiB that the default fraction leaves free on a GPU of ``total_mib``."""
    parallel = int(facts["args.tp_size"] or 1) * int(facts["args.pp_size"] or 1)
    copies = int(facts["args.dp_size"] or 1) if facts["args.enable_dp_attention"] else 0
    if not _since(facts, "0.5.3"):
        return _flat(total_mib, parallel, copies)
    chunk, batch = early_tier(facts, total_mib)
    tokens = chunk if chunk > 0 else int(facts["args.max_prefill_tokens"])
    reserve = META_MIB + CHUNK_MIB_PER_TOKEN * max(tokens, LEAST_ACTIVATION_TOKENS) + batch * 2
    reserve += parallel / 8 * GIB_IN_MIB + batch * copies * (4.5 if batch > 300 else 3)
    late = _since(facts, "0.5.8")
    if late:
        reserve += _prefill_graphs(facts, chunk)
    if total_mib > LARGE_GPU_MIB:
        reserve = max(reserve, LARGE_GPU_RESERVE_MIB)
    if not late and facts["args.enable_piecewise_cuda_graph"]:
        largest = int(facts["args.piecewise_cuda_graph_max_tokens"] or chunk)
        reserve += largest // (8 if _since(facts, "0.5.7") else 4) if _since(facts, "0.5.5.post1") else 0
    return reserve


def _flat(total_mib: int, parallel: int, copies: int) -> float:
    """0.5.1 and 0.5.2, by the size of the GPU alone."""
    gib = next((base + parallel * each for below, base, each in _FLAT_TIERS if total_mib < below * 1024), None)
    return ((_FLAT_MOST_GIB if gib is None else gib) + (_FLAT_DP_GIB if copies else 0)) * GIB_IN_MIB


def early_tier(facts: Facts, total_mib: int) -> tuple[int, int]:
    """(prefill chunk, largest captured decode batch) in force, by what is written, else by GPU memory."""
    wide = int(facts["args.tp_size"] or 1) >= 4
    if total_mib < 20 * GIB_IN_MIB:
        chunk, batch = 2048, 8
    elif total_mib < 35 * GIB_IN_MIB:
        chunk, batch = 2048, 80 if wide else (24 if _since(facts, "0.5.4.post1") else 16)
    elif total_mib < LARGE_GPU_MIB:
        chunk, batch = 4096, 160 if wide else 32
    elif total_mib < 160 * GIB_IN_MIB:
        chunk, batch = 8192, 512 if wide else 256
    else:
        chunk, batch = 16384, 512
    written = facts["args.chunked_prefill_size"]
    listed = _either(facts, "cuda_graph_bs", "cuda_graph_bs_decode")
    largest = _either(facts, "cuda_graph_max_bs", "cuda_graph_max_bs_decode")
    if listed:
        largest = max(int(size) for size in listed)
    return chunk if written is None else int(written), batch if largest is None else int(largest)


def _prefill_graphs(facts: Facts, chunk: int) -> float:
    default_on = _since(facts, "0.5.10")
    if not (prefill_graphs_on(facts) if default_on else facts["args.enable_piecewise_cuda_graph"]):
        return 0.0
    latent = bool(facts["model.mla"])
    if latent and default_on:
        return LATENT_PREFILL_GRAPH_MIB
    largest = _either(facts, "piecewise_cuda_graph_max_tokens", "cuda_graph_max_bs_prefill")
    if largest is None:
        largest = LATENT_PREFILL_TOKENS if latent else chunk
        limit = facts["args.max_total_tokens"]
        largest = min(largest, int(limit)) if limit is not None and default_on else largest
    context = facts["args.context_length"]
    if context is not None and _since(facts, "0.5.13"):
        largest = min(int(largest), int(context))
    return PREFILL_GRAPH_MIB * _sizes(int(largest), 576 if default_on else 640)


def _sizes(largest: int, step_from: int) -> int:
    """How many prefill sizes up to ``largest`` are captured (``_generate_piecewise_cuda_graph_tokens``)."""
    steps = ((4, 33, 4), (48, 257, 16), (288, 513, 32), (step_from, 1025, 64), (1280, 4097, 256))
    sizes = [size for each in (*steps, (4608, largest + 1, 512)) for size in range(*each)]
    return sum(size <= largest for size in sizes)


def prefill_graphs_on(facts: Facts) -> bool:
    """Whether 0.5.10 to 0.5.14 capture prefill: on, unless one of many settings is not made for it."""
    if facts["args.enforce_piecewise_cuda_graph"]:
        return True
    if any(facts[f"args.{name}"] for name in _SWITCHES_OFF) or int(facts["args.pp_size"] or 1) > 1:
        return False
    if facts["args.moe_a2a_backend"] not in (None, "none") or int(facts["args.attn_cp_size"] or 1) > 1:
        return False
    if facts["args.quantization"] == "gguf" or facts["args.disaggregation_mode"] not in (None, "null"):
        return False
    every_graph_off = facts["args.disable_cuda_graph"] and _since(facts, "0.5.14")
    if every_graph_off or facts["args.cuda_graph_backend_prefill"] == "disabled":
        return False
    architecture = facts["model.architecture"]
    if architecture in _NO_PREFILL_GRAPHS or (architecture in _SPARSE and not _since(facts, "0.5.13")):
        return False
    return not facts["model.multimodal"]


def _either(facts: Facts, early: str, late: str) -> Any:
    """The argument under its early name, else under that of 0.5.14."""
    value = facts[f"args.{early}"]
    return facts[f"args.{late}"] if value is None else value


def _since(facts: Facts, release: str) -> bool:
    return release_key(facts["release"]) >= release_key(release)
