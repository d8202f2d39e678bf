"""What the command line refuses, and its exit codes."""

from __future__ import annotations

OK = 0
FINDINGS = 1
USAGE = 2
INTERNAL = 3


class UsageError(Exception):
    """A mistake in what was asked for or configured: one line that names place and remedy. Exit code 2."""


def internal_error(error: BaseException, during: str) -> str:
    """One line about a bug: what was being done, what went wrong, in which line of SGLint."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = ""
    if trace is not None:
        place = f" at {trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
    said = " ".join(str(error).split())[:200]
    return f"internal error in {during}: {type(error).__name__}: {said}{place}; please report this line"
