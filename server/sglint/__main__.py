"""Entry point of ``sglint`` and ``python -m sglint``."""

from __future__ import annotations

import gc
import sys
from contextlib import suppress

_COLLECT_EVERY = 50_000
"""Allocations between searches for garbage. A run of some hundred milliseconds makes next to none, and the usual
threshold spends a twentieth of it searching."""

_INTERRUPTED = 130


def main() -> None:
    """Run the command line and leave with its exit code."""
    words = sys.argv[1:]
    if words in (["--version"], ["-V"]):
        from . import __version__

        # Where it cannot be written, and that has to be told, the command does so.
        with suppress(OSError, AttributeError):
            sys.stdout.write(f"sglint {__version__}\n")
            sys.stdout.flush()
            sys.exit(0)
    gc.set_threshold(_COLLECT_EVERY)
    try:
        from .cli.app import run

        code = run(words)
    except KeyboardInterrupt:
        # Ctrl-C may also come while modules load, or between what a command does and its last flush.
        code = _INTERRUPTED
    sys.exit(code)


if __name__ == "__main__":
    main()
