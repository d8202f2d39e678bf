"""Decoded text that knows where each of its characters stands in a source text.

A YAML scalar, a shell word or a here-document is *decoded* from source characters. :class:`Mapped` keeps runs:
an exact run maps character by character, any other run (an escape, a folded line break, an expanded variable)
maps as a whole to its source stretch. Mapped texts compose: shell inside a YAML block scalar is a mapped text
whose source spans are looked up in the scalar's own map.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..records import dataclass
from .spans import Span


class Run(NamedTuple):
    """``length`` decoded characters from decoded offset ``at`` come from source ``[start, stop)``."""

    at: int
    length: int
    start: int
    stop: int
    exact: bool


@dataclass(frozen=True)
class Mapped:
    """``text`` and its runs, ordered by ``at``, covering every decoded character once."""

    text: str
    runs: tuple[Run, ...]
    anchor: int = 0
    """Source offset of an empty text."""

    @staticmethod
    def identity(text: str, start: int = 0) -> Mapped:
        """``text`` standing as it is at source offset ``start``."""
        runs = (Run(0, len(text), start, start + len(text), True),) if text else ()
        return Mapped(text, runs, start)

    @staticmethod
    def whole(text: str, source: Span) -> Mapped:
        """``text`` that comes from ``source`` as one piece."""
        runs = (Run(0, len(text), source.start, source.end, False),) if text else ()
        return Mapped(text, runs, source.start)

    @staticmethod
    def join(parts: Iterable[Mapped], anchor: int = 0) -> Mapped:
        """The parts one after the other."""
        texts: list[str] = []
        runs: list[Run] = []
        at = 0
        first: int | None = None
        for part in parts:
            first = part.anchor if first is None else first
            for run in part.runs:
                shifted = run._replace(at=run.at + at)
                last = runs[-1] if runs else None
                if last and last.exact and shifted.exact and last.stop == shifted.start:
                    runs[-1] = Run(last.at, last.length + shifted.length, last.start, shifted.stop, True)
                else:
                    runs.append(shifted)
            texts.append(part.text)
            at += len(part.text)
        return Mapped("".join(texts), tuple(runs), anchor if first is None else first)

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """The hull of the source characters of decoded ``[start, end)``; an empty stretch gives an empty span."""
        end = len(self.text) if end is None else end
        if start >= end:
            return Span(*[self.point(start)] * 2)
        if len(self.runs) == 1 and start == 0 and end == len(self.text):
            return Span(self.runs[0].start, self.runs[0].stop)
        runs = self._between(start, end)
        spans = [self._source(run, start, end) for run in runs]
        return Span(min(span.start for span in spans), max(span.end for span in spans))

    def point(self, offset: int) -> int:
        """Source offset of the decoded boundary ``offset`` (before the character there, after the last one)."""
        if not self.runs:
            return self.anchor
        if offset >= len(self.text):
            return self.runs[-1].stop
        run = self.runs[self._index(offset)]
        return run.start + (offset - run.at if run.exact else 0)

    def slice(self, start: int, end: int | None = None) -> Mapped:
        """The decoded stretch as a mapped text of its own."""
        end = len(self.text) if end is None else end
        runs = []
        for run in self._between(start, end):
            first, last = max(start, run.at), min(end, run.at + run.length)
            source = self._source(run, start, end)
            runs.append(Run(first - start, last - first, source.start, source.end, run.exact))
        return Mapped(self.text[start:end], tuple(runs), self.point(start))

    def through(self, outer: Mapped) -> Mapped:
        """This text, whose source is ``outer.text``, mapped to the source of ``outer``."""
        runs: list[Run] = []
        for run in self.runs:
            if not run.exact:
                span = outer.span(run.start, run.stop)
                runs.append(Run(run.at, run.length, span.start, span.end, False))
                continue
            for piece in outer.slice(run.start, run.stop).runs:
                runs.append(piece._replace(at=piece.at + run.at))
        return Mapped(self.text, tuple(runs), outer.point(self.anchor))

    def is_exact(self, start: int, end: int) -> bool:
        """Whether cutting at both decoded boundaries cuts no source piece in two."""
        return self._is_boundary(start) and self._is_boundary(end)

    def _is_boundary(self, offset: int) -> bool:
        if offset <= 0 or offset >= len(self.text):
            return True
        run = self.runs[self._index(offset)]
        return run.exact or run.at == offset

    def _index(self, offset: int) -> int:
        return max(0, bisect_right(self.runs, offset, key=lambda run: run.at) - 1)

    def _between(self, start: int, end: int) -> Sequence[Run]:
        if start >= end or not self.runs:
            return ()
        return self.runs[self._index(start) : self._index(end - 1) + 1]

    @staticmethod
    def _source(run: Run, start: int, end: int) -> Span:
        if not run.exact:
            return Span(run.start, run.stop)
        first, last = max(start, run.at), min(end, run.at + run.length)
        return Span(run.start + first - run.at, run.start + last - run.at)
