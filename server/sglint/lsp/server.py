"""The language server: protocol features bound once, each handed to its module."""

from __future__ import annotations

import functools
import gc
import logging
import os

from lsprotocol import types

from . import configuration, inlays, lenses, links, navigation, pulling, requests, upgrades, watching
from .actions import FIX_ALL, code_actions, fix_all, supports_document_changes
from .buffers import path_of
from .completion import TRIGGERS, completions
from .hover import compares_fixes, hover, shows_diagnostics
from .ignoring import ignore_actions
from .state import SglintServer, guarded
from .symbols import document_symbols

_GARBAGE = (2_000, 10, 10)
"""Allocations between searches for garbage, and how many of them lie between those of older objects."""

_LAST_PORT = 65535


def create_server() -> SglintServer:
    """A server with all features bound, not yet started."""
    server = SglintServer()

    @server.feature(types.INITIALIZE)
    def initialize(ls: SglintServer, params: types.InitializeParams) -> None:
        ls.options.begin(params.initialization_options)
        ls.told.begin(params.capabilities)
        if ls.told.pulls:
            pulling.bind(ls)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: SglintServer, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        ls.buffers.open(item.uri, item.version, item.language_id, item.text)
        ls.linter.schedule(item.uri)
        if ls.buffers.differs(item.uri):
            ls.files_changed([path_of(item.uri)], but=item.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: SglintServer, params: types.DidChangeTextDocumentParams) -> None:
        item = params.text_document
        if ls.buffers.change(item.uri, item.version, params.content_changes, ls.encoding):
            ls.linter.schedule(item.uri)
            ls.files_changed([path_of(item.uri)], but=item.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: SglintServer, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        differed = ls.buffers.differs(uri)
        ls.buffers.close(uri)
        ls.linter.forget(uri)
        ls.ignores.forget(uri)
        ls.told.closed(uri)
        if differed:
            ls.files_changed([path_of(uri)], but=uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(ls: SglintServer, params: types.DidChangeConfigurationParams) -> None:
        if ls.options.notify(params.settings):
            ls.settings_changed()
        await configuration.pull(ls)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def did_change_folders(ls: SglintServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
        await configuration.pull(ls)
        ls.settings_changed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(ls: SglintServer, params: types.DidChangeWatchedFilesParams) -> None:
        watching.files_changed(ls, [path_of(change.uri) for change in params.changes])

    @server.feature(types.INITIALIZED)
    async def initialized(ls: SglintServer, params: types.InitializedParams) -> None:
        ls.say_mistakes()
        await configuration.begin(ls)
        await watching.register(ls)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, upgrades.KIND, FIX_ALL]),
    )
    @guarded
    async def code_action(ls: SglintServer, params: types.CodeActionParams) -> list[types.CodeAction]:
        linted = await ls.linter.current(params.text_document.uri, fixes=True)
        buffer = ls.buffers.get(params.text_document.uri)
        if linted is None or buffer is None or buffer.version != linted.version:
            return []
        actions = code_actions(buffer, linted.report, params, ls.encoding, ls.client_capabilities)
        settings, sources = ls.inputs(linted.report.document)
        versioned = supports_document_changes(ls.client_capabilities)
        respell = functools.partial(
            upgrades.respellings, linted.report, buffer, params, settings, sources, ls.encoding, versioned=versioned
        )
        every = functools.partial(
            fix_all, linted.report, buffer, params, settings, sources, ls.encoding, versioned=versioned
        )
        return actions + await ls.linter.run(lambda: [*respell(), *ignore_actions(ls, linted, params), *every()])

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=TRIGGERS, resolve_provider=False)
    )
    @guarded
    async def completion(ls: SglintServer, params: types.CompletionParams) -> types.CompletionList | None:
        buffer = ls.buffers.get(params.text_document.uri)
        document = buffer.document if buffer else None
        if document is None:
            return None
        settings, sources = ls.inputs(document)
        return await ls.linter.run(lambda: completions(document, params.position, settings, sources, ls.encoding))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))
    @guarded
    async def code_lens(ls: SglintServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        linted = await ls.linter.current(params.text_document.uri)
        buffer = ls.buffers.get(params.text_document.uri)
        if linted is None or buffer is None or buffer.version != linted.version:
            return []
        return lenses.lenses(linted.report, buffer, ls.settings_for(linted.report.document), ls.encoding)

    @server.feature(types.CODE_LENS_RESOLVE)
    @guarded
    async def code_lens_resolve(ls: SglintServer, lens: types.CodeLens) -> types.CodeLens:
        data = upgrades.data_of(lens)
        linted = await ls.linter.current(data["uri"])
        if linted is None or linted.version != data["version"]:
            return lens
        settings, sources = ls.inputs(linted.report.document)
        return await ls.linter.run(lambda: lenses.resolved(lens, linted.report, settings, sources))

    @server.command(upgrades.COMMAND)
    async def what_changes(ls: SglintServer, uri: str, launch: int, release: str) -> str | None:
        page = await requests.changes_page(ls, uri, launch, release)
        if page is not None:
            ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, page))
        return page

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    @guarded
    async def text_document_hover(ls: SglintServer, params: types.HoverParams) -> types.Hover | None:
        linted = await ls.linter.current(params.text_document.uri)
        if linted is not None and compares_fixes(linted.report, params.position, ls.encoding):
            linted = await ls.linter.current(params.text_document.uri, fixes=True)
        told = shows_diagnostics(ls.client_capabilities)
        return hover(linted.report, params.position, ls.encoding, told=told) if linted else None

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    @guarded
    async def inlay_hint(ls: SglintServer, params: types.InlayHintParams) -> list[types.InlayHint]:
        names = inlays.wanted(ls.options.of(ls.root_of(path_of(params.text_document.uri))))
        linted = await ls.linter.current(params.text_document.uri)
        buffer = ls.buffers.get(params.text_document.uri)
        if linted is None or buffer is None or buffer.version != linted.version:
            return []
        return await ls.linter.run(lambda: inlays.inlay_hints(linted.report, params.range, names, ls.encoding))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    @guarded
    async def symbols(ls: SglintServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        linted = await ls.linter.current(params.text_document.uri)
        return document_symbols(linted.report, ls.encoding) if linted else []

    _bind_places(server)
    requests.bind(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: SglintServer, params: None) -> None:
        ls.linter.shutdown()

    return server


def _bind_places(server: SglintServer) -> None:
    """What leads from a place to another."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, types.DocumentLinkOptions(resolve_provider=True))
    @guarded
    async def document_link(ls: SglintServer, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        linted = await ls.linter.current(params.text_document.uri)
        return links.document_links(linted.report, ls.encoding, ls.client_capabilities) if linted else []

    @server.feature(types.DOCUMENT_LINK_RESOLVE)
    @guarded
    async def document_link_resolve(ls: SglintServer, link: types.DocumentLink) -> types.DocumentLink:
        code = link.data.get("code") if isinstance(link.data, dict) else None
        if link.target is None and isinstance(code, str):
            link.target = await ls.pages.made(code)
        return link

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    @guarded
    async def definition(ls: SglintServer, params: types.DefinitionParams) -> list[types.Location]:
        buffer = ls.buffers.get(params.text_document.uri)
        document = buffer.document if buffer else None
        if document is None:
            return []
        settings, sources = ls.inputs(document)
        return await ls.linter.run(
            lambda: navigation.definitions(document, params.position, settings, sources, ls.buffers, ls.encoding)
        )

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    @guarded
    async def references(ls: SglintServer, params: types.ReferenceParams) -> list[types.Location]:
        buffer = ls.buffers.get(params.text_document.uri)
        document = buffer.document if buffer else None
        if document is None:
            return []
        _, sources = ls.inputs(document)
        own = params.context.include_declaration
        return await ls.linter.run(
            lambda: navigation.references(document, params.position, sources, ls.buffers, ls.encoding, declaration=own)
        )


def serve(tcp: str | None = None) -> None:
    """Run on standard input and output, or on ``HOST:PORT`` for debugging. Raises ValueError on a bad address."""
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s")
    server = create_server()
    # A command's run ends before its garbage matters; a server's does not. What was imported is none and need not be
    # looked through each time.
    gc.freeze()
    gc.set_threshold(*_GARBAGE)
    if tcp is None:
        # The library closes the streams it is given; and whatever is printed by accident must not reach the client.
        with os.fdopen(os.dup(0), "rb") as stdin, os.fdopen(os.dup(1), "wb") as stdout:
            os.dup2(2, 1)
            server.start_io(stdin, stdout)
        return
    host, _, port = tcp.rpartition(":")
    if not host or not port.isdecimal() or int(port) > _LAST_PORT:
        raise ValueError(f"--tcp takes HOST:PORT, not {tcp!r}")
    server.start_tcp(host, int(port))
