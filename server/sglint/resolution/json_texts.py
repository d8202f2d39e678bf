"""Texts that a release reads as JSON long after its parser has taken them for any text."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..facts import Derivation, Facts

READ_LATER = ("json_model_override_args", "model_loader_extra_config")
"""Source: 0.5.18, srt/configs/model_config.py:ModelConfig.__init__, srt/configs/load_config.py:LoadConfig."""


def malformed_json(facts: Facts) -> tuple[str, ...]:
    """Names of the arguments whose given text is no JSON."""
    return tuple(name for name in READ_LATER if facts[f"given.{name}"] and not _is_json(facts[f"args.{name}"]))


def _is_json(text: object) -> bool:
    if not isinstance(text, str):
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


FACTS: Mapping[str, Derivation] = {"malformed_json": malformed_json}
