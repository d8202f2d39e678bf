"""The commands and what happens around them: choosing one, errors to exit codes. Modules load when chosen."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from .. import __version__
from ..report.style import DEFAULT_WIDTH
from .console import abandon, complain, prepare_streams
from .errors import INTERNAL, OK, USAGE, UsageError, internal_error

COMMANDS = {
    "check": "lint files and folders",
    "fix": "apply fixes to files",
    "baseline": "accept what is found today, to be told only of what is new",
    "launches": "list every launch found, with words, options and places",
    "size": "the memory plan of each launch",
    "verdict": "will this command line start?",
    "explain": "what a rule means, since when, with examples",
    "rules": "list the rules",
    "releases": "list the SGLang releases of the catalogue, or compare two",
    "upstream": "read an SGLang release by static analysis",
    "merge": "join the reports of a run in parts",
    "cache": "what is kept of earlier runs, and how to be rid of it",
    "config": "which configuration holds for a file, and what it says",
    "completion": "completion of commands and options for a shell",
    "lsp": "the language server, on standard input and output",
}
"""Name and purpose; each is the module of that name here, with ``configure(parser)`` and ``run(arguments)``."""

_READER_LEFT = -1
"""The reader of a pipe has what it wanted, which is no error."""

_CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

TAKING_COMMAND_LINES = ("size", "verdict")
"""Commands that get the words after ``--`` as ``arguments.after``; for others those are paths as usual."""


class Formatter(argparse.HelpFormatter):
    """Help of a fixed width: asking for the terminal's loads every compression library of Python."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=DEFAULT_WIDTH)


class Parser(argparse.ArgumentParser):
    """Reports mistakes as :class:`UsageError`, and does not pass over help that cannot be written."""

    def print_help(self, file: Any = None) -> None:
        """The help, on standard output. Raises OSError."""
        sys.stdout.write(self.format_help())

    def error(self, message: str) -> NoReturn:
        """Raises UsageError with the message and where to look."""
        raise UsageError(f"{message}; `{self.prog} --help` lists what it takes")


def run(words: Sequence[str]) -> int:
    """Exit code of a command line: 0, 1 for findings, 2 for usage and configuration errors, 3 for our own."""
    prepare_streams()
    code = _settled(lambda: _dispatch(list(words)), words)
    flushed = _settled(_flushed, words)
    if _READER_LEFT in (code, flushed):
        return code if code >= USAGE else OK
    return max(code, flushed)


def _settled(step: Callable[[], int], words: Sequence[str]) -> int:
    """The exit code of a step; an error costs one line."""
    try:
        return step()
    except UsageError as error:
        complain(str(error))
        return USAGE
    except BrokenPipeError:
        abandon(sys.stdout)
        return _READER_LEFT
    except OSError as error:
        return _of_system(error, words)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        complain(internal_error(error, " ".join(words[:1])))
        return INTERNAL


def _flushed() -> int:
    sys.stdout.flush()
    return OK


def _of_system(error: OSError, words: Sequence[str]) -> int:
    if error.errno in _CANNOT_WRITE:
        abandon(sys.stdout)
        complain(f"the output cannot be written: {(error.strerror or 'the device failed').lower()}")
        return USAGE
    try:
        os.getcwd()  # noqa: PTH109
    except OSError:
        complain("the folder this runs in is gone; change to one that is there")
        return USAGE
    complain(internal_error(error, " ".join(words[:1])))
    return INTERNAL


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        sys.stdout.write(_overview())
        return OK if words else USAGE
    if words[0] in ("-V", "--version"):
        sys.stdout.write(f"sglint {__version__}\n")
        return OK
    name = words[0]
    if name not in COMMANDS:
        raise UsageError(_unknown_command(name))
    module = import_module(f".{name}", __package__)
    purpose = f"{COMMANDS[name][0].upper()}{COMMANDS[name][1:]}"
    parser = Parser(f"sglint {name}", description=purpose, formatter_class=Formatter, allow_abbrev=False)
    module.configure(parser)
    own, after = _split(words[1:]) if name in TAKING_COMMAND_LINES else (words[1:], None)
    parser.set_defaults(after=after)
    try:
        code: int = module.run(parser.parse_args(own))
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else OK
    return code


def _split(words: list[str]) -> tuple[list[str], list[str] | None]:
    """Words before and after the first ``--``; argparse would give some of the latter to options."""
    if "--" not in words:
        return words, None
    at = words.index("--")
    return words[:at], words[at + 1 :]


def _unknown_command(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, 1)
    if near:
        return f"there is no command {name!r}; did you mean `sglint {near[0]}`?"
    return f"there is no command {name!r}; commands are {', '.join(COMMANDS)}"


def _overview() -> str:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {purpose}" for name, purpose in COMMANDS.items())
    return (
        "usage: sglint COMMAND ...\n\n"
        "Says what each SGLang release does with the launch commands in your files.\n\n"
        f"commands:\n{commands}\n\n"
        "`sglint COMMAND --help` describes a command; `sglint --version` prints the version.\n"
        "Exit codes: 0 nothing found at or above --fail-on, 1 something found, 2 usage or configuration error,\n"
        "3 a bug in sglint.\n"
    )
