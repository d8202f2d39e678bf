"""``sglint rules``: the list of rules."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from ..report.notices import notices
from ..report.rulepages import rule_json, rule_markdown
from ..report.style import Style
from ..rules import load
from ..rules.model import Rule
from .console import complain, style, write, write_json
from .errors import OK, USAGE


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=("text", "json", "markdown"),
        default="text",
        help="one line a rule, all of it as data, or one page a rule",
    )


def run(arguments: argparse.Namespace) -> int:
    rules = load()
    for message in rules.broken:
        complain(message)
    every = sorted((*notices(), *rules.rules), key=lambda rule: rule.code)
    if arguments.format == "json":
        pages = [rule_json(rule, rules.examples.get(rule.code, [])) for rule in every]
        write_json({"schema": 1, "rules": pages})
    elif arguments.format == "markdown":
        for rule in every:
            write(rule_markdown(rule, rules.examples.get(rule.code, [])))
    else:
        write(_table(every, style()))
    return USAGE if rules.broken else OK


def _table(rules: Sequence[Rule], look: Style) -> list[str]:
    widest = max(len(rule.name) for rule in rules)
    return [
        f"{look.paint(rule.code, 'strong')}  {look.paint(f'{rule.severity:<7}', rule.severity)}"
        f"  {rule.name:<{widest}}  {rule.summary}"
        for rule in rules
    ]
