"""Code actions: the fixes of findings under the cursor, and the safe ones all together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from ..lint import fix_text
from ..rules.findings import Finding, Fix, Report
from ..settings import Settings
from ..text import Encoding, Position, Sources, Span, edits_between
from .buffers import Buffer
from .convert import fix_title, to_diagnostic, to_workspace_edit

FIX_ALL = "source.fixAll.sglint"


def code_actions(
    buffer: Buffer,
    report: Report,
    params: types.CodeActionParams,
    encoding: Encoding,
    capabilities: types.ClientCapabilities,
) -> list[types.CodeAction]:
    """Quick fixes for the asked range; disabled ones only for clients that show why."""
    document = report.document
    versioned = supports_document_changes(capabilities)
    asked = Span(
        document.lines.offset(Position(params.range.start.line, params.range.start.character), encoding),
        document.lines.offset(Position(params.range.end.line, params.range.end.character), encoding),
    )
    actions: list[types.CodeAction] = []
    if wants(params.context.only, types.CodeActionKind.QuickFix):
        for finding, fix in _fixes_at(report, asked):
            action = types.CodeAction(
                title=fix_title(finding, fix),
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[to_diagnostic(finding, buffer, document, encoding)],
                is_preferred=True if fix.safety == "safe" else None,
            )
            if fix.edits:
                action.edit = to_workspace_edit(fix.edits, buffer, document, encoding, versioned=versioned)
            elif _supports_disabled(capabilities):
                action.disabled = types.CodeActionDisabled(fix.reason or "this place cannot be edited safely")
            else:
                continue
            actions.append(action)
    return actions


def _fixes_at(report: Report, asked: Span) -> Iterator[tuple[Finding, Fix]]:
    for finding in report.findings:
        if finding.path == report.document.path and finding.span.touches(asked):
            for fix in finding.fixes:
                yield finding, fix


def fix_all(
    report: Report,
    buffer: Buffer,
    params: types.CodeActionParams,
    settings: Settings,
    sources: Sources,
    encoding: Encoding,
    *,
    versioned: bool,
) -> Iterator[types.CodeAction]:
    """What ``sglint fix`` makes of the document, as one action; none where it changes nothing."""
    if not wants(params.context.only, FIX_ALL, explicit=True):
        return
    if not any(fix.safety == "safe" for finding in report.findings for fix in finding.fixes):
        return
    document = report.document
    text, _ = fix_text(document, settings, sources)
    edits = edits_between(document.text, text)
    if edits:
        edit = to_workspace_edit(edits, buffer, document, encoding, versioned=versioned)
        yield types.CodeAction(title="Apply all safe SGLint fixes", kind=FIX_ALL, edit=edit)


def wants(only: Sequence[str] | None, kind: str, *, explicit: bool = False) -> bool:
    """Whether a client that asked for ``only`` wants ``kind``: a kind covers its dotted descendants."""
    if only is None:
        return not explicit
    return any(kind == asked or kind.startswith(f"{asked}.") for asked in only)


def supports_document_changes(capabilities: types.ClientCapabilities) -> bool:
    edit = capabilities.workspace.workspace_edit if capabilities.workspace else None
    return bool(edit and edit.document_changes)


def _supports_disabled(capabilities: types.ClientCapabilities) -> bool:
    action = capabilities.text_document.code_action if capabilities.text_document else None
    return bool(action and action.disabled_support)
