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
    "tokens_low",
    "tokens_high",
    "context_length",
    "requests_high",
    "state_requests_high",
    "requests_asked",
    "tokens_without_speculation",
    "gpus_needed",
    "gpus_missing",
)


def _derive(name: str, facts: Facts) -> Value:
    from ..memory.derived import FACTS

    return FACTS[name](facts)


MEMORY_FACTS: dict[str, Derivation] = {f"memory.{name}": partial(_derive, f"memory.{name}") for name in NAMES}
