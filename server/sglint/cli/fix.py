"""``sglint fix``: apply fixes to files. A file is either as it was or wholly fixed, whatever happens."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from glob import escape
from pathlib import Path
from time import time

from ..lint import fix_text
from ..report.columns import printable
from ..report.run import Skipped
from ..text import Sources
from .console import complain, write
from .discovery import NoSuchPath, reason_of
from .errors import FINDINGS, INTERNAL, OK, USAGE, internal_error
from .inputs import loaded
from .linting import complain_of_settings
from .loading import Loaded, read_bytes, read_text
from .options import Configured, add_paths, add_shared

_ABANDONED = 60
"""Seconds after which nobody is writing any more."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_shared(parser)
    parser.add_argument("--unsafe", action="store_true", help="also fixes that change what the server does")
    parser.add_argument("--diff", action="store_true", help="print the changes and make none; exit code 1 if any")


def run(arguments: argparse.Namespace) -> int:
    configured = Configured(arguments)
    code, changed = OK, 0
    for found in loaded(arguments, configured):
        if isinstance(found, Loaded):
            failed, was_changed = _fix(found, configured, arguments)
            code, changed = max(code, failed), changed + was_changed
        elif found is not None:
            code = max(code, _passed_over(found))
    complain_of_settings(configured)
    if configured.mistakes():
        code = max(code, USAGE)
    if arguments.diff:
        return code or (FINDINGS if changed else OK)
    if arguments.paths != ["-"]:
        write([f"{changed} {'file' if changed == 1 else 'files'} changed"])
    return code


def _passed_over(found: Skipped | NoSuchPath) -> int:
    """Say why a path is left alone; its exit code."""
    if isinstance(found, NoSuchPath):
        complain(f"{found}: no such file or folder")
        return USAGE
    complain(f"{found.path}: {found.reason}")
    return USAGE if found.failed else OK


def _fix(found: Loaded, configured: Configured, arguments: argparse.Namespace) -> tuple[int, bool]:
    """Exit code and whether the file has (or, with --diff, would have) another text now."""
    document = found.document
    settings = configured.for_path(document.path)
    if not found.named and not settings.includes(document.path):
        return OK, False
    try:
        text, applied = fix_text(document, settings, Sources(read_text), unsafe=arguments.unsafe)
    except (Exception, RecursionError) as error:
        complain(internal_error(error, f"fixing {document.path}"))
        return INTERNAL, False
    from_stdin = document.path == arguments.stdin_filename or document.path == "<stdin>"
    if found.damaged is not None and text != document.text:
        complain(f"{document.path}: not UTF-8, so it is left alone")
        return USAGE, False
    if arguments.diff:
        write(_diff(document.path, document.text, text))
    elif from_stdin:
        sys.stdout.flush()
        sys.stdout.buffer.write(found.encode(text))
    elif text != document.text:
        failure = replace_file(document.path, found, found.encode(text))
        if failure:
            complain(f"{document.path}: {failure}")
            return USAGE, False
        write(_told(document.path, applied))
    return OK, text != document.text


def _told(path: str, applied: Sequence[str]) -> Iterator[str]:
    yield f"{printable(path)}: fixed"
    yield from (f"  {printable(title)}" for title in applied)


def replace_file(path: str, found: Loaded, data: bytes) -> str | None:
    """Put ``data`` in place of the file in one step, keeping its mode; the reason when that cannot be done."""
    target = Path(path).resolve()
    scratch = target.with_name(f".{target.name}.{os.getpid()}.sglint")
    try:
        _sweep(target)
        mode = target.stat().st_mode & 0o7777
        with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        scratch.chmod(mode)
        if read_bytes(path) != found.data:
            return "it was changed meanwhile, so it is left alone"
        scratch.replace(target)
    except OSError as error:
        return reason_of(error)
    finally:
        scratch.unlink(missing_ok=True)
    return None


def _sweep(target: Path) -> None:
    """Remove what runs that were killed have left beside the file."""
    for left in target.parent.glob(f".{escape(target.name)}.*.sglint"):
        if time() - left.stat().st_mtime > _ABANDONED:
            left.unlink(missing_ok=True)


def _diff(path: str, before: str, after: str) -> Iterator[str]:
    lines = unified_diff(before.split("\n"), after.split("\n"), f"a/{path}", f"b/{path}", lineterm="")
    return (line.rstrip("\r") for line in lines)
