"""What a fix does to the memory plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..facts import Facts


def effect_of(before: Facts, after: Facts) -> Mapping[str, Any] | None:
    return None
