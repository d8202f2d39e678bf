"""Work-done progress of long work, and whether somebody has had enough of it."""

from __future__ import annotations

import uuid
from types import TracebackType

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .state import SglintServer


class Progress:
    """Shown to a client that gave a ``token``, or with ``ask`` to one that lets servers show progress."""

    def __init__(self, server: SglintServer, title: str, token: types.ProgressToken | None, *, ask: bool) -> None:
        self._server = server
        self._title = title
        self._token = token
        self._ask = ask
        self._percent = 0

    async def __aenter__(self) -> Progress:
        window = self._server.client_capabilities.window
        if self._token is None and self._ask and window and window.work_done_progress:
            token = str(uuid.uuid4())
            try:
                await self._server.work_done_progress.create_async(token)
                self._token = token
            except JsonRpcException:
                self._token = None
        if self._token is not None:
            begin = types.WorkDoneProgressBegin(self._title, cancellable=True, percentage=0)
            self._server.work_done_progress.begin(self._token, begin)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._token is not None:
            self._server.work_done_progress.end(self._token, types.WorkDoneProgressEnd())
            self._server.work_done_progress.tokens.pop(self._token, None)

    @property
    def cancelled(self) -> bool:
        future = self._server.work_done_progress.tokens.get(self._token) if self._token is not None else None
        return future is not None and future.cancelled()

    def report(self, done: int, of: int, what: str) -> None:
        """Say how far it is; not more often than the percentage changes."""
        percent = 100 * done // max(of, 1)
        if self._token is not None and percent != self._percent:
            self._percent = percent
            report = types.WorkDoneProgressReport(message=what, percentage=percent)
            self._server.work_done_progress.report(self._token, report)
