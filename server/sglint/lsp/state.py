"""What the features share: the open texts, the linter, what the client set, and the guard around each request."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from .. import __version__
from ..rules.findings import Report
from ..settings import Settings, for_document, from_options
from ..text import Document, Encoding, Sources
from . import inlays
from .buffers import Buffer, Buffers, path_of
from .convert import to_diagnostic
from .linting import Linter

log = logging.getLogger("sglint")

_ENCODINGS: dict[str, Encoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
Answer = TypeVar("Answer")


class Protocol(LanguageServerProtocol):
    """The library's protocol without its own copies of the texts.

    They would be a second truth: their lines also end at form feeds and U+2028, and applying a change to them
    rewrites the columns of the very message our handler reads next (pygls 2.1, ``position_from_client_units``).
    """

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
    """Language server state: open buffers, the linter, what the client set."""

    def __init__(self) -> None:
        super().__init__("sglint", __version__, protocol_cls=Protocol)
        self.buffers = Buffers()
        self.linter = Linter(self.buffers, self.settings_for, self.publish)
        self.options: dict[str, Any] = {}

    @property
    def encoding(self) -> Encoding:
        chosen = self.workspace.position_encoding
        return _ENCODINGS.get(
            chosen.value if isinstance(chosen, types.PositionEncodingKind) else chosen or "", "utf-16"
        )

    def settings_for(self, document: Document) -> Settings:
        """Settings of the nearest configuration file, with what the editor set on top."""
        options = {key: value for key, value in self.options.items() if key != inlays.OPTION}
        return from_options(for_document(document.path, self._root_of(document.path)), options)

    def inputs(self, document: Document) -> tuple[Settings, Sources]:
        """What linting ``document`` goes by, other files read as the editor has them."""
        return self.settings_for(document), Sources(self.buffers.read)

    def publish(self, buffer: Buffer, report: Report) -> None:
        diagnostics = [
            to_diagnostic(finding, buffer, report.document, self.encoding)
            for finding in report.findings
            if finding.path == report.document.path
        ]
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(buffer.uri, diagnostics, version=buffer.version)
        )

    def clear(self, uri: str) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _root_of(self, path: str) -> str | None:
        roots = [path_of(folder.uri) for folder in self.workspace.folders.values()]
        if self.workspace.root_path:
            roots.append(self.workspace.root_path)
        return max((root for root in roots if Path(path).is_relative_to(root)), key=len, default=None)


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
