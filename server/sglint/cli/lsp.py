"""``sglint lsp``: the language server. The only command that loads the protocol library."""

from __future__ import annotations

import argparse

from .errors import OK, UsageError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stdio", action="store_true", help="talk on standard input and output (what it does anyway)")
    parser.add_argument("--tcp", metavar="HOST:PORT", help="wait for one client there instead; for debugging")


def run(arguments: argparse.Namespace) -> int:
    from ..lsp.server import serve

    try:
        serve(arguments.tcp)
    except ValueError as error:
        if arguments.tcp is None:
            raise
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"cannot listen at {arguments.tcp}: {error.strerror or error}") from None
    return OK
