"""A memory plan for people: pools as aligned rows with bars, limits, and the arithmetic in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .columns import printable
from .style import Style, wrapped

GIB = 1024**3
_BAR = 24
_TERMS = {
    "total": (" ", "GPU memory"),
    "reserved_by_fraction": ("-", "kept free by the memory fraction"),
    "weights": ("-", "weights"),
    "draft_weights": ("-", "draft weights"),
    "context_overhead": ("-", "context and communication"),
    "rest": ("=", "left for the pools"),
}

Plan = Mapping[str, Any]
"""A plan in the form of the JSON of ``size``."""


def size_text(plan: Plan, style: Style) -> Iterator[str]:
    """Indented lines below a launch's heading."""
    yield from _budget(plan.get("budget") or {})
    pools = plan.get("pools") or []
    if pools:
        yield from ("", *_pools(pools, style), "")
    rows = [("max_total_num_tokens", plan.get("max_total_num_tokens")), *(plan.get("limits") or {}).items()]
    known = [(name, value) for name, value in rows if value is not None]
    width = max((len(name) for name, _ in known), default=0)
    for name, value in known:
        yield f"  {name:<{width}}  {_number(value)}"
    for line in (*answers_text(plan), *(plan.get("explanation") or ())):
        yield from _bullet(str(line), style)
    for need in plan.get("needs") or ():
        yield from _bullet(f"not known: {need}", style)


def answers_text(plan: Plan) -> Sequence[str]:
    """Sentences on requests, fractions and choices; none where the pools have no sizes."""
    return [str(line) for line in (plan.get("answers") or {}).get("text") or ()]


def _budget(budget: Mapping[str, Any]) -> Iterator[str]:
    """From the GPU's memory to what is left for the pools; terms that are not known are left out."""
    known = [(sign, title, budget[name]) for name, (sign, title) in _TERMS.items() if budget.get(name) is not None]
    width = max((len(title) for _, title, _ in known), default=0)
    terms = {_TERMS[term["name"]][1]: term for term in budget.get("terms") or () if term.get("name") in _TERMS}
    for sign, title, value in known:
        aside = _interval(budget) if sign == "=" else _aside(terms.get(title))
        yield f"  {sign} {title:<{width}}  {value / GIB:>8.2f} GiB{aside}"


def _aside(term: Mapping[str, Any] | None) -> str:
    """Between what bounds a term lies, and the first thing it was worked out from."""
    if term is None:
        return ""
    said = [f"{term['low'] / GIB:.2f} to {term['high'] / GIB:.2f}"] if term["low"] != term["high"] else []
    said += term["inputs"][:1]
    return f" ({'; '.join(said)})" if said else ""


def _interval(budget: Mapping[str, Any]) -> str:
    if budget.get("rest_low") is None or budget.get("rest_high") is None:
        return f" ({budget['rest']:,} bytes, given)"
    return f" (estimated; {budget['rest_low'] / GIB:.2f} to {budget['rest_high'] / GIB:.2f})"


def _pools(pools: Sequence[Mapping[str, Any]], style: Style) -> Iterator[str]:
    every = [("pool", "tokens", "bytes", "GiB", "per token"), *map(_pool_row, pools)]
    used = [column for column in range(len(every[0])) if any(row[column] for row in every[1:])]
    header, *rows = [tuple(row[column] for column in used) for row in every]
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    largest = max((pool.get("bytes") or 0 for pool in pools), default=0)
    yield style.paint(f"  {_aligned(header, widths)}", "faint")
    for row, pool in zip(rows, pools, strict=True):
        share = (pool.get("bytes") or 0) / largest if largest else 0
        bar = style.paint("#" * max(1, round(share * _BAR)), "related") if share else ""
        yield f"  {_aligned(row, widths)}  {bar}".rstrip()
        if pool.get("virtual_id_span") is not None:
            yield f"  {'':<{widths[0]}}  ids run to {_number(pool['virtual_id_span'])}"


def _pool_row(pool: Mapping[str, Any]) -> tuple[str, ...]:
    size = pool.get("bytes")
    gib = "" if size is None else f"{size / GIB:.2f}"
    return str(pool.get("name")), *map(_number, (pool.get("tokens"), size)), gib, _number(pool.get("per_token_bytes"))


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(row, widths, strict=True)
    return "  ".join((f"{first[0]:<{first[1]}}", *(f"{text:>{width}}" for text, width in rest)))


def _number(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _bullet(text: str, style: Style) -> Iterator[str]:
    first, *rest = wrapped(printable(text), style.width, "    ")
    yield f"  {style.paint('=', 'gutter')} {first[4:]}"
    yield from rest
