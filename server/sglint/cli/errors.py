"""What the command line refuses, and its exit codes."""

from __future__ import annotations

OK = 0
FINDINGS = 1
USAGE = 2
INTERNAL = 3


class UsageError(Exception):
    """A mistake in what was asked for or configured: one line that names place and remedy. Exit code 2."""
