"""Launches that were judged before: trying a fix changes one of a file, and the others need no second judgement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..launch.model import Launch, Place, Word
from ..records import fields
from ..rules.findings import Finding, Report
from ..text import Mapped, Span
from .launches import Judging

_FOR_EDITING = frozenset(("editor", "handle"))


class Known:
    """The launches of a document as they were judged, with what was found of each."""

    def __init__(self, report: Report, judgings: Sequence[Judging]) -> None:
        self._judgings = judgings
        self._contents = [content(judging.judged.launch) for judging in judgings]
        self._findings: dict[int, list[Finding]] = {}
        for finding in report.findings:
            if finding.launch is not None:
                self._findings.setdefault(finding.launch, []).append(finding)

    def __len__(self) -> int:
        return len(self._judgings)

    def judging(self, number: int, launch: Launch) -> Judging | None:
        """Its judgement, if launch ``number`` still says what it said, wherever it stands by now."""
        return self._judgings[number] if self._contents[number] == content(launch) else None

    def findings(self, number: int) -> list[Finding]:
        """What was told of launch ``number``, at its old places."""
        return self._findings.get(number, [])


def content(value: Any) -> Any:
    """What a launch, or a part of one, says: everything but places. Unknown kinds of objects equal only themselves."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Span | Place):
        return None
    if isinstance(value, Word):
        return _of_word(value)
    if isinstance(value, tuple | list):
        return tuple(map(content, value))
    if isinstance(value, Mapping):
        return tuple((key, content(one)) for key, one in value.items())
    if isinstance(value, Mapped):
        return value.text
    if hasattr(value, "__dataclass_fields__"):
        return tuple(content(getattr(value, one.name)) for one in fields(value) if one.name not in _FOR_EDITING)
    return value


def _of_word(word: Word) -> tuple[Any, ...]:
    written = word.mapped.text if word.text is None and word.mapped is not None else None
    return word.text, written, word.presence, word.many, word.unknown, word.with_defaults, word.path, word.read_as
