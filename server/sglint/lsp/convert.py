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


def to_diagnostic(
    finding: Finding, buffer: Buffer, document: Document, encoding: Encoding, page: str | None = None
) -> types.Diagnostic:
    """``data`` carries the fixes by id and the revision they belong to; edits are made when asked for.

    ``page`` is the URI of the rule's page, for clients that open it from the code.
    """
    revision = buffer.version if buffer.serial else None
    return types.Diagnostic(
        range=to_range(document.lines, finding.span, encoding),
        message=_message(finding),
        severity=_SEVERITY[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(page) if page else None,
        source=SOURCE,
        related_information=[
            types.DiagnosticRelatedInformation(location, related.message)
            for related in finding.related
            if (location := _location(related.place, buffer, document, encoding)) is not None
        ]
        or None,
        data={
            "revision": revision,
            "code": finding.code,
            "fixes": [fix.id for fix in finding.fixes],
        },
    )


def _message(finding: Finding) -> str:
    if not finding.needs:
        return finding.message
    return "\n".join((finding.message, *(f"- {need}" for need in finding.needs)))


def _location(place: Place, buffer: Buffer, document: Document, encoding: Encoding) -> types.Location | None:
    """A place in the document or in another file; None where that cannot be read."""
    lines = _lines(place.path, buffer, document)
    if lines is None:
        return None
    uri = buffer.uri if place.path in (None, document.path) else to_uri(place.path or "")
    return types.Location(uri, to_range(lines, place.span, encoding))


def _lines(path: str | None, buffer: Buffer, document: Document) -> LineIndex | None:
    if path in (None, document.path):
        return document.lines
    text = buffer.read(path or "")
    return None if text is None else LineIndex(text)


def to_workspace_edit(
    fix_edits: tuple[Edit, ...], buffer: Buffer, document: Document, encoding: Encoding, *, versioned: bool
) -> types.WorkspaceEdit:
    """Edits of the launch's own document and, by path, of others."""
    by_path: dict[str, list[Edit]] = {document.path: []}
    for edit in fix_edits:
        by_path.setdefault(edit.path or document.path, []).append(edit)
    texts: list[types.TextDocumentEdit] = []
    for path, own in by_path.items():
        lines = _lines(path, buffer, document)
        if lines is None or not own:
            continue
        here = path == document.path
        identifier = types.OptionalVersionedTextDocumentIdentifier(
            buffer.uri if here else to_uri(path), buffer.version if here else None
        )
        edits = [types.TextEdit(to_range(lines, edit.span, encoding), edit.text) for edit in sorted(own)]
        texts.append(types.TextDocumentEdit(identifier, list(edits)))
    if versioned:
        return types.WorkspaceEdit(document_changes=list(texts))
    changes = {
        text.text_document.uri: [edit for edit in text.edits if isinstance(edit, types.TextEdit)] for text in texts
    }
    return types.WorkspaceEdit(changes=changes)


def to_uri(path: str) -> str:
    return uris.from_fs_path(path) or path


def fix_title(finding: Finding, fix: Fix) -> str:
    return f"{fix.title} ({finding.code})"
