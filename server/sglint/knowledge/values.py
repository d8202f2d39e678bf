"""Values of flags for which a release accepts any text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from .. import toml
from ..catalogue import Flag, ReleaseRange, nearest
from ..data import rules_dir

FILE = "flags/values.toml"


def values_of(flag: Flag, release: str) -> tuple[str, ...]:
    """The values a user can choose from: the flag's choices in its release, else what is known of its texts."""
    if flag.choices is not None:
        return tuple(str(choice) for choice in flag.choices)
    known = next((_known()[name] for name in flag.names if name in _known()), {})
    return tuple(value for value, span in known.items() if ReleaseRange.parse(span).holds(nearest(release)))


@lru_cache(maxsize=1)
def _known() -> Mapping[str, Mapping[str, str]]:
    return toml.parse((rules_dir() / FILE).read_text(encoding="utf-8"))
