"""Estimating the bytes left for pools from the GPU, the memory fraction and the model's weights.

``rest = free after loading - free before loading x (1 - fraction)``, that is the fraction's share of what is free
before loading, less the weights (``KVCacheConfigurator._profile_available_bytes``).
"""

from __future__ import annotations

import re

from ..facts import Facts, Undecided
from ..models.facts import ModelFacts
from ..patterns import lazy
from .budget import Budget, Term
from .context import context_bytes
from .gather import compute_capability, draft_of
from .inputs import NotModelled
from .parameters import Split
from .reserve import memory_fraction, total_mib
from .weights import WeightBytes, draft_bytes, head_bytes, weight_bytes

MIB = 1 << 20
GIVE_REST = "give the bytes left after weights and slack with --rest-bytes"

_CONTEXT = "driver, CUDA context, libraries and communicators, as start-up logs of such groups print"
_NAMED_FORMATS = (
    (lazy(r"nvfp4|fp4", re.IGNORECASE), "modelopt_fp4"),
    (lazy(r"fp8|w8a8", re.IGNORECASE), "fp8"),
    (lazy(r"awq|gptq|int4|w4a16", re.IGNORECASE), "awq"),
)


def estimate(facts: Facts) -> Budget:
    """The estimated budget of a launch, with an interval; unknown with reasons where a term is missing."""
    try:
        return _estimate(facts)
    except Undecided as undecided:
        return Budget("unknown", needs=(*undecided.unknown.reasons, f"the byte budget: {GIVE_REST}"))
    except (NotModelled, KeyError, TypeError, ValueError) as error:
        return Budget("unknown", needs=(f"{error}: {GIVE_REST}",))


def weights_of(facts: Facts) -> WeightBytes:
    """Weights of the launch's model on one GPU. Raises :class:`Undecided` and :class:`NotModelled`."""
    model: ModelFacts = facts["model.facts"]
    if facts["args.cpu_offload_gb"]:
        raise NotModelled("how much of the weights --cpu-offload-gb keeps on the GPU")
    method, _ = _quantization(facts, model)
    element = 4 if facts["args.dtype"] in ("float32", "float") else 2
    pp = int(facts["args.pp_size"] or 1)
    return weight_bytes(model, split_of(facts), pp, method, element, compute_capability(facts))


# Transports with which every GPU keeps the shared experts whole (``deepseek_v2.py``, ``step3p5.py``).
_WHOLE_SHARED = ("deepep", "mooncake", "nixl", "mori", "megamoe")


def split_of(facts: Facts) -> Split:
    """How the launch shards its matrices."""
    tp, attn_tp = int(facts["args.tp_size"] or 1), int(facts["resolved.attn_tp_size"])
    return Split(
        tp,
        attn_tp,
        head=attn_tp if facts["args.enable_dp_lm_head"] else tp,
        dense=int(facts["args.moe_dense_tp_size"] or tp),
        shared=1 if facts["args.moe_a2a_backend"] in _WHOLE_SHARED else tp,
        redundant=int(facts["args.ep_num_redundant_experts"] or 0),
    )


def _estimate(facts: Facts) -> Budget:
    total = total_mib(facts) * MIB
    fraction = memory_fraction(facts)
    model: ModelFacts = facts["model.facts"]
    split = split_of(facts)
    pp = int(facts["args.pp_size"] or 1)
    method, named = _quantization(facts, model)
    weights = weights_of(facts)
    context = context_bytes(compute_capability(facts), split.tp * pp)
    drafts, needs = _draft_weights(facts, model, split, method)
    terms = [
        Term("total", total, total, total, "as the driver reports it", (f"{facts['gpu.title']}",)),
        Term("context_overhead", *context, _CONTEXT, (f"{split.tp * pp} GPUs",)),
        _weights_term("weights", weights, split, pp, method or model.quantization, named),
    ]
    if drafts is not None:
        formula = (
            "layers and projections of the draft" if drafts.measured is None else "tensors of the draft's checkpoint"
        )
        inputs = () if drafts.measured is None else (drafts.measured,)
        terms.append(Term("draft_weights", drafts.value, drafts.low, drafts.high, formula, inputs))
    pre = total - context[0]
    reserved = int(pre * (1 - fraction))
    how = "given" if facts["args.mem_fraction_static"] is not None else "default of this release"
    source = (f"fraction {fraction:.3f} ({how})",)
    terms.append(
        Term("reserved_by_fraction", reserved, reserved, reserved, "free before loading x (1 - fraction)", source)
    )
    likely = _rest(total, context[0], fraction, weights.value, drafts.value if drafts else 0)
    low = _rest(total, context[2], fraction, weights.high, drafts.high if drafts else 0)
    high = _rest(total, context[1], fraction, weights.low, drafts.low if drafts else 0)
    return Budget("estimated", likely, low, high, tuple(terms), fraction, needs)


def _rest(total: int, context: int, fraction: float, weights: int, drafts: int) -> int:
    return int((total - context) * fraction) - weights - drafts


def _weights_term(name: str, found: WeightBytes, split: Split, pp: int, method: str | None, named: bool) -> Term:
    inputs = [f"{found.parameters / 1e9:.1f} billion parameters", f"tp {split.tp}"]
    inputs += [f"pp {pp}"] if pp > 1 else []
    inputs.append(f"{method or 'unquantized'} weights" + (", by the model's name" if named else ""))
    if found.taken_as_plain:
        inputs.append("counted as a plain decoder: this architecture was not compared with published counts")
    if found.unread is not None:
        inputs.append(f"the checkpoint on disk is not used: {found.unread}")
    if found.measured is not None:
        return Term(name, found.value, found.low, found.high, "tensors of the checkpoint", (found.measured, *inputs))
    return Term(name, found.value, found.low, found.high, "parameters by matrix x bytes of their format", tuple(inputs))


def _quantization(facts: Facts, model: ModelFacts) -> tuple[str | None, bool]:
    """Format of the weights, and whether only the model's name says so."""
    asked = facts["args.quantization"]
    if asked is not None and model.quantization is None:
        return str(asked), False
    if model.quantization is None and model.name:
        for pattern, method in _NAMED_FORMATS:
            if pattern.search(model.name.rsplit("/", 1)[-1]):
                return method, True
    return None, False


def _draft_weights(
    facts: Facts, model: ModelFacts, split: Split, method: str | None
) -> tuple[WeightBytes | None, tuple[str, ...]]:
    """Weights of the draft; left out, and said so, where its configuration is not known."""
    algorithm = facts["resolved.speculative_algorithm"]
    try:
        draft, _ = draft_of(facts, model, algorithm)
    except Undecided as undecided:
        return None, (*undecided.unknown.reasons, "the draft's weights are left out of the budget")
    if draft is None:
        return None, ()
    if draft is model:
        layers = model.num_nextn_predict_layers or 1
        return head_bytes(model, split, layers, method), ()
    if algorithm == "STANDALONE":
        return weight_bytes(draft, split, 1, None), ()
    return draft_bytes(draft, model, split), ()
