"""Standard streams: colour, width, and writing that survives narrow encodings and closed pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO

from ..report.style import DEFAULT_WIDTH, Style

_NARROWEST = 60
_WIDEST = 160


def prepare_streams() -> None:
    """What the terminal's encoding cannot show is written as an escape instead of ending the run.

    A stream that was closed before the start is the empty device, so that no file opened later takes its number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def style() -> Style:
    """Colour as NO_COLOR, FORCE_COLOR, TERM and the terminal ask; the terminal's width within limits."""
    return Style(_wants_colour(), _width())


def write(lines: Iterable[str]) -> None:
    """Each line to standard output as it comes."""
    out = sys.stdout
    for line in lines:
        out.write(line)
        out.write("\n")


def write_json(value: object, indent: int | None = 2) -> None:
    """One JSON document and a line end. Where the stream is not Unicode every other character is escaped."""
    import json

    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    sys.stdout.write(json.dumps(value, indent=indent, ensure_ascii=not unicode))
    sys.stdout.write("\n")


def clear_screen() -> None:
    """An empty terminal; nothing for a pipe or file."""
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        sys.stdout.write("\x1b[H\x1b[2J\x1b[3J")


def complain(message: str) -> None:
    """One line on standard error, after what was already written.

    Output that cannot be written is no reason to withhold it; whoever flushes last tells of that. Where nobody can be
    told, the exit code has to do.
    """
    with suppress(OSError):
        sys.stdout.flush()
    try:
        sys.stderr.write(f"sglint: {message}\n")
        sys.stderr.flush()
    except OSError:
        abandon(sys.stderr)


def abandon(stream: TextIO) -> None:
    """After a stream failed: keep the interpreter's last flush from failing too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _wants_colour() -> bool:
    environ = os.environ
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and environ.get("TERM") != "dumb"


def _width() -> int:
    asked = os.environ.get("COLUMNS", "")
    if asked.isdigit():
        columns = int(asked)
    elif sys.stdout.isatty():
        # A terminal whose size nobody set has none.
        columns = os.get_terminal_size(sys.stdout.fileno()).columns or DEFAULT_WIDTH
    else:
        return DEFAULT_WIDTH
    return max(_NARROWEST, min(columns, _WIDEST))
