"""Linting what a command line names: files to reports, with one line for everything that goes wrong."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from ..catalogue import releases
from ..lint import lint
from ..records import dataclass, replace
from ..report.run import Run, Skipped
from ..rules.findings import Finding, Report
from ..text import Document, Sources, Span
from .console import complain
from .discovery import Candidate, NoSuchPath, candidates
from .errors import INTERNAL, OK, USAGE, internal_error
from .loading import Loaded, load, load_split, load_stdin, read_text
from .options import Configured

STDIN = "-"
_WORTH_PROCESSES = 40
"""Files with launches from which on processes save more than they cost: about 60 ms, at 4 ms and more a file."""

_NOT_UTF8 = ("SGL006", "not-utf8")


@dataclass(frozen=True)
class Outcome:
    """A run and how it went. ``code`` is 2 or 3 when something was wrong with the request or with SGLint."""

    run: Run
    code: int
    configured: Configured

    @property
    def fail_on(self) -> str:
        return self.configured.fail_on

    def worst(self, code: int) -> int:
        """The exit code, given the one for the findings alone."""
        return self.code or code


def lint_paths(arguments: argparse.Namespace, *, fixes: bool, jobs: int = 1) -> Outcome:
    """Lint the paths of a command line. Raises UsageError.

    With more ``jobs`` reports are for being rendered only: facts, options and editors stay with the processes.
    """
    configured = Configured(arguments)
    documents: list[Loaded] = []
    reports: list[Report] = []
    skipped: list[Skipped] = []
    seen = 0
    code = OK
    listed = tuple(listing(arguments))
    linted = frozenset(_templates(listed, configured))
    own = [entry for entry in listed if _in_shard(entry, getattr(arguments, "shard", None))]
    for found in chain.from_iterable(_opened(entry, arguments, split=True) for entry in own):
        if isinstance(found, NoSuchPath):
            complain(f"{found}: no such file or folder")
            code = max(code, USAGE)
            continue
        seen += 1
        if isinstance(found, Skipped):
            skipped.append(found)
            code = max(code, USAGE if found.failed else OK)
        elif found is not None and (found.named or configured.for_path(found.path).includes(found.path)):
            documents.append(found)
    for report in _attempts(documents, arguments, configured, linted, fixes=fixes, jobs=jobs):
        if isinstance(report, str):
            complain(report)
            code = INTERNAL
        elif report.judged or report.findings or report.not_launches:
            reports.append(report)
    mistakes = configured.mistakes()
    if mistakes:
        code = max(code, USAGE)
    run = Run((*mistakes, *_each_once(reports)), seen, tuple(skipped), read_text, releases())
    return Outcome(run, code, configured)


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


def loaded(arguments: argparse.Namespace) -> Iterator[Loaded | Skipped | NoSuchPath | None]:
    """What the paths of a command line hold, in order; None for a file in which nothing can start a server."""
    return chain.from_iterable(_opened(found, arguments, split=False) for found in listing(arguments))


def listing(arguments: argparse.Namespace) -> Iterator[Candidate | Skipped | NoSuchPath]:
    """The files that a command line names, in order, unread; standard input is called ``-``."""
    paths = arguments.paths or ["."]
    if STDIN in paths:
        yield Candidate(STDIN, None, True)
    yield from candidates((path for path in paths if path != STDIN), gitignore=not arguments.no_gitignore)


def _opened(
    found: Candidate | Skipped | NoSuchPath, arguments: argparse.Namespace, *, split: bool
) -> Iterable[Loaded | Skipped | NoSuchPath | None]:
    """The documents of a file; with ``split`` those of one too large to be one document."""
    if not isinstance(found, Candidate):
        return (found,)
    if found.path == STDIN:
        return load_stdin(arguments.stdin_filename, split=split)
    return load_split(found) if split else (load(found),)


def _templates(listed: Iterable[object], configured: Configured) -> Iterator[str]:
    """Files that may be a chart's templates and are linted, so that its values need not tell their launches."""
    for found in listed:
        if not isinstance(found, Candidate) or "templates" not in found.path:
            continue
        if found.named or configured.for_path(found.path).includes(found.path):
            yield found.path


def _in_shard(found: Candidate | Skipped | NoSuchPath, shard: tuple[int, int] | None) -> bool:
    """Whether the file belongs to this part of the run. A path that is not there belongs to every part."""
    if shard is None or isinstance(found, NoSuchPath):
        return True
    from zlib import crc32

    part, parts = shard
    return crc32(found.path.replace("\\", "/").encode("utf-8", "surrogateescape")) % parts == part - 1


def _attempts(
    documents: Sequence[Loaded],
    arguments: argparse.Namespace,
    configured: Configured,
    linted: frozenset[str],
    *,
    fixes: bool,
    jobs: int,
) -> Iterator[Report | str]:
    if jobs > 1 and len(documents) >= _WORTH_PROCESSES:
        from .parallel import attempts

        return attempts(documents, arguments, linted, fixes=fixes, jobs=jobs)
    return (attempt(found, configured, linted, fixes=fixes) for found in documents)


def attempt(found: Loaded, configured: Configured, linted: frozenset[str], *, fixes: bool) -> Report | str:
    """The report of one document, or one line about a bug.

    ``linted`` are files of the same run that tell their own launches.
    """
    settings = configured.for_path(found.path)
    try:
        report = lint(found.document, settings, Sources(read_text, linted=linted), fixes=fixes)
    except (Exception, RecursionError) as error:
        return internal_error(error, f"linting {found.path}")
    if found.damaged is None or not settings.selects(_NOT_UTF8[0], found.path):
        return report
    return replace(report, findings=(_damage(found), *report.findings))


def _damage(found: Loaded) -> Finding:
    code, name = _NOT_UTF8
    message = "This byte is not UTF-8, so it is read as an unknown character. Save the file as UTF-8."
    span = found.damaged
    assert span is not None
    return Finding(code, name, "warning", None, message, span, found.document.path)
