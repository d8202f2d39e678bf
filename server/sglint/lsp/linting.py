"""When texts are linted and what is kept of it: latest report per open text, superseded work dropped.

Linting runs on one worker thread, so the protocol loop never waits for it. Whoever asks for the same report meanwhile
shares the work; a text that has moved on before its turn comes is not linted at all. A report holds for a text as
long as neither the text nor anything else it rests on (settings, other files) has changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePath
from typing import TypeVar

from ..lint import lint
from ..lint.seen import seen_in_its_file
from ..records import dataclass
from ..rules.findings import Finding, Report
from ..settings import Settings, parse
from ..text import Document, Sources, Span
from .buffers import CONFIGURATION, Buffer, Buffers

log = logging.getLogger(__name__)

SettingsFor = Callable[[Document], Settings]
Answer = TypeVar("Answer")
Key = tuple[int, int, int, bool]


@dataclass(frozen=True)
class Linted:
    """A report, the text it was made from, and the other files in which it has findings.

    ``fixes`` says whether fixes were made and verified. ``settings`` are what the report went by.
    """

    buffer: Buffer
    report: Report
    settings: Settings
    fixes: bool
    related: frozenset[str] = frozenset()

    @property
    def version(self) -> int:
        return self.buffer.version


class Linter:
    """``publish`` is told each report that still holds when it is done; None where the client asks by itself."""

    def __init__(self, buffers: Buffers, settings_for: SettingsFor) -> None:
        self.publish: Callable[[Linted], None] | None = None
        self._buffers = buffers
        self._settings_for = settings_for
        self._latest: dict[str, tuple[Key, Linted]] = {}
        self._shared: dict[Key, asyncio.Task[Linted | None]] = {}
        self._publishing: dict[str, asyncio.Task[None]] = {}
        self._everything = 0
        self._others: dict[str, int] = {}
        self._changes = 0
        self._changed: dict[str, int] = {}
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sglint")

    def schedule(self, uri: str) -> None:
        """Lint and publish the text soon; while it is being linted, further changes of it only count."""
        if self.publish is not None and uri not in self._publishing:
            self._publishing[uri] = asyncio.get_running_loop().create_task(self._publish_when_current(uri))

    def schedule_all(self) -> None:
        """Settings have changed: no report holds any more."""
        self._everything += 1
        for buffer in self._buffers:
            self.schedule(buffer.uri)

    def schedule_readers(self, paths: Collection[str], *, but: str | None = None) -> bool:
        """Lint again the texts whose findings rest on one of these files; whether there are any beside ``but``."""
        self._changes += 1
        self._changed.update(dict.fromkeys(paths, self._changes))
        met = False
        for buffer in self._buffers:
            known = self._latest.get(buffer.uri)
            if known is not None and buffer.uri != but and not known[1].report.used_paths.isdisjoint(paths):
                self._others[buffer.uri] = self._others.get(buffer.uri, 0) + 1
                self.schedule(buffer.uri)
                met = True
        return met

    def forget(self, uri: str) -> None:
        self._latest.pop(uri, None)
        self._others.pop(uri, None)

    async def current(self, uri: str, *, fixes: bool = False) -> Linted | None:
        """The report of the text as it is now, linting it when there is none; None when it is not open or moved on."""
        buffer = self._buffers.get(uri)
        if buffer is None or buffer.document is None:
            return None
        return await self._report(buffer, buffer.document, fixes=fixes)

    async def newest(self, uri: str) -> Linted | None:
        """As :meth:`current`, but never of a text that moved on meanwhile; None when it is not open any more."""
        while True:
            buffer = self._buffers.get(uri)
            if buffer is None or buffer.document is None:
                return None
            linted = await self._report(buffer, buffer.document, fixes=False)
            if linted is not None and self._holds(linted):
                return linted

    async def run(self, call: Callable[[], Answer]) -> Answer:
        """Do something on the thread that lints, so that what reading keeps is used by one thread only."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, call)

    def shutdown(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _key(self, buffer: Buffer, *, fixes: bool) -> Key:
        return (buffer.serial, self._everything, self._others.get(buffer.uri, 0), fixes)

    def _holds(self, linted: Linted) -> bool:
        known = self._latest.get(linted.buffer.uri)
        buffer = self._buffers.get(linted.buffer.uri)
        return (
            known is not None
            and buffer is not None
            and known[1] is linted
            and known[0][:3] == self._key(buffer, fixes=linted.fixes)[:3]
        )

    async def _report(self, buffer: Buffer, document: Document, *, fixes: bool) -> Linted | None:
        key = self._key(buffer, fixes=fixes)
        known = self._latest.get(buffer.uri)
        if known is not None and known[0][:3] == key[:3] and known[1].fixes >= fixes:
            return known[1]
        task = self._shared.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._lint(buffer, document, key))
            self._shared[key] = task
            task.add_done_callback(lambda done: self._done(key))
        # Somebody who gives up waiting must not take the report from the others.
        return await asyncio.shield(task)

    async def _lint(self, buffer: Buffer, document: Document, key: Key) -> Linted | None:
        started = self._changes
        try:
            linted = await self.run(lambda: self._work(buffer, document, fixes=key[3]))
        except Exception as error:
            log.exception("linting %s failed", document.path)
            linted = Linted(buffer, _failed(document, error), Settings(), key[3])
        if linted is not None and self._buffers.get(buffer.uri) is buffer and key == self._key(buffer, fixes=key[3]):
            # What it read may have changed while it was at work; which files these are is known only now.
            moved = any(self._changed.get(path, 0) > started for path in linted.report.used_paths)
            self._latest.update({} if moved else {buffer.uri: (key, linted)})
        return linted

    def _work(self, buffer: Buffer, document: Document, *, fixes: bool) -> Linted | None:
        if self._buffers.get(buffer.uri) is not buffer:
            return None
        return work(buffer, document, self._settings_for, fixes=fixes)

    def _done(self, key: Key) -> None:
        self._shared.pop(key, None)
        if not self._shared:
            self._changed.clear()

    async def _publish_when_current(self, uri: str) -> None:
        try:
            linted = await self.newest(uri)
            if linted is not None and self.publish is not None:
                self.publish(linted)
        except Exception:
            log.exception("publishing the findings of %s failed", uri)
        finally:
            # Not in a callback of the task: a change that is handled before it would find the task and rely on it.
            self._publishing.pop(uri, None)


def work(buffer: Buffer, document: Document, settings_for: SettingsFor, *, fixes: bool = False) -> Linted:
    """Lint a text as it is seen by somebody who looks at it alone; a configuration is checked for mistakes.

    A file that its configuration leaves out has an empty report.
    """
    if document.language == CONFIGURATION:
        return Linted(buffer, _of_configuration(document), Settings(), fixes)
    settings = settings_for(document)
    if not is_wanted(document.path, settings):
        return Linted(buffer, Report(document), settings, fixes)
    report = lint(document, settings, Sources(buffer.read), fixes=fixes)
    related = frozenset(finding.path for finding in report.findings) - {document.path}
    return Linted(buffer, seen_in_its_file(report), settings, fixes, related)


def is_wanted(path: str, settings: Settings) -> bool:
    """Whether the configuration leaves a file in; a text without a file is in."""
    return ":" in path.partition("/")[0] or settings.includes(path)


def _of_configuration(document: Document) -> Report:
    if PurePath(document.path).name == "pyproject.toml" and "[tool.sglint" not in document.text:
        return Report(document)
    return Report(document, findings=parse(document.text, document.path).findings)


def _failed(document: Document, error: Exception) -> Report:
    message = (
        f"SGLint failed to lint this file: {type(error).__name__}: {error}. This is a bug in SGLint; please report it."
    )
    finding = Finding("SGL000", "internal-error", "warning", None, message, Span(0, 0), document.path)
    return Report(document, findings=(finding,))
