"""What one run over files yields, ready to be rendered."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..records import dataclass, field
from ..rules.findings import SEVERITIES, Finding, Judged, Report, Severity
from ..text import Document, LineIndex


@dataclass(frozen=True)
class Skipped:
    """A file that was not looked into, and why; ``path`` as shown to the user.

    ``failed``: the system refused to read it, so that a clean result says nothing about it.
    """

    path: str
    reason: str
    failed: bool = False


@dataclass(frozen=True)
class LaunchIn:
    """A judged launch with its number in the whole run (from 1) and the document it stands in."""

    id: int
    document: Document
    judged: Judged


class Lines:
    """Line indexes of a document and of the other files its findings point into."""

    def __init__(self, document: Document, read: Callable[[str], str | None]) -> None:
        self._document = document
        self._read = read
        self._others: dict[str, LineIndex | None] = {}

    def of(self, path: str | None) -> LineIndex | None:
        """The lines of the file at ``path`` (None: the document itself); None when it cannot be read."""
        if path is None or path == self._document.path:
            return self._document.lines
        if path not in self._others:
            text = self._read(path)
            self._others[path] = None if text is None else LineIndex(text)
        return self._others[path]


@dataclass(frozen=True)
class Run:
    """Reports in the order of the files.

    seen, skipped
        files of a language SGLint reads, or objects of a cluster; ``unit`` names one of them.
    read
        answers for files beside the documents.
    releases
        the catalogue's, oldest first.
    known, gone
        findings left out, since a baseline has them; findings that it has and that are no longer there.
    copies
        objects left out, since another object that is told made them.
    """

    reports: tuple[Report, ...]
    seen: int = 0
    skipped: tuple[Skipped, ...] = ()
    read: Callable[[str], str | None] = field(default=lambda path: None)
    releases: tuple[str, ...] = ()
    known: int = 0
    gone: int = 0
    unit: str = "file"
    copies: int = 0

    def launches(self) -> Iterator[LaunchIn]:
        number = 0
        for report in self.reports:
            for judged in report.judged:
                number += 1
                yield LaunchIn(number, report.document, judged)

    def findings(self) -> Iterator[Finding]:
        for report in self.reports:
            yield from report.findings

    def counts(self) -> dict[Severity, int]:
        counted: dict[Severity, int] = dict.fromkeys(SEVERITIES, 0)
        for finding in self.findings():
            counted[finding.severity] += 1
        return counted

    @property
    def abstained(self) -> int:
        return sum(report.abstained for report in self.reports)

    def lines(self, report: Report) -> Lines:
        return Lines(report.document, self.read)
