"""What a checkpoint brings beside its weights."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..facts import Facts
from ..models import ModelError, facts_from_config
from .releases import undecided


def brings_no_code(facts: Facts) -> bool:
    """No configuration class comes with the checkpoint, or none is read (``--trust-remote-code``).

    A registry of shapes keeps no ``auto_map``, so that its absence says nothing about the published checkpoint.
    """
    if not facts["args.trust_remote_code"]:
        return True
    if facts["model.config"].get("auto_map") is None:
        undecided("whether the checkpoint brings the code for its kind of model")
    return False


def context_allowed(facts: Facts) -> int | None:
    """Longest context of the configuration, tokens, after ``--json-model-override-args``."""
    written = facts["args.json_model_override_args"]
    own: int | None = facts["model.context_length"]
    if written in (None, "{}"):
        return own
    try:
        changes = json.loads(written) if isinstance(written, str) else written
        if not isinstance(changes, Mapping):
            return own
        return facts_from_config({**facts["model.config"], **changes}).context_length
    except (ValueError, RecursionError, ModelError):
        undecided("what --json-model-override-args makes of the context length")


FACTS = {"brings_no_code": brings_no_code, "context_allowed": context_allowed}
