"""The facts about memory that rules may name, loaded when a rule asks for the first one."""

from __future__ import annotations

from functools import partial

from ..facts import Derivation, Facts, Value

NAMES = (
    "plan",
    "refused_with_any_budget",
    "refused_at_best",
    "refused_as_estimated",
    "refusal_text",
    "rest",
    "static",
    "loaded",
    "total",
    "fraction",
    "least_fraction",
    "working_fraction",
    "working_tp",
    "tokens_low",
    "tokens_high",
    "context_length",
    "requests_high",
    "requests_low",
    "state_requests_high",
    "requests_asked",
    "tokens_without_speculation",
    "gpus_needed",
    "gpus_missing",
    "host_cache_refused",
    "host_cache_over_limit",
    "host_cache_bytes",
    "host_cache_node_bytes",
    "host_cache_ranks",
    "host_cache_budget",
    "host_limit",
)


def _derive(name: str, facts: Facts) -> Value:
    from ..memory.derived import FACTS

    return FACTS[name](facts)


def further_facts(memory_limit: int | None) -> dict[str, Derivation]:
    """Facts above the launch's own words. ``memory_limit``: bytes of host memory its container may use."""
    return {**MEMORY_FACTS, "host.memory_limit": lambda _: memory_limit}


MEMORY_FACTS: dict[str, Derivation] = {
    **{f"memory.{name}": partial(_derive, f"memory.{name}") for name in NAMES},
    "host.memory_limit": lambda _: None,
}
"""Without surroundings nothing limits host memory."""
