"""Comparing the release of a launch, and refusing to answer where a release's behaviour was not read."""

from __future__ import annotations

from typing import NoReturn

from ..catalogue import release_key
from ..facts import Facts, Undecided, Unknown

FIRST_FOLLOWED = "0.5.15"
"""Oldest release whose resolution and checks were read; what an older one does with a launch stays unknown."""


def followed(release: str) -> bool:
    return release_key(release) >= release_key(FIRST_FOLLOWED)


def since(facts: Facts, release: str) -> bool:
    """Whether the launch's release is ``release`` or newer."""
    return release_key(facts["release"]) >= release_key(release)


def undecided(reason: str) -> NoReturn:
    """Leave the fact that is being derived unknown, for the reason given to the user."""
    raise Undecided(Unknown((reason,)))
