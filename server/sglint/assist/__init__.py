"""Help at the cursor and before an upgrade; knows no editor."""

from .completion import Completion, complete
from .description import describe_option, option_at
from .upgrade import SilentChange, Upgrade, upgrade

__all__ = [
    "Completion",
    "SilentChange",
    "Upgrade",
    "complete",
    "describe_option",
    "option_at",
    "upgrade",
]
