"""Code actions: the fixes of findings under the cursor, and the safe ones all together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from ..rules.findings import Finding, Fix, Report
from ..text import Edit, Encoding, Position, Span
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
    """Actions for the asked range and kinds; disabled ones only for clients that show why."""
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
    if wants(params.context.only, FIX_ALL, explicit=True):
        fix_all = _fix_all(buffer, report, encoding, versioned=versioned)
        actions += [fix_all] if fix_all else []
    return actions


def _fixes_at(report: Report, asked: Span) -> Iterator[tuple[Finding, Fix]]:
    for finding in report.findings:
        if finding.path == report.document.path and finding.span.touches(asked):
            for fix in finding.fixes:
                yield finding, fix


def _fix_all(buffer: Buffer, report: Report, encoding: Encoding, *, versioned: bool) -> types.CodeAction | None:
    """One action with the first safe fix of every finding; a fix that overlaps an earlier one waits."""
    taken: list[Span] = []
    edits: list[Edit] = []
    for finding in report.findings:
        fix = next((fix for fix in finding.fixes if fix.safety == "safe" and fix.edits), None)
        if fix is None or any(span.touches(edit.span) for span in taken for edit in fix.edits):
            continue
        taken += [edit.span for edit in fix.edits]
        edits += fix.edits
    if not edits:
        return None
    return types.CodeAction(
        title="Apply all safe SGLint fixes",
        kind=FIX_ALL,
        edit=to_workspace_edit(tuple(edits), buffer, report.document, encoding, versioned=versioned),
    )


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
