"""Edits"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..launch.model import CannotEdit, Change, Launch, Word
from ..text import Edit
from .shell_script import Script


@dataclass(frozen=True)
class ShellEditor:
    script: Script
    launcher: Word | None
    image: Word | None

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        raise CannotEdit("this notation")
