"""Symbolic places of rules (a flag, the model, the launch) to places in the text."""

from __future__ import annotations

from ..catalogue import FlagTable
from ..launch.model import Launch, Place
from ..launch.options import Option, Parsed
from ..text import Span


class Places:
    """Places of one launch. ``home`` is the path of its document, which places leave out."""

    def __init__(self, launch: Launch, parsed: Parsed, table: FlagTable, home: str) -> None:
        self._launch = launch
        self._parsed = parsed
        self.table = table
        self._home = home

    def options(self, name: str) -> tuple[Option, ...]:
        """Occurrences of a flag in any spelling; by the text written where the release does not know the flag."""
        flag = self.table.by_name.get(name)
        if flag is not None:
            return self._parsed.of(flag.dest)
        return tuple(option for option in self._parsed.options if option.written == name)

    def flag(self, name: str) -> Place | None:
        """The flag's last occurrence, which is the one that counts; None when it is not in the launch."""
        options = self.options(name)
        return self._place(options[-1].flag_span, options[-1].words[0].path) if options else None

    def model(self) -> Place | None:
        """The value that names the model, else its flag."""
        options = self._parsed.of("model_path")
        if not options:
            return None
        option = options[-1]
        return self._place(option.value_span or option.flag_span, option.words[-1].path)

    def first(self, names: tuple[str, ...]) -> Place | None:
        """The first of the flags that is in the launch."""
        return next(filter(None, map(self.flag, names)), None)

    def launch(self) -> Place:
        """The launcher word; the beginning of the launch where there is none."""
        span = self._launch.launcher_span
        return Place(span or Span(self._launch.span.start, self._launch.span.start))

    def _place(self, span: Span, path: str | None) -> Place:
        return Place(span, None if path == self._home else path)
