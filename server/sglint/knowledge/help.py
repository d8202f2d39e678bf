"""One sentence of our own for each flag that is worth one."""

from __future__ import annotations

from functools import lru_cache

from ..data import rules_dir

FILE = "flags/help.tsv"


def explain(dest: str) -> str | None:
    """What the argument ``dest`` does, in one sentence; None where nothing is written down."""
    return _sentences().get(dest)


@lru_cache(maxsize=1)
def _sentences() -> dict[str, str]:
    text = (rules_dir() / FILE).read_text(encoding="utf-8")
    return dict(line.split("\t", 1) for line in text.split("\n") if line)
