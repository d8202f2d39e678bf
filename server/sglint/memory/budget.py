"""The bytes a release has for its pools: given, estimated with an interval, or not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ..records import dataclass, field

Confidence = Literal["exact", "estimated", "unknown"]


@dataclass(frozen=True)
class Term:
    """One amount of a budget, bytes: best value and the interval we claim; ``formula`` and ``inputs`` in words."""

    name: str
    value: int
    low: int
    high: int
    formula: str
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Budget:
    """``rest``: bytes left for pools after weights and slack; ``low`` and ``high`` bound an estimate.

    ``needs`` say what is missing where it is unknown.
    """

    confidence: Confidence
    rest: int | None = None
    low: int | None = None
    high: int | None = None
    terms: tuple[Term, ...] = ()
    fraction: float | None = None
    needs: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        by_name = {term.name: term.value for term in self.terms}
        return {
            "total": by_name.get("total"),
            "reserved_by_fraction": by_name.get("reserved_by_fraction"),
            "weights": by_name.get("weights"),
            "draft_weights": by_name.get("draft_weights"),
            "context_overhead": by_name.get("context_overhead"),
            "rest": self.rest,
            "rest_low": self.low,
            "rest_high": self.high,
            "mem_fraction_static": self.fraction,
            "confidence": self.confidence,
            "terms": [
                {"name": term.name, "bytes": term.value, "low": term.low, "high": term.high}
                | {"formula": term.formula, "inputs": list(term.inputs)}
                for term in self.terms
            ],
        }
