"""What a command line names, as documents in a fixed order: files, folders, standard input."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from itertools import chain

from ..report.run import Skipped
from .discovery import Candidate, NoSuchPath, candidates
from .loading import Loaded, load, load_split, load_stdin
from .options import Configured

STDIN = "-"

Entry = Candidate | Skipped | NoSuchPath


def loaded(arguments: argparse.Namespace, configured: Configured) -> Iterator[Loaded | Skipped | NoSuchPath | None]:
    """What the paths of a command line hold, in order; None for a file in which nothing can start a server."""
    return chain.from_iterable(opened(found, arguments, configured, split=False) for found in listing(arguments))


def listing(arguments: argparse.Namespace) -> Iterator[Entry]:
    """The files that a command line names, in order, unread; standard input is called ``-``."""
    paths = arguments.paths or ["."]
    if STDIN in paths:
        yield Candidate(STDIN, None, True)
    yield from candidates((path for path in paths if path != STDIN), gitignore=not arguments.no_gitignore)


def opened(
    found: Entry, arguments: argparse.Namespace, configured: Configured, *, split: bool
) -> Iterable[Loaded | Skipped | NoSuchPath | None]:
    """The documents of a file; with ``split`` those of one too large to be one document."""
    if not isinstance(found, Candidate):
        return (found,)
    if found.path == STDIN:
        named = arguments.stdin_filename
        return load_stdin(named, configured.words_at(named or "x"), split=split)
    words = configured.words_at(found.path)
    return load_split(found, words) if split else (load(found, words),)


def templates(listed: Iterable[Entry], configured: Configured) -> Iterator[str]:
    """Files that may be a chart's templates and are linted, so that its values need not tell their launches."""
    for found in listed:
        if not isinstance(found, Candidate) or "templates" not in found.path:
            continue
        if found.named or configured.for_path(found.path).includes(found.path):
            yield found.path


def in_shard(found: Entry, shard: tuple[int, int] | None) -> bool:
    """Whether the file belongs to this part of the run. A path that is not there belongs to every part."""
    return isinstance(found, NoSuchPath) or in_part(found.path.replace("\\", "/"), shard)


def in_part(name: str, shard: tuple[int, int] | None) -> bool:
    """Whether what is called so belongs to this part of a run, which its name alone decides."""
    if shard is None:
        return True
    from zlib import crc32

    part, parts = shard
    return crc32(name.encode("utf-8", "surrogateescape")) % parts == part - 1
