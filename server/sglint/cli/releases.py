"""``sglint releases``: the releases of the catalogue."""

from __future__ import annotations

import argparse

from ..catalogue import releases
from .console import write, write_json
from .errors import OK


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    known = releases()
    if arguments.format == "json":
        write_json({"schema": 1, "releases": list(known)})
    else:
        write(known)
    return OK
