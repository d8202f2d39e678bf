"""What changed between the flags of two releases."""

from __future__ import annotations

from typing import Any

from ..records import dataclass
from .flag import Flag, FlagTable
from .load import load

COMPARED = ("dest", "action", "type", "nargs", "choices", "default", "default_computed", "required", "deprecated")


@dataclass(frozen=True)
class FieldChange:
    """``field`` of the flag that ``name`` spells was ``before`` and is ``after``."""

    name: str
    field: str
    before: Any
    after: Any


@dataclass(frozen=True)
class ReleaseDiff:
    """Option strings that came and went, and flags that mean something else, in the releases' own order.

    ``added`` and ``removed`` are option strings, each spelling of a flag for itself; ``ambiguous`` are removed ones
    that the newer release takes for an abbreviation of several, with the names they could mean.
    """

    before: str
    after: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    ambiguous: tuple[tuple[str, tuple[str, ...]], ...]
    changed: tuple[FieldChange, ...]


def diff(before: str, after: str) -> ReleaseDiff:
    """Compare two releases of the catalogue. Raises :class:`UnknownRelease`."""
    return diff_tables(load(before), load(after))


def diff_tables(before: FlagTable, after: FlagTable) -> ReleaseDiff:
    old, new = before.by_name, after.by_name
    removed = tuple(name for name in old if name not in new)
    candidates = ((name, after.candidates(name)) for name in removed)
    changed: list[FieldChange] = []
    for flag in after.flags:
        name = next((name for name in flag.names if name in old), None)
        if name is not None:
            changed += _changes(name, old[name], flag)
    return ReleaseDiff(
        before.release,
        after.release,
        tuple(name for name in new if name not in old),
        removed,
        tuple((name, names) for name, names in candidates if len(names) > 1),
        tuple(changed),
    )


def _changes(name: str, old: Flag, new: Flag) -> list[FieldChange]:
    return [
        FieldChange(name, field, getattr(old, field), getattr(new, field))
        for field in COMPARED
        if getattr(old, field) != getattr(new, field)
    ]
