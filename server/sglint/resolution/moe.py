"""How the experts of a mixture model are stored, as far as checks ask."""

from __future__ import annotations

from collections.abc import Mapping

from ..facts import Facts


def mxfp4_packed(facts: Facts) -> bool:
    """The checkpoint packs weights as MXFP4 (``_is_mxfp4_pack_quantized``, ``srt/arg_groups/overrides.py``)."""
    quantization = facts["model.text"].get("quantization_config")
    if not isinstance(quantization, Mapping):
        return False
    groups = (quantization.get("config_groups") or {}).values()
    formats = [group.get("format", "") for group in groups if isinstance(group, Mapping)]
    # The shipped registry keeps the checkpoint's overall format and leaves the groups out.
    return any("mxfp4" in str(name) for name in formats or [quantization.get("format", "")])


FACTS = {"mxfp4_packed": mxfp4_packed}
