"""``sglint upstream``: read a released SGLang by static analysis, without importing or running it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .console import write, write_json
from .errors import OK, UsageError

if TYPE_CHECKING:
    from ..catalogue import Flag, FlagTable


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=("flags", "add"),
        help="flags: print the flags of the server; add: put the release into your own catalogue",
    )
    parser.add_argument("release", metavar="WHEEL_OR_DIR", nargs="+", help="a wheel, or the folder it was unpacked to")
    parser.add_argument("--into", metavar="FILE", type=Path, help="flags: write them into this catalogue file instead")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    from ..upstream.publish import add_release, merge_into

    if arguments.action == "add":
        for path in arguments.release:
            write([f"{path}: written to {_reading(add_release, path)}"])
        return OK
    tables = [_reading(_read_flags, path) for path in arguments.release]
    if arguments.into:
        releases = _reading(merge_into, arguments.into, tables)
        write([f"{arguments.into}: {len(releases)} releases, {releases[0]} to {releases[-1]}"])
    elif arguments.format == "json":
        write_json({"schema": 1, "releases": [_table_json(table) for table in tables]})
    else:
        for table in tables:
            write(f"{table.release}  {_flag_line(flag)}" for flag in table.flags)
    return OK


def _read_flags(path: str) -> FlagTable:
    from ..upstream.flags import read_flags

    return read_flags(path)


def _reading(read: Any, *arguments: Any) -> Any:
    """What ``read`` returns; files that are no release, or cannot be read or written, are the user's to settle."""
    from ..upstream.flags import UnreadableRelease
    from ..upstream.source import NotARelease

    try:
        return read(*arguments)
    except (NotARelease, UnreadableRelease) as error:
        raise UsageError(f"{arguments[0]}: {error}") from None
    except OSError as error:
        raise UsageError(f"{error.filename or arguments[0]}: {(error.strerror or str(error)).lower()}") from None


def _flag_line(flag: Flag) -> str:
    kind = f"{flag.type}" if flag.takes_value else flag.action
    default = f" = {flag.default_computed or flag.default!r}" if flag.takes_value else ""
    return f"{', '.join(flag.names)}: {kind}{default}"


def _table_json(table: FlagTable) -> dict[str, Any]:
    from dataclasses import asdict

    return {"release": table.release, "flags": [asdict(flag) for flag in table.flags]}
