"""How the client learns of diagnostics: they are pushed, or it asks and is told when to ask again; never both.

A client that can ask but cannot be told that answers have changed (Neovim 0.10 and 0.11) would keep what another
file's change made wrong; it is pushed to.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .convert import to_uri
from .linting import Linted
from .results import Result

if TYPE_CHECKING:
    from .state import SglintServer

log = logging.getLogger(__name__)


class Told:
    """``generation`` counts changes of anything but the texts the client edits itself."""

    def __init__(self, server: SglintServer) -> None:
        self._server = server
        self._refreshing: asyncio.Task[None] | None = None
        self._again = False
        self._pushed: dict[str, frozenset[str]] = {}
        self._changed = asyncio.Event()
        self.pulls = False
        self.generation = 0

    def begin(self, client: types.ClientCapabilities) -> None:
        self.pulls = asks(client)
        if not self.pulls:
            self._server.linter.publish = self._publish

    def changed(self) -> None:
        """Results may differ from those the client has, for another reason than its own edits."""
        self.generation += 1
        self._changed.set()
        self._changed = asyncio.Event()
        self._again = True
        if self._refreshing is None:
            self._refreshing = asyncio.get_running_loop().create_task(self._refresh())

    async def beyond(self, generation: int) -> int:
        """Wait until something has changed since ``generation``; the new one."""
        while self.generation == generation:
            await self._changed.wait()
        return self.generation

    def closed(self, uri: str) -> None:
        """The text is not open any more, so nothing is said about it."""
        if self.pulls:
            return
        self._push(Result(uri, None, (), ""))
        for path in self._pushed.pop(uri, frozenset()):
            self._clear_related(path)

    def has_pages_made(self, result: Result) -> None:
        """The pages that the diagnostics lead to."""
        led = {str(each.code) for each in result.diagnostics if each.code_description is not None}
        self._server.pages.make_soon(led)

    def _publish(self, linted: Linted) -> None:
        result = self._server.result(linted)
        self._push(result)
        self._push_configuration(linted, result.uri)

    def _push_configuration(self, linted: Linted, uri: str) -> None:
        """Mistakes of the configuration a file goes by, at their places, unless it is open and told by itself."""
        source = linted.settings.source
        now = frozenset((source,)) if source and linted.settings.findings else frozenset()
        before = self._pushed.get(uri, frozenset())
        self._pushed[uri] = now
        for path in before - now:
            self._clear_related(path)
        for path in now:
            if self._server.buffers.at(path) is None:
                asyncio.get_running_loop().create_task(self._push_closed(path))

    async def _push_closed(self, path: str) -> None:
        closed = await self._server.linter.run(lambda: self._server.files.read(path))
        if closed is not None and self._server.buffers.at(path) is None:
            self._push(closed.result)

    def _clear_related(self, path: str) -> None:
        if self._server.buffers.at(path) is None and not any(path in paths for paths in self._pushed.values()):
            self._push(Result(to_uri(path), None, (), ""))

    def _push(self, result: Result) -> None:
        self.has_pages_made(result)
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(result.uri, list(result.diagnostics), version=result.version)
        )

    async def _refresh(self) -> None:
        """Ask the client to ask again, once for however many changes come while it answers."""
        workspace = self._server.client_capabilities.workspace
        try:
            while self._again:
                self._again = False
                if self.pulls:
                    await self._server.workspace_diagnostic_refresh_async(None)
                if workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support:
                    await self._server.workspace_inlay_hint_refresh_async(None)
                if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
                    await self._server.workspace_code_lens_refresh_async(None)
        except JsonRpcException as error:
            log.warning("the client did not ask again: %s", error)
        finally:
            self._refreshing = None


def asks(client: types.ClientCapabilities) -> bool:
    """Whether a client asks for diagnostics and can be told to ask again."""
    text, workspace = client.text_document, client.workspace
    refresh = workspace.diagnostics if workspace else None
    return bool(text and text.diagnostic and refresh and refresh.refresh_support)
