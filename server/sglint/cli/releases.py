"""``sglint releases``: the releases of the catalogue, or what two of them declare differently."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from .. import knowledge
from ..catalogue import FieldChange, FlagTable, ReleaseDiff, UnknownRelease, diff, load, releases
from ..report.style import Style
from .console import style, write, write_json
from .errors import OK, UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--diff", nargs=2, metavar=("A", "B"), help="flags removed, added and changed from A to B")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    if arguments.diff is None:
        known = releases()
        if arguments.format == "json":
            write_json({"schema": 1, "releases": list(known)})
        else:
            write(known)
        return OK
    found = _compared(*arguments.diff)
    replacements = successors_of(found)
    if arguments.format == "json":
        write_json(_json(found, replacements))
    else:
        write(diff_lines(found, replacements, style()))
    return OK


def replacements_of(table: FlagTable) -> dict[str, str]:
    """What the release itself names in place of a deprecated flag."""
    return {name: flag.replacement for name, flag in table.by_name.items() if flag.replacement}


def successors_of(found: ReleaseDiff) -> dict[str, str]:
    """What the newer release has in place of flags that left; what the older one says where nothing is known."""
    successors = replacements_of(load(found.before))
    for name in found.removed:
        renamed = knowledge.rename(name, found.after)
        if renamed is not None and renamed.targets:
            successors[name] = " and ".join(target.text for target in renamed.targets)
    return successors


def _compared(before: str, after: str) -> ReleaseDiff:
    try:
        return diff(before, after)
    except UnknownRelease as error:
        raise UsageError(f"the catalogue has no release {error.args[0]!r}; `sglint releases` lists them") from None


def diff_lines(found: ReleaseDiff, replacements: dict[str, str], look: Style) -> Iterator[str]:
    """One line a flag that went, came or changed, and their number."""
    ambiguous = dict(found.ambiguous)
    for name in found.removed:
        remark = f"  (use {replacements[name]})" if name in replacements else ""
        if name in ambiguous:
            remark += f"  (now short for {' and '.join(ambiguous[name])}, so it is refused)"
        yield look.paint(f"- {name}", "error") + remark
    for name in found.added:
        yield look.paint(f"+ {name}", "good")
    for change in found.changed:
        yield f"~ {change.name}: {_change(change)}"
    yield f"{len(found.removed)} removed, {len(found.added)} added, {len(found.changed)} changed"


def _change(change: FieldChange) -> str:
    """``default 0.8 -> None``; of lists only the members that came and went."""
    name = change.field.replace("_", " ")
    if not isinstance(change.before, tuple) or not isinstance(change.after, tuple):
        return f"{name} {change.before} -> {change.after}"
    gone = [f"-{member}" for member in change.before if member not in change.after]
    new = [f"+{member}" for member in change.after if member not in change.before]
    return f"{name} {' '.join(map(str, gone + new)) or 'in another order'}"


def _json(found: ReleaseDiff, replacements: dict[str, str]) -> dict[str, Any]:
    ambiguous = dict(found.ambiguous)
    return {
        "schema": 1,
        "from": found.before,
        "to": found.after,
        "removed": [
            {"flag": name, "replacement": replacements.get(name), "ambiguous": list(ambiguous.get(name, ()))}
            for name in found.removed
        ],
        "added": [{"flag": name} for name in found.added],
        "changed": [
            {"flag": change.name, "field": change.field, "from": change.before, "to": change.after}
            for change in found.changed
        ],
    }
