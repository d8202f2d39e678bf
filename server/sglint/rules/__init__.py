"""Rules: conditions on launches, what they find and how it is fixed."""

from .bundle import load
from .model import Case, Rule, RuleSet

__all__ = ["Case", "Rule", "RuleSet", "load"]
