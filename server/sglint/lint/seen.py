"""A finding as seen from one of the files that have a part in its launch: where that file has what it speaks of.

A chart's launch is spread over templates and values. Its findings stand where their words are written; somebody who
looks at another of the files sees them at that file's part: a template's action that prints the word, or the value
that a template puts into it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..launch.model import Place, Word
from ..launch.options import Option
from ..records import replace
from ..rules.findings import Finding, Judged, Related, Report

PRINTED = "the template prints it here"
WRITTEN = "it is written here"


def seen_in_its_file(report: Report) -> Report:
    """The report for somebody who looks at its document alone: findings elsewhere stand at the document's part."""
    home = report.document.path
    if all(finding.path == home for finding in report.findings):
        return report
    found = []
    for finding in report.findings:
        own: Finding | None = finding
        if finding.path != home:
            own = None if finding.launch is None else seen_from(finding, report.judged[finding.launch], home, home)
        if own is not None:
            found.append(own)
    return replace(report, findings=tuple(found))


def seen_from(finding: Finding, judged: Judged, home: str, document: str) -> Finding | None:
    """``finding`` placed in the file ``home``; None when that file has no part in it.

    ``document`` is the file that was linted, which places of the launch leave out.
    """
    if finding.path == home and not _stands_for_launch(finding, judged):
        return finding
    place = next(_parts(finding, judged, home, document), None)
    if place is None:
        return None
    own = finding.moved_from or Place(finding.span, finding.path)
    if finding.path == home:
        return replace(finding, span=place.span, moved_from=own)
    told = PRINTED if judged.launch.printed_by == finding.path else WRITTEN
    related = Related(Place(finding.span, finding.path), told)
    kept = tuple(_with_path(one, finding.path) for one in finding.related if one.place != place)
    return replace(finding, span=place.span, path=home, related=(related, *kept), moved_from=own)


def _with_path(related: Related, path: str) -> Related:
    """Beside a finding in another file, no path would mean that other file."""
    place = related.place
    return related if place.path is not None else replace(related, place=Place(place.span, path))


def _stands_for_launch(finding: Finding, judged: Judged) -> bool:
    """Whether it stands at the launch as a whole, which a values file does not have."""
    launch = judged.launch
    return launch.printed_by is not None and finding.span.start == finding.span.end == launch.span.start


def _parts(finding: Finding, judged: Judged, home: str, document: str) -> Iterator[Place]:
    """Places in ``home`` that give what the finding speaks of, the nearest first."""
    options = list(judged.parsed.options)
    at = [option for option in options if _is_at(option, finding, document)]
    in_config = {id(word) for word in judged.launch.config or ()}
    if any(id(option.words[0]) in in_config for option in at):
        at += judged.parsed.of("config")[-1:]
    for option in (*at, *_deciding(finding, judged, options)):
        for word in (*option.words[1:], option.words[0]):
            yield from (place for place in _places(word) if (place.path or document) == home)
    evidence = judged.release.place
    if evidence is not None and (evidence.path or document) == home and (finding.releases or _is_of_words(finding)):
        yield evidence


def _is_of_words(finding: Finding) -> bool:
    """Whether it is about how a release reads the words."""
    return finding.stage == "parse"


def _is_at(option: Option, finding: Finding, document: str) -> bool:
    return any(
        (word.path or document) == finding.path and word.span.start <= finding.span.start < word.span.end
        for word in option.words
    )


def _deciding(finding: Finding, judged: Judged, options: Iterable[Option]) -> list[Option]:
    """Options that the finding depends on."""
    if judged.facts is None:
        return []
    leaves = {leaf for name in finding.decided_by for leaf in (name, *judged.facts.leaves_of(name))}
    dests = {leaf.partition(".")[2] for leaf in leaves if leaf.startswith(("args.", "given."))}
    return [option for option in options if option.dest in dests]


def _places(word: Word) -> Iterator[Place]:
    yield from (definition.place for definition in word.defined_at)
    if word.used_at is not None:
        yield word.used_at
    yield Place(word.span, word.path)
