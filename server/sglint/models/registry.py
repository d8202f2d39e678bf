"""Known models: published configurations that SGLint ships, found by Hugging Face id."""

from __future__ import annotations

import json
from functools import lru_cache

from ..data import rules_dir
from ..records import dataclass, replace
from .config import facts_from_config
from .facts import ModelFacts

_NOTES = {
    "": None,
    "unconfirmed": "the registry's configuration of this model was written down from memory and not confirmed",
    "made-up": "the registry's configuration under this name is a made-up example",
}


@dataclass(frozen=True)
class Found:
    """A registry answer. ``name`` is the registered id; ``note`` is a sentence on how sure it is, or None."""

    facts: ModelFacts
    name: str
    note: str | None = None


def find(name: str) -> ModelFacts | None:
    """Facts of a known model by id, ignoring case, or None."""
    found = look_up(name)
    return found.facts if found else None


@lru_cache(maxsize=128)
def look_up(name: str) -> Found | None:
    """As :func:`find`, with the registered id and a note.

    A path or an id of another organisation matches by its last part when exactly one registered configuration has
    that last part; the note then says so.
    """
    key = name.strip().rstrip("/").lower()
    index = _index()
    if key in index:
        registered, slug, remark = index[key]
        return Found(replace(_facts(slug), name=registered), registered, _NOTES[remark])
    base = key.rsplit("/", 1)[-1]
    if not base:
        return None
    matches = {slug: registered for registered, slug, _ in index.values() if registered.lower().split("/")[-1] == base}
    if len(matches) != 1:
        return None
    ((slug, registered),) = matches.items()
    note = f"taken for {registered} by the last part of its name"
    return Found(replace(_facts(slug), name=name), registered, note)


def names() -> tuple[str, ...]:
    """All registered ids and short names, for completion; made-up examples are left out."""
    return tuple(name for name, _, remark in _index().values() if remark != "made-up")


@lru_cache(maxsize=1)
def _index() -> dict[str, tuple[str, str, str]]:
    raw = json.loads((rules_dir() / "models" / "registry" / "index.json").read_text(encoding="utf-8"))
    return {name.lower(): (name, entry[0], entry[1] if len(entry) > 1 else "") for name, entry in raw.items()}


@lru_cache(maxsize=64)
def _facts(slug: str) -> ModelFacts:
    file = rules_dir() / "models" / "registry" / f"{slug}.json"
    return facts_from_config(json.loads(file.read_text(encoding="utf-8")), slug)
