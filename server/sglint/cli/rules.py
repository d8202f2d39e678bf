"""``sglint rules``: the list of rules."""

from __future__ import annotations

import argparse

from ..report.rulepages import rule_json, rule_markdown
from ..report.style import Style
from ..rules import load
from ..rules.model import RuleSet
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
    if arguments.format == "json":
        pages = [rule_json(rule, rules.examples.get(rule.code, [])) for rule in rules.rules]
        write_json({"schema": 1, "rules": pages})
    elif arguments.format == "markdown":
        for rule in rules.rules:
            write(rule_markdown(rule, rules.examples.get(rule.code, [])))
    else:
        write(_table(rules, style()))
    return USAGE if rules.broken else OK


def _table(rules: RuleSet, look: Style) -> list[str]:
    widest = max((len(rule.name) for rule in rules.rules), default=0)
    return [
        f"{look.paint(rule.code, 'strong')}  {look.paint(f'{rule.severity:<7}', rule.severity)}"
        f"  {rule.name:<{widest}}  {rule.summary}"
        for rule in rules.rules
    ]
