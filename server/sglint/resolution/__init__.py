"""What a release makes of the options of a launch: defaults by GPU and model, normalised names, derived sizes."""

from .releases import FIRST_FOLLOWED, followed
from .space import facts_of

__all__ = ["FIRST_FOLLOWED", "facts_of", "followed"]
