"""What in a text stands for something that has a page: a code, a release, a model, words that a release decides on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import catalogue
from ..hosts.directives import read_directives
from ..records import dataclass
from ..rules.findings import EvidenceAt, Judged, Report
from ..text import Document, Span

UPSTREAM = "https://github.com/sgl-project/sglang"
MODELS = "https://huggingface.co"

_CODE = re.compile(r"\bSGL\d{3}\b")
_QUOTED_CODE = re.compile(r"""(?<=["'])SGL\d{3}(?=["'])|^[ \t]*(SGL\d{3})(?=[ \t]*=)""", re.MULTILINE)
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


@dataclass(frozen=True)
class Link:
    """``span`` leads to ``url``, or to the page of the rule ``code``."""

    span: Span
    tooltip: str
    url: str | None = None
    code: str | None = None


def links(report: Report, *, evidence: bool = True) -> Iterator[Link]:
    """Links of a document in the order of its text, none within another; with ``evidence`` also of findings' words."""
    end = -1
    found = (*_codes(report.document), *_of_launches(report), *(_evidence(report) if evidence else ()))
    for link in sorted(found, key=lambda link: (link.span.start, -link.span.end)):
        if link.span.start >= end:
            end = link.span.end
            yield link


def codes_in_configuration(document: Document) -> Iterator[Link]:
    """Codes that a configuration names, as texts or as keys."""
    for match in _QUOTED_CODE.finditer(document.text):
        group = 1 if match[1] else 0
        yield Link(Span(*match.span(group)), f"What {match[group]} means", code=match[group])


def upstream_url(evidence: EvidenceAt) -> str:
    """The file of the release that says so."""
    return f"{UPSTREAM}/blob/v{evidence.release}/python/sglang/{evidence.path}"


def _codes(document: Document) -> Iterator[Link]:
    for directive in read_directives(document).directives:
        for ignore in directive.ignores:
            for match in _CODE.finditer(document.text, ignore.place.span.start, ignore.place.span.end):
                yield Link(Span(*match.span()), f"What {match[0]} means", code=match[0])


def _of_launches(report: Report) -> Iterator[Link]:
    known = catalogue.releases()
    home = report.document.path
    for judged in report.judged:
        release, place = str(judged.release.value), judged.release.place
        if judged.release.source == "image tag" and place and place.path in (None, home) and release in known:
            yield Link(place.span, f"SGLang {release}", f"{UPSTREAM}/releases/tag/v{release}")
        yield from _model(judged, home)


def _model(judged: Judged, home: str) -> Iterator[Link]:
    """A name that the registry knows is one of the hub's; any other may be a folder."""
    model = judged.model
    if model is None or model.place is None or judged.model_facts != "registry":
        return
    name = str(model.value)
    if model.place.path in (None, home) and model.source == "argument" and _HUB_ID.fullmatch(name):
        yield Link(model.place.span, f"{name} on the model hub", f"{MODELS}/{name}")


def _evidence(report: Report) -> Iterator[Link]:
    """The words of a finding lead to where the release decides."""
    for finding in report.findings:
        if finding.path != report.document.path or finding.launch is None or not finding.evidence:
            continue
        release = report.judged[finding.launch].parsed.release
        at = next((each for each in finding.evidence if each.release == release), None)
        if at is not None and finding.span.start < finding.span.end:
            yield Link(finding.span, f"SGLang {at.release}: {at.path}, {at.symbol}", upstream_url(at))
