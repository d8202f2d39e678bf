"""How far a long run is, on a terminal only: one line that is overwritten and, at the end, gone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TextIO, TypeVar

Item = TypeVar("Item")

_SHOWN_AFTER = 1.0
_SHOWN_EVERY = 0.1
"""Seconds."""


class Progress:
    """Shows ``sglint: checking 120 of 4,000``, from a second on. Without a ``stream`` nothing is ever shown."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._next = monotonic() + _SHOWN_AFTER
        self._columns = 0

    def show(self, doing: str, done: int, total: int | None = None) -> None:
        if self._stream is None or monotonic() < self._next:
            return
        self._next = monotonic() + _SHOWN_EVERY
        text = f"sglint: {doing} {done:,}" + (f" of {total:,}" if total is not None else "")
        self._put(text)

    def along(self, doing: str, items: Iterable[Item], total: int | None = None) -> Iterator[Item]:
        """The items as they come, each of them shown as done."""
        for number, item in enumerate(items):
            self.show(doing, number, total)
            yield item

    def clear(self) -> None:
        """Take the line away: something else is to be written, or the run is over."""
        if self._columns:
            self._put("")
            self._columns = 0

    def _put(self, text: str) -> None:
        """Blanks instead of an escape sequence, so that a terminal without colours shows it right too."""
        assert self._stream is not None
        self._stream.write(f"\r{text:<{self._columns}}\r{text}")
        self._stream.flush()
        self._columns = len(text)


SILENT = Progress()


def progress(*, quiet: bool) -> Progress:
    """Progress on standard error where a person sees it: a terminal that can go back in a line."""
    seen = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return Progress(sys.stderr) if seen and not quiet else SILENT
