"""What a checkpoint brings beside its weights."""

from __future__ import annotations

from ..facts import Facts
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


FACTS = {"brings_no_code": brings_no_code}
