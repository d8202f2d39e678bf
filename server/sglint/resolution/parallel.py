"""Sizes of the parallel groups a rank's pools depend on."""

from __future__ import annotations

from ..facts import Facts
from .releases import since


def attn_dp_size(facts: Facts) -> int:
    """Attention data-parallel groups (``--dp-size`` under ``--enable-dp-attention``; ``--attn-dp-size``)."""
    if since(facts, "0.5.22") and facts["args.attn_dp_size"] > 1:
        return int(facts["args.attn_dp_size"])
    return int(facts["args.dp_size"]) if facts["args.enable_dp_attention"] else 1


def attn_tp_size(facts: Facts) -> int:
    """Ranks that share one attention layer's heads, at least one."""
    groups = int(facts["resolved.attn_dp_size"]) * int(facts["args.attn_cp_size"] or 1)
    return max(1, int(facts["args.tp_size"]) // max(1, groups))


def transfer_backend(facts: Facts) -> str:
    """``mooncake_tcp`` is mooncake over TCP (``handle_pd_disaggregation``)."""
    name = str(facts["args.disaggregation_transfer_backend"])
    return "mooncake" if name == "mooncake_tcp" else name


FACTS = {
    "attn_dp_size": attn_dp_size,
    "attn_tp_size": attn_tp_size,
    "disaggregation_transfer_backend": transfer_backend,
}
