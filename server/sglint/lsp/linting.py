"""When texts are linted and what is kept of it: latest report per open text, superseded work dropped.

Linting runs on one worker thread, so the protocol loop never waits for it. While a text is being linted further
changes of it only leave a mark; when the work is done and the text has moved on, the result is thrown away and the
newest text is linted instead. A result is published only for the version it was made from.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ..lint import lint
from ..lint.seen import seen_in_its_file
from ..records import dataclass
from ..rules.findings import Finding, Report
from ..settings import Settings
from ..text import Document, Sources, Span
from .buffers import Buffer, Buffers

log = logging.getLogger(__name__)

Publish = Callable[[Buffer, Report], None]
SettingsFor = Callable[[Document], Settings]
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Linted:
    """A report and the version of the text it holds for; ``fixes`` says whether fixes were made and verified."""

    version: int
    report: Report
    fixes: bool


class Linter:
    def __init__(self, buffers: Buffers, settings_for: SettingsFor, publish: Publish) -> None:
        self._buffers = buffers
        self._settings_for = settings_for
        self._publish = publish
        self._latest: dict[str, Linted] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sglint")

    def schedule(self, uri: str) -> None:
        """Lint the text soon; a text that is being linted is linted once more, whatever it is asked for meanwhile."""
        if uri in self._running:
            self._again.add(uri)
        else:
            self._running[uri] = asyncio.get_running_loop().create_task(self._run_until_current(uri))

    def schedule_all(self) -> None:
        for buffer in self._buffers:
            self._latest.pop(buffer.uri, None)
            self.schedule(buffer.uri)

    def schedule_readers(self, paths: Collection[str]) -> None:
        """Lint again the texts whose findings rest on one of these files."""
        for buffer in self._buffers:
            known = self._latest.get(buffer.uri)
            if known is None or not known.report.used_paths.isdisjoint(paths):
                self._latest.pop(buffer.uri, None)
                self.schedule(buffer.uri)

    def forget(self, uri: str) -> None:
        self._latest.pop(uri, None)

    def latest(self, uri: str) -> Linted | None:
        return self._latest.get(uri)

    async def current(self, uri: str, *, fixes: bool = False) -> Linted | None:
        """The report of the text as it is now, linting it when there is none; None when it is not open."""
        buffer = self._buffers.get(uri)
        if buffer is None or buffer.document is None:
            return None
        known = self._latest.get(uri)
        if known and known.version == buffer.version and known.fixes >= fixes:
            return known
        linted = await self._run(buffer, buffer.document, fixes=fixes)
        newest = self._buffers.get(uri)
        if newest and newest.version == buffer.version:
            self._latest[uri] = linted
        return linted

    async def run(self, call: Callable[[], Answer]) -> Answer:
        """Do something on the thread that lints, so that what reading keeps is used by one thread only."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, call)

    def shutdown(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    async def _run_until_current(self, uri: str) -> None:
        try:
            await self._lint_until_current(uri)
        finally:
            # Not in a callback of the task: a change that is handled before it would find the task and rely on it.
            self._running.pop(uri, None)

    async def _lint_until_current(self, uri: str) -> None:
        while True:
            self._again.discard(uri)
            buffer = self._buffers.get(uri)
            if buffer is None or buffer.document is None:
                return
            try:
                linted = await self._run(buffer, buffer.document, fixes=False)
            except Exception as error:
                log.exception("linting %s failed", buffer.document.path)
                linted = Linted(buffer.version, _failed(buffer.document, error), fixes=False)
            newest = self._buffers.get(uri)
            if newest is None:
                return
            # Settings and other files may have changed as well as the text.
            if newest.version == buffer.version and uri not in self._again:
                self._latest[uri] = linted
                self._publish(buffer, linted.report)
                return

    async def _run(self, buffer: Buffer, document: Document, *, fixes: bool) -> Linted:
        settings = self._settings_for(document)
        sources = Sources(self._buffers.read)
        loop = asyncio.get_running_loop()
        report = await loop.run_in_executor(self._worker, lambda: lint(document, settings, sources, fixes=fixes))
        return Linted(buffer.version, seen_in_its_file(report), fixes)


def _failed(document: Document, error: Exception) -> Report:
    message = (
        f"SGLint failed to lint this file: {type(error).__name__}: {error}. This is a bug in SGLint; please report it."
    )
    finding = Finding("SGL000", "internal-error", "warning", None, message, Span(0, 0), document.path)
    return Report(document, findings=(finding,))
