"""The catalogue on disk: every shape a flag ever had, each with the releases that had it so.

The first line is a JSON header: ``releases`` oldest first, shared ``choices`` and ``sources``, and for releases that
declare their flags in another order than the file does, the ranges of line numbers in that order. Every other line is
``spans<TAB>shape``: spans are inclusive index ranges of releases (``0-3,7``), a shape is a JSON object of the fields
of :class:`Flag` that differ from their defaults. Reading one release decodes the lines of that release only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..records import fields, sparse
from .flag import Flag, FlagTable
from .release import release_key

_DEFAULTS = {field.name: field.default for field in fields(Flag) if field.name not in ("names", "dest")}
_SHARED = {"choices": "choices", "source": "sources"}


def write(tables: Iterable[FlagTable]) -> str:
    """The file's text for the flags of these releases."""
    ordered = sorted(tables, key=lambda table: release_key(table.release))
    shapes = _merged_order([list(map(_freeze, table.flags)) for table in ordered])
    rank = {shape: index for index, shape in enumerate(shapes)}
    holders: dict[str, list[int]] = {shape: [] for shape in shapes}
    reordered: dict[str, str] = {}
    for index, table in enumerate(ordered):
        lines = [rank[_freeze(flag)] for flag in table.flags]
        for line in lines:
            holders[shapes[line]].append(index)
        if lines != sorted(lines):
            reordered[table.release] = spans_of(lines)
    shared: dict[str, list[Any]] = {"choices": [], "sources": []}
    body = [f"{spans_of(holders[shape])}\t{_shared_shape(shape, shared)}" for shape in shapes]
    header = {"releases": [table.release for table in ordered], **shared, "reordered": reordered}
    return "\n".join([_dump(header), *body, ""])


def read_header(text: str) -> dict[str, Any]:
    header: dict[str, Any] = json.loads(text[: text.index("\n")])
    return header


class Shelf:
    """A catalogue file that is read release by release; shapes that releases share are decoded once."""

    def __init__(self, text: str) -> None:
        self._header = read_header(text)
        self._lines = [line.split("\t", 1) for line in text.split("\n")[1:-1]]
        self._spans = {spans for spans, _ in self._lines}
        self._decoded: dict[int, Flag] = {}

    @property
    def releases(self) -> tuple[str, ...]:
        """Oldest first."""
        return tuple(self._header["releases"])

    def table(self, release: str) -> FlagTable:
        """Raises KeyError when the file does not hold the release."""
        if release not in self._header["releases"]:
            raise KeyError(release)
        wanted = self._header["releases"].index(release)
        # A few hundred spans are shared by thousands of lines.
        holding = {spans for spans in self._spans if _holds(spans, wanted)}
        held = [number for number, (spans, _) in enumerate(self._lines) if spans in holding]
        self._decode([number for number in held if number not in self._decoded])
        reordered = self._header["reordered"].get(release)
        order = held if reordered is None else indices_of(reordered)
        return FlagTable(release, tuple(self._decoded[number] for number in order))

    def _decode(self, numbers: Sequence[int]) -> None:
        # One JSON text for all of them: a call a line takes four times as long.
        shapes = json.loads(f"[{','.join(self._lines[number][1] for number in numbers)}]")
        for number, shape in zip(numbers, shapes, strict=True):
            self._decoded[number] = _flag(shape, self._header)


def read(text: str, release: str) -> FlagTable:
    """The flags of one release of the file. Raises KeyError when the file does not hold it."""
    return Shelf(text).table(release)


def shapes(text: str) -> Iterator[tuple[Flag, tuple[str, ...]]]:
    """Every shape of the file with the releases that have it."""
    header = read_header(text)
    releases = header["releases"]
    for line in text.split("\n")[1:-1]:
        spans, shape = line.split("\t", 1)
        yield _flag(json.loads(shape), header), tuple(releases[index] for index in indices_of(spans))


def _holds(spans: str, wanted: int) -> bool:
    for span in spans.split(","):
        first, _, last = span.partition("-")
        if int(first) <= wanted <= int(last or first):
            return True
    return False


def indices_of(spans: str) -> Iterator[int]:
    """The numbers that ``0-3,7`` stands for."""
    for span in spans.split(","):
        first, _, last = span.partition("-")
        yield from range(int(first), int(last or first) + 1)


def spans_of(indices: Sequence[int]) -> str:
    """``0-3,7`` for 0, 1, 2, 3, 7; the order is kept."""
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _freeze(flag: Flag) -> str:
    shape: dict[str, Any] = {"names": list(flag.names)}
    if flag.dest != dest_of(flag.names):
        shape["dest"] = flag.dest
    for name, default in _DEFAULTS.items():
        value = getattr(flag, name)
        if value != default or type(value) is not type(default):
            shape[name] = list(value) if isinstance(value, tuple) else value
    return _dump(shape)


def _shared_shape(frozen: str, shared: dict[str, list[Any]]) -> str:
    shape = json.loads(frozen)
    for name, table in _SHARED.items():
        if name in shape:
            if shape[name] not in shared[table]:
                shared[table].append(shape[name])
            shape[name] = shared[table].index(shape[name])
    return _dump(shape)


def _flag(shape: dict[str, Any], header: dict[str, Any]) -> Flag:
    names = shape["names"] = tuple(shape["names"])
    if "dest" not in shape:
        shape["dest"] = dest_of(names)
    if "choices" in shape:
        shape["choices"] = tuple(header["choices"][shape["choices"]])
    if "source" in shape:
        shape["source"] = header["sources"][shape["source"]]
    return sparse(Flag, shape)


def dest_of(names: Sequence[str]) -> str:
    """The attribute that argparse derives from option strings."""
    long = names[0]
    if not long.startswith("--"):
        long = next((name for name in names if name.startswith("--")), long)
    return long.lstrip("-").replace("-", "_")


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _merged_order(sequences: list[list[str]]) -> list[str]:
    """One order of all shapes that keeps each release's own order wherever releases agree."""
    merged: list[str] = []
    for sequence in sequences:
        known = set(merged)
        position = 0
        places = {shape: index for index, shape in enumerate(merged)}
        fresh: dict[int, list[str]] = {}
        for shape in sequence:
            if shape in known:
                position = places[shape] + 1
            else:
                fresh.setdefault(position, []).append(shape)
        rebuilt: list[str] = []
        for index in range(len(merged) + 1):
            rebuilt += fresh.get(index, [])
            rebuilt += merged[index : index + 1]
        merged = rebuilt
    return merged
