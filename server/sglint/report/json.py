"""The JSON documents of ``check`` and ``launches``. Ranges are zero-based, characters in UTF-16 units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from .. import __version__
from ..launch.model import Evidence, Launch, NotLaunch, Place, Word
from ..launch.options import Option
from ..rules.findings import Finding, Fix, Judged
from ..text import LineIndex, Span
from .run import LaunchIn, Lines, Run

SCHEMA = 1
_VARIABLE = re.compile(r"\$[{(]?\w")


def check_json(run: Run) -> dict[str, Any]:
    """The document of ``sglint check --format json``."""
    releases = run.releases
    return {
        "schema": SCHEMA,
        "sglint": __version__,
        "catalogue": {"newest": releases[-1] if releases else None, "oldest": releases[0] if releases else None},
        "files": {
            "seen": run.seen,
            "with_launches": sum(1 for report in run.reports if report.judged),
            "skipped": [{"path": skipped.path, "reason": skipped.reason} for skipped in run.skipped],
            "copies": run.copies,
        },
        "launches": [_launch_summary(entry, run) for entry in run.launches()],
        "findings": list(_findings(run)),
        "summary": {**run.counts(), "abstained": run.abstained},
        "baseline": {"known": run.known, "gone": run.gone},
    }


def launches_json(run: Run) -> dict[str, Any]:
    """The document of ``sglint launches --format json``."""
    return {
        "schema": SCHEMA,
        "launches": [_launch(entry, run) for entry in run.launches()],
        "not_launches": [
            {
                "path": report.document.path,
                "range": range_json(report.document.lines, item.span),
                "program": item.program,
            }
            for report in run.reports
            for item in report.not_launches
            if isinstance(item, NotLaunch)
        ],
    }


def range_json(lines: LineIndex | None, span: Span | None) -> dict[str, Any] | None:
    """``{"start": {"line", "character"}, "end": ...}``; None for a place whose file cannot be read."""
    if lines is None or span is None:
        return None
    start, end = lines.range(span, "utf-16")
    return {
        "start": {"line": start.line, "character": start.character},
        "end": {"line": end.line, "character": end.character},
    }


def evidence_json(evidence: Evidence | None, lines: Lines, document_path: str) -> dict[str, Any] | None:
    """A value, the kind of evidence it comes from, and where that stands."""
    if evidence is None:
        return None
    return {"value": evidence.value, "source": evidence.source, **_place(evidence.place, lines, document_path)}


def finding_json(finding: Finding, lines: Lines, launch: int | None) -> dict[str, Any]:
    """A finding; ``launch`` is its launch's number in the run."""
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "stage": finding.stage,
        "check": finding.check,
        "message": finding.message,
        "explanation": list(finding.explanation),
        "path": finding.path,
        "range": range_json(lines.of(finding.path), finding.span),
        "launch": launch,
        "behind": finding.behind,
        "releases": finding.releases,
        "decided_by": list(finding.decided_by),
        "related": [
            {**_place(related.place, lines, finding.path), "message": related.message} for related in finding.related
        ],
        "needs": list(finding.needs),
        "evidence": [
            {"release": source.release, "path": source.path, "symbol": source.symbol} for source in finding.evidence
        ],
        "url": finding.url,
        "fixes": [_fix(fix, lines, finding.path) for fix in finding.fixes],
    }


def _findings(run: Run) -> Iterator[dict[str, Any]]:
    before = 0
    for report in run.reports:
        lines = run.lines(report)
        for finding in report.findings:
            launch = None if finding.launch is None else before + finding.launch + 1
            yield finding_json(finding, lines, launch)
        before += len(report.judged)


def _fix(fix: Fix, lines: Lines, path: str) -> dict[str, Any]:
    return {
        "id": fix.id,
        "title": fix.title,
        "safety": fix.safety,
        "reason": fix.reason,
        "verified": fix.verified,
        "edits": [
            {**_place(Place(edit.span, edit.path), lines, path), "text": edit.text}
            for edit in sorted(fix.edits, key=_order)
        ],
        "effect": None if fix.effect is None else dict(fix.effect),
    }


def _order(edit: Any) -> tuple[str, Span]:
    return edit.path or "", edit.span


def _place(place: Place | None, lines: Lines, document_path: str) -> dict[str, Any]:
    if place is None:
        return {"path": None, "range": None}
    return {"path": place.path or document_path, "range": range_json(lines.of(place.path), place.span)}


def _launch_summary(entry: LaunchIn, run: Run) -> dict[str, Any]:
    judged, launch = entry.judged, entry.judged.launch
    return {
        **identity_json(entry),
        "host": launch.host,
        "launcher": launch.launcher,
        "argv": [word.text for word in launch.words],
        **_decided_on(judged, Lines(entry.document, run.read), entry.document.path),
        "verdict": judged.verdict.told(),
    }


def identity_json(entry: LaunchIn) -> dict[str, Any]:
    """A launch's number in the run and its place."""
    return {
        "id": entry.id,
        "path": entry.document.path,
        "range": range_json(entry.document.lines, entry.judged.launch.span),
    }


def _decided_on(judged: Judged, lines: Lines, path: str) -> dict[str, Any]:
    """Release, model, draft and hardware a launch was judged with."""
    model = evidence_json(judged.model, lines, path)
    if model is not None:
        model = {"id": model.pop("value"), **model, "facts": judged.model_facts, "traits": list(judged.traits)}
    draft = evidence_json(judged.draft, lines, path)
    if draft is not None:
        draft = {"id": draft.pop("value"), **draft}
    return {
        "release": evidence_json(judged.release, lines, path),
        "model": model,
        "draft": draft,
        "hardware": _hardware(judged.gpu, judged.gpu_count, lines, path),
    }


def _hardware(gpu: Evidence | None, count: Evidence | None, lines: Lines, path: str) -> dict[str, Any] | None:
    if gpu is None and count is None:
        return None
    nearest = gpu or count
    return {
        "gpu": gpu.value if gpu else None,
        "count": count.value if count else None,
        "source": nearest.source if nearest else None,
        "count_source": count.source if count else None,
        **_place(nearest.place if nearest else None, lines, path),
    }


def _launch(entry: LaunchIn, run: Run) -> dict[str, Any]:
    lines, path = Lines(entry.document, run.read), entry.document.path
    judged, launch = entry.judged, entry.judged.launch
    return {
        **identity_json(entry),
        "host": launch.host,
        "launcher": launch.launcher,
        **_launcher(launch, lines, path),
        "role": launch.role,
        "container": launch.container,
        "config_launch": _config_launch(entry, run),
        "words": [
            {"text": word.text, **_word(word, lines, path), **_presence((word,)), "many": word.many}
            for word in launch.words
        ],
        "options": [_option(option, lines, path) for option in _own_options(judged)],
        "holes": [_hole(word, lines, path) for word in judged.parsed.holes if word.text is None],
        "positional": [
            {"value": word.text, **_word(word, lines, path), **_presence((word,))} for word in judged.parsed.positional
        ],
        "dropped": [{"text": one.text, **_place(one.place, lines, path), "why": one.why} for one in launch.dropped],
        "env": {
            variable.name: {"value": variable.value, **_place(variable.place, lines, path)} for variable in launch.env
        },
        **_found_in_file(launch, lines, path),
        **_decided_on(judged, lines, path),
    }


def _launcher(launch: Launch, lines: Lines, path: str) -> dict[str, Any]:
    """The range of the launcher word, and its file where that is another one of the chart."""
    place = launch.launcher_there
    if place is None and launch.launcher_span is not None:
        place = Place(launch.launcher_span)
    found = _place(place, lines, path)
    return {"launcher_range": found["range"], "launcher_path": found["path"]}


def _hole(word: Word, lines: Lines, path: str) -> dict[str, Any]:
    """A word that stands for any number of unknown ones, with the text that is written for it."""
    there = lines.of(word.path)
    return {"text": there.text[slice(*word.span)] if there is not None else None, **_word(word, lines, path)}


def _config_launch(entry: LaunchIn, run: Run) -> int | None:
    """The number of the launch that is the ``--config`` file of this one, where the same document has it."""
    launch = entry.judged.launch
    if launch.config is None:
        return None
    beside = (other for other in run.launches() if other.document is entry.document and other.judged.launch.is_read)
    return next((other.id for other in beside if launch.names_config(other.judged.launch)), None)


def _own_options(judged: Judged) -> list[Option]:
    """The options that are written in the launch itself, not those of the ``--config`` file it reads."""
    from_file = {id(word) for word in judged.launch.config or ()}
    return [option for option in judged.parsed.options if not option.implied and id(option.words[0]) not in from_file]


def _found_in_file(launch: Launch, lines: Lines, path: str) -> dict[str, Any]:
    """What the file itself says about release and hardware, under the names of the extraction cases."""
    found: dict[str, Any] = {}
    for name, evidence in (("release", launch.release), ("gpu", launch.gpu), ("gpu_count", launch.gpu_count)):
        if name != "release":
            found[name] = evidence.value if evidence else None
        found[f"{name}_source"] = evidence.source if evidence else None
        found[f"{name}_at"] = _place(evidence.place, lines, path) if evidence and evidence.place else None
    image = launch.image
    if launch.release is None and image is not None and image.tag is not None and _VARIABLE.search(image.tag):
        found["release_source"] = "unresolved variable"
        found["release_at"] = _place(image.tag_place, lines, path)
    return found


def _word(word: Word, lines: Lines, path: str) -> dict[str, Any]:
    return _place(Place(word.span, word.path), lines, path)


def _option(option: Option, lines: Lines, path: str) -> dict[str, Any]:
    home = option.words[0].path
    value_home = option.words[-1].path
    used_at = option.words[0].used_at
    return {
        "flag": option.written,
        "dest": option.dest,
        "value": _value(option.raw),
        **_presence(option.words),
        "path": home or path,
        "flag_range": range_json(lines.of(home), option.flag_span),
        "value_range": range_json(lines.of(value_home), option.value_span),
        "defined_at": [
            {"name": definition.name, **_place(definition.place, lines, path)}
            for word in option.words
            for definition in word.defined_at
        ],
        "used_at": _place(used_at, lines, path) if used_at else None,
    }


def _presence(words: Sequence[Word]) -> dict[str, str | None]:
    """Whether the words are there; where a chart's condition decides, also whether they are with its own values."""
    maybe = [word for word in words if word.presence == "maybe"]
    answers = {word.with_defaults for word in maybe}
    with_defaults = "no" if "no" in answers else "yes" if answers == {"yes"} else None
    return {"presence": "maybe" if maybe else "yes", "with_defaults": with_defaults}


def _value(raw: tuple[str | None, ...]) -> str | list[str | None] | bool | None:
    """True for a bare flag, the word for one, a list for several; None where it is not statically known."""
    if not raw:
        return True
    return raw[0] if len(raw) == 1 else list(raw)
