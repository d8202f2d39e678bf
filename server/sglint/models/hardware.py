"""GPUs by name: capability and memory, from rules/hardware."""

from __future__ import annotations

import re
from functools import lru_cache

from ..data import rules_dir
from ..patterns import lazy
from ..records import dataclass

_SEPARATORS = lazy(r"[^a-z0-9]")
_BRANDS = ("nvidia", "amd", "instinct", "tesla", "quadro", "geforce", "rtx")
# Operators append these to the product label when a GPU is shared or partitioned in time.
_SUFFIXES = ("shared", "mps")


@dataclass(frozen=True)
class Gpu:
    """One kind of GPU.

    ``sm`` is the compute capability times ten (90, 100, 120); ``memory_mib`` is the total the driver reports, in MiB,
    None where it is not known; ``sms`` counts streaming multiprocessors.
    """

    name: str
    title: str
    vendor: str
    sm: int
    sms: int | None = None
    memory_mib: int | None = None


def find(name: str) -> Gpu | None:
    """The GPU a name, a Kubernetes label value or a driver's product string stands for; None when unknown.

    ``h200x8`` and ``8xh200`` are not names; see :func:`split_count`.
    """
    key = _SEPARATORS.sub("", name.lower())
    table = _table()
    for suffix in ("", *_SUFFIXES):
        stem = key.removesuffix(suffix) if suffix else key
        while stem:
            if stem in table:
                return table[stem]
            shorter = next((stem[len(brand) :] for brand in _BRANDS if stem.startswith(brand)), "")
            if not shorter:
                break
            stem = shorter
    return None


def split_count(text: str) -> tuple[str, int | None]:
    """``h200x8`` or ``8xh200`` as name and count, from 1 on; a text without a count gives None for it."""
    text = text.strip()
    match = re.fullmatch(r"(.*\S)\s*[x*:]([1-9]\d{0,3})", text, re.IGNORECASE)
    if match and find(match[1]):
        return match[1], int(match[2])
    match = re.fullmatch(r"([1-9]\d{0,3})\s*[x*]\s*(\S.*)", text, re.IGNORECASE)
    if match and find(match[2]):
        return match[2], int(match[1])
    return text, None


def names() -> tuple[str, ...]:
    """Names of all known GPUs, for completion."""
    return tuple(dict.fromkeys(gpu.name for gpu in _table().values()))


@lru_cache(maxsize=1)
def _table() -> dict[str, Gpu]:
    table: dict[str, Gpu] = {}
    for file in sorted((rules_dir() / "hardware").glob("*.tsv")):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                continue
            name, title, vendor, sm, sms, memory_mib, aliases = line.split("\t")
            gpu = Gpu(name, title, vendor, int(sm), _number(sms), _number(memory_mib))
            for known_as in (name, title, *(aliases.split() if aliases != "-" else ())):
                key = _SEPARATORS.sub("", known_as.lower())
                table.setdefault(key, gpu)
                for brand in _BRANDS:
                    if key.startswith(brand) and key != brand:
                        table.setdefault(key.removeprefix(brand), gpu)
    return table


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)
