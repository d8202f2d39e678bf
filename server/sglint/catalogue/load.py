"""Flag tables by release: the shipped catalogue, and releases the user added."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from ..data import rules_dir
from . import store
from .flag import FlagTable
from .release import release_key

FILE = "flags/catalogue.jsonl"
DIFFUSION_FILE = "flags/diffusion.txt"


class UnknownRelease(KeyError):
    """The catalogue has no such release; :func:`nearest` names one that it has."""


@lru_cache(maxsize=1)
def _shipped() -> store.Shelf:
    return store.Shelf((rules_dir() / FILE).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _shipped_releases() -> tuple[str, ...]:
    return _shipped().releases


def user_dir() -> Path:
    """Folder of the releases that the user added, one ``RELEASE.jsonl`` each (``SGLINT_CATALOGUE`` overrides)."""
    named = os.environ.get("SGLINT_CATALOGUE")
    if named:
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "sglint" / "flags"


def _added() -> dict[str, Path]:
    try:
        folder = user_dir()
        names = os.listdir(folder)  # noqa: PTH208
    except (OSError, RuntimeError):
        return {}
    stems = (name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl"))
    return {stem: folder / f"{stem}.jsonl" for stem in stems if _is_release(stem)}


def _is_release(text: str) -> bool:
    try:
        release_key(text)
    except ValueError:
        return False
    return True


def releases() -> tuple[str, ...]:
    """All known releases, oldest first."""
    added = [release for release in _added() if release not in _shipped_releases()]
    return tuple(sorted((*_shipped_releases(), *added), key=release_key)) if added else _shipped_releases()


def load(release: str) -> FlagTable:
    """The flags of a release. Raises :class:`UnknownRelease`."""
    release = release.removeprefix("v")
    if release in _shipped_releases():
        return _load_shipped(release)
    file = _added().get(release)
    if file is None:
        raise UnknownRelease(release)
    return store.read(file.read_text(encoding="utf-8"), release)


@lru_cache(maxsize=32)
def _load_shipped(release: str) -> FlagTable:
    return _shipped().table(release)


def nearest(release: str) -> str:
    """The known release by which ``release`` is read.

    Itself when known; else the nearest older one; the oldest for anything older; the newest for a text that
    is no release number (``latest``, ``nightly``).
    """
    release = release.removeprefix("v")
    if release in _shipped_releases():
        return release
    known = releases()
    if release in known:
        return release
    if not _is_release(release):
        return known[-1]
    older = [candidate for candidate in known if release_key(candidate) <= release_key(release)]
    return older[-1] if older else known[0]


@lru_cache(maxsize=1)
def diffusion_names() -> frozenset[str]:
    """Option names that the diffusion server of some release has, and neither SGLang's server nor other programs."""
    return frozenset((rules_dir() / DIFFUSION_FILE).read_text(encoding="utf-8").split())
