"""``sglint cache``: what is kept of earlier runs, and how to be rid of it."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..report.columns import printable
from ..report.text import plural
from .caching import entries, remove, shelves
from .console import write
from .errors import OK, UsageError
from .options import add_cache_dir, cache_folder


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("show", "clean"), nargs="?", default="show", help="default: show")
    add_cache_dir(parser)


def run(arguments: argparse.Namespace) -> int:
    folder = cache_folder(arguments)
    if folder is None:
        raise UsageError("nothing is kept: there is no home folder; --cache-dir names another")
    write([_cleaned(folder) if arguments.what == "clean" else _shown(folder)])
    return OK


def _shown(folder: Path) -> str:
    found = [entry for shelf in shelves(folder) for entry in entries(shelf)]
    size = sum(length for _, length, _ in found)
    return f"{printable(str(folder))}: {plural(len(found), 'result')} in {size / 1e6:.1f} MB"


def _cleaned(folder: Path) -> str:
    """Only what :mod:`.caching` made is removed: the folder may be any."""
    removed = 0
    for shelf in shelves(folder):
        removed += sum(remove(path) for _, _, path in entries(shelf))
        try:
            Path(shelf).rmdir()
        except OSError:
            continue
    return f"{printable(str(folder))}: {plural(removed, 'result')} removed"
