"""What a test says to a server: open, change, wait for the diagnostics of a version, ask for actions, apply them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from lsprotocol import types
from pytest_lsp import LanguageClient

from sglint.text import Edit, Encoding, LineIndex, Position, Span, apply_edits

TIMEOUT = 60


@dataclass
class Session:
    client: LanguageClient
    texts: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)

    @property
    def encoding(self) -> Encoding:
        """What the server chose in its answer to ``initialize``."""
        chosen = self.client.chosen.position_encoding  # type: ignore[attr-defined]
        return str(getattr(chosen, "value", chosen) or "utf-16")  # type: ignore[return-value]

    async def open(
        self, name: str, language: str, text: str, folder: str = "/workspace"
    ) -> tuple[str, list[types.Diagnostic]]:
        uri = f"file://{folder}/{name}"
        self.texts[uri], self.versions[uri] = text, 1
        self.client.published.pop(uri, None)  # type: ignore[attr-defined]
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text))
        )
        return uri, await self.diagnostics(uri)

    @property
    def pulls(self) -> bool:
        """Whether the server expects to be asked for diagnostics."""
        return self.client.chosen.diagnostic_provider is not None  # type: ignore[attr-defined]

    @property
    def makes_files(self) -> bool:
        """Whether the client says that an edit may make files."""
        workspace = self.client.capabilities.workspace
        edit = workspace.workspace_edit if workspace else None
        return bool(edit and types.ResourceOperationKind.Create in (edit.resource_operations or ()))

    async def replace(self, uri: str, span: Span, new: str, *, wait: bool = True) -> list[types.Diagnostic]:
        """Send one incremental change, as an editor does."""
        text = self.texts[uri]
        self.versions[uri] += 1
        self.texts[uri] = text[: span.start] + new + text[span.end :]
        change = types.TextDocumentContentChangePartial(self.range(text, span), new)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(self.versions[uri], uri), [change])
        )
        return await self.diagnostics(uri) if wait else []

    async def close(self, uri: str) -> list[types.Diagnostic]:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        return [] if self.pulls else await self.published(uri, None)

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of the text as it is now, asked for or published."""
        if not self.pulls:
            return await self.published(uri, self.versions[uri])
        report = await self.pull(uri)
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)

    async def pull(
        self, uri: str, previous: str | None = None
    ) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
        return await asyncio.wait_for(self.client.text_document_diagnostic_async(params), TIMEOUT)

    async def published(self, uri: str, version: int | None) -> list[types.Diagnostic]:
        """The latest diagnostics published for a version, each publication once."""
        client: Any = self.client

        async def arrives() -> list[types.Diagnostic]:
            while uri not in client.published or client.published[uri].version != version:
                client.news.clear()
                await client.news.wait()
            return list(client.published.pop(uri).diagnostics)

        return await asyncio.wait_for(arrives(), TIMEOUT)

    async def actions(self, uri: str, range_: types.Range, only: list[str] | None = None) -> list[types.CodeAction]:
        answer = await self.client.text_document_code_action_async(
            types.CodeActionParams(types.TextDocumentIdentifier(uri), range_, types.CodeActionContext([], only=only))
        )
        return [action for action in answer or [] if isinstance(action, types.CodeAction)]

    def range(self, text: str, span: Span) -> types.Range:
        start, end = LineIndex(text).range(span, self.encoding)
        return types.Range(types.Position(*start), types.Position(*end))

    def span(self, text: str, range_: types.Range) -> Span:
        lines = LineIndex(text)
        start, end = (
            lines.offset(Position(point.line, point.character), self.encoding) for point in (range_.start, range_.end)
        )
        return Span(start, end)

    def words_at(self, uri: str, range_: types.Range) -> str:
        span = self.span(self.texts[uri], range_)
        return self.texts[uri][span.start : span.end]

    def applied(self, uri: str, action: types.CodeAction) -> str:
        """The text after an action, in either form of workspace edit."""
        assert action.edit is not None
        if action.edit.document_changes:
            (change,) = action.edit.document_changes
            assert isinstance(change, types.TextDocumentEdit)
            assert change.text_document.version == self.versions[uri]
            edits = list(change.edits)
        else:
            assert action.edit.changes is not None
            edits = list(action.edit.changes[uri])
        text = self.texts[uri]
        return apply_edits(text, [Edit(self.span(text, edit.range), edit.new_text) for edit in edits])  # type: ignore[union-attr]
