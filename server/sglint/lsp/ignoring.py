"""Code actions that have a finding not reported: in this launch, in this file, in the project's configuration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from ..assist.ignoring import Ignoring, ways_to_ignore
from ..rules.findings import Finding
from ..text import Encoding, Position, Span
from .actions import supports_document_changes, wants
from .convert import to_diagnostic, to_uri, to_workspace_edit
from .linting import Linted

if TYPE_CHECKING:
    from .state import SglintServer

MOST = 3
"""Codes at one place for which ways are tried: each costs a few runs over the file."""


class Ignores:
    """Ways found for findings of the texts as they are; asked for at every move of the cursor."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Linted, dict[tuple[str, int | None], tuple[Ignoring, ...]]]] = {}

    def forget(self, uri: str) -> None:
        self._known.pop(uri, None)

    def ways(self, server: SglintServer, linted: Linted, finding: Finding) -> tuple[Ignoring, ...]:
        """For the thread that lints."""
        uri, report = linted.buffer.uri, linted.report
        known = self._known.get(uri)
        if known is None or known[0] is not linted:
            known = self._known[uri] = (linted, {})
        key = (finding.code, finding.launch)
        if key not in known[1]:
            settings, sources = server.inputs(report.document)
            root = server.root_of(report.document.path)
            known[1][key] = tuple(ways_to_ignore(report, finding, settings, sources, root))
        return known[1][key]


def ignore_actions(server: SglintServer, linted: Linted, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
    """For the codes at the asked range, the first few of them; for the thread that lints."""
    if not wants(params.context.only, types.CodeActionKind.QuickFix):
        return
    report = linted.report
    encoding = server.encoding
    lines = report.document.lines
    start, end = params.range.start, params.range.end
    asked = Span(
        lines.offset(Position(start.line, start.character), encoding),
        lines.offset(Position(end.line, end.character), encoding),
    )
    at = {
        (finding.code, finding.launch): finding
        for finding in report.findings
        if finding.path == report.document.path and finding.span.touches(asked)
    }
    for finding in list(at.values())[:MOST]:
        for way in server.ignores.ways(server, linted, finding):
            edit = _edit(way, linted, encoding, server.client_capabilities)
            if edit is not None:
                yield types.CodeAction(
                    title=way.title,
                    kind=types.CodeActionKind.QuickFix,
                    diagnostics=[to_diagnostic(finding, linted.buffer, report.document, encoding)],
                    edit=edit,
                )


def _edit(
    way: Ignoring, linted: Linted, encoding: Encoding, client: types.ClientCapabilities
) -> types.WorkspaceEdit | None:
    """The way as an edit; None for a file to be made where the client cannot make one."""
    versioned = supports_document_changes(client)
    if way.creates is None:
        return to_workspace_edit(way.edits, linted.buffer, linted.report.document, encoding, versioned=versioned)
    edit = client.workspace.workspace_edit if client.workspace else None
    operations = edit.resource_operations if edit else None
    # A client that lists such operations takes them in the one form that has them, whether or not it names the form.
    if types.ResourceOperationKind.Create not in (operations or ()):
        return None
    uri = to_uri(way.creates)
    top = types.Position(0, 0)
    content = types.TextDocumentEdit(
        types.OptionalVersionedTextDocumentIdentifier(uri, None),
        [types.TextEdit(types.Range(top, top), text.text) for text in way.edits],
    )
    made = types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True))
    return types.WorkspaceEdit(document_changes=[made, content])
