"""What a GPU holds before weights are loaded, measured on start-up logs; from rules/hardware."""

from __future__ import annotations

from functools import lru_cache

from ..data import rules_dir

GIB = 1 << 30
_FAMILIES = {7: "ampere", 9: "hopper", 10: "blackwell", 11: "blackwell"}
_AMPERE_WITH_NVLINK = 80


def context_bytes(sm: int | None, gpus: int) -> tuple[int, int, int]:
    """(likely, least, most) bytes of context, libraries and communicators on one of ``gpus`` GPUs.

    ``sm`` is the compute capability times ten; None takes the widest row of all families.
    """
    rows = _table()
    names = tuple({name for name, _ in rows}) if sm is None else (family_of(sm),)
    size = min((count for _, count in rows if count >= gpus), default=max(count for _, count in rows))
    found = [rows[name, size] for name in names]
    likely = sorted(row[1] for row in found)[len(found) // 2]
    return int(likely * GIB), int(min(row[0] for row in found) * GIB), int(max(row[2] for row in found) * GIB)


def family_of(sm: int) -> str:
    """Row of the table for a compute capability: GPUs without NVLink are ``pcie``."""
    return "ampere" if sm == _AMPERE_WITH_NVLINK else _FAMILIES.get(sm // 10, "pcie")


@lru_cache(maxsize=1)
def _table() -> dict[tuple[str, int], tuple[float, float, float]]:
    rows = {}
    for line in (rules_dir() / "hardware" / "context.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            family, gpus, least, likely, most, _ = line.split("\t")
            rows[family, int(gpus)] = (float(least), float(likely), float(most))
    return rows
