"""``sglint rules``: the list of rules."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..report.rulebook import Page, book, pages
from ..report.rulepages import rule_json, rule_markdown
from ..report.style import Style
from ..rules import load
from ..rules.model import Rule
from .console import complain, style, write, write_json
from .discovery import reason_of
from .errors import OK, USAGE, UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=("text", "json", "markdown"),
        default="text",
        help="one line a rule, all of it as data, or one page a rule",
    )
    parser.add_argument("--output", metavar="FOLDER", help="with --format markdown: a file a page, and an index")


def run(arguments: argparse.Namespace) -> int:
    for message in load().broken:
        complain(message)
    found = pages()
    if arguments.output is not None:
        if arguments.format != "markdown":
            raise UsageError("--output takes pages; add --format markdown")
        _write_book(Path(arguments.output), found)
    elif arguments.format == "json":
        write_json({"schema": 1, "rules": [rule_json(page.rule, page.examples) for page in found.values()]})
    elif arguments.format == "markdown":
        for page in found.values():
            write(rule_markdown(page.rule, page.examples))
    else:
        write(_table([page.rule for page in found.values()], style()))
    return USAGE if load().broken else OK


def _write_book(folder: Path, found: Mapping[str, Page]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in book(found):
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder}: {reason_of(error)}") from None
    write([f"{folder}: {len(found)} pages"])


def _table(rules: Sequence[Rule], look: Style) -> list[str]:
    widest = max(len(rule.name) for rule in rules)
    return [
        f"{look.paint(rule.code, 'strong')}  {look.paint(f'{rule.severity:<7}', rule.severity)}"
        f"  {rule.name:<{widest}}  {rule.summary}"
        for rule in rules
    ]
