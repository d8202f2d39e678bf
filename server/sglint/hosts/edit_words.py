"""What editors of all notations share: the words of a change, and refusing every one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..launch.model import CannotEdit, Change, Launch, RemoveOption, RenameFlag, SetValue, Word
from ..patterns import lazy
from ..records import dataclass
from ..text import Edit


def changed_words(change: Change) -> tuple[Word, ...]:
    """The words that a change is about; none for one that adds."""
    if isinstance(change, (RemoveOption, SetValue)):
        return change.words
    return (change.word,) if isinstance(change, RenameFlag) else ()


FILLED = lazy(r"\$?\{\{.*?\}\}|\$\([\w-]+[.\[][^()\s]*\)", re.DOTALL)
"""References that a workflow's tool fills in."""


def filled_in(reference: str) -> str:
    """Why a value that stands for a tool's reference is not set: its default or its callers have it."""
    return f"the value is filled in for `{' '.join(reference.split())[:60]}`; change it where that is set"


@dataclass(frozen=True)
class FixedEditor:
    """Refuses every change with ``reason``."""

    reason: str

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """No edits; raises :class:`CannotEdit` unless nothing is asked."""
        if changes:
            raise CannotEdit(self.reason)
        return ()
