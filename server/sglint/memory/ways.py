"""Ways out of memory that is too small: the least fraction, or number of GPUs, with which a launch has its pools."""

from __future__ import annotations

from ..facts import Facts, Unknown, Value
from .plan import plan

MOST_HUNDREDTHS = 95
"""A static fraction beyond this leaves activations and graphs nothing to speak of on any GPU there is."""

NODE_GPUS = 8
"""GPUs of a node that nothing counts."""


def working_fraction(facts: Facts) -> float | None:
    """The least static fraction, in hundredths, whose pools a release would build; None where none does.

    It has to hold at the unfavourable end of the estimate, or else for the likely budget.
    """
    fraction = plan(facts).budget.fraction
    if fraction is None:
        return None
    first = int(fraction * 100) + 1
    for likely in (False, True):
        for hundredths in range(first, MOST_HUNDREDTHS + 1):
            if _works(facts, {"args.mem_fraction_static": hundredths / 100}, likely=likely):
                return hundredths / 100
    return None


def working_tp(facts: Facts) -> int | None:
    """The least tensor parallelism above the launch's that has room for weights and pools; None without one.

    It divides the attention heads and needs no more GPUs than a node has.
    """
    count = facts.look("gpu.count")
    most = NODE_GPUS if isinstance(count, Unknown) or not count else int(count)
    tp, heads = int(facts["args.tp_size"] or 1), int(facts["model.facts"].num_attention_heads)
    taken = int(facts["args.pp_size"] or 1)
    if facts["args.nnodes"] not in (None, 1) or not facts["args.enable_dp_attention"]:
        taken *= int(facts["args.dp_size"] or 1)
    wider = tp * 2
    while wider * taken <= most and heads % wider == 0:
        if _works(facts, {"args.tp_size": wider}, likely=False):
            return wider
        wider *= 2
    return None


def _works(facts: Facts, leaves: dict[str, Value], *, likely: bool) -> bool:
    found = plan(facts.supposing({**leaves, **{name.replace("args.", "given."): True for name in leaves}}))
    sizes = found.sizes if likely else found.low
    return sizes is not None and sizes.refusal is None and sizes.max_total_num_tokens > 0
