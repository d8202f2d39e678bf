"""``sglint verdict``: will a command line start? One from the arguments, or many as JSON lines."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from ..lint import verdict_of
from ..report.text import verdict_lines
from ..rules.findings import Verdict
from .console import complain, style, write, write_json
from .errors import FINDINGS, INTERNAL, OK, USAGE, UsageError, internal_error
from .options import add_launch_settings, launch_settings, server_words

_KEYS = frozenset(("id", "release", "gpu", "gpus", "model_config", "draft_model_config", "argv", "env"))


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = "sglint verdict [OPTION ...] -- ARGV ...\n       sglint verdict --batch < CASES"
    parser.epilog = (
        "ARGV are the words of the command line, with or without the launcher in front. --batch reads lines"
        ' {"id", "release", "gpu", "gpus", "model_config", "draft_model_config", "argv", "env"}.'
    )
    add_launch_settings(parser)
    parser.add_argument("--env", metavar="NAME=VALUE", action="append", default=[], help="the server's environment")
    parser.add_argument("--batch", action="store_true", help="JSON lines from standard input to standard output")
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    if arguments.batch:
        if arguments.after is not None:
            raise UsageError("--batch reads its command lines from standard input; leave out what follows `--`")
        return _batch(sys.stdin.buffer)
    if not arguments.after:
        raise UsageError("give the command line after `--`, as in `sglint verdict --release 0.5.18 -- --model-path m`")
    case = {**launch_settings(arguments), "argv": server_words(arguments.after), "env": _environment(arguments.env)}
    try:
        answer = verdict_of(case)
    except ValueError as error:
        raise UsageError(str(error)) from None
    if arguments.format == "json":
        write_json(answer)
    else:
        write(_text(answer))
    return FINDINGS if answer["status"] == "refused" else OK


def _batch(lines: BinaryIO) -> int:
    """Answer each line as it comes. A line that is no case gets an answer with ``error``; the code is then 2."""
    code = OK
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        answer, failed = _answer(line, number)
        code = max(code, failed)
        write_json(answer, indent=None)
        sys.stdout.flush()
    return code


def _answer(line: bytes, number: int) -> tuple[Mapping[str, Any], int]:
    case: Any = None
    try:
        case = json.loads(line)
        _check(case)
        return verdict_of(case), OK
    except json.JSONDecodeError as error:
        return {"id": None, "error": f"line {number}: not JSON: {error.msg} at column {error.colno}"}, USAGE
    except UnicodeDecodeError as error:
        return {"id": None, "error": f"line {number}: not UTF-8 at byte {error.start + 1}"}, USAGE
    except (ValueError, OSError) as error:
        return {"id": _id_of(case), "error": f"line {number}: {error}"}, USAGE
    except RecursionError:
        return {"id": _id_of(case), "error": f"line {number}: nested too deeply"}, USAGE
    except Exception as error:
        message = internal_error(error, f"line {number}")
        complain(message)
        return {"id": _id_of(case), "error": message}, INTERNAL


def _check(case: Any) -> None:
    """Raises ValueError naming the key at fault and what it must be."""
    if not isinstance(case, dict):
        raise ValueError("a case is a JSON object with argv")
    unknown = [key for key in case if key not in _KEYS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no key of a case; keys are {', '.join(sorted(_KEYS))}")
    argv = case.get("argv")
    if not isinstance(argv, list) or not all(isinstance(word, str) for word in argv):
        raise ValueError("argv must be a list of texts")
    env = {} if case.get("env") is None else case["env"]
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        raise ValueError("env must map names to texts")
    for key in ("release", "gpu"):
        if case.get(key) is not None and not isinstance(case[key], str):
            raise ValueError(f"{key} must be a text")
    gpus = case.get("gpus")
    if gpus is not None and (type(gpus) is not int or gpus < 1):
        raise ValueError("gpus must be a whole number from 1 on")
    for key in ("model_config", "draft_model_config"):
        if case.get(key) is not None and not isinstance(case[key], str | dict):
            raise ValueError(f"{key} must be a path or a configuration")


def _id_of(case: Any) -> Any:
    return case.get("id") if isinstance(case, dict) else None


def _environment(assignments: Sequence[str]) -> dict[str, str]:
    found = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise UsageError(f"--env {assignment}: write NAME=VALUE")
        found[name] = value
    return found


def _text(answer: Mapping[str, Any]) -> Iterator[str]:
    verdict = Verdict(answer["status"], answer.get("stage"), answer.get("code"), needs=tuple(answer.get("needs") or ()))
    yield from verdict_lines(verdict, style())
    if answer.get("check"):
        yield f"  upstream check  {answer['check']}"
    if answer.get("message_head"):
        yield f"  message begins  {answer['message_head']}"
    for later in answer.get("later") or ():
        yield f"  later           {later}"
    if answer["status"] != "unknown":
        yield from (f"  not decided     {need}" for need in answer.get("needs") or ())
