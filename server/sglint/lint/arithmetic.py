"""Memory arithmetic of a launch: sentences for explanations, and what a fix does to the pools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..facts import Facts
from ..memory import Plan, Pools, plan

NOMINAL_REST_BYTES = 32 * 1024**3
"""Bytes for the pools where a launch's own cannot be estimated. Ratios between sizes hold for any figure."""


def sentences(facts: Facts) -> tuple[str, ...]:
    """The launch's arithmetic; where its byte budget is not known, for a nominal one, which the sentences say."""
    own = plan(facts)
    if own.budget.rest is not None:
        return own.explanation
    example = plan(facts, NOMINAL_REST_BYTES)
    if _sizes(example) is None:
        return own.explanation
    condition = f"The byte budget is not known; with {_gib(NOMINAL_REST_BYTES)} for the pools, as an example:"
    return (*own.explanation, condition, *example.explanation)


def effect(before: Facts, after: Facts) -> Mapping[str, Any] | None:
    """Tokens before and after a fix, with the byte budget they rest on; None where pools cannot be sized.

    Quantities are pairs ``{"before", "after"}``, None for a pool that one of the two plans does not have.
    """
    own = plan(before), plan(after)
    estimated = all(one.budget.rest is not None for one in own)
    if not estimated:
        own = plan(before, NOMINAL_REST_BYTES), plan(after, NOMINAL_REST_BYTES)
    old, new = map(_sizes, own)
    if old is None or new is None:
        return None
    basis = f"a nominal {_gib(NOMINAL_REST_BYTES)} for the pools"
    if estimated:
        basis = f"estimated {_gib(old.kv_budget_bytes)} for the pools before, {_gib(new.kv_budget_bytes)} after"
    found: dict[str, Any] = {}
    if old.full_tokens is not None or new.full_tokens is not None:
        found["full_tokens"] = {"before": old.full_tokens, "after": new.full_tokens}
        found["swa_tokens"] = {"before": old.swa_tokens, "after": new.swa_tokens}
    else:
        found["tokens"] = {"before": old.max_total_num_tokens, "after": new.max_total_num_tokens}
    return {**found, "basis": basis}


def _sizes(one: Plan) -> Pools | None:
    return one.sizes if one.sizes is not None and one.sizes.max_total_num_tokens > 0 else None


def _gib(size: int) -> str:
    return f"{size / 1024**3:.4g} GiB"
