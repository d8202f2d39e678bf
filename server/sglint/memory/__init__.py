"""The allocator model: pools, the unified arena and draft pools of a release, exact for a given byte budget."""

from .budget import Budget
from .plan import Plan, plan
from .result import Arena, DraftPool, Pools, Refusal, StatePool, SubPool
from .rows import Row

__all__ = ["Arena", "Budget", "DraftPool", "Plan", "Pools", "Refusal", "Row", "StatePool", "SubPool", "plan"]
