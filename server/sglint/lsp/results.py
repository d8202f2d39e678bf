"""What the client is told of one file, open or closed, and by which id a result is known to be the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from lsprotocol import types

from ..records import dataclass
from ..text import Encoding
from .convert import to_diagnostic
from .linting import Linted

LEFT_TO_OTHERS = frozenset(("SGL001",))
"""Codes not shown in an editor, whose own servers mark broken YAML; the status request tells of them."""


@dataclass(frozen=True)
class Result:
    """Diagnostics of a file. ``version`` is None for a closed one; ``related`` are files its report also speaks of."""

    uri: str
    version: int | None
    diagnostics: tuple[types.Diagnostic, ...]
    id: str
    related: frozenset[str] = frozenset()


def result_of(linted: Linted, encoding: Encoding, page: Callable[[str], str | None]) -> Result:
    """The result of a report; a configuration whose mistakes hold for the file is related to it.

    ``page`` gives the URI of a rule's page.
    """
    report, buffer = linted.report, linted.buffer
    home = report.document.path
    diagnostics = tuple(
        to_diagnostic(finding, buffer, report.document, encoding, page(finding.code))
        for finding in report.findings
        if finding.path == home and finding.code not in LEFT_TO_OTHERS
    )
    wrong = {finding.path for finding in linted.settings.findings} & {linted.settings.source or ""}
    version = buffer.version if buffer.serial else None
    return Result(buffer.uri, version, diagnostics, result_id(diagnostics), linted.related | (wrong - {home}))


def result_id(diagnostics: Sequence[types.Diagnostic]) -> str:
    """The same for diagnostics that look the same; the revision they were made at does not count."""
    shown = [
        (each.range, each.severity, each.code, each.message, each.related_information, each.tags)
        for each in diagnostics
    ]
    return hashlib.sha1(repr(shown).encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:16]
