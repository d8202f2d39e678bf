"""``sglint explain CODE``: what a rule means; with files, also where it holds there and with which numbers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from ..report.rulebook import Page, pages
from ..report.rulepages import rule_json, rule_markdown, rule_text
from ..report.run import Run
from ..report.text import render_report
from ..rules.model import Rule
from .console import style, write, write_json
from .errors import OK, UsageError
from .options import add_paths, add_shared


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("code", metavar="CODE", help="a rule's code or name, as SGL101")
    add_paths(parser, default="none")
    add_shared(parser)
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")


def run(arguments: argparse.Namespace) -> int:
    page = _find(pages().values(), arguments.code)
    rule, examples = page.rule, page.examples
    if arguments.format == "json":
        write_json({"schema": 1, "rules": [rule_json(rule, examples)]})
    elif arguments.format == "markdown":
        write(rule_markdown(rule, examples))
    else:
        write(rule_text(rule, examples, style()))
    return _where_it_holds(rule, arguments) if arguments.paths else OK


def _find(found: Iterable[Page], asked: str) -> Page:
    by_name = {name: page for page in found for name in (page.rule.name, page.rule.code)}
    page = by_name.get(asked) or by_name.get(asked.upper())
    if page is not None:
        return page
    from difflib import get_close_matches

    near = get_close_matches(asked, by_name, 1) or get_close_matches(asked.upper(), by_name, 1)
    remedy = f"did you mean {near[0]}?" if near else "`sglint rules` lists them"
    raise UsageError(f"there is no rule {asked!r}; {remedy}")


def _where_it_holds(rule: Rule, arguments: argparse.Namespace) -> int:
    from .linting import lint_paths

    arguments.select, arguments.ignore = [rule.code], None
    outcome = lint_paths(arguments, fixes=True)
    write(["", f"{rule.code} in {', '.join(arguments.paths)}", ""])
    holding = [report for report in outcome.run.reports if any(item.code == rule.code for item in report.findings)]
    run = Run(tuple(holding), read=outcome.run.read)
    for report in holding:
        write(render_report(report, run.lines(report), style(), "numbers"))
    if not holding:
        write(["it does not hold for any launch there"])
    return outcome.worst(OK)
