"""Settings of the server around the model, as far as checks ask."""

from __future__ import annotations

from ..facts import Facts
from .releases import undecided

_OBJECT_STORES = ("s3://", "gs://", "az://")
_LARGEST_DEFAULT_DIVISOR = 16
"""Default pieces of a prompt are powers of two of 2,048 tokens and more, on GPUs that serve by so many groups 8,192."""


def name_with_colon(facts: Facts) -> bool:
    """``--served-model-name`` holds the mark behind which requests name an adapter."""
    name = facts["args.served_model_name"]
    return name is not None and ":" in name and not name.lower().startswith(_OBJECT_STORES)


def chunk_off_page(facts: Facts) -> bool:
    """A piece of a prompt would end within a page (``check_server_args``); decode servers are not asked."""
    if facts["args.disaggregation_mode"] == "decode" or facts["args.enable_kv_cache_sharding"]:
        return False
    written = facts["args.chunked_prefill_size"]
    groups, page = int(facts["resolved.attn_dp_size"]), int(facts["resolved.page_size"])
    if written is None:
        if page == 1:
            return False
        if groups > _LARGEST_DEFAULT_DIVISOR or groups & (groups - 1):
            undecided("how large pieces of prompts are when --chunked-prefill-size is not given")
        return False
    if facts["resolved.prompts_uncut"]:
        return False
    return int(written) // groups % page != 0


FACTS = {"name_with_colon": name_with_colon, "chunk_off_page": chunk_off_page}
