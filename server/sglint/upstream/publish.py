"""Writing what was read from releases into a catalogue file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..catalogue import FlagTable, release_key, store, user_dir
from .flags import read_flags


def merge_into(file: Path, tables: Iterable[FlagTable]) -> tuple[str, ...]:
    """Add releases to a catalogue file, or replace them there. Returns all its releases, oldest first."""
    known: dict[str, FlagTable] = {}
    if file.exists():
        text = file.read_text(encoding="utf-8")
        known = {release: store.read(text, release) for release in store.read_header(text)["releases"]}
    known.update((table.release, table) for table in tables)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(store.write(known.values()), encoding="utf-8")
    return tuple(sorted(known, key=release_key))


def add_release(path: str | Path) -> Path:
    """Read a release and put it into the user's own catalogue. Returns the file that was written."""
    table = read_flags(path)
    file = user_dir() / f"{table.release}.jsonl"
    merge_into(file, [table])
    return file
