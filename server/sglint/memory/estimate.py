"""Estimating the bytes left for pools from the GPU, the memory fraction and the model's weights."""

from __future__ import annotations

from ..facts import Facts
from .budget import Budget

NOT_KNOWN = "the byte budget: give the bytes left after weights and slack with --rest-bytes"


def estimate(facts: Facts) -> Budget:
    """The estimated budget of a launch, with an interval; unknown with reasons where a term is missing."""
    return Budget("unknown", needs=(NOT_KNOWN,))
