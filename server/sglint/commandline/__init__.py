"""The command line of a launch, judged with what is known of all releases and of other programs."""

from .proposals import Proposal, proposals
from .refine import needs_telling, refined

__all__ = ["Proposal", "needs_telling", "proposals", "refined"]
