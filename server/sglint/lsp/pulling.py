"""Diagnostics for clients that ask for them: of a document, and of the workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator

from lsprotocol import types

from .buffers import path_of
from .progress import Progress
from .results import Result
from .state import SglintServer, guarded
from .workspace import result_at, scan

Document = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport
Related = types.FullDocumentDiagnosticReport | types.UnchangedDocumentDiagnosticReport
Item = types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport

BATCH = 20
"""Files in one partial result: few enough to be shown soon."""


def bind(server: SglintServer) -> None:
    """For clients that are to ask; the others must not learn that they could."""
    related = Memory()
    streamed = Streamed()

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier="sglint"),
    )
    @guarded
    async def document(ls: SglintServer, params: types.DocumentDiagnosticParams) -> Document:
        return await document_report(ls, params, related)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    @guarded
    async def workspace(ls: SglintServer, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        return await workspace_report(ls, params, streamed)


class Memory:
    """Which files were last reported beside each document, so that what ceases to be wrong is said too."""

    def __init__(self) -> None:
        self._related: dict[str, frozenset[str]] = {}

    def to_tell(self, uri: str, now: frozenset[str]) -> list[str]:
        before = self._related.get(uri, frozenset())
        self._related[uri] = now
        return sorted(before | now)


class Streamed:
    """Up to which change the client that keeps a request open has had its answer."""

    generation = -1


async def document_report(ls: SglintServer, params: types.DocumentDiagnosticParams, memory: Memory) -> Document:
    """All of a document's diagnostics, or that they are those the client has."""
    uri = params.text_document.uri
    result = await result_at(ls, path_of(uri))
    related = await _related(ls, uri, result, memory) or None
    if result.id == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result.id, related_documents=related)
    ls.told.has_pages_made(result)
    items = list(result.diagnostics)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result.id, related_documents=related)


async def _related(ls: SglintServer, uri: str, result: Result, memory: Memory) -> dict[str, Related]:
    """The whole results of the files that the document's findings also stand in."""
    diagnostic = ls.client_capabilities.text_document and ls.client_capabilities.text_document.diagnostic
    if not diagnostic or not diagnostic.related_document_support:
        return {}
    found: dict[str, Related] = {}
    for path in memory.to_tell(uri, result.related):
        other = await result_at(ls, path)
        found[other.uri] = types.FullDocumentDiagnosticReport(items=list(other.diagnostics), result_id=other.id)
    return found


async def workspace_report(
    ls: SglintServer, params: types.WorkspaceDiagnosticParams, streamed: Streamed
) -> types.WorkspaceDiagnosticReport:
    """What differs from the results the client has, all files with launches considered.

    A client that takes partial results and asks again while nothing has changed is answered when something has:
    it would otherwise have the workspace walked through every few seconds.
    """
    token = params.partial_result_token
    if token is not None:
        await ls.told.beyond(streamed.generation)
    generation = ls.told.generation
    items: list[Item] = []
    async for item in _items(ls, params):
        items.append(item)
        if token is not None and len(items) >= BATCH:
            _stream(ls, token, items)
            items = []
    if token is not None:
        streamed.generation = generation
        if items:
            _stream(ls, token, items)
        items = []
    return types.WorkspaceDiagnosticReport(items)


async def _items(ls: SglintServer, params: types.WorkspaceDiagnosticParams) -> AsyncIterator[Item]:
    """Files with diagnostics, and those the client holds diagnostics of, each once."""
    previous = {known.uri: known.value for known in params.previous_result_ids}
    async with Progress(ls, "SGLint: reading the workspace", params.work_done_token, ask=False) as progress:
        async for found in scan(ls, progress):
            result = found.result
            before = previous.pop(result.uri, None)
            if before is not None or result.diagnostics:
                yield _item(result, before)
        if progress.cancelled:
            return
        for uri, before in previous.items():
            yield _item(await result_at(ls, path_of(uri)), before, uri)


def _item(result: Result, before: str | None, uri: str | None = None) -> Item:
    uri = uri or result.uri
    if before == result.id:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, result_id=result.id, version=result.version)
    items = list(result.diagnostics)
    return types.WorkspaceFullDocumentDiagnosticReport(
        uri=uri, items=items, version=result.version, result_id=result.id
    )


def _stream(ls: SglintServer, token: types.ProgressToken, items: list[Item]) -> None:
    ls.progress(types.ProgressParams(token, types.WorkspaceDiagnosticReportPartialResult(items)))
