"""What a decoded script text cannot say by itself: unknown stretches, and where known ones came from.

A notation that expands variables before a shell reads the text (a kubelet, compose, an outer shell) writes
:data:`UNKNOWN` where it does not know the text, and lists an :class:`Origin` for what it does know.
"""

from __future__ import annotations

from ..launch.model import Definition
from ..records import dataclass

UNKNOWN = "\ue000"
"""One private-use character that stands for an unknown text within one word."""

HOLE = "\ue001"
"""One private-use character that stands for any number of unknown words."""


@dataclass(frozen=True)
class Origin:
    """Decoded ``[start, end)`` of a script was put there by variables, or only under a condition."""

    start: int
    end: int
    definitions: tuple[Definition, ...] = ()
    maybe: bool = False
