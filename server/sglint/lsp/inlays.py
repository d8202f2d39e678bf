"""Inlay hints: what memory makes of the numbers in a launch. An option of the editor turns each off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from ..assist.memory_hints import FLAGS, memory_hints
from ..rules.findings import Report
from ..text import Encoding, Span
from .convert import to_range

OPTION = "inlay-hints"
"""Key of the editor's options: false turns all hints off, ``{"tp": false}`` those behind one flag."""


def wanted(options: Mapping[str, Any]) -> frozenset[str]:
    """Names of the flags whose hints the editor's options leave on."""
    value = options.get(OPTION)
    if isinstance(value, Mapping):
        return frozenset(name for name in FLAGS.values() if value.get(name) is not False)
    return frozenset() if value is False else frozenset(FLAGS.values())


def inlay_hints(
    report: Report, range_: types.Range, names: frozenset[str], encoding: Encoding
) -> list[types.InlayHint]:
    """Hints inside ``range_`` behind the flags in ``names``, in the order of the text."""
    path, lines = report.document.path, report.document.lines
    found = []
    for judged in report.judged if names else ():
        for hint in memory_hints(judged, path):
            place = to_range(lines, Span(hint.offset, hint.offset), encoding).start
            if hint.name in names and range_.start.line <= place.line <= range_.end.line:
                tooltip = types.MarkupContent(types.MarkupKind.Markdown, hint.why)
                found.append(types.InlayHint(place, hint.label, tooltip=tooltip, padding_left=True))
    return sorted(found, key=lambda hint: (hint.position.line, hint.position.character))
