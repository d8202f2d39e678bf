"""The language server: protocol features bound once, each handed to its module."""

from __future__ import annotations

import asyncio
import functools
import logging
import os
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from .. import __version__
from ..assist.wording import upgrade_markdown
from ..rules.findings import Report
from ..settings import Settings, for_document, from_options
from ..text import Document, Encoding, Sources
from . import upgrades
from .actions import FIX_ALL, code_actions, supports_document_changes
from .buffers import Buffer, Buffers, path_of
from .completion import TRIGGERS, completions
from .convert import to_diagnostic
from .hover import hover
from .linting import Linter
from .symbols import document_symbols

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
        return from_options(for_document(document.path, self._root_of(document.path)), self.options)

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


def _guarded(
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


def create_server() -> SglintServer:
    """A server with all features bound, not yet started."""
    server = SglintServer()

    @server.feature(types.INITIALIZE)
    def initialize(ls: SglintServer, params: types.InitializeParams) -> None:
        if isinstance(params.initialization_options, dict):
            ls.options = params.initialization_options

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: SglintServer, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        ls.buffers.open(item.uri, item.version, item.language_id, item.text)
        ls.linter.schedule(item.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: SglintServer, params: types.DidChangeTextDocumentParams) -> None:
        item = params.text_document
        if ls.buffers.change(item.uri, item.version, params.content_changes, ls.encoding):
            ls.linter.schedule(item.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: SglintServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.buffers.close(params.text_document.uri)
        ls.linter.forget(params.text_document.uri)
        ls.clear(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(ls: SglintServer, params: types.DidChangeConfigurationParams) -> None:
        section = params.settings.get("sglint") if isinstance(params.settings, dict) else None
        if isinstance(section, dict):
            ls.options = section
        ls.linter.schedule_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(ls: SglintServer, params: types.DidChangeWatchedFilesParams) -> None:
        ls.linter.schedule_all()

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, upgrades.KIND, FIX_ALL]),
    )
    @_guarded
    async def code_action(ls: SglintServer, params: types.CodeActionParams) -> list[types.CodeAction]:
        linted = await ls.linter.current(params.text_document.uri, fixes=True)
        buffer = ls.buffers.get(params.text_document.uri)
        if linted is None or buffer is None or buffer.version != linted.version:
            return []
        actions = code_actions(buffer, linted.report, params, ls.encoding, ls.client_capabilities)
        settings, sources = ls.settings_for(linted.report.document), Sources(ls.buffers.read)
        versioned = supports_document_changes(ls.client_capabilities)
        respell = functools.partial(
            upgrades.respellings, linted.report, buffer, params, settings, sources, ls.encoding, versioned=versioned
        )
        return actions + await ls.linter.run(lambda: list(respell()))

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=TRIGGERS, resolve_provider=False)
    )
    @_guarded
    async def completion(ls: SglintServer, params: types.CompletionParams) -> types.CompletionList | None:
        buffer = ls.buffers.get(params.text_document.uri)
        document = buffer.document if buffer else None
        if document is None:
            return None
        settings, sources = ls.settings_for(document), Sources(ls.buffers.read)
        return await ls.linter.run(lambda: completions(document, params.position, settings, sources, ls.encoding))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))
    @_guarded
    async def code_lens(ls: SglintServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        linted = await ls.linter.current(params.text_document.uri)
        buffer = ls.buffers.get(params.text_document.uri)
        if linted is None or buffer is None or buffer.version != linted.version:
            return []
        return upgrades.lenses(linted.report, buffer, ls.settings_for(linted.report.document), ls.encoding)

    @server.feature(types.CODE_LENS_RESOLVE)
    @_guarded
    async def code_lens_resolve(ls: SglintServer, lens: types.CodeLens) -> types.CodeLens:
        data = upgrades.data_of(lens)
        linted = await ls.linter.current(data["uri"])
        if linted is None or linted.version != data["version"]:
            return lens
        settings, sources = ls.settings_for(linted.report.document), Sources(ls.buffers.read)
        return await ls.linter.run(lambda: upgrades.resolved(lens, linted.report, settings, sources))

    @server.command(upgrades.COMMAND)
    async def what_changes(ls: SglintServer, uri: str, launch: int, release: str) -> str | None:
        linted = await ls.linter.current(uri)
        if linted is None:
            return None
        settings, sources = ls.settings_for(linted.report.document), Sources(ls.buffers.read)
        found = await ls.linter.run(lambda: upgrades.compared(linted.report, launch, release, settings, sources))
        if found is None:
            return None
        page = upgrade_markdown(found)
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, page))
        return page

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @_guarded
    async def text_document_hover(ls: SglintServer, params: types.HoverParams) -> types.Hover | None:
        linted = await ls.linter.current(params.text_document.uri)
        return hover(linted.report, params.position, ls.encoding) if linted else None

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    @_guarded
    async def symbols(ls: SglintServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        linted = await ls.linter.current(params.text_document.uri)
        return document_symbols(linted.report, ls.encoding) if linted else []

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: SglintServer, params: None) -> None:
        ls.linter.shutdown()

    return server


def serve(tcp: str | None = None) -> None:
    """Run on standard input and output, or on ``HOST:PORT`` for debugging. Raises ValueError on a bad address."""
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s")
    server = create_server()
    if tcp is None:
        # The library closes the streams it is given; and whatever is printed by accident must not reach the client.
        with os.fdopen(os.dup(0), "rb") as stdin, os.fdopen(os.dup(1), "wb") as stdout:
            os.dup2(2, 1)
            server.start_io(stdin, stdout)
        return
    host, _, port = tcp.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"--tcp takes HOST:PORT, not {tcp!r}")
    server.start_tcp(host, int(port))
