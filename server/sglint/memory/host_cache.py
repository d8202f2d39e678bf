"""The host memory of a hierarchical cache: how much each process takes, and how much its container leaves.

Source: ``mem_cache/pool_host/base.py`` (``HostKVCache``, ``HostTensorPool``; from 0.5.19 ``host_memory_budget_bytes``,
which from 0.5.21 also looks at the limits of the container) and ``memory_pool_host.py`` of 0.5.15.
"""

from __future__ import annotations

from ..catalogue import release_key
from ..facts import Facts, Undecided, Unknown
from ..records import dataclass
from .cells import latent_row_elements
from .inputs import FP4, PoolInputs
from .result import Pools

RESERVE_BYTES = 10 << 30
"""Host memory that a release leaves alone (``HICACHE_HOST_MEMORY_RESERVE_BYTES``)."""
DEFAULT_RATIO = 2.0
ASK_FOR_LIMIT = "how much host memory the container may use (`resources.limits.memory`)"
_GB = 10**9


@dataclass(frozen=True)
class HostCache:
    """Host pool of the target's keys and values on one rank.

    tokens, bytes
        what is allocated; a draft's own pool comes on top.
    ranks
        processes of one node that each allocate as much.
    fixed
        sized by ``--hicache-size`` alone, so that no estimate is in it.
    """

    tokens: int
    bytes_per_token: int
    bytes: int
    ranks: int
    fixed: bool

    @property
    def node_bytes(self) -> int:
        return self.bytes * self.ranks

    def to_json(self) -> dict[str, int]:
        return {
            "tokens": self.tokens,
            "bytes_per_token": self.bytes_per_token,
            "bytes": self.bytes,
            "ranks": self.ranks,
            "node_bytes": self.node_bytes,
        }


def host_cache(facts: Facts, inputs: PoolInputs, pools: Pools | None) -> HostCache | None:
    """The host pool of a launch; None without a hierarchical cache, or where the release makes it fit by itself.

    ``pools`` are the sizes that a ratio multiplies. Raises :class:`Undecided` where something is missing.
    """
    if not facts["args.enable_hierarchical_cache"]:
        return None
    per_token = bytes_per_token(inputs)
    size = int(facts["args.hicache_size"] or 0)
    if size > 0:
        tokens = min(size * _GB // per_token, *_stage_tokens(inputs, size))
    else:
        ratio = _ratio(facts)
        if ratio is None:
            return None
        if pools is None or pools.max_total_num_tokens <= 0:
            raise Undecided(Unknown(("how many tokens the GPU holds, which the ratio multiplies",)))
        tokens = int(pools.max_total_num_tokens * ratio)
    tokens = (tokens // inputs.page_size + 1) * inputs.page_size
    return HostCache(tokens, per_token, tokens * per_token, ranks_per_node(facts), size > 0)


def _ratio(facts: Facts) -> float | None:
    """``--hicache-ratio``, or its default; None where an unset one shrinks until it fits (0.5.22 and later)."""
    if facts["args.hicache_host_memory_mode"] not in (None, "cache"):
        raise Undecided(Unknown(("the host memory of a cache that only buffers",)))
    written = facts["args.hicache_ratio"]
    if written is not None:
        return float(written)
    return None if release_key(facts["release"]) >= release_key("0.5.22") else DEFAULT_RATIO


def bytes_per_token(inputs: PoolInputs) -> int:
    """Bytes of one token of the host pool on stage 0. Raises :class:`Undecided` for pools that are divided."""
    plain = not (inputs.hybrid_swa or inputs.state or inputs.unified or inputs.traits.dsa) and inputs.dcp == 1
    if not plain or inputs.kv_dtype in (*FP4, "mxfp8") or inputs.traits.deepseek_v4:
        raise Undecided(Unknown(("how this release divides the host memory of several pools",)))
    return row_bytes(inputs) * len(inputs.stage_layers(0))


def row_bytes(inputs: PoolInputs) -> int:
    if inputs.traits.mla:
        return latent_row_elements(inputs) * inputs.kv_bytes
    return inputs.kv_heads * (inputs.model.head_dim + inputs.model.v_head_dim) * inputs.kv_bytes


def _stage_tokens(inputs: PoolInputs, size: int) -> tuple[int, ...]:
    """Tokens of ``--hicache-size`` on every stage: all keep as many as the one with most layers."""
    row = row_bytes(inputs)
    return tuple(size * _GB // (row * max(1, len(inputs.stage_layers(rank)))) for rank in range(inputs.pp))


def ranks_per_node(facts: Facts) -> int:
    """Processes of one server copy on a node."""
    world = int(facts["args.tp_size"] or 1) * int(facts["args.pp_size"] or 1)
    return max(world // int(facts["args.nnodes"] or 1), 1)


def host_limit(facts: Facts) -> int:
    """Bytes of host memory that the container may use. Raises :class:`Undecided` when nothing says so."""
    limit = facts["host.memory_limit"]
    if limit is None:
        raise Undecided(Unknown((ASK_FOR_LIMIT,)))
    return int(limit)


def budget_per_rank(limit: int, ranks: int) -> int:
    """The most a release from 0.5.21 on lets one rank take of a container of ``limit`` bytes."""
    return max(limit - RESERVE_BYTES, 0) // ranks


def sentence(cache: HostCache) -> str:
    """What the host gives, for people."""
    text = (
        f"The hierarchical cache keeps {cache.tokens:,} tokens of {cache.bytes_per_token:,} bytes in host memory for "
    )
    each = f"each of {cache.ranks} processes of a node" if cache.ranks > 1 else "its one process"
    text += f"{each}: {cache.bytes / _GB:.2f} GB"
    return f"{text}, {cache.node_bytes / _GB:.2f} GB in all." if cache.ranks > 1 else f"{text}."
