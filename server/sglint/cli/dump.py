"""A cluster as kubectl wrote it into a folder: what runs SGLang in it, each workload once.

A Deployment makes a ReplicaSet, which makes Pods, and all of them hold the same launch. Told is the one that somebody
wrote: an object whose owner is in the dump and mentions SGLang too is left out, and of those whose owner is not there
the first one stands for all.
"""

# ruff: noqa: PTH118
# The folder may hold a file for each kind and namespace of a large cluster.

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from ..records import dataclass
from ..report.run import Skipped
from .discovery import NoSuchPath, reason_of
from .loading import MAX_BYTES, MENTIONS, Loaded, Words, decoded, mentions_sglang
from .pieces import Malformed, Piece, Stream, json_pieces, yaml_pieces
from .progress import Progress
from .streams import Named, looks_like_json, named, owner_of

SUFFIXES = (".json", ".yaml", ".yml")
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_MADE_NAME = re.compile(r"(.+)-[a-z0-9]+")
_MAKERS = {"ReplicaSet": "Deployment", "Job": "CronJob"}


@dataclass(frozen=True)
class Entry:
    """An object that mentions SGLang: what it is called, what made it, and where it stands in its file."""

    path: str
    called: Named
    number: int
    owner: Named | None
    place: Piece

    def __str__(self) -> str:
        return f"{self.path}#{self.called if self.called.name else self.number}"


@dataclass(frozen=True)
class Dump:
    """``told`` are the objects to be linted, in order; ``seen`` counts all objects, ``copies`` those left out because
    another one stands for them."""

    told: tuple[Entry, ...]
    seen: int
    copies: int
    skipped: tuple[Skipped, ...]


def survey(folder: str, progress: Progress, words: Words = MENTIONS) -> Dump | NoSuchPath:
    """Look through every object of a dump once, holding none of them."""
    if not os.path.isdir(folder):  # noqa: PTH112
        return NoSuchPath(folder)
    found: list[Entry] = []
    skipped: list[Skipped] = []
    seen = 0
    for path in _files(folder, skipped):
        try:
            own, count = _entries(path, progress, seen, words)
        except OSError as error:
            skipped.append(Skipped(path, reason_of(error), failed=True))
        except Malformed as error:
            skipped.append(Skipped(path, str(error)))
        else:
            found += own
            seen += count
    # As a merge of parts has them.
    told = tuple(sorted(_told(found), key=lambda entry: str(entry).split("/")))
    return Dump(told, seen, len(found) - len(told), tuple(skipped))


def documents(entries: Iterable[Entry]) -> Iterator[Loaded | Skipped | None]:
    """The texts of objects, read again one by one."""
    for entry in entries:
        try:
            with open(entry.path, "rb") as file:
                file.seek(entry.place.start)
                data = file.read(entry.place.end - entry.place.start)
        except OSError as error:
            yield Skipped(entry.path, reason_of(error), failed=True)
            continue
        piece = Piece(data, entry.place.start, entry.place.end, entry.place.moved)
        yield decoded(piece.text(), str(entry), "yaml", named=True)


def _files(folder: str, skipped: list[Skipped]) -> Iterator[str]:
    """Files of objects in order of names; a pod's ``logs.txt`` is none."""

    def refused(error: OSError) -> None:
        skipped.append(Skipped(str(error.filename), reason_of(error), failed=True))

    for inner, folders, names in os.walk(folder, onerror=refused):
        folders.sort()
        for name in sorted(names):
            if name.endswith(SUFFIXES):
                yield os.path.normpath(os.path.join(inner, name))


def _entries(path: str, progress: Progress, seen: int, words: Words) -> tuple[list[Entry], int]:
    """The objects of a file that mention SGLang, and how many it has."""
    with open(path, "rb") as file:
        head = file.read(256)
        if head.startswith(_WIDE):
            raise Malformed("UTF-16; write it as UTF-8")
        if not looks_like_json(head):
            return _indexed(path, yaml_pieces(Stream(head, file), MAX_BYTES), progress, seen, words)
        try:
            return _indexed(path, json_pieces(Stream(head, file), exact=False), progress, seen, words)
        except Malformed:
            file.seek(0)
            return _indexed(path, json_pieces(Stream(b"", file), exact=True), progress, seen, words)


def _indexed(
    path: str, pieces: Iterable[Piece], progress: Progress, seen: int, words: Words
) -> tuple[list[Entry], int]:
    found = []
    number = 0
    for piece in pieces:
        number += piece.is_object
        progress.show("reading objects:", seen + number)
        if not mentions_sglang(piece.data, words):
            continue
        text = piece.text()
        called = named(text, piece.kind)
        place = Piece(b"", piece.start, piece.end, piece.moved)
        found.append(Entry(path, called, number, owner_of(text, called), place))
    return found, number


def _told(found: list[Entry]) -> Iterator[Entry]:
    there = {entry.called for entry in found}
    stood_for: set[Named] = set()
    for entry in found:
        owner = entry.owner
        if entry.called.name is not None:
            if entry.called in stood_for:
                continue
            stood_for.add(entry.called)
        if owner is None:
            yield entry
        elif owner not in there and _maker(owner) not in there and owner not in stood_for:
            stood_for.add(owner)
            yield entry


def _maker(owner: Named) -> Named | None:
    """What made an owner that is not in the dump itself, as its name tells: ``llm-7d9f8c6b5d`` is of ``llm``."""
    kind = _MAKERS.get(owner.kind or "")
    found = _MADE_NAME.fullmatch(owner.name or "")
    return Named(kind, owner.namespace, found[1]) if kind and found else None
