"""``sglint check``: lint files and folders."""

from __future__ import annotations

import argparse
from typing import Any

from ..report.run import Run
from ..rules.findings import SEVERITIES
from .console import style, write, write_json
from .errors import FINDINGS, OK
from .linting import lint_paths
from .options import add_paths, add_shared

NEVER = "never"


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_shared(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--fail-on",
        choices=(*SEVERITIES, NEVER),
        help="least severity that makes the exit code 1 (default: error, or what the configuration says)",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quiet", "-q", dest="detail", action="store_const", const="places", help="without numbers")
    how.add_argument("--verbose", "-v", dest="detail", action="store_const", const="all", help="whole explanations")


def run(arguments: argparse.Namespace) -> int:
    outcome = lint_paths(arguments, fixes=True)
    if arguments.format == "json":
        from ..report.json import check_json

        write_json(check_json(outcome.run))
    else:
        from ..report.text import render

        write(render(outcome.run, style(), arguments.detail or "numbers"))
    return outcome.worst(_found(outcome.run, arguments.fail_on or outcome.fail_on))


def _found(run: Run, threshold: Any) -> int:
    if threshold == NEVER:
        return OK
    counts = run.counts()
    reached = SEVERITIES[: SEVERITIES.index(threshold) + 1]
    return FINDINGS if any(counts[severity] for severity in reached) else OK
