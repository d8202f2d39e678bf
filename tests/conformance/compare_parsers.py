"""Compares our reading of command lines with what a release's own parser said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sglint.catalogue import FlagTable
from sglint.launch.argv import parse, words_of
from sglint.launch.config_file import UnsupportedKey, config_argv
from sglint.launch.options import Option, Parsed

HEAD = 60


def ours(case: Sequence[str] | dict[str, Any], table: FlagTable) -> dict[str, Any]:
    """Our answer in the driver's form: an ``error`` head, ``exit``, or the ``values`` set."""
    if not isinstance(case, dict):
        return answer_of(parse(words_of(case), table), table)
    try:
        config = config_argv(case["config"], table)
    except UnsupportedKey as error:
        return {"error": str(error)[:HEAD]}
    return answer_of(parse(words_of(case["argv"]), table, config=words_of(config)), table)


def answer_of(parsed: Parsed, table: FlagTable) -> dict[str, Any]:
    fatal = next((problem for problem in parsed.problems if problem.fatal), None)
    if fatal is not None:
        return {"exit": 0} if fatal.kind == "help" else {"error": fatal.head}
    last: dict[str, Option] = {
        option.flag.dest: option for option in parsed.options if option.flag and not option.merged
    }
    values = {dest: option.value if option.known else "?" for dest, option in last.items()}
    return {"values": {dest: value for dest, value in values.items() if value != table.default(dest)}}


def theirs(answer: dict[str, Any], table: FlagTable) -> dict[str, Any]:
    """A driver's answer cut to what is compared."""
    if "raised" in answer:
        return {"error": answer["raised"].split(": ", 1)[1][:HEAD]}
    if "error" in answer:
        return {"error": answer["error"][:HEAD]}
    if "exit" in answer:
        return {"exit": 0}
    values = {dest: value for dest, value in answer["values"].items() if value != table.default(dest)}
    return {"values": values}
