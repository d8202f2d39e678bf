"""What the features share: the open texts, the linter, what the client set, and the guard around each request."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable, Collection, Generator
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from .. import __version__
from ..settings import Settings, for_document, from_options
from ..text import Document, Encoding, Sources
from . import inlays
from .buffers import Buffers, path_of
from .files import ClosedFiles
from .ignoring import Ignores
from .linting import Linted, Linter
from .options import Options
from .pages import Pages
from .results import Result, result_of
from .telling import Told

log = logging.getLogger("sglint")

_ENCODINGS: dict[str, Encoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
_FUTURES = 100
"""Futures of messages from which on those that are done are let go of."""
Answer = TypeVar("Answer")


class Protocol(LanguageServerProtocol):
    """The library's protocol without its own copies of the texts.

    They would be a second truth: their lines also end at form feeds and U+2028, and applying a change to them
    rewrites the columns of the very message our handler reads next (pygls 2.1, ``position_from_client_units``).
    Nor does it keep what is done: the library forgets to let go of the futures of notifications, one a key press.
    """

    def _handle_notification(self, method_name: str, params: Any) -> None:
        super()._handle_notification(method_name, params)
        if len(self._request_futures) > _FUTURES:
            for number in [number for number, future in self._request_futures.items() if future.done()]:
                self._request_futures.pop(number, None)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CLOSE], (params,), None


class SglintServer(LanguageServer):
    """Language server state: open buffers, the linter, what the client set, reports of closed files."""

    def __init__(self) -> None:
        super().__init__("sglint", __version__, protocol_cls=Protocol)
        self.buffers = Buffers()
        self.linter = Linter(self.buffers, self.settings_for)
        self.options = Options()
        self.told = Told(self)
        self.ignores = Ignores()
        self.pages = Pages()
        self.files = ClosedFiles(self.buffers, self.settings_for, self.result, lambda: self.encoding)

    @property
    def encoding(self) -> Encoding:
        chosen = self.workspace.position_encoding
        return _ENCODINGS.get(
            chosen.value if isinstance(chosen, types.PositionEncodingKind) else chosen or "", "utf-16"
        )

    def settings_for(self, document: Document) -> Settings:
        """Settings of the nearest configuration file, with what the editor set on top."""
        root = self.root_of(document.path)
        return from_options(for_document(document.path, root), self.server_options(root))

    def server_options(self, root: str | None) -> dict[str, Any]:
        """What the client set for a workspace folder, without what is for the editor's display."""
        return {key: value for key, value in self.options.of(root).items() if key != inlays.OPTION}

    def inputs(self, document: Document) -> tuple[Settings, Sources]:
        """What linting ``document`` goes by, other files read as the editor has them."""
        return self.settings_for(document), Sources(self.buffers.read)

    def result(self, linted: Linted) -> Result:
        """What a report tells the client; codes lead to their pages where the client opens them."""
        text = self.client_capabilities.text_document
        pushed, pulled = (text.publish_diagnostics, text.diagnostic) if text else (None, None)
        asked = pulled if self.told.pulls else pushed
        described = asked is not None and asked.code_description_support
        return result_of(linted, self.encoding, self.pages.address if described else lambda code: None)

    def settings_changed(self) -> None:
        """No report holds any more: push anew, or have the client ask again."""
        self.say_mistakes()
        self.files.clear()
        self.linter.schedule_all()
        self.told.changed()

    def say_mistakes(self) -> None:
        """Tell the user of options in the editor that cannot be used; the others hold."""
        for finding in from_options(Settings(), self.server_options(None)).findings:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"SGLint: {finding.message}"))

    def files_changed(self, paths: Collection[str], *, but: str | None = None) -> None:
        """Other files than the text ``but`` have another content now: reports that rest on them do not hold."""
        closed = self.files.drop(paths)
        if self.linter.schedule_readers(paths, but=but) or closed:
            self.told.changed()

    def root_of(self, path: str) -> str | None:
        """The workspace folder a file is in, the innermost one; None outside of all."""
        return max((root for root in self.roots() if Path(path).is_relative_to(root)), key=len, default=None)

    def roots(self) -> list[str]:
        """Paths of the workspace folders; the one root of a client that knows no folders."""
        folders = [path_of(folder.uri) for folder in self.workspace.folders.values()]
        return folders or ([self.workspace.root_path] if self.workspace.root_path else [])


def guarded(
    handler: Callable[[SglintServer, Any], Awaitable[Answer]],
) -> Callable[[SglintServer, Any], Awaitable[Answer | None]]:
    """A failing request is a log line and an empty answer, not an error box in the editor."""

    @functools.wraps(handler)
    async def wrapper(server: SglintServer, params: Any) -> Answer | None:
        try:
            return await handler(server, params)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("%s failed", handler.__name__)
            return None

    return wrapper
