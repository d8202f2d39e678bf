"""The three checks: weights of a GPU, tokens from printed memory, tokens end to end."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from sglint.memory import plan
from sglint.memory.estimate import weights_of

from .records import Check, Record, of_check

GIB = 1 << 30
PRINTED_TO = 0.005
"""GiB by which a printed size may be rounded."""
ALLOCATED_BETWEEN = 0.09
"""GiB that attention backends and samplers allocate between the printed line and the sizing of pools, at most."""
CHECKS: tuple[Check, ...] = ("memory", "weights", "end_to_end", "assumed")


@dataclass(frozen=True)
class Compared:
    """One record: ``real`` as printed, ``ours`` with the interval claimed; bytes or tokens."""

    record: Record
    real: float
    ours: float
    low: float
    high: float

    @property
    def error(self) -> float:
        return self.ours / self.real - 1

    @property
    def width(self) -> float:
        return (self.high - self.low) / self.ours

    @property
    def inside(self) -> bool:
        return self.low <= self.real <= self.high


def compare(record: Record, check: Check) -> Compared:
    return _COMPARISONS[check](record)


def _weights(record: Record) -> Compared:
    found = weights_of(record.facts())
    real, slack = record.printed["weights_gb_per_gpu"], PRINTED_TO
    return Compared(record, real, found.value / GIB, found.low / GIB - slack, found.high / GIB + slack)


def _memory(record: Record) -> Compared:
    """Tokens from the free memory printed before and after loading, and the fraction."""
    printed, facts = record.printed, record.facts()
    fraction = printed["mem_fraction_static"]
    before, after = printed["avail_mem_before_load_gb"], printed["avail_mem_after_load_gb"]

    def tokens(error: float) -> int:
        rest = after + error - (before - error) * (1 - fraction)
        found = plan(facts, int(rest * GIB)).max_total_num_tokens
        assert found is not None, record.title
        return found

    # Slots of recurrent state are whole, so that fewer bytes can mean one slot less and more tokens.
    ends = [tokens(error) for error in (-PRINTED_TO - ALLOCATED_BETWEEN, -ALLOCATED_BETWEEN / 2, 0, PRINTED_TO)]
    return Compared(record, printed["max_total_num_tokens"], tokens(0), min(ends), max(ends))


def _end_to_end(record: Record) -> Compared:
    found = plan(record.facts())
    assert found.max_total_num_tokens is not None, (record.title, found.needs)
    assert found.low is not None and found.high is not None
    low, high = found.low.max_total_num_tokens, found.high.max_total_num_tokens
    return Compared(record, record.printed["max_total_num_tokens"], found.max_total_num_tokens, low, high)


_COMPARISONS = {"weights": _weights, "memory": _memory, "end_to_end": _end_to_end, "assumed": _end_to_end}


def used(check: Check) -> list[Record]:
    return [record for record in of_check(check) if record.reason(check) is None]


def left_out(check: Check) -> list[tuple[Record, str]]:
    return [(record, reason) for record in of_check(check) if (reason := record.reason(check)) is not None]


def p90(errors: list[float]) -> float:
    ordered = sorted(errors)
    return ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]


TITLES = {
    "memory": "tokens from printed available memory",
    "weights": "weights per GPU, GiB",
    "end_to_end": "tokens end to end",
    "assumed": "tokens end to end, flags not shown and taken for defaults",
}


def row(check: Check) -> str:
    """The check as a row of the table in ``docs/sizing.md``."""
    compared = [compare(record, check) for record in used(check)]
    errors = [abs(item.error) for item in compared]
    inside = sum(item.inside for item in compared)
    cells = (
        TITLES[check],
        f"{len(compared)} of {len(of_check(check))}",
        f"{statistics.median(errors):.1%}",
        f"{p90(errors):.1%}",
        f"{inside} of {len(compared)}",
    )
    return f"| {' | '.join(cells)} |"


def report(check: Check) -> str:
    """The check as text: counts, median, 90th percentile, every record used and left out."""
    compared = [compare(record, check) for record in used(check)]
    errors = [abs(item.error) for item in compared]
    title = TITLES[check]
    lines = [
        f"{title}: {len(compared)} of {len(of_check(check))} records used, median {statistics.median(errors):.2%}, "
        f"90th percentile {p90(errors):.2%}, {sum(item.inside for item in compared)} of {len(compared)} inside the "
        f"interval, widest {max(item.width for item in compared):.1%}"
    ]
    digits = 2 if check == "weights" else 0
    for item in compared:
        lines.append(
            f"  {item.record.title} real {item.real:>12,.{digits}f} ours {item.ours:>12,.{digits}f} {item.error:+7.2%} "
            f"interval {item.low:,.{digits}f} to {item.high:,.{digits}f} ({item.width:.1%})"
            + ("" if item.inside else "  OUTSIDE")
        )
    lines += [f"  {record.title} left out: {reason}" for record, reason in left_out(check)]
    return "\n".join(lines)
