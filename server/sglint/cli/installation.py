"""What this installation of SGLint is made of, so that what another one found is not taken for its own."""

# ruff: noqa: PTH112, PTH118
# A Path object for each of some hundred files costs more than looking at them.

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .. import __version__
from ..catalogue.load import user_dir
from ..data import rules_dir
from ..rules.bundle import BUNDLE

_PARSERS = ("yaml", "tree_sitter", "tree_sitter_bash")


def installation() -> tuple[Any, ...]:
    """What tells this SGLint, its rules and its parsers from any other: versions, and files by size and time.

    A wheel is known by its bundle of rules, which is made with it; in a checkout every file counts.
    """
    package = Path(__file__).resolve().parents[1]
    bundle = rules_dir() / BUNDLE
    if bundle.is_file():
        own = [_state(bundle), _state(package)]
    else:
        own = [*listed(str(package)), *listed(str(rules_dir()))]
    return __version__, sys.version_info[:3], own, _parsers(), listed(str(user_dir()))


def _parsers() -> list[Any]:
    found = (os.path.join(entry, name) for name in _PARSERS for entry in sys.path)
    return [listed(folder) for folder in found if os.path.isdir(folder)]


def listed(folder: str) -> list[tuple[str, int, int]]:
    """Every file below a folder with size and time, but no compiled ones; nothing for a folder that is not there."""
    return sorted(_files(folder))


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name == "__pycache__":
                    continue
                if entry.is_dir():
                    yield from _files(entry.path)
                else:
                    state = entry.stat()
                    yield entry.path, state.st_size, state.st_mtime_ns
    except OSError:
        return


def _state(path: Path) -> tuple[str, int, int]:
    state = path.stat()
    return str(path), state.st_size, state.st_mtime_ns
