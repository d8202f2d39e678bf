"""What people ask of a memory plan: which fraction works, how many requests and why, what a choice costs in tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..facts import Facts, Undecided
from ..records import dataclass, replace
from .budget import Budget
from .early_facts import is_early
from .early_reserve import early_reserve_mib
from .gather import compute_capability
from .inputs import NotModelled, PoolInputs
from .reserve import reserve_mib, total_mib
from .result import Pools
from .solve import solve

if TYPE_CHECKING:
    from .plan import Plan

HUNDREDTHS = 100
SPECULATIVE_REQUESTS = 48
"""``--max-running-requests`` that speculation sets when it is unset."""


@dataclass(frozen=True)
class Limit:
    """One bound on the requests that run at a time, per copy of attention; ``name`` says what sets it."""

    name: str
    requests: int


@dataclass(frozen=True)
class Choice:
    """Tokens of the same GPU after one change; None for a side it does not have."""

    change: str
    tokens: int
    swa_tokens: int | None = None


@dataclass(frozen=True)
class Fraction:
    """The fraction in force and those that work, in hundredths.

    least
        leaves one request of ``context`` tokens beside the weights; None where no fraction does.
    most
        keeps what the release itself reserves for activations and graphs; None where that is not known.
    """

    value: float
    least: float | None
    most: float | None

    @property
    def empty(self) -> bool:
        return self.least is None or (self.most is not None and self.least > self.most)


@dataclass(frozen=True)
class Answers:
    """``limits`` are in ascending order: the first one wins. ``fitting`` requests of ``context`` tokens at a time.

    ``now``: tokens as they are, and those of the sliding-window side.
    """

    now: tuple[int, int | None]
    context: int | None
    fitting: float | None
    limits: tuple[Limit, ...] = ()
    fraction: Fraction | None = None
    choices: tuple[Choice, ...] = ()

    def to_json(self) -> dict[str, Any]:
        fraction = self.fraction
        return {
            "context_length": self.context,
            "requests_at_context": None if self.fitting is None else round(self.fitting, 2),
            "limits": [{"name": limit.name, "requests": limit.requests} for limit in self.limits],
            "mem_fraction_static": fraction
            and {"value": fraction.value, "least": fraction.least, "most": fraction.most},
            "choices": [
                {"change": choice.change, "max_total_num_tokens": choice.tokens, "swa_tokens": choice.swa_tokens}
                for choice in self.choices
            ],
            "text": list(self.sentences()),
        }

    def sentences(self) -> Iterator[str]:
        if self.limits:
            first = self.limits[0]
            text = f"{first.requests:,} requests run at a time, by {first.name}"
            if self.context and self.fitting is not None:
                shown = f"{self.fitting:,.0f}" if self.fitting >= 10 else f"{self.fitting:.1f}"
                text += f"; of {self.context:,} tokens each, {shown} fit"
            following = self.limits[1:2]
            yield f"{text}." + "".join(f" The next bound is {each.requests:,}, by {each.name}." for each in following)
        if self.fraction is not None:
            yield _fraction_sentence(self.fraction, self.context)
        if self.choices:
            parts = [_choice_text(choice) for choice in self.choices]
            yield f"Tokens on the same GPU: {_counts(self.now)} as it is; {'; '.join(parts)}."


def _choice_text(choice: Choice) -> str:
    return f"{_counts((choice.tokens, choice.swa_tokens))} {choice.change}"


def _counts(tokens: tuple[int, int | None]) -> str:
    full, window = tokens
    return f"{full:,}" if window is None else f"{full:,} and {window:,} sliding-window"


def _fraction_sentence(fraction: Fraction, context: int | None) -> str:
    name = f"--mem-fraction-static {fraction.value:.3f}"
    one = f"one request of {context:,} tokens" if context else "a page of tokens"
    if fraction.least is None:
        return f"No --mem-fraction-static leaves {one} beside the weights; {fraction.value:.3f} is in force."
    if fraction.most is None:
        return f"{name}: from {fraction.least:.2f} on {one} fits."
    reserve = "what the release keeps for activations and graphs"
    if fraction.empty:
        return (
            f"{name}: {one} takes {fraction.least:.2f} or more, and above {fraction.most:.2f} it takes from {reserve}: "
            "no fraction does both."
        )
    return f"{name}: {fraction.least:.2f} ({one}) to {fraction.most:.2f} ({reserve}) works."


def answers(facts: Facts, found: Plan) -> Answers | None:
    """Answers for a plan with sizes; None where the pools have none."""
    inputs, sizes = found.inputs, found.sizes
    if inputs is None or sizes is None or sizes.max_total_num_tokens <= 0:
        return None
    context = inputs.context_length or None
    fitting = sizes.max_total_num_tokens * inputs.dcp / context if context else None
    return Answers(
        (sizes.max_total_num_tokens, sizes.swa_tokens),
        context,
        fitting,
        _limits(facts, inputs, sizes),
        _fraction(facts, inputs, found.budget),
        tuple(_choices(facts, inputs, found.budget)),
    )


def _limits(facts: Facts, inputs: PoolInputs, sizes: Pools) -> tuple[Limit, ...]:
    """Bounds in ascending order (``resolve_max_num_reqs``); only the outcome where a release counts otherwise."""
    tokens, running = sizes.max_total_num_tokens, sizes.max_running_requests
    asked = inputs.requests_per_copy()
    found = [Limit("half the tokens of the pool", tokens // 2)]
    if asked is None:
        derived = max(min(int(tokens / max(inputs.context_length, 1) * 512), 4096), 2048)
        found.append(Limit("the release's own bound by tokens and context", derived))
    else:
        given = facts.look("args.max_running_requests") is not None
        found.append(Limit("--max-running-requests" if given else "the default under speculation", asked))
    if sizes.state is not None:
        slots, each = sizes.state.slots, sizes.state.slots_per_request
        found.append(Limit(f"{slots:,} state slots, {each} a request", slots // each))
    found.sort(key=lambda limit: limit.requests)
    return tuple(found) if found[0].requests == running else (Limit("what the release makes of its tokens", running),)


def _fraction(facts: Facts, inputs: PoolInputs, budget: Budget) -> Fraction | None:
    terms = {term.name: term.value for term in budget.terms}
    if budget.fraction is None or "total" not in terms:
        return None
    free = terms["total"] - terms.get("context_overhead", 0)
    loaded = terms.get("weights", 0) + terms.get("draft_weights", 0)
    sm = compute_capability(facts)

    def serves(hundredths: int) -> bool:
        rest = free * hundredths // HUNDREDTHS - loaded
        if rest <= 0:
            return False
        try:
            sizes = solve(inputs.with_rest(rest), sm=sm)
        except (NotModelled, ValueError):
            return False
        refused = sizes.refusal is not None and sizes.refusal.depends_on_budget
        return not refused and sizes.max_total_num_tokens * inputs.dcp >= (inputs.context_length or 1)

    low, high = 0, HUNDREDTHS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if serves(middle) else (middle, high)
    return Fraction(budget.fraction, None if high == HUNDREDTHS else high / HUNDREDTHS, _most(facts))


def _most(facts: Facts) -> float | None:
    """The largest fraction, in hundredths, that leaves free what the release reserves by default."""
    try:
        total = total_mib(facts)
        reserve = early_reserve_mib(facts, total) if is_early(facts["release"]) else reserve_mib(facts)
    except Undecided:
        return None
    return int((total - reserve) / total * HUNDREDTHS) / HUNDREDTHS


def _choices(facts: Facts, inputs: PoolInputs, budget: Budget) -> Iterator[Choice]:
    """What the token counts would be without speculation, without the unified pool, with the other KV data type."""
    drafts = next((term.value for term in budget.terms if term.name == "draft_weights"), 0)
    if inputs.algorithm is not None:
        requests = inputs.max_running_requests
        if facts.look("args.max_running_requests") is None and requests == SPECULATIVE_REQUESTS:
            requests = None
        plain = replace(
            inputs,
            algorithm=None,
            draft=None,
            draft_tokens=None,
            steps=None,
            topk=None,
            max_running_requests=requests,
            rest_bytes=inputs.rest_bytes + drafts,
        )
        yield from _sized(facts, plain, "without speculation")
    if inputs.unified:
        yield from _sized(facts, replace(inputs, unified=False), "without the unified pool")
    if not inputs.traits.deepseek_v4 and not inputs.model.kv_cache_quantized:
        if inputs.kv_bytes == 2:
            yield from _sized(facts, replace(inputs, kv_dtype="fp8_e4m3"), "with --kv-cache-dtype fp8_e4m3")
        elif inputs.kv_dtype in ("fp8_e4m3", "fp8_e5m2"):
            yield from _sized(facts, replace(inputs, kv_dtype="auto"), f"with a {inputs.model_dtype} cache")


def _sized(facts: Facts, inputs: PoolInputs, change: str) -> Iterator[Choice]:
    try:
        sizes = solve(inputs, sm=compute_capability(facts))
    except (NotModelled, ValueError):
        return
    if sizes.refusal is None and sizes.max_total_num_tokens > 0:
        yield Choice(change, sizes.max_total_num_tokens, sizes.swa_tokens)
