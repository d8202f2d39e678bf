"""What another release would make of a launch: what breaks, what changes silently, and what can be renamed for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from .. import catalogue, rules
from ..catalogue import FieldChange
from ..commandline.proposals import proposals
from ..launch.model import CannotEdit, Change, Evidence
from ..lint import lint
from ..lint.changes import release_change
from ..lint.launches import Judging, judge_launch
from ..records import dataclass, replace
from ..rules.findings import Finding, Fix, Judged
from ..settings import Settings
from ..text import Document, Edit, OverlappingEdits, Sources, apply_edits

RENAMING = frozenset(("removed-flag", "later-flag", "deprecated", "retired", "ambiguous", "abbreviation"))
"""Problems of the other release that its own spelling solves."""


@dataclass(frozen=True)
class SilentChange:
    """``field`` (``default`` or ``choices``) of the flag ``name`` differs; ``given`` when the launch writes it."""

    name: str
    field: str
    before: Any
    after: Any
    given: bool


@dataclass(frozen=True)
class Upgrade:
    """What happens to a launch at ``release``.

    breaks
        errors there that it does not have now, in the order in which they would strike.
    silent
        changes that nobody is told of: of defaults that the launch relies on, and of choices of flags it writes.
    fix
        the image tag and all renames in one, verified: at the new release the text has none of the parser's errors
        that renames can solve. None when there is nothing to rename or the text cannot be edited.
    mends
        errors that it has now and not there.
    """

    before: str
    release: str
    breaks: tuple[Finding, ...]
    silent: tuple[SilentChange, ...]
    fix: Fix | None
    mends: tuple[Finding, ...] = ()


def upgrade(
    document: Document, judged: Judged, number: int, release: str, settings: Settings, sources: Sources | None = None
) -> Upgrade:
    """Compare launch ``number`` of ``document`` now and at ``release``. Raises UnknownRelease."""
    catalogue.load(release)
    sources = sources or Sources.none()
    now, then = (
        _judged_at(which, document, judged, number, settings, sources) for which in (judged.parsed.release, release)
    )
    return Upgrade(
        judged.parsed.release,
        release,
        tuple(_errors_beyond(then, now)),
        tuple(_silent(judged, release)),
        _fix(document, judged, number, then, settings, sources),
        tuple(_errors_beyond(now, then)),
    )


def _errors_beyond(one: Judging, other: Judging) -> Iterator[Finding]:
    """The errors of ``one`` that ``other`` does not have at the same words."""
    known = {(finding.code, finding.span) for finding in other.findings if finding.severity == "error"}
    for finding in one.findings:
        if finding.severity == "error" and (finding.code, finding.span) not in known:
            yield finding


def _judged_at(
    release: str, document: Document, judged: Judged, number: int, settings: Settings, sources: Sources
) -> Judging:
    evidence = Evidence(release, "upgrade")
    return judge_launch(judged.launch, number, document.path, settings, sources, rules.load(), evidence)


def _silent(judged: Judged, release: str) -> Iterator[SilentChange]:
    given = {option.dest for option in judged.parsed.options}
    table = catalogue.load(release)
    for change in catalogue.diff(judged.parsed.release, release).changed:
        flag = table.by_name.get(change.name)
        is_given = flag is not None and flag.dest in given
        if _matters(change, is_given):
            yield SilentChange(change.name, change.field, change.before, change.after, is_given)


def _matters(change: FieldChange, given: bool) -> bool:
    return (change.field == "default" and not given) or (change.field == "choices" and given)


def _fix(
    document: Document, judged: Judged, number: int, then: Judging, settings: Settings, sources: Sources
) -> Fix | None:
    launch, release = judged.launch, then.subject.parsed.release
    changes = list(_renames(then))
    if not changes:
        return None
    # Where the release comes from elsewhere, the text is only made ready for it.
    with suppress(CannotEdit):
        changes.append(release_change(launch, str(judged.release.value), release))
    try:
        edits = launch.editor.edits(launch, changes)
        if not edits or not _solves(document, edits, number, release, settings, sources):
            return None
    except (CannotEdit, OverlappingEdits):
        return None
    return Fix(
        f"upgrade.{number}.{release}", f"Spell this launch as SGLang {release} does", "safe", edits, verified=True
    )


def _renames(then: Judging) -> Iterator[Change]:
    """The safe way out of every problem that is one of spelling only, each word once."""
    parsed = then.subject.parsed
    table = catalogue.load(parsed.release)
    touched: set[int] = set()
    for problem in parsed.problems:
        if problem.kind not in RENAMING or problem.word is None or id(problem.word) in touched:
            continue
        way = next(iter(proposals(problem, parsed, table)), None)
        if way is not None and way.safety == "safe":
            touched.add(id(problem.word))
            yield from way.changes


def _solves(
    document: Document, edits: tuple[Edit, ...], number: int, release: str, settings: Settings, sources: Sources
) -> bool:
    """Whether the edited text, read at ``release``, has no problem of spelling left and no launch less."""
    if any(edit.path not in (None, document.path) for edit in edits):
        return False
    changed = replace(document, text=apply_edits(document.text, edits))
    before = len(lint(document, settings, sources, fixes=False).judged)
    after = lint(changed, settings, sources, fixes=False)
    if len(after.judged) != before:
        return False
    then = _judged_at(release, changed, after.judged[number], number, settings, sources)
    left = {problem.kind for problem in then.subject.parsed.problems if problem.fatal}
    return not left & (RENAMING - {"ambiguous"})
