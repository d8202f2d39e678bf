"""The memory plan of one launch: what ``size``, hovers and explanations show."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from ..facts import Facts, Undecided, Unknown
from ..records import dataclass, field, replace
from .answers import Answers, answers
from .budget import Budget
from .early_facts import early_view, is_early
from .explain import explain
from .gather import compute_capability, gather
from .host_cache import HostCache, host_cache, sentence
from .inputs import NotModelled, PoolInputs
from .result import Pools
from .rows import Row, rates, rows
from .solve import solve


@dataclass(frozen=True)
class Plan:
    """Sizes of one launch on one GPU of its (tensor and pipeline) group.

    pools
        one row per pool; without a byte budget only what a token costs.
    host_cache
        the host pool of a hierarchical cache; None without one.
    sizes
        the numbers behind the rows.
    needs
        what would have to be known for numbers that are missing.
    """

    release: str | None
    model: str | None
    gpu: str | None
    budget: Budget
    pools: tuple[Row, ...] = ()
    sizes: Pools | None = None
    inputs: PoolInputs | None = field(default=None, repr=False)
    host_cache: HostCache | None = None
    needs: tuple[str, ...] = ()
    facts: Facts | None = field(default=None, repr=False, compare=False)

    @cached_property
    def low(self) -> Pools | None:
        """Sizes at the lower end of an estimated budget; None for a given one."""
        return self._at(self.budget.low)

    @cached_property
    def high(self) -> Pools | None:
        return self._at(self.budget.high)

    def _at(self, rest: int | None) -> Pools | None:
        if rest is None or self.inputs is None or self.sizes is None or self.facts is None:
            return None
        try:
            return solve(self.inputs.with_rest(rest), sm=compute_capability(self.facts))
        except (NotModelled, ValueError):
            return None

    @cached_property
    def answers(self) -> Answers | None:
        """What follows from the sizes for the options that set them; None without sizes."""
        return None if self.facts is None else answers(self.facts, self)

    @cached_property
    def explanation(self) -> tuple[str, ...]:
        """Sentences with this launch's numbers; written when they are asked for, since most plans only judge."""
        if self.inputs is None or (self.sizes is None and self.budget.rest is not None):
            return ()
        try:
            lines = tuple(explain(self.inputs, self.sizes, self.budget))
        except (NotModelled, ValueError):
            return ()
        return lines if self.host_cache is None else (*lines, sentence(self.host_cache))

    @property
    def max_total_num_tokens(self) -> int | None:
        sizes = self._sized
        return sizes.max_total_num_tokens if sizes else None

    @property
    def _sized(self) -> Pools | None:
        return self.sizes if self.sizes is not None and self.sizes.max_total_num_tokens > 0 else None

    def to_json(self) -> dict[str, Any]:
        """The plan in the form of ``size``'s JSON (schema 1), without the schema number."""
        sizes = self._sized
        arena = sizes.arena if sizes else None
        state = sizes.state if sizes else None
        return {
            "release": self.release,
            "model": self.model,
            "gpu": self.gpu,
            "budget": self.budget.to_json(),
            "pools": [row.to_json() for row in self.pools],
            "max_total_num_tokens": self.max_total_num_tokens,
            "max_total_num_tokens_low": self.low.max_total_num_tokens if self.low else None,
            "max_total_num_tokens_high": self.high.max_total_num_tokens if self.high else None,
            "limits": self._limits(),
            "kv_budget_bytes": sizes.kv_budget_bytes if sizes else None,
            "allocator_size": sizes.allocator_size if sizes else None,
            "allocator_size_full": sizes.allocator_size_full if sizes else None,
            "allocator_size_swa": sizes.allocator_size_swa if sizes else None,
            "state_slots": state.slots if state else None,
            "state_bytes_per_slot": state.bytes_per_slot if state else None,
            "unified_total_bytes": arena.total_bytes if arena else None,
            "reserved": arena.reserved_bytes if arena else None,
            "host_cache": self.host_cache.to_json() if self.host_cache else None,
            "refusal": self._refusal(),
            "answers": self.answers.to_json() if self.answers else None,
            "explanation": list(self.explanation),
            "needs": list(self.needs),
        }

    def _limits(self) -> dict[str, int]:
        sizes = self._sized
        if sizes is None:
            return {}
        limits = {"max_running_requests": sizes.max_running_requests}
        if sizes.state is not None:
            limits["state_slots_per_request"] = sizes.state.slots_per_request
        return limits

    def _refusal(self) -> dict[str, Any] | None:
        refusal = self.sizes.refusal if self.sizes else None
        if refusal is None:
            return None
        certain = self.budget.confidence == "exact" or not refusal.depends_on_budget
        return {"kind": refusal.kind, "check": refusal.check, "text": refusal.text, "certain": certain}


_KEPT = "memory plan"


def plan(facts: Facts, rest_bytes: int | None = None) -> Plan:
    """The plan of a launch. ``rest_bytes``: bytes left after weights and slack; without it they are estimated.

    Never raises for what is not known: such numbers are missing, with their reasons in ``needs``. The estimated plan
    is kept as long as the facts are: rules, fixes and pages ask for the same one.
    """
    if rest_bytes is not None:
        return _plan(facts, rest_bytes)
    found: Plan | None = facts.kept.get(_KEPT)
    if found is None:
        found = facts.kept[_KEPT] = _plan(facts, None)
    return found


def _plan(facts: Facts, rest_bytes: int | None) -> Plan:
    release = _known(facts, "release")
    if release is not None and is_early(release):
        facts = early_view(facts)
    budget = _budget(facts, rest_bytes)
    named = _known(facts, "model.name")
    base = Plan(release, named or _known(facts, "args.model_path"), _known(facts, "gpu.name"), budget)
    inputs, needs = _inputs(facts, budget.rest or 0)
    needs = (*budget.needs, *needs)
    if inputs is None:
        return replace(base, needs=_unique(needs))
    if budget.rest is None:
        return _rates_only(base, inputs, needs)
    try:
        sizes = solve(inputs, sm=compute_capability(facts))
    except (NotModelled, ValueError) as error:
        return replace(base, inputs=inputs, needs=_unique((*needs, str(error))))
    hosted, host_needs = _host_cache(facts, inputs, sizes)
    return replace(
        base,
        inputs=inputs,
        sizes=sizes,
        pools=tuple(rows(inputs, sizes)),
        host_cache=hosted,
        facts=facts,
        needs=_unique((*needs, *host_needs)),
    )


def _host_cache(facts: Facts, inputs: PoolInputs, sizes: Pools) -> tuple[HostCache | None, tuple[str, ...]]:
    try:
        return host_cache(facts, inputs, sizes), ()
    except Undecided as undecided:
        return None, undecided.unknown.reasons


def _budget(facts: Facts, rest_bytes: int | None) -> Budget:
    if rest_bytes is not None:
        return Budget("exact", rest_bytes)
    from .estimate import estimate

    return estimate(facts)


def _rates_only(base: Plan, inputs: PoolInputs, needs: tuple[str, ...]) -> Plan:
    try:
        found = tuple(rates(inputs))
    except (NotModelled, ValueError) as error:
        return replace(base, inputs=inputs, needs=_unique((*needs, str(error))))
    return replace(base, inputs=inputs, pools=found, needs=_unique(needs))


def _inputs(facts: Facts, rest_bytes: int) -> tuple[PoolInputs | None, tuple[str, ...]]:
    """Inputs, with the draft left out where only the draft is not known."""
    try:
        return gather(facts, rest_bytes), ()
    except Undecided as undecided:
        reasons = undecided.unknown.reasons
    try:
        inputs = gather(facts, rest_bytes, with_draft=False)
    except Undecided as undecided:
        return None, undecided.unknown.reasons
    return inputs, (*reasons, "the draft model's own pool is left out of these sizes")


def _known(facts: Facts, name: str) -> str | None:
    value = facts.look(name)
    return None if value is None or isinstance(value, Unknown) else str(value)


def _unique(needs: tuple[str, ...] | Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(needs))
