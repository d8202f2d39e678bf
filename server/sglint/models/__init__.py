"""Models and GPUs: facts from a ``config.json``, traits per release, the shipped registries."""

from .config import ModelError, facts_from_config
from .facts import ModelFacts, StateShape, Traits
from .files import load
from .hardware import Gpu

__all__ = ["Gpu", "ModelError", "ModelFacts", "StateShape", "Traits", "facts_from_config", "load"]
