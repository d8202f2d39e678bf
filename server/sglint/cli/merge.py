"""``sglint merge``: the reports of a run's parts (``check --shard``) as one."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ..report.merge import CannotMerge, merged
from ..rules.findings import SEVERITIES
from .check import NEVER, failing_from
from .console import write_json
from .discovery import reason_of
from .errors import FINDINGS, OK, UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help="JSON, or SARIF, of `sglint check --shard`")
    parser.add_argument(
        "--fail-on",
        choices=(*SEVERITIES, NEVER),
        help="least severity that makes the exit code 1 (default: error; with SARIF: never)",
    )


def run(arguments: argparse.Namespace) -> int:
    documents = [_read(file) for file in arguments.files]
    try:
        whole = merged(documents)
    except CannotMerge as error:
        raise UsageError(str(error)) from None
    except (KeyError, TypeError, IndexError, AttributeError):
        raise UsageError("a document is damaged: something that `sglint check` writes is missing in it") from None
    write_json(whole)
    if "runs" in whole:
        found = {result["level"] for result in whole["runs"][0]["results"]}
        failing = failing_from(arguments.fail_on or NEVER)
        # SARIF has one level for two severities.
        levels = {"note" if severity in ("info", "hint") else severity for severity in failing}
        return FINDINGS if found & levels else OK
    counts = whole["summary"]
    return FINDINGS if any(counts[severity] for severity in failing_from(arguments.fail_on or "error")) else OK


def _read(file: str) -> Any:
    try:
        return json.loads(Path(file).read_bytes())
    except OSError as error:
        raise UsageError(f"{file}: {reason_of(error)}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{file}: not JSON") from None
