"""The editor of notations that are only read."""

from __future__ import annotations

from collections.abc import Sequence

from ..launch.model import CannotEdit, Change, Launch
from ..records import dataclass
from ..text import Edit


@dataclass(frozen=True)
class FixedEditor:
    """Refuses every change with ``reason``."""

    reason: str

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """No edits; raises :class:`CannotEdit` unless nothing is asked."""
        if changes:
            raise CannotEdit(self.reason)
        return ()
