"""Findings that are known and accepted, kept in a file for review, and what a run finds beyond them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..records import dataclass, replace
from ..rules.findings import Finding, Report
from .identity import Identity, identified
from .run import Lines

SCHEMA = 1
ALWAYS_TOLD = frozenset(("SGL000", "SGL012"))
"""A bug of SGLint and a broken configuration are never taken for known."""

_KEYS = ("path", "code", "where", "words", "count")

LinesOf = Callable[[Report], Lines]
Moved = Callable[[str], str]


class NoBaseline(ValueError):
    """The text is no baseline; the message says why."""


@dataclass(frozen=True)
class Beyond:
    """What is left of reports: ``known`` findings are taken out, ``gone`` ones are in the baseline and not there."""

    reports: tuple[Report, ...]
    known: int
    gone: int


def dump(counts: Mapping[Identity, int]) -> str:
    """The text of a baseline: sorted, one finding a line, so that merging and reviewing it is easy."""
    ordered = sorted(counts, key=_key)
    lines = [json.dumps(dict(zip(_KEYS, (*_key(known), counts[known]), strict=True))) for known in ordered]
    body = "".join(f"\n  {line}{',' * (line is not lines[-1])}" for line in lines)
    return f'{{"schema": {SCHEMA}, "findings": [{body}\n]}}\n'


def parse(text: str) -> dict[Identity, int]:
    """How often each finding is known. Raises :class:`NoBaseline`."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise NoBaseline("it is not JSON") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or not isinstance(data.get("findings"), list):
        raise NoBaseline(f'it has no "schema": {SCHEMA} with "findings"')
    counts: dict[Identity, int] = {}
    for number, entry in enumerate(data["findings"], 1):
        identity = _identity(entry, number)
        counts[identity] = entry["count"]
    return counts


def count(reports: Iterable[Report], lines_of: LinesOf, moved: Moved) -> dict[Identity, int]:
    """The findings of ``reports``; ``moved`` gives a path as seen from the baseline's folder."""
    counts: dict[Identity, int] = {}
    for report in reports:
        for _, identity, ordinal in _identified(report, lines_of, moved):
            counts[identity] = max(counts.get(identity, 0), ordinal + 1)
    return counts


def beyond(known: Mapping[Identity, int], reports: Sequence[Report], lines_of: LinesOf, moved: Moved) -> Beyond:
    """The reports without what is known. Of several equal findings the first ones are the known ones."""
    kept: list[Report] = []
    hidden = 0
    for report in reports:
        rest = tuple(
            finding
            for finding, identity, ordinal in _identified(report, lines_of, moved, every=True)
            if ordinal >= known.get(identity, 0)
        )
        hidden += len(report.findings) - len(rest)
        kept.append(report if len(rest) == len(report.findings) else replace(report, findings=rest))
    there = count(reports, lines_of, moved)
    paths = {moved(report.document.path) for report in reports} | {identity.path for identity in there}
    missing = (number - there.get(identity, 0) for identity, number in known.items() if identity.path in paths)
    return Beyond(tuple(kept), hidden, sum(number for number in missing if number > 0))


def _identified(
    report: Report, lines_of: LinesOf, moved: Moved, *, every: bool = False
) -> Iterator[tuple[Finding, Identity, int]]:
    """The findings that a baseline may hold; with ``every`` also the others, under a path that none has."""
    for finding, identity, ordinal in identified(report, lines_of(report)):
        if finding.code not in ALWAYS_TOLD:
            yield finding, replace(identity, path=moved(identity.path)), ordinal
        elif every:
            yield finding, replace(identity, path=""), ordinal


def _key(identity: Identity) -> tuple[str, str, str, str]:
    return identity.path, identity.code, identity.where, identity.words


def _identity(entry: object, number: int) -> Identity:
    if not isinstance(entry, dict) or set(entry) != set(_KEYS):
        raise NoBaseline(f"finding {number} does not have exactly the keys {', '.join(_KEYS)}")
    texts = [entry[key] for key in _KEYS[:-1]]
    if not texts[0]:
        raise NoBaseline(f"finding {number} has no path")
    wrong = not all(isinstance(text, str) for text in texts) or type(entry["count"]) is not int or entry["count"] < 1
    if wrong:
        raise NoBaseline(f"finding {number} has a value of the wrong kind")
    return Identity(*texts)
