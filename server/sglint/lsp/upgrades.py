"""What changes at another release: a lens at each launch, the page behind it, and the action that respells a launch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types

from .. import catalogue
from ..assist import Upgrade, upgrade
from ..assist.wording import upgrade_title
from ..rules.findings import Judged, Report
from ..settings import Settings
from ..text import Encoding, Position, Sources, Span
from .actions import wants
from .buffers import Buffer
from .convert import to_range, to_workspace_edit

COMMAND = "sglint.whatChanges"
KIND = types.CodeActionKind.RefactorRewrite


def target_of(judged: Judged, settings: Settings) -> str | None:
    """The release to compare with: the newest of the target releases, else the newest known; None when it is there."""
    wanted = catalogue.ReleaseRange.parse(settings.target_releases or "")
    newest = next((release for release in reversed(catalogue.releases()) if wanted.holds(release)), None)
    return None if newest == judged.parsed.release else newest


def lenses(report: Report, buffer: Buffer, settings: Settings, encoding: Encoding) -> list[types.CodeLens]:
    """One lens for each launch that does not run the newest release; what it says is found when it is shown."""
    found = []
    for number, judged in enumerate(report.judged):
        release = target_of(judged, settings)
        if release is not None and judged.release.source != "newest known":
            data = {"uri": buffer.uri, "version": buffer.version, "launch": number, "release": release}
            found.append(types.CodeLens(to_range(report.document.lines, _place(judged), encoding), data=data))
    return found


def resolved(lens: types.CodeLens, report: Report, settings: Settings, sources: Sources) -> types.CodeLens:
    data = data_of(lens)
    found = compared(report, data["launch"], data["release"], settings, sources)
    title = upgrade_title(found) if found else f"SGLang {data['release']}"
    lens.command = types.Command(title, COMMAND, arguments=[data["uri"], data["launch"], data["release"]])
    return lens


def data_of(lens: types.CodeLens) -> dict[str, Any]:
    """What :func:`lenses` put into a lens."""
    return lens.data if isinstance(lens.data, dict) else dict(vars(lens.data))


def compared(report: Report, number: int, release: str, settings: Settings, sources: Sources) -> Upgrade | None:
    """The comparison of one launch of a report; None when the report has no such launch."""
    if not 0 <= number < len(report.judged):
        return None
    return upgrade(report.document, report.judged[number], number, release, settings, sources)


def respellings(
    report: Report,
    buffer: Buffer,
    params: types.CodeActionParams,
    settings: Settings,
    sources: Sources,
    encoding: Encoding,
    *,
    versioned: bool,
) -> Iterator[types.CodeAction]:
    """The action that spells the launch under the cursor as the newest release does."""
    if not wants(params.context.only, KIND):
        return
    start = params.range.start
    at = report.document.lines.offset(Position(start.line, start.character), encoding)
    for number, judged in enumerate(report.judged):
        release = target_of(judged, settings)
        if release is None or not judged.launch.span.touches(Span(at, at)):
            continue
        found = compared(report, number, release, settings, sources)
        if found is not None and found.fix is not None:
            edit = to_workspace_edit(found.fix.edits, buffer, report.document, encoding, versioned=versioned)
            yield types.CodeAction(title=found.fix.title, kind=KIND, edit=edit)


def _place(judged: Judged) -> Span:
    launch = judged.launch
    return launch.launcher_span or Span(launch.span.start, launch.span.start)
