"""Document symbols: the launches of a text, with their options below them."""

from __future__ import annotations

from lsprotocol import types

from ..rules.findings import Judged, Report
from ..text import Encoding, Span
from .convert import to_range


def document_symbols(report: Report, encoding: Encoding) -> list[types.DocumentSymbol]:
    return [_launch(judged, report, encoding) for judged in report.judged]


def _launch(judged: Judged, report: Report, encoding: Encoding) -> types.DocumentSymbol:
    launch = judged.launch
    lines = report.document.lines
    selection = launch.launcher_span or Span(launch.span.start, launch.span.start)
    whole = launch.span.hull(selection)
    return types.DocumentSymbol(
        name=f"{launch.launcher} {judged.model.value if judged.model else '(model not known)'}",
        detail=f"SGLang {judged.release.value}: {judged.verdict.status}",
        kind=types.SymbolKind.Event,
        range=to_range(lines, whole, encoding),
        selection_range=to_range(lines, selection, encoding),
        children=[
            types.DocumentSymbol(
                name=option.written,
                detail=" ".join("?" if word is None else word for word in option.raw) or None,
                kind=types.SymbolKind.Property,
                range=to_range(lines, option.flag_span.hull(option.value_span or option.flag_span), encoding),
                selection_range=to_range(lines, option.flag_span, encoding),
            )
            for option in judged.parsed.options
            if option.words[0].path in (None, report.document.path)
        ],
    )
