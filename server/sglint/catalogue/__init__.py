"""Flags of every SGLang release."""

from .flag import Flag, FlagTable, Nargs
from .load import UnknownRelease, load, nearest, releases, user_dir
from .release import ReleaseRange, release_key

__all__ = [
    "Flag",
    "FlagTable",
    "Nargs",
    "ReleaseRange",
    "UnknownRelease",
    "load",
    "nearest",
    "release_key",
    "releases",
    "user_dir",
]
