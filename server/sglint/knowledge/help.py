"""One sentence of our own for each flag that is worth one, and which flags most people use."""

from __future__ import annotations

from functools import lru_cache

from ..data import rules_dir

FILE = "flags/help.tsv"


def explain(dest: str) -> str | None:
    """What the argument ``dest`` does, in one sentence; None where nothing is written down."""
    return sentences().get(dest)


def commonness(dest: str) -> int:
    """Rank of an argument by the number of public repositories that use it, from 1; 0 for one that few use."""
    return _ranks().get(dest, 0)


@lru_cache(maxsize=1)
def sentences() -> dict[str, str]:
    """All sentences by argument."""
    return {row[0]: row[1] for row in _rows()}


@lru_cache(maxsize=1)
def _ranks() -> dict[str, int]:
    return {row[0]: int(row[2]) for row in _rows() if len(row) > 2}


@lru_cache(maxsize=1)
def _rows() -> tuple[list[str], ...]:
    text = (rules_dir() / FILE).read_text(encoding="utf-8")
    return tuple(line.split("\t") for line in text.split("\n") if line)
