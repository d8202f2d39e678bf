"""What a release makes of the options of a launch: defaults by GPU and model, normalised names, derived sizes."""

from .space import facts_of

__all__ = ["facts_of"]
