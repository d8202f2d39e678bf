"""Layers of the pipeline ranks and rows of the tensor ranks, as the unified pool's factories count them."""

from __future__ import annotations

from ..facts import Facts
from .releases import since, undecided

Slice = tuple[int, int]


def pp_slices(facts: Facts) -> tuple[Slice, ...]:
    """First layer and the one after the last of every pipeline rank (``get_pp_indices``): the last ranks take
    what does not divide evenly."""
    layers, size = int(facts["model.num_hidden_layers"]), int(facts["args.pp_size"])
    if size == 1:
        return ((0, layers),)
    if facts["env.SGLANG_PP_LAYER_PARTITION"] is not None:
        undecided("which layers SGLANG_PP_LAYER_PARTITION gives to each pipeline rank")
    each, extra = divmod(layers, size)
    slices, first = [], 0
    for rank in range(size):
        end = first + each + (rank >= size - extra)
        slices.append((first, end))
        first = end
    return tuple(slices)


def degenerate_stage(facts: Facts) -> str | None:
    """What the first pipeline rank that the unified pool cannot serve lacks: ``full`` or ``swa`` layers.

    A rank without any layer lacks both; from 0.5.21 on the sizing asks for sliding-window layers before the pool does.
    """
    full, swa = _split(facts)
    kinds = [("full", full), ("swa", swa)]
    if since(facts, "0.5.21"):
        kinds.reverse()
    slices: tuple[Slice, ...] = facts["resolved.pp_slices"]
    for first, end in slices:
        for kind, ids in kinds:
            if not any(first <= layer < end for layer in ids):
                return kind
    return None


def fewest_swa_layers(facts: Facts) -> int:
    """Sliding-window layers of the pipeline rank that has the fewest."""
    _, swa = _split(facts)
    slices: tuple[Slice, ...] = facts["resolved.pp_slices"]
    return min(len([layer for layer in swa if first <= layer < end]) for first, end in slices)


def kv_row_bytes(facts: Facts) -> tuple[int, ...]:
    """Bytes of the K and V rows of one rank, full attention first, then the sliding-window side."""
    element, ranks = facts["resolved.kv_element_bytes"], facts["resolved.attn_tp_size"]
    rows = [(facts["model.num_key_value_heads"], (facts["model.head_dim"], facts["model.v_head_dim"]))]
    if facts["resolved.hybrid_swa"] and facts["model.swa_compress"]:
        widths = (facts["model.swa_head_dim"], facts["model.swa_v_head_dim"])
        rows.append((facts["model.swa_num_key_value_heads"], widths))
    return tuple(max(1, heads // ranks) * width * element for heads, widths in rows for width in widths)


def rows_misaligned(facts: Facts) -> bool:
    """A K or V row is no multiple of 16 bytes; latent rows are padded instead (0.5.22 and later)."""
    return not facts["model.mla"] and any(row % 16 for row in facts["resolved.kv_row_bytes"])


def swa_entry_wider(facts: Facts) -> bool:
    """All sliding-window rows of a token take more bytes than all its full-attention rows, as the unified pool of
    0.5.15 to 0.5.19 lays them out (only the architectures it compresses have head counts of their own)."""
    full, swa = _split(facts)
    k_row, v_row, *own = facts["resolved.kv_row_bytes"]
    return bool(len(swa) * (sum(own) or k_row + v_row) > len(full) * (k_row + v_row))


def _split(facts: Facts) -> tuple[tuple[int, ...], tuple[int, ...]]:
    full, swa = facts["model.full_layer_ids"], facts["model.swa_layer_ids"]
    if full is None or swa is None:
        undecided("which layers of this model use a sliding window")
    return full, swa


FACTS = {
    "pp_slices": pp_slices,
    "degenerate_stage": degenerate_stage,
    "fewest_swa_layers": fewest_swa_layers,
    "kv_row_bytes": kv_row_bytes,
    "swa_entry_wider": swa_entry_wider,
    "rows_misaligned": rows_misaligned,
}
