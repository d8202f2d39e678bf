"""``sglint upstream``: read a released SGLang by static analysis, without importing or running it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .console import style, write, write_json
from .errors import OK, UsageError
from .releases import diff_lines, replacements_of

if TYPE_CHECKING:
    from ..catalogue import Flag, FlagTable
    from ..upstream.checks import Check


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=("flags", "checks", "diff", "add"),
        help="flags: print the flags of the server; checks: print where it can refuse a launch; diff: what two "
        "releases, older first, do differently in both; add: put the release into your own catalogue",
    )
    parser.add_argument("release", metavar="WHEEL_OR_DIR", nargs="+", help="a wheel, or the folder it was unpacked to")
    parser.add_argument(
        "--into", metavar="FILE", type=Path, help="flags: write them into this catalogue file and print what changed"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    action = {"flags": _flags, "checks": _checks, "diff": _diff, "add": _add}[arguments.action]
    action(arguments)
    return OK


def _add(arguments: argparse.Namespace) -> None:
    from ..upstream.publish import add_release

    for path in arguments.release:
        write([f"{path}: written to {_reading(add_release, path)}"])


def _flags(arguments: argparse.Namespace) -> None:
    from ..upstream.publish import merge_into

    tables = [_reading(_read_flags, path) for path in arguments.release]
    if arguments.into:
        news = _reading(_news, arguments.into, tables)
        releases = _reading(merge_into, arguments.into, tables)
        write([*news, f"{arguments.into}: {len(releases)} releases, {releases[0]} to {releases[-1]}"])
    elif arguments.format == "json":
        write_json({"schema": 1, "releases": [_table_json(table) for table in tables]})
    else:
        for table in tables:
            write(f"{table.release}  {_flag_line(flag)}" for flag in table.flags)


def _checks(arguments: argparse.Namespace) -> None:
    from ..upstream.checks import read_checks

    for path in arguments.release:
        checks = _reading(read_checks, path)
        if arguments.format == "json":
            write_json({"schema": 1, "checks": [_check_json(check) for check in checks]})
        else:
            write(map(_check_line, checks))


def _diff(arguments: argparse.Namespace) -> None:
    from ..catalogue import diff_tables
    from ..upstream.checks import diff_checks, read_checks

    if len(arguments.release) != 2:
        raise UsageError("diff needs two releases, the older one first")
    before, after = (_reading(_read_flags, path) for path in arguments.release)
    write(diff_lines(diff_tables(before, after), replacements_of(before), style()))
    found = diff_checks(*(_reading(read_checks, path) for path in arguments.release))
    write(f"- {_check_line(check)}" for check in found.gone)
    write(f"+ {_check_line(check)}" for check in found.new)
    write(f"> {_check_line(old)} -> {new.file}:{new.symbol}" for old, new in found.moved)
    write([f"{len(found.gone)} checks gone, {len(found.new)} new, {len(found.moved)} moved"])


def _news(file: Path, tables: list[FlagTable]) -> list[str]:
    """What each release changes against the nearest older one that the catalogue file holds already."""
    from ..catalogue import diff_tables, release_key, store

    text = file.read_text(encoding="utf-8") if file.exists() else ""
    known = store.read_header(text)["releases"] if text else []
    lines: list[str] = []
    for table in tables:
        older = [release for release in known if release_key(release) < release_key(table.release)]
        if older:
            before = store.read(text, max(older, key=release_key))
            lines.append(f"{before.release} to {table.release}:")
            lines += diff_lines(diff_tables(before, table), replacements_of(before), style())
    return lines


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
    from ..records import asdict

    return {"release": table.release, "flags": [asdict(flag) for flag in table.flags]}


def _check_line(check: Check) -> str:
    return f"{check.file}:{check.symbol}  {check.exception}  {check.head}".rstrip()


def _check_json(check: Check) -> dict[str, Any]:
    from ..records import asdict

    return asdict(check)
