"""Keeps every key of config.json; stands in for the configuration code a checkpoint ships."""

from transformers import PretrainedConfig


class GenericConfig(PretrainedConfig):
    model_type = "minimax_m3"

    def __init__(self, **kw):
        super().__init__(**kw)
