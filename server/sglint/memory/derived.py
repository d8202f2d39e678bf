"""Facts about the memory of a launch, for the conditions and messages of rules: ``memory.*``.

Estimates are given with both ends of their interval; a rule that is sure looks at the end that would acquit. Sizes
in messages are texts, as ``66.23 GiB``.
"""

from __future__ import annotations

from typing import Any

from ..facts import Facts, Undecided, Unknown
from ..records import replace
from .host_cache import HostCache, budget_per_rank, host_cache, host_limit
from .plan import Plan, plan
from .result import Pools
from .ways import working_fraction, working_tp

GIB = 1 << 30
AMPLE_BYTES = 1 << 50
"""A byte budget that no pool can exhaust: what is refused with it is refused with any."""

LEAST_ROOM = 0.01
"""Part of a GPU that has to stay free beside the pools for a fraction to be worth naming."""


def of_launch(facts: Facts) -> Plan:
    """The plan of the launch, with an estimated budget. Undecided where there is none."""
    found = plan(facts)
    if found.budget.rest is None or (found.sizes is None and found.budget.rest > 0):
        raise Undecided(Unknown(found.needs))
    return found


def _plan(facts: Facts) -> Plan:
    found: Plan = facts["memory.plan"]
    return found


def _high(facts: Facts) -> Pools:
    """The pools at the favourable end of the estimate."""
    found = _plan(facts)
    if found.high is None:
        raise Undecided(Unknown(found.needs))
    return found.high


def refused_with_any_budget(facts: Facts) -> str | None:
    """Kind of the refusal that no amount of memory avoids (``Refusal.kind``); None without one."""
    found = plan(facts, AMPLE_BYTES)
    if found.sizes is None:
        raise Undecided(Unknown(found.needs))
    refusal = found.sizes.refusal
    return refusal.kind if refusal is not None and refusal.check is None else None


def refused_at_best(facts: Facts) -> str | None:
    """Kind of the refusal for want of memory at the favourable end of the estimate; None without one."""
    refusal = _high(facts).refusal
    return refusal.kind if refusal is not None and refusal.depends_on_budget else None


def refused_as_estimated(facts: Facts) -> str | None:
    """The same for the likely budget."""
    sizes = _plan(facts).sizes
    refusal = sizes.refusal if sizes is not None else None
    return refusal.kind if refusal is not None and refusal.depends_on_budget else None


def refusal_text(facts: Facts) -> str | None:
    sizes = _plan(facts).sizes
    return sizes.refusal.text if sizes is not None and sizes.refusal is not None else None


def _term(facts: Facts, name: str) -> int:
    return next((term.value for term in _plan(facts).budget.terms if term.name == name), 0)


def static_bytes(facts: Facts) -> int:
    """What the fraction gives to weights and pools, context aside."""
    return _term(facts, "total") - _term(facts, "context_overhead") - _term(facts, "reserved_by_fraction")


def loaded_bytes(facts: Facts) -> int:
    return _term(facts, "weights") + _term(facts, "draft_weights")


def least_fraction(facts: Facts) -> float | None:
    """The least static fraction, in hundredths, that leaves bytes for pools after the likely weights.

    None where even that would leave nothing free on the GPU.
    """
    free = _term(facts, "total") - _term(facts, "context_overhead")
    hundredths = int(loaded_bytes(facts) * 100 / free) + 1
    return hundredths / 100 if hundredths / 100 <= 1 - LEAST_ROOM else None


def gib(size: int) -> str:
    return f"{size / GIB:.2f} GiB"


def rest(facts: Facts) -> str:
    """The budget with its interval."""
    budget = _plan(facts).budget
    text = gib(budget.rest or 0)
    if budget.low is None or budget.high is None:
        return text
    return f"{text} (between {gib(budget.low)} and {gib(budget.high)})"


def tokens_low(facts: Facts) -> int:
    """``max_total_num_tokens`` at the unfavourable end; 0 where nothing is left for pools."""
    low = _plan(facts).low
    return 0 if low is None else low.max_total_num_tokens


def tokens_high(facts: Facts) -> int:
    return _high(facts).max_total_num_tokens


def context_length(facts: Facts) -> int:
    """Tokens a request may have: ``--context-length``, else what the model's configuration says."""
    written = facts["args.context_length"]
    own = written if written is not None else facts["model.context_length"]
    if own is None:
        raise Undecided(Unknown(("how long the model's context is",)))
    return int(own)


def requests_high(facts: Facts) -> int:
    """Concurrent requests of one attention copy at the favourable end of the estimate."""
    return _high(facts).max_running_requests


def requests_low(facts: Facts) -> int:
    """The same at the unfavourable end; 0 where nothing is left for pools."""
    low = _plan(facts).low
    return 0 if low is None else low.max_running_requests


def state_requests_high(facts: Facts) -> int | None:
    """Concurrent requests that the slots of recurrent state allow at the favourable end; None without state."""
    state = _high(facts).state
    return None if state is None else state.slots // state.slots_per_request


def requests_asked(facts: Facts) -> int | None:
    """``--max-running-requests`` of one attention copy, as it was written."""
    written = facts["args.max_running_requests"]
    return None if written is None else int(written) // max(1, int(facts["resolved.attn_dp_size"]))


def tokens_without_speculation(facts: Facts) -> int | None:
    """``max_total_num_tokens`` of the same byte budget without the draft's pool; None where it is not sized."""
    from .inputs import NotModelled
    from .solve import solve

    inputs = _plan(facts).inputs
    if inputs is None:
        return None
    try:
        return solve(replace(inputs, algorithm=None, draft=None)).max_total_num_tokens
    except (NotModelled, ValueError):
        return None


def gpus_needed(facts: Facts) -> int:
    """GPUs a node needs for the highest device index that the launch uses on its first node.

    Source: ``managers/data_parallel_controller.py:DataParallelController.launch_tensor_parallel_group`` and
    ``launch_dp_schedulers``.
    """
    nodes, pp = int(facts["args.nnodes"] or 1), int(facts["args.pp_size"] or 1)
    tp, step = int(facts["args.tp_size"] or 1), int(facts["args.gpu_id_step"] or 1)
    stages = max(pp // nodes, 1)
    ranks = tp // max(nodes // pp, 1)
    highest = int(facts["args.base_gpu_id"] or 0) + (stages - 1) * ranks + (ranks - 1) * step
    copies = int(facts["args.dp_size"] or 1)
    if copies > 1 and not facts["args.enable_dp_attention"] and int(facts["resolved.attn_dp_size"]) == 1:
        highest += (copies - 1) * tp * pp * step
    return highest + 1


def gpus_missing(facts: Facts) -> int:
    """How many of them the node lacks; 0 also where nothing says how many it has, which is no reason to ask."""
    count = facts.look("gpu.count")
    return 0 if isinstance(count, Unknown) else max(0, int(facts["memory.gpus_needed"]) - int(count))


def _host_cache(facts: Facts) -> HostCache | None:
    """The host pool at the end of the estimate where it is smallest; a size in gigabytes needs no estimate."""
    if not facts["args.enable_hierarchical_cache"]:
        return None
    found = plan(facts, AMPLE_BYTES) if facts["args.hicache_size"] else _plan(facts)
    if found.inputs is None:
        raise Undecided(Unknown(found.needs))
    return host_cache(facts, found.inputs, found.low or found.sizes)


def host_cache_refused(facts: Facts) -> str | None:
    """``fixed`` or ``estimated`` where a rank asks for more than its share of the container's memory, else None.

    None also where nothing limits the container, which is no reason to ask.
    """
    cache = _host_cache(facts) if facts["host.memory_limit"] is not None else None
    if cache is None:
        return None
    over = cache.bytes > budget_per_rank(host_limit(facts), cache.ranks)
    return ("fixed" if cache.fixed else "estimated") if over else None


def host_cache_over_limit(facts: Facts) -> bool:
    """Whether all ranks of a node together pin more than the container may use."""
    cache = _host_cache(facts) if facts["host.memory_limit"] is not None else None
    return cache is not None and cache.node_bytes > host_limit(facts)


def host_cache_bytes(facts: Facts) -> str | None:
    cache = _host_cache(facts)
    return None if cache is None else gigabytes(cache.bytes)


def host_cache_node_bytes(facts: Facts) -> str | None:
    cache = _host_cache(facts)
    return None if cache is None else gigabytes(cache.node_bytes)


def host_cache_ranks(facts: Facts) -> int | None:
    cache = _host_cache(facts)
    return None if cache is None else cache.ranks


def host_cache_budget(facts: Facts) -> str | None:
    cache = _host_cache(facts)
    return None if cache is None else gigabytes(budget_per_rank(host_limit(facts), cache.ranks))


def gigabytes(size: int) -> str:
    """Decimal, as the options and messages of the host cache count."""
    return f"{size / 10**9:.2f} GB"


FACTS: dict[str, Any] = {
    "memory.plan": of_launch,
    "memory.refused_with_any_budget": refused_with_any_budget,
    "memory.refused_at_best": refused_at_best,
    "memory.refused_as_estimated": refused_as_estimated,
    "memory.refusal_text": refusal_text,
    "memory.rest": rest,
    "memory.static": lambda facts: gib(static_bytes(facts)),
    "memory.loaded": lambda facts: gib(loaded_bytes(facts)),
    "memory.total": lambda facts: gib(_term(facts, "total")),
    "memory.least_fraction": least_fraction,
    "memory.working_fraction": working_fraction,
    "memory.working_tp": working_tp,
    "memory.fraction": lambda facts: round(float(_plan(facts).budget.fraction or 0), 3),
    "memory.tokens_low": tokens_low,
    "memory.tokens_high": tokens_high,
    "memory.context_length": context_length,
    "memory.requests_high": requests_high,
    "memory.requests_low": requests_low,
    "memory.state_requests_high": state_requests_high,
    "memory.requests_asked": requests_asked,
    "memory.tokens_without_speculation": tokens_without_speculation,
    "memory.gpus_needed": gpus_needed,
    "memory.gpus_missing": gpus_missing,
    "memory.host_cache_refused": host_cache_refused,
    "memory.host_cache_over_limit": host_cache_over_limit,
    "memory.host_cache_bytes": host_cache_bytes,
    "memory.host_cache_node_bytes": host_cache_node_bytes,
    "memory.host_cache_ranks": host_cache_ranks,
    "memory.host_cache_budget": host_cache_budget,
    "memory.host_limit": lambda facts: gigabytes(host_limit(facts)),
}
