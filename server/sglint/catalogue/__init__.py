"""Flags of every SGLang release."""

from .diff import FieldChange, ReleaseDiff, diff, diff_tables
from .flag import Flag, FlagTable, Nargs
from .load import UnknownRelease, diffusion_names, load, nearest, releases, user_dir
from .release import ReleaseRange, release_key

__all__ = [
    "FieldChange",
    "Flag",
    "FlagTable",
    "Nargs",
    "ReleaseDiff",
    "ReleaseRange",
    "UnknownRelease",
    "diff",
    "diff_tables",
    "diffusion_names",
    "load",
    "nearest",
    "release_key",
    "releases",
    "user_dir",
]
