"""Recorded pool sizes of released SGLang, and what the allocator model says for each line.

``pools.jsonl.xz`` keeps every line of the recording that reaches the pools (argument-stage rejects do not).
``pools_mixed.jsonl.xz`` has randomly combined options, answered by the same released code. It leaves out what the
recording cannot answer: refusals of the recording itself, EAGLE drafts on 0.5.15.post1 (see :func:`is_recording_gap`),
and pipeline stages of unequal size, of which the recording sizes the first alone.
``pools_kinds.jsonl.xz`` has the rarer kinds that ``draw_pools`` draws (some lines by draws it has refined since),
without MiniMax-M3 in pipeline stages, of which the recording sizes the first alone.
``pools_early.jsonl.xz`` is what releases before 0.5.15 answered to ``early_pools_dump``, where they sized anything.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from sglint import catalogue
from sglint.launch.argv import parse, words_of
from sglint.memory.gather import gather
from sglint.memory.result import Pools
from sglint.memory.solve import solve
from sglint.models import ModelFacts, hardware, load, registry
from sglint.resolution import facts_of

KEPT = Path(__file__).parent / "pools.jsonl.xz"
MIXED = Path(__file__).parent / "pools_mixed.jsonl.xz"
KINDS = Path(__file__).parent / "pools_kinds.jsonl.xz"
SHAPES = Path(__file__).resolve().parents[1] / "data" / "configs"
EARLY = Path(__file__).parent / "pools_early.jsonl.xz"
DRAFT_FLAG = "--speculative-draft-model-path"

REFUSAL_HEADS = {
    "dsv4-dtype": "",
    "counted-only-kind": "--prefill-only-disable-kv-cache is not supported for",
    "fp4-name": "--kv-cache-dtype=fp4_e2m1 is deprecated",
    "unified-kind": "--enable-unified-memory only supports hybrid Mamba",
    "state-cache": "Hybrid (mamba/linear-attention) state cache is too small",
    "swa-pool-small": "SWA pool (",
    "swa-cap-large": "SWA pool cap (",
    "draft-on-unified-swa": "Speculative decoding with --enable-unified-memory",
    "unified-latent": "unified memory pool does not support MLA-hybrid-Mamba",
    "unified-state-0516": "UnifiedHybridReqToTokenPool._init_mamba_pool()",
    "arena-one-request": "[unified-memory-pool] init_unified_swa_pools: byte budget",
    "fusion-state": "--enable-unified-memory + EAGLE/EAGLE3/DFLASH on a mamba",
}
"""Kinds of refusal and how the release's message begins."""

Line = dict[str, Any]


def read(path: Path = KEPT) -> Iterator[Line]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def is_recording_gap(line: Line) -> bool:
    """The recording of 0.5.15.post1 did not tell the runner how many layers an EAGLE draft has, so it priced none;
    the release's own constructor does (``ModelRunner.__init__``)."""
    return line["version"] == "0.5.15.post1" and line.get("draft") is not None and _prices_a_draft(line)


def _prices_a_draft(line: Line) -> bool:
    return DRAFT_FLAG in line["argv"] or line["model_config"] == "deepseek-v3"


def sized(line: Line) -> Pools:
    """What the model computes for a line, through the same resolution as any launch."""
    argv: list[str] = line["argv"]
    draft = registry.find(argv[argv.index(DRAFT_FLAG) + 1].removeprefix("@")) if DRAFT_FLAG in argv else None
    words = argv if "--model-path" in argv else ["--model-path", line["model_config"], *argv]
    parsed = parse(words_of(words), catalogue.load(line["version"]))
    model, gpu = _model(line["model_config"]), hardware.find(line["gpu"])
    assert gpu is not None
    inputs = gather(facts_of(parsed, model, draft, gpu, 8, line["env"]), line["rest_bytes"])
    if model.kv_cache_quantized and "--kv-cache-dtype" not in argv:
        # The recording has no weights and so no quantization object to ask for 8-bit keys and values.
        inputs = replace(inputs, kv_dtype="auto")
    return solve(inputs, sm=gpu.sm)


def _model(name: str) -> ModelFacts:
    """A model of the registry, or one of the shapes that only tests know."""
    return registry.find(name) or load(SHAPES / name / "config.json")


def recorded(line: Line) -> dict[str, Any]:
    """The release's numbers of a line, by the names of :func:`computed`."""
    target, draft = line["target"], line["draft"]
    numbers = {
        "kv_budget_bytes": target["kv_budget_bytes"],
        "max_total_num_tokens": target["max_total_num_tokens"],
        "max_running_requests": target["max_running_requests"],
        "allocator_size": target["allocator_size"],
        "allocator_size_full": target["allocator_size_full"],
        "allocator_size_swa": target.get("allocator_size_swa"),
        "pool_size": target["pool_size"],
        "full_tokens": target.get("full_max_total_num_tokens"),
        "swa_tokens": target.get("swa_max_total_num_tokens"),
        "c4_tokens": target.get("c4_max_total_num_tokens"),
        "c128_tokens": target.get("c128_max_total_num_tokens"),
        "cell_bytes": target["configurator"].get("_cell_size", target["configurator"].get("bytes_per_full_token")),
        "arena_bytes": target.get("unified_total_bytes"),
        "state_slots": line["max_mamba_cache_size"],
    }
    for name in ("full", "swa", "mamba"):
        allocator = target.get("mamba_allocator" if name == "mamba" else f"{name}_attn_allocator") or {}
        keys = ("entry_bytes", "max_slots", "num_pages")
        numbers[f"{name}_entries"] = tuple(allocator[key] for key in keys) if "entry_bytes" in allocator else None
    if "mamba_cache_per_req" in target:
        numbers["state_bytes"] = target["mamba_cache_per_req"]
    if "unified_reserved_floor" in target:
        numbers["reserved_bytes"] = target["unified_reserved_floor"]
    if draft is not None:
        numbers["draft_rows"] = draft["pool_size"]
        if draft["pool_class"] in ("MHATokenToKVPool", "MLATokenToKVPool"):
            numbers["draft_row_bytes"] = draft["configurator"]["_cell_size"]
    return numbers


def computed(pools: Pools) -> dict[str, Any]:
    arena, state, draft = pools.arena, pools.state, pools.draft
    numbers = {
        "kv_budget_bytes": pools.kv_budget_bytes,
        "max_total_num_tokens": pools.max_total_num_tokens,
        "max_running_requests": pools.max_running_requests,
        "allocator_size": pools.allocator_size,
        "allocator_size_full": pools.allocator_size_full,
        "allocator_size_swa": pools.allocator_size_swa,
        "pool_size": pools.pool_size,
        "full_tokens": pools.full_tokens,
        "swa_tokens": pools.swa_tokens,
        "c4_tokens": pools.c4_tokens,
        "c128_tokens": pools.c128_tokens,
        "cell_bytes": pools.cell_bytes,
        "arena_bytes": arena.total_bytes if arena else None,
        "reserved_bytes": arena.reserved_bytes if arena else None,
        "state_slots": state.slots if state else None,
        "state_bytes": state.bytes_per_slot if state else None,
        "draft_rows": draft.rows if draft else None,
        "draft_row_bytes": draft.row_bytes if draft else None,
    }
    by_name = {pool.name: pool for pool in arena.sub_pools} if arena else {}
    for name in ("full", "swa", "mamba"):
        pool = by_name.get(name)
        numbers[f"{name}_entries"] = (pool.entry_bytes, pool.slots, pool.pages) if pool else None
    return numbers


def differences(line: Line) -> dict[str, tuple[Any, Any]]:
    """(recorded, computed) of every number that differs; empty where all are equal."""
    pools = sized(line)
    if line["verdict"] != "accept":
        head = REFUSAL_HEADS.get(pools.refusal.kind, pools.refusal.kind) if pools.refusal else "accepted"
        return (
            {} if (line.get("message_head") or "").startswith(head) else {"verdict": (line.get("message_head"), head)}
        )
    if pools.refusal:
        return {"verdict": ("accepted", pools.refusal.text)}
    ours = computed(pools)
    return {name: (value, ours[name]) for name, value in recorded(line).items() if value != ours[name]}
