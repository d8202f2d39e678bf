"""``sglint config``: which configuration holds for a file, what it says, and the schema of configuration files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .. import settings, toml
from ..records import dataclass
from ..report.columns import printable
from ..report.style import Style
from ..rules.findings import Finding
from ..settings import Settings
from .console import style, write, write_json
from .errors import OK, USAGE, UsageError
from .loading import read_text


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--show", metavar="FILE", help="the file (it need not exist) to tell about; default: any here")
    parser.add_argument("--config", metavar="FILE", help="configuration file to use instead of the nearest one")
    parser.add_argument("--schema", action="store_true", help="print the JSON schema of sglint.toml")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    if arguments.schema:
        from .config_schema import schema

        write_json(schema())
        return OK
    if arguments.config and not Path(arguments.config).is_file():
        raise UsageError(f"--config {arguments.config}: no such file")
    told = _told(arguments.show, arguments.config)
    if arguments.format == "json":
        write_json(_json(told))
    else:
        write(_text(told, style()))
    return USAGE if told.mistakes else OK


@dataclass(frozen=True)
class Setting:
    """A key with its value and where that is from: ``sglint.toml:3`` or ``default``."""

    key: str
    value: Any
    origin: str


@dataclass(frozen=True)
class Told:
    """What holds for ``path`` (None: for files here in general).

    ``unread`` says why a scan passes the file over, None when it does not; ``ignored`` are the codes that are not
    reported in it, with the setting that says so.
    """

    path: str | None
    configuration: str | None
    settings: tuple[Setting, ...]
    mistakes: tuple[str, ...]
    unread: str | None
    ignored: tuple[tuple[str, str], ...]


def _told(path: str | None, named: str | None) -> Told:
    file = named or settings.find(path or "x", None)
    found = settings.load(file) if file else Settings()
    shown = os.path.relpath(file) if file else None
    text = (read_text(file) if file else None) or ""
    return Told(
        path,
        shown,
        tuple(_settings(found, text, shown)),
        tuple(_mistake(finding, text, shown) for finding in found.findings),
        None if path is None else _unread(path, found),
        tuple(_ignored(found, path)),
    )


def _settings(found: Settings, text: str, shown: str | None) -> Iterator[Setting]:
    prefix = ("tool", "sglint") if Path(shown or "").name == "pyproject.toml" else ()
    lines = _line_numbers(text, prefix)
    for key in settings.key_names():
        value = settings.value_of(found, key)
        line = lines.get(key)
        set_here = line is not None and value != settings.value_of(Settings(), key)
        yield Setting(key, value, f"{shown}:{line}" if set_here else "default")


def _line_numbers(text: str, prefix: tuple[str, ...]) -> dict[str, int]:
    """Lines, from one, of the keys that a configuration has."""
    try:
        table: Any = toml.parse(text)
    except toml.TomlError:
        return {}
    for name in prefix:
        table = table.get(name, {})
    return {key: text.count("\n", 0, toml.span_of(text, (*prefix, key)).start) + 1 for key in table}


def _unread(path: str, found: Settings) -> str | None:
    from .discovery import language_at

    if language_at(path) is None:
        return "it is not a kind of file that sglint reads"
    if found.includes(path):
        return None
    return "a pattern of `exclude` matches" if found.include == () else "`include` or `exclude` leaves it out"


def _ignored(found: Settings, path: str | None) -> Iterator[tuple[str, str]]:
    if found.select:
        yield f"all but {', '.join(found.select)}", "select"
    if found.ignore:
        yield ", ".join(found.ignore), "ignore"
    off = [code for code, severity in found.severity.items() if severity == "off"]
    if off:
        yield ", ".join(off), "severity"
    for pattern, codes in found.per_file_ignores.items():
        if path is not None and settings.path_matches(path, pattern):
            yield ", ".join(codes), f'per-file-ignores "{pattern}"'


def _mistake(finding: Finding, text: str, shown: str | None) -> str:
    line = text.count("\n", 0, finding.span.start) + 1
    return f"{shown}:{line}: {finding.message}"


def _json(told: Told) -> dict[str, Any]:
    return {
        "schema": 1,
        "path": told.path,
        "configuration": told.configuration,
        "settings": {
            setting.key: {"value": _plain(setting.value), "from": setting.origin} for setting in told.settings
        },
        "mistakes": list(told.mistakes),
        "scanned": told.unread is None,
        "reason": told.unread,
        "ignored": [{"codes": codes, "by": by} for codes, by in told.ignored],
    }


def _text(told: Told, look: Style) -> Iterator[str]:
    yield look.paint(printable(told.path or "files here"), "strong")
    yield f"  configuration: {printable(told.configuration or 'none, so defaults hold')}"
    for mistake in told.mistakes:
        yield f"  {look.paint('mistake', 'error')}: {printable(mistake)}"
    if told.path is not None:
        yield f"  a scan reads it: {'yes' if told.unread is None else f'no, {told.unread}'}"
    for codes, by in told.ignored:
        yield f"  not reported: {printable(codes)} ({printable(by)})"
    yield ""
    width = max(len(setting.key) for setting in told.settings)
    for setting in told.settings:
        value = printable(_shown(setting.value))
        yield f"  {setting.key:<{width}}  {value}  {look.paint(f'({printable(setting.origin)})', 'faint')}"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return list(value) if isinstance(value, tuple) else value


def _shown(value: Any) -> str:
    if value is None or value == () or value == {}:
        return "-"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_shown(inner)}" for key, inner in value.items())
    return ", ".join(value) if isinstance(value, tuple) else str(value)
