"""The lens that says what the release will do with a launch, what the newest would, and what memory allows."""

from __future__ import annotations

from lsprotocol import types

from ..assist.memory_hints import memory_line
from ..assist.strip import strip_line, verdict_title, verdicts
from ..rules.findings import Report
from ..settings import Settings
from ..text import Encoding, Sources, Span
from . import upgrades
from .buffers import Buffer
from .convert import to_range

COMMAND = "sglint.memoryPlan"


def lenses(report: Report, buffer: Buffer, settings: Settings, encoding: Encoding) -> list[types.CodeLens]:
    """For each launch its verdict with its tokens, and what another release changes."""
    found = []
    for number, judged in enumerate(report.judged):
        launch = judged.launch
        place = launch.launcher_span or Span(launch.span.start, launch.span.start)
        data = {"uri": buffer.uri, "version": buffer.version, "launch": number}
        found.append(types.CodeLens(to_range(report.document.lines, place, encoding), data=data))
    return found + upgrades.lenses(report, buffer, settings, encoding)


def resolved(lens: types.CodeLens, report: Report, settings: Settings, sources: Sources) -> types.CodeLens:
    """The lens with its title. Raises IndexError for a launch that the report does not have."""
    data = upgrades.data_of(lens)
    if "release" in data:
        return upgrades.resolved(lens, report, settings, sources)
    number = data["launch"]
    judged = report.judged[number]
    strip = strip_line(verdicts(report.document, judged, number, settings, sources))
    memory = memory_line(judged)
    title = f"{verdict_title(judged)} ({strip})" + (f" | {memory}" if memory else "")
    lens.command = types.Command(title, COMMAND, arguments=[data["uri"], number])
    return lens
