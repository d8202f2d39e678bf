"""Documents to reports, one after another or over processes; what is kept of an earlier run is not made again."""

from __future__ import annotations

import argparse
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Protocol

from ..records import dataclass, replace
from ..rules.findings import Finding, Report
from ..settings import Settings
from .errors import internal_error
from .loading import Loaded
from .options import Configured
from .tracing import Answer, Trace

if TYPE_CHECKING:
    from .caching import Cache
    from .ray import Fleet


class SettingsByFile(Protocol):
    """What says which settings hold for a file."""

    def for_path(self, path: str) -> Settings: ...


WORTH_PROCESSES = 40
"""Files with launches from which on processes save more than they cost: about 60 ms, at 4 ms and more a file."""

_NOT_UTF8 = ("SGL006", "not-utf8")


@dataclass(frozen=True)
class Attempt:
    """The report of one document, or one line about a bug; and what was said about other files on the way.

    ``answers`` is None where a file changed meanwhile, so that they are no one state of the files.
    """

    report: Report | str
    answers: tuple[Answer, ...] | None = None


class Linter:
    """Lints the documents of one run. ``linted`` are files of the run that tell their own launches."""

    def __init__(
        self,
        arguments: argparse.Namespace,
        configured: Configured,
        linted: Container[str],
        *,
        fixes: bool,
        jobs: int = 1,
        cache: Cache | None = None,
    ) -> None:
        self._arguments = arguments
        self._configured = configured
        self._linted = linted
        self._fixes = fixes
        self._jobs = jobs
        self._cache = cache
        self._fleet: Fleet | None = None

    def attempts(self, documents: Sequence[Loaded]) -> Iterator[Attempt]:
        """An attempt for each document, in order; what the cache has is not made."""
        kept = [self._kept(found) for found in documents]
        missing = [found for found, attempt in zip(documents, kept, strict=True) if attempt is None]
        made = self.made(missing)
        for found, known in zip(documents, kept, strict=True):
            if known is not None:
                yield known
            else:
                new = next(made)
                self._keep(found, new)
                yield new

    def made(self, documents: Iterable[Loaded]) -> Iterator[Attempt]:
        """The same without the cache. Few documents are read ahead of the one that is answered."""
        documents = iter(documents)
        address = getattr(self._arguments, "ray", None)
        if address is not None:
            return self._by_fleet(documents, address)
        first = list(islice(documents, WORTH_PROCESSES)) if self._jobs > 1 else []
        every = chain(first, documents)
        if len(first) < WORTH_PROCESSES or self._jobs < 2:
            return (attempt(found, self._configured, self._linted, fixes=self._fixes) for found in every)
        from .parallel import attempts

        return attempts(every, self._arguments, self._linted, fixes=self._fixes, jobs=self._jobs)

    def trouble(self) -> str | None:
        """One line about machines that could not help."""
        return None if self._fleet is None else self._fleet.trouble()

    def close(self) -> None:
        """Let go of other machines."""
        if self._fleet is not None:
            self._fleet.close()

    def _by_fleet(self, documents: Iterator[Loaded], address: str) -> Iterator[Attempt]:
        first = next(documents, None)
        if first is None:
            return
        from .ray import Fleet

        self._fleet = Fleet(address, self._configured, self._linted, fixes=self._fixes, jobs=self._jobs)
        yield from self._fleet.attempts(chain((first,), documents))

    def _kept(self, found: Loaded) -> Attempt | None:
        if self._cache is None or not found.whole:
            return None
        return self._cache.get(found, self._configured.for_path(found.path), fixes=self._fixes)

    def _keep(self, found: Loaded, new: Attempt) -> None:
        if self._cache is not None and found.whole:
            self._cache.put(found, self._configured.for_path(found.path), new, fixes=self._fixes)


def attempt(found: Loaded, configured: SettingsByFile, linted: Container[str], *, fixes: bool) -> Attempt:
    """The report of one document, and what it rests on."""
    from ..lint import lint

    settings = configured.for_path(found.path)
    trace = Trace(linted)
    try:
        report = lint(found.document, settings, trace.sources, fixes=fixes)
    except (Exception, RecursionError) as error:
        return Attempt(internal_error(error, f"linting {found.path}"), trace.answers())
    if found.damaged is not None and settings.selects(_NOT_UTF8[0], found.path):
        report = replace(report, findings=(_damage(found), *report.findings))
    return Attempt(report, trace.answers())


def _damage(found: Loaded) -> Finding:
    code, name = _NOT_UTF8
    message = "This byte is not UTF-8, so it is read as an unknown character. Save the file as UTF-8."
    span = found.damaged
    assert span is not None
    return Finding(code, name, "warning", None, message, span, found.document.path)
