"""Recurrent state: the radix cache's strategy, linear-attention and Mamba backends."""

from __future__ import annotations

from ..facts import Facts
from . import families
from .platform import is_sm100
from .releases import since, undecided

EXTRA_BUFFER = ("extra_buffer", "extra_buffer_lazy")


def strategy_by_model(facts: Facts) -> str:
    """``--mamba-radix-cache-strategy`` after the declarations of Inkling and NemotronH."""
    written = str(facts["args.mamba_radix_cache_strategy"])
    if written != "auto":
        return written
    architecture = facts["model.architecture"]
    if architecture in families.INKLING and since(facts, "0.5.16"):
        return "extra_buffer"
    if architecture in families.NEMOTRON_H or architecture == families.NEMOTRON_H_OMNI:
        return "extra_buffer" if facts["resolved.nemotron_paged_draft"] else written
    return written


def nemotron_paged_draft(facts: Facts) -> bool:
    """NemotronH speculating with a chain draft on SM100, 0.5.19 and later: pages of 64 and an extra buffer."""
    return (
        since(facts, "0.5.19")
        and facts["resolved.attention_written"] == (None, None, None)
        and facts["resolved.speculative_algorithm_requested"] is not None
        and facts["args.speculative_eagle_topk"] in (None, 1)
        and is_sm100(facts)
    )


def keeps_state_in_radix(facts: Facts) -> bool:
    """``uses_mamba_radix_cache``: the radix cache keeps state snapshots for this architecture."""
    if facts["resolved.disable_radix_cache_by_role"]:
        return False
    if facts["model.architecture"] in families.INKLING and since(facts, "0.5.21"):
        return True
    return families.radix_cache_keeps_state(facts)


def extra_buffer_supported(facts: Facts) -> bool:
    """``supports_mamba_cache_extra_buffer``."""
    return families.has_extra_buffer(facts) and facts["args.linear_attn_backend"] == "triton"


def strategy(facts: Facts) -> str:
    """After the release has chosen for ``auto`` (``_mamba_radix_cache_resolution``)."""
    declared = str(facts["resolved.mamba_strategy_by_model"])
    if declared != "auto" or not facts["resolved.uses_mamba_radix_cache"]:
        return declared
    page = facts["resolved.page_size_by_model"]
    wanted = not facts["args.disable_overlap_schedule"] or (page is not None and page > 1)
    return "extra_buffer" if wanted and facts["resolved.extra_buffer_supported"] else "no_buffer"


def overlap_disabled_by_strategy(facts: Facts) -> bool:
    """``disable_overlap_schedule`` where the strategy is checked: falling back to no_buffer sets it."""
    if facts["args.disable_overlap_schedule"]:
        return True
    return (
        bool(facts["resolved.uses_mamba_radix_cache"])
        and facts["resolved.mamba_strategy_by_model"] == "auto"
        and facts["resolved.mamba_radix_cache_strategy"] == "no_buffer"
    )


def extra_buffer_on(facts: Facts) -> bool:
    """``mamba_extra_buffer_of``: also for models without state, when asked for by name."""
    if facts["resolved.disable_radix_cache_by_role"]:
        return False
    return facts["resolved.mamba_radix_cache_strategy"] in EXTRA_BUFFER


def linear_decode_backend(facts: Facts) -> str | None:
    """``--linear-attn-decode-backend`` after the defaults for SM100 with a bfloat16 state."""
    written: str | None = facts["args.linear_attn_decode_backend"]
    base = facts["args.linear_attn_backend"]
    if written is None and facts["args.mamba_ssm_dtype"] == "bfloat16" and is_sm100(facts):
        if since(facts, "0.5.17") and facts["model.architecture"] in families.KIMI_HYBRID:
            written = "triton"
        elif base != "helion" or not since(facts, "0.5.18"):
            written = "flashinfer"
    if written is None and base == "flashkda":
        return "triton"
    return written


def linear_decode(facts: Facts) -> str | None:
    """The backend that decodes linear attention: its own flag, else the base flag."""
    decode: str | None = facts["resolved.linear_attn_decode_backend"] or facts["args.linear_attn_backend"]
    return decode


def linear_prefill(facts: Facts) -> str | None:
    prefill: str | None = facts["args.linear_attn_prefill_backend"] or facts["args.linear_attn_backend"]
    return prefill


def linear_backends(facts: Facts) -> tuple[str, ...]:
    """All four flags of linear attention and Mamba that have a value, as 0.5.15 and 0.5.16 compare them."""
    names = (
        facts["args.linear_attn_backend"],
        facts["resolved.linear_attn_decode_backend"],
        facts["args.linear_attn_prefill_backend"],
        facts["args.mamba_backend"],
    )
    return tuple(dict.fromkeys(name for name in names if name is not None))


def overlap_disabled(facts: Facts) -> bool:
    """No step is prepared while another runs (``--disable-overlap-schedule`` after those who set it)."""
    if facts["args.disable_overlap_schedule"] or facts["resolved.overlap_disabled_by_strategy"]:
        return True
    if facts["args.pp_size"] > 1:
        return True
    if facts["args.speculative_algorithm"] is not None or facts["args.dllm_algorithm"] is not None:
        undecided("whether this way of decoding leaves the overlap of steps on")
    return False


FACTS = {
    "overlap_disabled": overlap_disabled,
    "mamba_strategy_by_model": strategy_by_model,
    "nemotron_paged_draft": nemotron_paged_draft,
    "uses_mamba_radix_cache": keeps_state_in_radix,
    "extra_buffer_supported": extra_buffer_supported,
    "mamba_radix_cache_strategy": strategy,
    "overlap_disabled_by_strategy": overlap_disabled_by_strategy,
    "mamba_extra_buffer": extra_buffer_on,
    "linear_attn_decode_backend": linear_decode_backend,
    "linear_decode_backend": linear_decode,
    "linear_prefill_backend": linear_prefill,
    "linear_backends": linear_backends,
}
