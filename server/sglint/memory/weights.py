"""Bytes of weights on one GPU, estimated from the configuration and the quantization."""

from __future__ import annotations

from ..models.facts import ModelFacts
from ..records import dataclass
from .inputs import NotModelled
from .parameters import Kind, Part, Split, parts

_LINEAR: tuple[Kind, ...] = ("attention", "mlp", "experts")

# Bytes per parameter of each kind of matrix, (best, least, most); kinds not named stay in 16 bits. Scales of block
# formats are in the figure: 4-bit blocks of 16 with an 8-bit scale are 0.5625 bytes, blocks of 32 are 0.53125.
_FORMATS: dict[str, dict[Kind, tuple[float, float, float]]] = {
    "fp8": dict.fromkeys(_LINEAR, (1.0005, 1.0, 1.03)),
    "mxfp8": dict.fromkeys(_LINEAR, (1.03125, 1.03125, 1.04)),
    "modelopt_fp8": dict.fromkeys(_LINEAR, (1.0, 1.0, 1.1)),
    # Kernels pad both widths of an expert to multiples of 64 to 256.
    "mxfp4": {"experts": (0.53125 * 1.07, 0.53125, 0.53125 * 1.14)},
    "modelopt_fp4": {
        "experts": (0.5625, 0.5625, 0.58),
        "mlp": (0.5625, 0.5625, 2.0),
        "attention": (2.0, 0.5625, 2.0),
    },
    "modelopt_mixed": {"experts": (0.5625, 0.5625, 1.0), "mlp": (1.0, 0.5625, 2.0), "attention": (1.0, 0.5625, 2.0)},
    "compressed-tensors": {
        "experts": (0.5625, 0.53125, 1.0),
        "mlp": (2.0, 0.5625, 2.0),
        "attention": (2.0, 0.5625, 2.0),
    },
    "awq": dict.fromkeys(_LINEAR, (0.52, 0.52, 0.58)),
    "gptq": dict.fromkeys(_LINEAR, (0.52, 0.52, 0.58)),
}
_SAME = {
    "awq_marlin": "awq",
    "gptq_marlin": "gptq",
    "moe_wna16": "awq",
    "modelopt": "modelopt_fp8",
    "fbgemm_fp8": "fp8",
}
_PLAIN = (2.0, 2.0, 2.0)

# The allocator's rounding and buffers that loaders leave behind, as measured on start-up logs.
OVERHEAD_LOW, OVERHEAD, OVERHEAD_HIGH = 1.000, 1.004, 1.010
SLACK_BYTES = 160 << 20
# Repacking 4-bit experts for the kernel leaves this behind: (likely, least, most) bytes, from start-up logs.
_REPACKED = {"mxfp4": (1.3 * 2**30, 0.0, 2.4 * 2**30)}


@dataclass(frozen=True)
class WeightBytes:
    """Bytes on the GPU that holds most; ``low`` and ``high`` bound what loading will report."""

    value: int
    low: int
    high: int
    parameters: int


def weight_bytes(model: ModelFacts, split: Split, pp: int, quantization: str | None, element: int = 2) -> WeightBytes:
    """Weights of ``model`` on its fullest GPU. ``quantization`` None: as the checkpoint says.

    Raises :class:`NotModelled` where parameters or the format are not known.
    """
    method = quantization or model.quantization
    formats = _formats(method)
    stage = range(-(-model.num_hidden_layers // pp))
    totals = list(_REPACKED.get(method or "", (0.0, 0.0, 0.0)))
    count = 0
    for part in parts(model, split, stage):
        count += part.count
        for at, size in enumerate(_sizes(part, formats, element)):
            totals[at] += part.count / part.shards * size
    best, low, high = totals
    return WeightBytes(int(best * OVERHEAD), int(low * OVERHEAD_LOW), int(high * OVERHEAD_HIGH) + SLACK_BYTES, count)


def _formats(method: str | None) -> dict[Kind, tuple[float, float, float]]:
    if method is None or method in ("auto", "none"):
        return {}
    name = _SAME.get(method, method)
    if name not in _FORMATS:
        raise NotModelled(f"the bytes per parameter of {method} weights")
    return _FORMATS[name]


def _sizes(part: Part, formats: dict[Kind, tuple[float, float, float]], element: int) -> tuple[float, float, float]:
    if part.kind == "vision":
        return (2.0, 0.0, 3.0)
    found = formats.get(part.kind)
    if found is None:
        return (float(element),) * 3 if element != 2 else _PLAIN
    return found


def draft_bytes(draft: ModelFacts, target: ModelFacts, split: Split) -> WeightBytes:
    """Weights of a draft named by a path: its layers, its input projection and its own output head."""
    count = sum(part.count for part in parts(draft, split, ends=False))
    sharded = sum(part.count / part.shards for part in parts(draft, split, ends=False))
    fused = len(draft.target_layer_ids or ()) or 3
    projection = fused * target.hidden_size * draft.hidden_size
    vocabulary = int(draft.text.get("draft_vocab_size") or draft.vocab_size)
    head = vocabulary * draft.hidden_size / split.tp
    low = int(sharded * 2)
    high = int((sharded + projection + 2 * head) * 2 * OVERHEAD_HIGH)
    return WeightBytes(int((sharded + projection + head) * 2), low, high, count)


def head_bytes(target: ModelFacts, split: Split, layers: int, quantization: str | None) -> WeightBytes:
    """Weights of prediction layers inside the target's checkpoint: as many of its last layers, and their projection."""
    formats = _formats(quantization or target.quantization)
    last = range(target.num_hidden_layers - 1, target.num_hidden_layers)
    best = low = high = 0.0
    for part in parts(target, split, last, ends=False):
        sizes = _sizes(part, formats, 2)
        share = part.count / part.shards
        best, low, high = best + share * sizes[0], low + share * sizes[1], high + share * 2
    projection = 2 * target.hidden_size * target.hidden_size * 2
    table = target.vocab_size * target.hidden_size / split.tp * 2
    return WeightBytes(
        int((best + projection) * layers), int(low * layers), int((high + projection) * layers + 2 * table), 0
    )
