"""How a memory plan divides one GPU, as segments in the order in which they are taken. What a picture draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ..records import dataclass

Plan = Mapping[str, Any]
"""A plan in the form of the JSON of ``size``."""

Kind = Literal[
    "context", "weights", "draft-weights", "full", "swa", "state", "lent", "draft", "tokens", "spare", "reserve", "over"
]

TITLES: dict[Kind, str] = {
    "context": "context and communication",
    "weights": "weights",
    "draft-weights": "draft weights",
    "full": "full tokens",
    "swa": "sliding-window tokens",
    "state": "recurrent state",
    "lent": "arena beyond its tokens",
    "draft": "draft KV pool",
    "tokens": "token pools",
    "spare": "other reservations",
    "reserve": "left free (activations, graphs)",
    "over": "more than the GPU has",
}
_TERMS: tuple[tuple[str, Kind], ...] = (
    ("context_overhead", "context"),
    ("weights", "weights"),
    ("draft_weights", "draft-weights"),
)
_BANDS: tuple[Kind, ...] = ("full", "swa", "state")

NEGLIGIBLE = 1000
"""A remainder below this part of the whole is rounding, and no segment."""


@dataclass(frozen=True)
class Segment:
    """One part of the GPU's memory. ``tokens`` (slots for state) of a pool; ``arena`` for parts of the arena."""

    kind: Kind
    bytes: int
    tokens: int | None = None
    arena: bool = False

    @property
    def title(self) -> str:
        return TITLES[self.kind]


@dataclass(frozen=True)
class ArenaMap:
    """The unified buffer: bands in bytes, and what is counted along it in ids of the full side.

    ids
        highest token id.
    budget
        ids the scheduler's token budget would need.
    draft_rows
        highest id that the draft model's own pool has a row for; None without such a pool.
    """

    bytes: int
    bands: tuple[Segment, ...]
    ids: int
    budget: int
    draft_rows: int | None = None


@dataclass(frozen=True)
class MemoryMap:
    """``total`` bytes of the bar, ``limit`` where the static memory fraction ends (None for a given byte budget).

    ``gpu`` is the end of the GPU's memory where more than that is asked for.
    """

    total: int
    segments: tuple[Segment, ...]
    limit: int | None = None
    arena: ArenaMap | None = None
    gpu: int | None = None


def memory_map(plan: Plan) -> MemoryMap | None:
    """The division of one GPU that ``plan`` comes to; None where neither its budget nor its pools have bytes."""
    budget = plan.get("budget") or {}
    rest = budget.get("rest")
    if rest is None:
        return None
    total = budget.get("total")
    taken = [Segment(kind, budget[name]) for name, kind in _TERMS if budget.get(name)]
    taken += _pools(plan)
    used = sum(segment.bytes for segment in taken)
    if total is None:
        left = [Segment("spare", rest - used)] if rest - used > rest // NEGLIGIBLE else []
        return MemoryMap(max(rest, used, 1), (*taken, *left), None, _arena(plan))
    limit = total - (budget.get("reserved_by_fraction") or 0)
    gpu = total if used > total else None
    return MemoryMap(max(total, used), (*taken, *_left(total, limit, used)), limit, _arena(plan), gpu)


def _left(total: int, limit: int, used: int) -> Iterator[Segment]:
    if limit - used > total // NEGLIGIBLE:
        yield Segment("spare", limit - used)
    if used < total:
        yield Segment("reserve", total - max(used, limit))


def _pools(plan: Plan) -> list[Segment]:
    rows = {row["name"]: row for row in plan.get("pools") or ()}
    arena = rows.get("arena")
    found = _bands(rows, arena["bytes"]) if arena else [*_sized(rows)]
    if not found and plan.get("max_total_num_tokens") and plan.get("kv_budget_bytes"):
        found = [Segment("tokens", plan["kv_budget_bytes"], plan["max_total_num_tokens"])]
    draft = rows.get("draft")
    if draft and draft.get("bytes"):
        found.append(Segment("draft", draft["bytes"], draft.get("tokens")))
    return found


def _sized(rows: Mapping[str, Plan]) -> Iterator[Segment]:
    for kind in _BANDS:
        if kind in rows and rows[kind].get("bytes"):
            yield Segment(kind, rows[kind]["bytes"], rows[kind].get("tokens"))


def _bands(rows: Mapping[str, Plan], total: int) -> list[Segment]:
    """Bands of the arena: never more bytes than it has, and what no band counts in a part of its own."""
    found: list[Segment] = []
    left = total
    for segment in _sized(rows):
        size = min(segment.bytes, left)
        found.append(Segment(segment.kind, size, segment.tokens, arena=True))
        left -= size
    if left > total // NEGLIGIBLE:
        found.insert(1, Segment("lent", left, arena=True))
    return found


def _arena(plan: Plan) -> ArenaMap | None:
    rows = {row["name"]: row for row in plan.get("pools") or ()}
    arena, budget = rows.get("arena"), plan.get("max_total_num_tokens")
    if arena is None or not budget or not arena.get("virtual_id_span"):
        return None
    draft = rows.get("draft")
    # A fused draft has no bytes of its own; its rows follow every id.
    own = draft is not None and bool(draft.get("bytes"))
    return ArenaMap(
        bytes=arena["bytes"],
        bands=tuple(_bands(rows, arena["bytes"])),
        ids=arena["virtual_id_span"],
        budget=budget,
        draft_rows=draft["tokens"] if draft is not None and own else None,
    )
