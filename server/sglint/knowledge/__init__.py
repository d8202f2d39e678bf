"""What people have to know about flags beyond one release's parser: meaning, history, other spellings."""

from .environment import EnvironmentReads, env_reads, reads
from .help import commonness, explain
from .history import Change, History, first_last, history, releases_offering
from .names import (
    EnvironmentRename,
    Foreign,
    Rename,
    Target,
    deprecation,
    environment_rename,
    foreign,
    predecessor,
    rename,
    value_rename,
)
from .near import near, near_value, same_value
from .values import values_of

__all__ = [
    "Change",
    "EnvironmentReads",
    "EnvironmentRename",
    "Foreign",
    "History",
    "Rename",
    "Target",
    "commonness",
    "deprecation",
    "env_reads",
    "environment_rename",
    "explain",
    "first_last",
    "foreign",
    "history",
    "near",
    "near_value",
    "predecessor",
    "reads",
    "releases_offering",
    "rename",
    "same_value",
    "value_rename",
    "values_of",
]
