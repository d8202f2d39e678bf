"""``sglint baseline``: accept what is found today, so that checks tell of what is new."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from ..report import baseline
from ..report.text import plural
from .console import write
from .discovery import reason_of
from .errors import UsageError
from .linting import lint_paths
from .options import add_jobs, add_paths, add_shared, cores

DEFAULT = "sglint-baseline.json"


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_shared(parser)
    add_jobs(parser)
    parser.add_argument(
        "--output", "-o", metavar="FILE", default=DEFAULT, help=f"where to write it (default: {DEFAULT})"
    )


def run(arguments: argparse.Namespace) -> int:
    outcome = lint_paths(arguments, fixes=False, jobs=arguments.jobs or cores())
    if outcome.code:
        raise UsageError("no baseline is written, since not everything could be looked into")
    target = Path(arguments.output)
    counts = baseline.count(outcome.run.reports, outcome.run.lines, seen_from(target))
    try:
        _replace(target, baseline.dump(counts))
    except OSError as error:
        raise UsageError(f"{target}: {reason_of(error)}") from None
    write([f"{target}: {plural(sum(counts.values()), 'finding')} taken for known"])
    return outcome.code


def seen_from(file: Path) -> Callable[[str], str]:
    """Paths of a run as they are written in a baseline: from its folder, with slashes."""
    folder = file.resolve().parent
    return lambda path: os.path.relpath(Path(path).absolute(), folder).replace(os.sep, "/")


def _replace(target: Path, text: str) -> None:
    if target.exists() and not target.is_file():
        # A pipe or device is written to, never replaced.
        target.write_text(text, encoding="utf-8")
        return
    scratch = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        scratch.write_text(text, encoding="utf-8")
        scratch.replace(target)
    finally:
        scratch.unlink(missing_ok=True)
