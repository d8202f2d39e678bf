"""Spans, positions, source maps and edits. Knows no notation and no SGLang."""

from .document import Document, Sources, language_of
from .edits import Edit, OverlappingEdits, apply_edits, edits_between
from .mapped import Mapped, Run
from .spans import Encoding, LineIndex, Position, Range, Span, units

__all__ = [
    "Document",
    "Edit",
    "Encoding",
    "LineIndex",
    "Mapped",
    "OverlappingEdits",
    "Position",
    "Range",
    "Run",
    "Sources",
    "Span",
    "apply_edits",
    "edits_between",
    "language_of",
    "units",
]
