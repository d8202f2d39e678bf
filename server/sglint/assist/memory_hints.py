"""What memory makes of a number that a launch gives, in few words behind that number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..launch.options import Option
from ..memory import Plan, plan
from ..records import dataclass
from ..rules.findings import Judged

GIB = 1 << 30

FLAGS: Mapping[str, str] = {
    "mem_fraction_static": "mem-fraction-static",
    "context_length": "context-length",
    "max_running_requests": "max-running-requests",
    "swa_full_tokens_ratio": "swa-full-tokens-ratio",
    "tp_size": "tp",
}
"""Arguments that get a hint, with the names by which a user turns each off."""


@dataclass(frozen=True)
class MemoryHint:
    """``offset``: the end of the option's words; ``name`` one of :data:`FLAGS`; ``why`` where the number is from."""

    offset: int
    name: str
    label: str
    why: str


def memory_hints(judged: Judged, path: str) -> Iterator[MemoryHint]:
    """Hints for the options of a launch that stand in the file at ``path``; none where sizes are not known."""
    options = list(_options(judged, path))
    if judged.facts is None or not options:
        return
    found = plan(judged.facts)
    if found.budget.rest is None:
        return
    for dest, option in options:
        label = _LABELS[dest](found, option.value)
        if label:
            span = option.value_span or option.flag_span
            yield MemoryHint(span.end, FLAGS[dest], label, _why(found))


def memory_line(judged: Judged) -> str:
    """Tokens and requests of a launch in a few words; empty where its sizes are not known."""
    found = plan(judged.facts) if judged.facts is not None else None
    if found is None or found.sizes is None or not found.max_total_num_tokens:
        return ""
    requests = found.sizes.max_running_requests
    return f"about {found.max_total_num_tokens:,} tokens, {requests:,} request{'s' if requests != 1 else ''} at a time"


def _options(judged: Judged, path: str) -> Iterator[tuple[str, Option]]:
    """The occurrence of each argument that counts, which is the last one."""
    for dest in FLAGS:
        last = next(reversed(judged.parsed.of(dest)), None)
        if last is None or not last.known or last.presence != "yes" or last.implied:
            continue
        if last.words[-1].path in (None, path):
            yield dest, last


def _why(found: Plan) -> str:
    budget = found.budget
    text = f"Estimated for SGLang {found.release} on {found.gpu}: {_gib(budget.rest or 0)} for the pools"
    if budget.low is not None and budget.high is not None:
        text += f", between {_gib(budget.low)} and {_gib(budget.high)}"
    answers = found.answers
    lines = "".join(f"\n\n{line}" for line in answers.sentences()) if answers is not None else ""
    return f"{text}. `sglint size` shows the terms.{lines}"


def _fraction(found: Plan, value: Any) -> str:
    rest = found.budget.rest or 0
    if rest <= 0:
        return f"{_gib(-rest)} too little for the weights"
    fraction = found.answers.fraction if found.answers is not None else None
    text = f"about {_gib(rest)} for the pools"
    if fraction is None or fraction.least is None or fraction.most is None or fraction.empty:
        return text
    return f"{text}; {fraction.least:.2f} to {fraction.most:.2f} works"


def _context(found: Plan, value: Any) -> str:
    tokens = found.max_total_num_tokens
    if not tokens or not value:
        return ""
    fitting = tokens / value
    return f"about {fitting:,.0f} such requests fit" if fitting >= 10 else f"about {fitting:.2g} such requests fit"


def _requests(found: Plan, value: Any) -> str:
    tokens = found.max_total_num_tokens
    if not tokens or found.sizes is None or not value:
        return ""
    running = found.sizes.max_running_requests
    copies = found.inputs.attn_dp if found.inputs is not None else 1
    if running * copies < value:
        return f"memory allows about {running * copies:,}"
    return f"about {tokens // running:,} tokens each"


def _window_tokens(found: Plan, value: Any) -> str:
    tokens = found.sizes.swa_tokens if found.sizes is not None and found.max_total_num_tokens else None
    return "" if tokens is None else f"about {tokens:,} sliding-window tokens"


def _weights(found: Plan, value: Any) -> str:
    weights = next((term.value for term in found.budget.terms if term.name == "weights"), None)
    return "" if weights is None else f"about {_gib(weights)} of weights on each GPU"


_LABELS: Mapping[str, Callable[[Plan, Any], str]] = {
    "mem_fraction_static": _fraction,
    "context_length": _context,
    "max_running_requests": _requests,
    "swa_full_tokens_ratio": _window_tokens,
    "tp_size": _weights,
}


def _gib(size: int) -> str:
    return f"{size / GIB:.1f} GiB"
