"""Regular expressions that are compiled when they are first used: of a hundred, a run needs some thirty."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]: ...

else:

    class lazy:  # noqa: N801
        """As ``re.compile``. A method that was used once is found without a detour."""

        def __init__(self, pattern, flags=0):
            self._made_of = pattern, flags

        def __getattr__(self, name: str) -> Any:
            value = getattr(re.compile(*self._made_of), name)
            setattr(self, name, value)
            return value
