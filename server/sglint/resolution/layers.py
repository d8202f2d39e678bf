"""Layers and rows of the first pipeline rank, as the unified pool's factories count them."""

from __future__ import annotations

from ..facts import Facts
from .releases import undecided


def pp_layers(facts: Facts) -> tuple[int, int]:
    """First layer and the one after the last of pipeline rank 0 (``get_pp_indices``)."""
    if facts["env.SGLANG_PP_LAYER_PARTITION"] is not None:
        undecided("which layers SGLANG_PP_LAYER_PARTITION gives to each pipeline rank")
    layers, size = int(facts["model.num_hidden_layers"]), int(facts["args.pp_size"])
    return 0, layers // size


def pp_full_layers(facts: Facts) -> int:
    return _within(facts, "model.full_layer_ids")


def pp_swa_layers(facts: Facts) -> int:
    return _within(facts, "model.swa_layer_ids")


def kv_row_bytes(facts: Facts) -> tuple[int, ...]:
    """Bytes of the K and V rows of one rank, full attention first, then the sliding-window side."""
    element, ranks = facts["resolved.kv_element_bytes"], facts["resolved.attn_tp_size"]
    rows = [(facts["model.num_key_value_heads"], (facts["model.head_dim"], facts["model.v_head_dim"]))]
    if facts["resolved.hybrid_swa"] and facts["model.swa_compress"]:
        widths = (facts["model.swa_head_dim"], facts["model.swa_v_head_dim"])
        rows.append((facts["model.swa_num_key_value_heads"], widths))
    return tuple(max(1, heads // ranks) * width * element for heads, widths in rows for width in widths)


def rows_misaligned(facts: Facts) -> bool:
    """A K or V row is no multiple of 16 bytes (0.5.22 and later; latent rows are padded instead)."""
    return not facts["model.mla"] and any(row % 16 for row in facts["resolved.kv_row_bytes"])


def _within(facts: Facts, name: str) -> int:
    ids = facts[name]
    if ids is None:
        undecided("which layers of this model use a sliding window")
    first, end = facts["resolved.pp_layers"]
    return sum(first <= layer < end for layer in ids)


FACTS = {
    "pp_layers": pp_layers,
    "pp_full_layers": pp_full_layers,
    "pp_swa_layers": pp_swa_layers,
    "kv_row_bytes": kv_row_bytes,
    "rows_misaligned": rows_misaligned,
}
