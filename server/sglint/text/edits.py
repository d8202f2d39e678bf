"""Text edits: replacing spans of a text."""

from __future__ import annotations

from collections.abc import Iterable

from ..records import dataclass
from .spans import Span


@dataclass(frozen=True, order=True)
class Edit:
    """Replace ``span`` (code points) of the text of ``path`` by ``text``. ``path`` None: the launch's own document."""

    span: Span
    text: str
    path: str | None = None


class OverlappingEdits(ValueError):
    """Two edits want the same characters."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """``text`` after all edits, whose spans refer to the text before any. Raises :class:`OverlappingEdits`."""
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda item: (item.span.start, item.span.end)):
        if edit.span.start < done:
            raise OverlappingEdits(f"edit at {edit.span.start} begins before {done}")
        pieces += [text[done : edit.span.start], edit.text]
        done = edit.span.end
    pieces.append(text[done:])
    return "".join(pieces)


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Edits that make ``after`` of ``before``, each of whole lines, so that what did not change keeps its marks."""
    from difflib import SequenceMatcher

    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(
        Edit(Span(starts[first], starts[last]), "".join(new[start:end]))
        for kind, first, last, start, end in changes
        if kind != "equal"
    )
