"""``sglint size``: the memory plan of each launch, in files or given as a command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ..memory import plan
from ..report.run import LaunchIn
from ..report.sizes import size_text
from ..report.text import launch_heading
from .console import style, write, write_json
from .errors import OK, UsageError
from .linting import Outcome, lint_command, lint_paths
from .options import add_paths, add_shared, server_words


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = "sglint size [OPTION ...] [PATH ...]\n       sglint size [OPTION ...] -- ARGV ..."
    add_paths(parser)
    add_shared(parser)
    parser.add_argument(
        "--rest-bytes",
        metavar="N",
        type=_bytes,
        help="bytes left for pools after weights and reserve; then every size is exact",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    outcome = _outcome(arguments)
    launches = list(outcome.run.launches())
    if arguments.format == "json" and arguments.after is None:
        from ..report.json import identity_json

        sizes = [{**identity_json(entry), **_plan(entry, arguments.rest_bytes)} for entry in launches]
        write_json({"schema": 1, "launches": sizes})
    elif arguments.format == "json":
        for entry in launches:
            write_json({"schema": 1, **_plan(entry, arguments.rest_bytes)})
    else:
        write(_text(launches, arguments.rest_bytes))
    return outcome.worst(OK)


def _outcome(arguments: argparse.Namespace) -> Outcome:
    if arguments.after is None:
        return lint_paths(arguments, fixes=False)
    if arguments.paths:
        raise UsageError("give either files or, after `--`, a command line; not both")
    if not arguments.after:
        raise UsageError("give the command line after `--`, as in `sglint size --gpu h200 -- --model-path m`")
    return lint_command(arguments, server_words(arguments.after))


def _bytes(text: str) -> int:
    digits = text.replace("_", "").replace(",", "")
    if not digits.isdecimal() or not int(digits):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes")
    return int(digits)


def _plan(entry: LaunchIn, rest_bytes: int | None) -> dict[str, Any]:
    facts = entry.judged.facts
    if facts is None:
        raise RuntimeError("a judged launch without facts")
    return plan(facts, rest_bytes).to_json()


def _text(launches: list[LaunchIn], rest_bytes: int | None) -> Iterator[str]:
    look = style()
    if not launches:
        yield "no launch found"
    for entry in launches:
        yield from launch_heading(entry.document, entry.judged, look)
        yield from size_text(_plan(entry, rest_bytes), look)
        yield ""
