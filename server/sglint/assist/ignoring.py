"""Ways to have a finding not reported: a comment for its launch, one for its file, a line in the configuration.

Each is tried on a copy before it is offered: the finding must be gone, every launch must read as before, and nothing
new may be said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Literal

from ..hosts.directives import read_directives
from ..launch.model import Ignore
from ..lint.changes import tokens_of
from ..lint.engine import report_on
from ..lint.seen import seen_in_its_file
from ..records import dataclass, replace
from ..rules.findings import Finding, Report
from ..settings import Settings
from ..text import Document, Edit, Sources, Span
from .ignore_setting import with_ignored

Scope = Literal["launch", "file", "project"]

_HEAD = re.compile(
    r"\ufeff?(?:#!.*(?:\r\n|\r|\n)|#[ \t]*-\*-.*(?:\r\n|\r|\n)|#[ \t]*(?:syntax|escape|check)[ \t]*=.*(?:\r\n|\r|\n))*"
)
"""Lines that must stay first: a BOM, an interpreter, an encoding, a Dockerfile's parser directives."""

_WITHOUT_COMMENTS = (".json", ".jsonc")


@dataclass(frozen=True)
class Ignoring:
    """A way not to be told: ``edits`` of the document or, by their path, of a configuration.

    ``creates`` is the path of a configuration that is not there yet, whose whole text the edit then holds.
    """

    title: str
    scope: Scope
    edits: tuple[Edit, ...]
    creates: str | None = None


def ways_to_ignore(
    report: Report, finding: Finding, settings: Settings, sources: Sources, root: str | None
) -> Iterator[Ignoring]:
    """The ways that work for ``finding``, the nearest first.

    ``root`` is the folder in which a configuration is made where none holds for the file; None: none is made.
    """
    document = report.document
    if PurePath(document.path).suffix.lower() not in _WITHOUT_COMMENTS:
        offered: set[Scope] = set()
        for scope, edit in _comments(document, report, finding):
            if scope not in offered and _works(report, _after(document, edit, settings, sources), finding):
                offered.add(scope)
                what = "for this launch" if scope == "launch" else "in this file"
                yield Ignoring(f"Ignore {finding.code} {what}", scope, (edit,))
    found = _in_configuration(document, finding, settings, sources, root)
    if found is not None:
        yield found


def _comments(document: Document, report: Report, finding: Finding) -> Iterator[tuple[Scope, Edit]]:
    """Edits to be tried: the launch's own comment, else lines above which one may stand; then the file's."""
    if finding.launch is not None:
        launch = report.judged[finding.launch].launch
        own = [ignore for ignore in launch.directives.ignores if ignore.place.path in (None, document.path)]
        if own and own[0].codes:
            yield "launch", _extended(document.text, own[0], finding.code)
        spans = [launch.span, launch.launcher_span or launch.span, finding.span]
        for line in dict.fromkeys(document.lines.line_of(span.start) for span in spans):
            yield "launch", _above(document, line, f"# sglint: ignore[{finding.code}]")
    whole = [ignore for ignore in read_directives(document).ignores if ignore.codes]
    if whole:
        yield "file", _extended(document.text, whole[0], finding.code)
    head = _HEAD.match(document.text)
    at = head.end() if head else 0
    yield "file", Edit(Span(at, at), f"# sglint: file ignore[{finding.code}]{_line_end(document)}")


def _extended(text: str, ignore: Ignore, code: str) -> Edit:
    """One more code in the brackets of an ignore."""
    at = text.index("]", ignore.place.span.start)
    return Edit(Span(at, at), f", {code}")


def _above(document: Document, line: int, comment: str) -> Edit:
    around = document.lines.line_span(line)
    text = document.text[around.start : around.end]
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    return Edit(Span(around.start, around.start), f"{indent}{comment}{_line_end(document)}")


def _line_end(document: Document) -> str:
    first = document.lines.line_span(0, with_end=True).end
    end = document.text[document.lines.line_span(0).end : first]
    return end or "\n"


def _after(document: Document, edit: Edit, settings: Settings, sources: Sources) -> Report:
    text = document.text[: edit.span.start] + edit.text + document.text[edit.span.end :]
    return seen_in_its_file(report_on(replace(document, text=text), settings, sources)[0])


def _works(before: Report, after: Report, finding: Finding) -> bool:
    if len(after.judged) != len(before.judged) or _told(after)[_key(finding)]:
        return False
    same = all(
        tokens_of(old.launch) == tokens_of(new.launch) for old, new in zip(before.judged, after.judged, strict=True)
    )
    return same and not _told(after) - _told(before)


def _told(report: Report) -> Counter[tuple[str, int | None]]:
    return Counter(_key(finding) for finding in report.findings)


def _key(finding: Finding) -> tuple[str, int | None]:
    return finding.code, finding.launch


def _in_configuration(
    document: Document, finding: Finding, settings: Settings, sources: Sources, root: str | None
) -> Ignoring | None:
    path = settings.source or (str(Path(root) / "sglint.toml") if root else None)
    if path is None:
        return None
    text = sources.read(path) if settings.source else ""
    if text is None:
        return None
    edit = with_ignored(text, path, finding.code)
    if edit is None or edit.settings.selects(finding.code, document.path):
        return None
    title = f"Ignore {finding.code} in this project ({PurePath(path).name})"
    edits = (replace(edit.edit, path=path),)
    return Ignoring(title, "project", edits, None if settings.source else path)
