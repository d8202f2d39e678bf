"""Flags of every SGLang release."""

from .flag import Flag, FlagTable, Nargs
from .release import ReleaseRange, release_key

__all__ = ["Flag", "FlagTable", "Nargs", "ReleaseRange", "release_key"]
