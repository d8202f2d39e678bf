"""``sglint launches``: every launch found, with its words, options and places."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ..launch.options import Option
from ..report.columns import printable
from ..report.run import Run
from ..report.style import Style
from ..report.text import describe_launch, plural
from .console import style, write, write_json
from .errors import OK
from .linting import complain_of_settings, lint_paths
from .options import add_paths, add_shared


def configure(parser: argparse.ArgumentParser) -> None:
    add_paths(parser)
    add_shared(parser)
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    outcome = lint_paths(arguments, fixes=False)
    complain_of_settings(outcome.configured)
    if arguments.format == "json":
        from ..report.json import launches_json

        write_json(launches_json(outcome.run))
    else:
        write(_text(outcome.run, style()))
    return outcome.worst(OK)


def _text(run: Run, look: Style) -> Iterator[str]:
    launches = list(run.launches())
    for entry in launches:
        lines = entry.document.lines
        start = lines.position(entry.judged.launch.span.start, "utf-32")
        place = f"{printable(entry.document.path)}:{start.line + 1}:{start.character + 1}"
        yield look.paint(f"{place}: {describe_launch(entry.judged)}", "strong")
        for option in entry.judged.parsed.options:
            if option.implied:
                continue
            where = lines.position(option.flag_span.start, "utf-32") if option.words[0].path is None else None
            at = f"{where.line + 1}:{where.character + 1}" if where else printable(option.words[0].path or "")
            yield f"  {at:>8}  {_written(option)}"
        for hole in entry.judged.parsed.holes:
            yield f"            {printable(hole.text or 'words')} (not statically known)"
        yield ""
    for report in run.reports:
        for item in report.not_launches:
            line = report.document.lines.line_of(item.span.start) + 1
            yield look.paint(f"{printable(report.document.path)}:{line}: {item.program}, no SGLang server", "faint")
    yield f"{plural(len(launches), 'launch', 'launches')}, {plural(run.seen, 'file')} read"


def _written(option: Option) -> str:
    values = " ".join("?" if value is None else value for value in option.raw)
    maybe = "  (under a condition)" if option.presence == "maybe" else ""
    return printable(f"{option.written} {values}".rstrip()) + maybe
