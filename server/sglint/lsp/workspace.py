"""Every file of the workspace that can hold a launch, one after the other, so that open texts need not wait."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import PurePath

from ..records import dataclass
from . import overview
from .buffers import path_of
from .convert import to_uri
from .files import worth_linting
from .progress import Progress
from .results import Result
from .state import SglintServer


@dataclass(frozen=True)
class Scanned:
    """A file's result and a line of Markdown for each of its launches."""

    result: Result
    lines: tuple[str, ...]


async def scan(server: SglintServer, progress: Progress) -> AsyncIterator[Scanned]:
    """Results of open texts and of the workspace's files, in the order of their paths, until ``progress`` is cancelled.

    A file that is deleted meanwhile, or that a configuration excludes, gives none.
    """
    paths = await _paths(server)
    for number, path in enumerate(paths):
        if progress.cancelled:
            return
        progress.report(number, len(paths), PurePath(path).name)
        found = await scanned(server, path)
        if found is not None:
            yield found


async def scanned(server: SglintServer, path: str) -> Scanned | None:
    """What one file gives, open or not; None when there is nothing to be read."""
    buffer = server.buffers.at(path)
    if buffer is not None:
        linted = await server.linter.newest(buffer.uri)
        if linted is None:
            return None
        return Scanned(server.result(linted), tuple(overview.launch_lines(linted.report)))
    closed = await server.linter.run(lambda: server.files.read(path))
    return None if closed is None else Scanned(closed.result, closed.lines)


async def result_at(server: SglintServer, path: str) -> Result:
    """The result of one file; an empty one where there is nothing to be read."""
    found = await scanned(server, path)
    if found is not None:
        return found.result
    buffer = server.buffers.at(path)
    return Result(buffer.uri if buffer else to_uri(path), buffer.version if buffer else None, (), "nothing")


async def _paths(server: SglintServer) -> list[str]:
    stop = threading.Event()
    roots = sorted(server.roots())
    try:
        found = await asyncio.get_running_loop().run_in_executor(None, worth_linting, roots, stop, server.settings_for)
    finally:
        # A cancelled wait leaves the thread behind; it need not walk to the end.
        stop.set()
    opened = [path_of(buffer.uri) for buffer in server.buffers if buffer.document is not None]
    return sorted({*found, *opened})
