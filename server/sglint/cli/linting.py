"""Linting what a command line names: files to reports, with one line for everything that goes wrong."""

from __future__ import annotations

import argparse
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..catalogue import releases
from ..records import dataclass, replace
from ..report.run import Run, Skipped
from ..rules.findings import Finding, Report
from ..text import Document, Sources, Span
from .attempts import Attempt, Linter
from .console import complain
from .discovery import NoSuchPath
from .errors import INTERNAL, OK, USAGE, UsageError
from .inputs import in_part, in_shard, listing, opened, templates
from .loading import Loaded, read_text
from .options import Configured
from .progress import SILENT, Progress
from .tracing import Answer

if TYPE_CHECKING:
    from .caching import Cache


@dataclass(frozen=True)
class Outcome:
    """A run and how it went. ``code`` is 2 or 3 when something was wrong with the request or with SGLint.

    ``answers`` are what was said about files beside the documents, there or not.
    """

    run: Run
    code: int
    configured: Configured
    answers: frozenset[Answer] = frozenset()

    @property
    def fail_on(self) -> str:
        return self.configured.fail_on

    def worst(self, code: int) -> int:
        """The exit code, given the one for the findings alone."""
        return self.code or code


def lint_paths(
    arguments: argparse.Namespace,
    *,
    fixes: bool,
    jobs: int = 1,
    cache_folder: Path | None = None,
    progress: Progress = SILENT,
) -> Outcome:
    """Lint the paths of a command line. Raises UsageError.

    With more ``jobs``, or a ``cache_folder``, reports are for being rendered only: facts, options and editors stay
    with the process that made them.
    """
    gathering = Gathering(Configured(arguments), progress)
    listed = tuple(listing(arguments))
    linted = frozenset(templates(listed, gathering.configured))
    own = [entry for entry in listed if in_shard(entry, getattr(arguments, "shard", None))]
    documents: list[Loaded] = []
    for entry in progress.along("reading", own, len(own)):
        documents += gathering.documents(opened(entry, arguments, gathering.configured, split=True))
    cache = _cache(cache_folder, linted) if documents else None
    linter = Linter(arguments, gathering.configured, linted, fixes=fixes, jobs=jobs, cache=cache)
    gathering.take_from(linter, linter.attempts(documents), len(documents))
    if cache is not None:
        cache.tidy()
        gathering.tell(cache.trouble())
    return gathering.outcome()


def lint_dump(
    arguments: argparse.Namespace, folder: str, *, fixes: bool, jobs: int = 1, progress: Progress = SILENT
) -> Outcome:
    """Lint the objects of a cluster that were written to a folder. Raises UsageError.

    At no time more of the dump is held than the objects with launches.
    """
    from .dump import documents, survey

    gathering = Gathering(Configured(arguments), progress, unit="object")
    dump = survey(folder, progress, gathering.configured.words_at(f"{folder}/x"))
    if isinstance(dump, NoSuchPath):
        raise UsageError(f"--cluster-dump {dump}: no such folder")
    shard = getattr(arguments, "shard", None)
    told = [entry for entry in dump.told if in_part(str(entry), shard)]
    linter = Linter(arguments, gathering.configured, frozenset(), fixes=fixes, jobs=jobs)
    gathering.take_from(linter, linter.made(gathering.documents(documents(told))), len(told))
    # What no part lints is counted by the first.
    counted = (dump.seen - len(dump.told), dump.copies) if shard is None or shard[0] == 1 else (0, 0)
    gathering.count(counted[0], dump.skipped, copies=counted[1])
    return gathering.outcome()


class Gathering:
    """What a run comes to, document by document."""

    def __init__(self, configured: Configured, progress: Progress, unit: str = "file") -> None:
        self.configured = configured
        self._unit = unit
        self._copies = 0
        self._progress = progress
        self._reports: list[Report] = []
        self._skipped: list[Skipped] = []
        self._answers: set[Answer] = set()
        self._seen = 0
        self._code = OK

    def documents(self, found: Iterable[Loaded | Skipped | NoSuchPath | None]) -> Iterator[Loaded]:
        """Those that are to be linted; the others are noted."""
        for one in found:
            if isinstance(one, NoSuchPath):
                self.tell(f"{one}: no such file or folder")
                self._code = max(self._code, USAGE)
                continue
            self._seen += 1
            if isinstance(one, Skipped):
                self._skipped.append(one)
                self._code = max(self._code, USAGE if one.failed else OK)
            elif one is not None and (one.named or self.configured.for_path(one.path).includes(one.path)):
                yield one

    def count(self, seen: int, skipped: Iterable[Skipped], copies: int) -> None:
        """Also these that were not asked for as documents."""
        self._seen += seen
        self._copies += copies
        for one in skipped:
            self._skipped.append(one)
            self._code = max(self._code, USAGE if one.failed else OK)

    def take_from(self, linter: Linter, attempts: Iterable[Attempt], total: int) -> None:
        """As :meth:`take`, to the end of what the linter has to do and to say."""
        try:
            self.take(attempts, total)
            self.tell(linter.trouble())
        finally:
            linter.close()

    def take(self, attempts: Iterable[Attempt], total: int | None = None) -> None:
        for attempt in self._progress.along("checking", attempts, total):
            report = attempt.report
            self._answers.update(attempt.answers or ())
            if isinstance(report, str):
                self.tell(report)
                self._code = INTERNAL
            elif report.judged or report.findings or report.not_launches:
                self._reports.append(report)

    def tell(self, line: str | None) -> None:
        """One line on standard error, not into the middle of the progress."""
        if line is not None:
            self._progress.clear()
            complain(line)

    def outcome(self) -> Outcome:
        self._progress.clear()
        mistakes = self.configured.mistakes()
        hiding = self.configured.selecting_nothing()
        for selected in hiding:
            complain(f"--select {selected}: no rule's code begins so; `sglint rules` lists them")
        code = max(self._code, USAGE) if mistakes or hiding else self._code
        reports = (*mistakes, *_each_once(self._reports))
        run = Run(
            reports,
            self._seen,
            tuple(self._skipped),
            read_text,
            releases(),
            unit=self._unit,
            copies=self._copies,
        )
        return Outcome(run, code, self.configured, frozenset(self._answers))


def _cache(folder: Path | None, linted: Container[str]) -> Cache | None:
    if folder is None:
        return None
    from .caching import Cache

    return Cache(folder, linted)


def _each_once(reports: Sequence[Report]) -> Iterator[Report]:
    """The reports without what another file's launch says of a file too, knowing its release and surroundings."""
    told = {_where(one) for report in reports for one in report.findings if one.path != report.document.path}
    for report in reports:
        own = report.document.path
        kept = tuple(one for one in report.findings if one.path != own or _where(one) not in told)
        yield report if len(kept) == len(report.findings) else replace(report, findings=kept)


def _where(finding: Finding) -> tuple[str, str, Span]:
    return finding.code, finding.path, finding.span


def lint_command(arguments: argparse.Namespace, words: Sequence[str], *, fixes: bool) -> Outcome:
    """Lint the server's own words of a command line, as a script of that one line. Raises UsageError."""
    import shlex

    from ..lint import lint

    configured = Configured(arguments)
    text = shlex.join(("python3", "-m", "sglang.launch_server", *words))
    document = Document("<command line>", text, "shell")
    report = lint(document, configured.for_path(document.path), Sources(read_text), fixes=fixes)
    mistakes = configured.mistakes()
    run = Run((*mistakes, report), 1, read=read_text, releases=releases())
    return Outcome(run, USAGE if mistakes else OK, configured)


def complain_of_settings(configured: Configured) -> None:
    """A line for each mistake in a configuration file, for commands that show no findings."""
    for report in configured.mistakes():
        for finding in report.findings:
            line, column = report.document.lines.position(finding.span.start, "utf-32")
            complain(f"{finding.path}:{line + 1}:{column + 1}: {finding.message}")
