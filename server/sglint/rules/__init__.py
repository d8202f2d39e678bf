"""Rules: conditions on launches, what they find and how it is fixed."""

from .bundle import load
from .model import Case, Rule, RuleSet
from .own import load_with

__all__ = ["Case", "Rule", "RuleSet", "load", "load_with"]
