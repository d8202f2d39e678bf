"""Reports to protocol types. Decides nothing: a finding becomes a diagnostic, a span a range."""

from __future__ import annotations

from lsprotocol import types
from pygls import uris

from ..launch import Place
from ..rules.findings import Finding, Fix, Severity
from ..text import Document, Edit, Encoding, LineIndex, Span
from .buffers import Buffer

SOURCE = "sglint"

_SEVERITY: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}


def to_range(lines: LineIndex, span: Span, encoding: Encoding) -> types.Range:
    start, end = lines.range(span, encoding)
    return types.Range(types.Position(*start), types.Position(*end))


def to_diagnostic(finding: Finding, buffer: Buffer, document: Document, encoding: Encoding) -> types.Diagnostic:
    """``data`` carries the fixes by id and the revision they belong to; edits are made when asked for."""
    return types.Diagnostic(
        range=to_range(document.lines, finding.span, encoding),
        message=_message(finding),
        severity=_SEVERITY[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(finding.url) if finding.url else None,
        source=SOURCE,
        related_information=[
            _related(related.place, related.message, buffer, document, encoding)
            for related in finding.related
            if related.place.path in (None, document.path)
        ]
        or None,
        data={"revision": buffer.version, "code": finding.code, "fixes": [fix.id for fix in finding.fixes]},
    )


def _message(finding: Finding) -> str:
    if not finding.needs:
        return finding.message
    return "\n".join((finding.message, *(f"- {need}" for need in finding.needs)))


def _related(
    place: Place, message: str, buffer: Buffer, document: Document, encoding: Encoding
) -> types.DiagnosticRelatedInformation:
    location = types.Location(buffer.uri, to_range(document.lines, place.span, encoding))
    return types.DiagnosticRelatedInformation(location, message)


def to_workspace_edit(
    fix_edits: tuple[Edit, ...], buffer: Buffer, document: Document, encoding: Encoding, *, versioned: bool
) -> types.WorkspaceEdit:
    """Edits of the launch's own document and, by path, of others."""
    edits: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = [
        types.TextEdit(to_range(document.lines, edit.span, encoding), edit.text)
        for edit in sorted(fix_edits)
        if edit.path in (None, document.path)
    ]
    if not versioned:
        return types.WorkspaceEdit(changes={buffer.uri: [edit for edit in edits if isinstance(edit, types.TextEdit)]})
    identifier = types.OptionalVersionedTextDocumentIdentifier(buffer.uri, buffer.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, edits)])


def to_uri(path: str) -> str:
    return uris.from_fs_path(path) or path


def fix_title(finding: Finding, fix: Fix) -> str:
    return f"{fix.title} ({finding.code})"
