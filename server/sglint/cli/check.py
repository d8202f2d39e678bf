"""``sglint check``: lint files and folders."""

from __future__ import annotations

import argparse
import os
from typing import Any

from ..report.run import Run
from ..rules.findings import SEVERITIES, Severity
from .console import style, write, write_json
from .errors import FINDINGS, OK, UsageError
from .linting import Outcome, lint_dump, lint_paths
from .options import add_cache, add_jobs, add_paths, add_shared, cache_folder, cores
from .progress import progress

NEVER = "never"
WATCHED = ("text", "concise")
FORMATS = ("text", "concise", "json", "sarif", "github", "junit", "codeclimate")

_TOLD_ELSEWHERE = ("sarif", "github")
"""Formats for systems that decide by themselves what a finding means: it changes the exit code on request only."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_shared(parser)
    parser.add_argument("--format", choices=FORMATS, default="text")
    parser.add_argument(
        "--fail-on",
        choices=(*SEVERITIES, NEVER),
        help="least severity that makes the exit code 1 (default: error, or what the configuration says; "
        "with sarif and github: never)",
    )
    add_jobs(parser)
    add_cache(parser)
    parser.add_argument(
        "--shard",
        metavar="I/N",
        type=_shard,
        help="only the I-th of N parts of the files; `sglint merge` joins reports",
    )
    parser.add_argument(
        "--cluster-dump",
        metavar="FOLDER",
        help="instead of paths: a live cluster, as written by `kubectl cluster-info dump --output-directory FOLDER` "
        "or `kubectl get KINDS -A -o yaml > FOLDER/FILE.yaml`",
    )
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="lint on the machines of a Ray cluster: its address, `auto` for the one this runs in, or `local`",
    )
    parser.add_argument("--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C")
    parser.add_argument("--baseline", metavar="FILE", help="leave out the findings that this file knows")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--quiet", "-q", dest="detail", action="store_const", const="places", help="without numbers")
    how.add_argument("--verbose", "-v", dest="detail", action="store_const", const="all", help="whole explanations")


def run(arguments: argparse.Namespace) -> int:
    if not arguments.watch:
        return _checked(arguments)[1]
    if arguments.format not in WATCHED or arguments.cluster_dump is not None or arguments.ray is not None:
        raise UsageError(
            "--watch is for people and files: with --format text or concise, and without --cluster-dump or --ray"
        )
    from .watch import watch

    return watch(arguments, lambda: _checked(arguments)[0])


def _checked(arguments: argparse.Namespace) -> tuple[Outcome, int]:
    """Check once and print it; the whole outcome with what a baseline knows, and the exit code."""
    outcome = whole = _outcome(arguments)
    if arguments.baseline or outcome.configured.has_baseline:
        from .known import without_known

        outcome = without_known(outcome, arguments.baseline)
    default = NEVER if arguments.format in _TOLD_ELSEWHERE else outcome.fail_on
    failing = failing_from(arguments.fail_on or default)
    _print(outcome, arguments, failing)
    return whole, outcome.worst(_found(outcome.run, failing))


def _outcome(arguments: argparse.Namespace) -> Outcome:
    jobs = arguments.jobs or cores()
    seen = progress(quiet=arguments.detail == "places")
    if arguments.cluster_dump is None:
        return lint_paths(arguments, fixes=True, jobs=jobs, cache_folder=cache_folder(arguments), progress=seen)
    if arguments.paths:
        raise UsageError("--cluster-dump stands for the paths; give one or the other")
    return lint_dump(arguments, arguments.cluster_dump, fixes=True, jobs=jobs, progress=seen)


def _print(outcome: Outcome, arguments: argparse.Namespace, failing: tuple[Severity, ...]) -> None:
    if arguments.format == "text":
        from ..report.text import render

        write(render(outcome.run, style(), arguments.detail or "numbers"))
    elif arguments.format == "concise":
        from ..report.text import render_concise

        write(render_concise(outcome.run))
    elif arguments.format == "github":
        from ..report.github import annotation_lines

        write(annotation_lines(outcome.run, _in_repository))
    elif arguments.format == "junit":
        from ..report.junit import junit

        write([junit(outcome.run, failing)])
    else:
        write_json(_document(outcome, arguments.format))


def _document(outcome: Outcome, wanted: str) -> Any:
    if wanted == "sarif":
        from ..report.rulebook import pages
        from ..report.sarif import sarif_log

        return sarif_log(outcome.run, pages(), successful=outcome.code == OK)
    if wanted == "codeclimate":
        from ..report.codeclimate import issues

        return issues(outcome.run)
    from ..report.json import check_json

    return check_json(outcome.run)


def _in_repository(path: str) -> str:
    """A path as GitHub knows it: from the checkout's top folder, wherever the command ran."""
    root = os.environ.get("GITHUB_WORKSPACE")
    return path if not root else os.path.relpath(path, root).replace(os.sep, "/")


def _shard(text: str) -> tuple[int, int]:
    part, slash, parts = text.partition("/")
    if not (slash and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise argparse.ArgumentTypeError("must be a part and the number of parts, as 1/4")
    return int(part), int(parts)


def failing_from(threshold: Any) -> tuple[Severity, ...]:
    """The severities at or above a threshold; none for ``never``."""
    return () if threshold == NEVER else SEVERITIES[: SEVERITIES.index(threshold) + 1]


def _found(run: Run, failing: tuple[Severity, ...]) -> int:
    counts = run.counts()
    return FINDINGS if any(counts[severity] for severity in failing) else OK
