"""``sglint size``: the memory plan of each launch, in files or given as a command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..lint import lint
from ..memory import plan
from ..records import dataclass
from ..report.run import LaunchIn
from ..report.sizes import size_text
from ..report.text import address, describe_launch, launch_heading
from ..rules.findings import Judged
from ..text import Sources, apply_edits
from .console import style, write, write_json
from .errors import OK, UsageError
from .linting import Outcome, complain_of_settings, lint_command, lint_paths
from .options import add_paths, add_shared, server_words


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = "sglint size [OPTION ...] [PATH ...]\n       sglint size [OPTION ...] -- ARGV ..."
    add_paths(parser)
    add_shared(parser)
    parser.add_argument(
        "--rest-bytes",
        metavar="N",
        type=_bytes,
        help="bytes left for pools after weights and reserve; then every size is exact",
    )
    parser.add_argument("--compare-fixes", action="store_true", help="also the plan after each fix")
    parser.add_argument("--format", choices=("text", "json", "svg"), default="text")
    parser.add_argument("--output", metavar="FILE", help="with --format svg: write the picture there")


def run(arguments: argparse.Namespace) -> int:
    if arguments.output is not None and arguments.format != "svg":
        raise UsageError("--output is for --format svg")
    outcome = _outcome(arguments)
    complain_of_settings(outcome.configured)
    sizes = [_size(entry, outcome, arguments) for entry in outcome.run.launches()]
    if arguments.format == "json" and arguments.after is None:
        from ..report.json import identity_json

        write_json({"schema": 1, "launches": [{**identity_json(size.entry), **_json(size)} for size in sizes]})
    elif arguments.format == "json":
        for size in sizes:
            write_json({"schema": 1, **_json(size)})
    elif arguments.format == "svg":
        _draw(sizes, arguments.output)
    else:
        write(_text(sizes))
    return outcome.worst(OK)


def _outcome(arguments: argparse.Namespace) -> Outcome:
    fixes: bool = arguments.compare_fixes
    if arguments.after is None:
        return lint_paths(arguments, fixes=fixes)
    if arguments.paths:
        raise UsageError("give either files or, after `--`, a command line; not both")
    if not arguments.after:
        raise UsageError("give the command line after `--`, as in `sglint size --gpu h200 -- --model-path m`")
    return lint_command(arguments, server_words(arguments.after), fixes=fixes)


@dataclass(frozen=True)
class Size:
    """A launch, its plan, and with --compare-fixes the plan after each fix that can be applied, by its title."""

    entry: LaunchIn
    plan: dict[str, Any]
    after: tuple[tuple[str, dict[str, Any]], ...] | None = None


def _size(entry: LaunchIn, outcome: Outcome, arguments: argparse.Namespace) -> Size:
    rest: int | None = arguments.rest_bytes
    if not arguments.compare_fixes:
        return Size(entry, _plan(entry.judged, rest))
    found: dict[str, dict[str, Any]] = {}
    for title, judged in _fixed(entry, outcome):
        found.setdefault(title, _plan(judged, rest))
    return Size(entry, _plan(entry.judged, rest), tuple(found.items()))


def _fixed(entry: LaunchIn, outcome: Outcome) -> Iterator[tuple[str, Judged]]:
    """The launch after each of its fixes that edit its own document."""
    settings = outcome.configured.for_path(entry.document.path)
    for report in outcome.run.reports:
        if report.document is not entry.document:
            continue
        number = next(number for number, judged in enumerate(report.judged) if judged is entry.judged)
        for finding in report.findings:
            for fix in finding.fixes if finding.launch == number else ():
                if not fix.edits or any(edit.path not in (None, entry.document.path) for edit in fix.edits):
                    continue
                document = replace(entry.document, text=apply_edits(entry.document.text, fix.edits))
                judged_again = lint(document, settings, Sources(outcome.run.read), fixes=False).judged
                if number < len(judged_again):
                    yield fix.title, judged_again[number]


def _bytes(text: str) -> int:
    digits = text.replace("_", "").replace(",", "")
    if not digits.isdecimal() or not int(digits):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes")
    return int(digits)


def _plan(judged: Judged, rest_bytes: int | None) -> dict[str, Any]:
    if judged.facts is None:
        raise RuntimeError("a judged launch without facts")
    return plan(judged.facts, rest_bytes).to_json()


def _json(size: Size) -> dict[str, Any]:
    if size.after is None:
        return size.plan
    return {**size.plan, "fixes": [{"title": title, "plan": after} for title, after in size.after]}


def _draw(sizes: list[Size], output: str | None) -> None:
    """One picture of all launches, to a file or to standard output. Raises :class:`UsageError` for a bad file."""
    from ..report.svg import Panel, size_svg

    panels = []
    for size in sizes:
        document, judged = size.entry.document, size.entry.judged
        place = address(document.path, document.lines.position(judged.launch.span.start, "utf-32"))
        panels.append(Panel(describe_launch(judged), place, size.plan, size.after or ()))
    picture = size_svg(panels)
    if output is None:
        write([picture.rstrip("\n")])
        return
    try:
        Path(output).write_text(picture, encoding="ascii")
    except OSError as error:
        raise UsageError(f"{output}: {error.strerror or error}") from None


def _text(sizes: list[Size]) -> Iterator[str]:
    look = style()
    if not sizes:
        yield "no launch found"
    for size in sizes:
        yield from launch_heading(size.entry.document, size.entry.judged, look)
        yield from size_text(size.plan, look)
        for title, after in size.after or ():
            yield ""
            yield f"  {look.paint(f'After: {title}', 'strong')}"
            yield from size_text({**after, "explanation": ()}, look)
        yield ""
