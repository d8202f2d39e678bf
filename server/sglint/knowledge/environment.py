"""Environment variables (``SGLANG_*``, ``SGL_*``) and the releases whose source reads them."""

from __future__ import annotations

import re
from functools import lru_cache

from ..catalogue import nearest, release_key, store
from ..data import rules_dir
from ..records import dataclass

FILE = "flags/environment.txt"
LEGACY, CURRENT = "SGL_", "SGLANG_"


@dataclass(frozen=True)
class EnvironmentReads:
    """A variable and all known releases that read it, oldest first."""

    name: str
    releases: tuple[str, ...]

    @property
    def first(self) -> str:
        return self.releases[0]

    @property
    def last(self) -> str:
        return self.releases[-1]


def env_reads(name: str) -> EnvironmentReads | None:
    """Who reads ``name``; None for a name that no release ever read, which may be anybody's own."""
    releases = _releases_reading(name)
    return EnvironmentReads(name, releases) if releases else None


def reads(name: str, release: str) -> bool | None:
    """Whether a release reads ``name``; None when that is not known: no release does, or this one is too new."""
    found = env_reads(name)
    known = _releases()
    if found is None or release_key(release.removeprefix("v")) > release_key(known[-1]):
        return None
    return nearest(release) in found.releases


def _releases_reading(name: str) -> tuple[str, ...]:
    spans = _spans_of(name)
    if name.startswith(LEGACY):
        forwarded = frozenset(store.indices_of(_lines()[1])) & _spans_of(name.replace(LEGACY, CURRENT, 1))
        spans = spans | forwarded
    return tuple(release for index, release in enumerate(_releases()) if index in spans)


@lru_cache(maxsize=256)
def _spans_of(name: str) -> frozenset[int]:
    if not re.fullmatch(r"SGL(ANG)?_[A-Z0-9_]+", name):
        return frozenset()
    match = re.search(rf"^([\d,-]+)\t(?:.* )?{name}(?= |$)", _text(), re.MULTILINE)
    return frozenset(store.indices_of(match[1])) if match else frozenset()


@lru_cache(maxsize=1)
def _text() -> str:
    return (rules_dir() / FILE).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _lines() -> tuple[str, str]:
    first, second, _ = _text().split("\n", 2)
    return first, second


@lru_cache(maxsize=1)
def _releases() -> tuple[str, ...]:
    return tuple(_lines()[0].split(" "))
