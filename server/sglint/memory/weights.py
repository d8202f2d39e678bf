"""Bytes of weights on one GPU, estimated from the configuration and the quantization."""

from __future__ import annotations

from collections.abc import Iterable

from ..models.checkpoint import Damaged
from ..models.facts import ModelFacts
from ..records import dataclass, replace
from .formats import MXFP4, Formats, formats_of
from .loaded import checkpoint_of, draft_held, fullest_stages, held_bytes
from .parameters import Part, Split, expert_width, parts

MIB = 1 << 20
Amount = tuple[int, int, int]
"""Bytes: (likely, least, most)."""

# What loading takes beyond the matrices and rotary tables: norms, biases, the last partly filled blocks of the caching
# allocator and what kernels set up on first use. (likely, least, most), from start-up logs: bytes, and parts of the
# matrices.
BESIDE_BYTES = (110 * MIB, 0, 260 * MIB)
BESIDE_SHARE = (0.0005, 0.0, 0.004)
# Repacking 4-bit experts for a kernel leaves this behind, bytes: by Triton's layout on Hopper and FlashInfer's on
# Blackwell, from start-up logs of gpt-oss; where others repack them, between nothing and as much.
REPACKED_HOPPER = (2400 * MIB, 1400 * MIB, 3100 * MIB)
REPACKED_BLACKWELL = (950 * MIB, 0, 1900 * MIB)
REPACKED = (500 * MIB, 0, 2000 * MIB)
# A GPU that shares its memory with the host counts what the host holds, the file cache for one.
SHARED_MEMORY_SM = 121
SHARED_MEMORY_BYTES = (0, -1536 * MIB, 1536 * MIB)
# Architectures whose parameters were compared with published counts, and parts by which others may be off.
_COMPARED = (
    *(
        "Llama",
        "Mistral",
        "Mixtral",
        "Qwen2",
        "Qwen3",
        "GptOss",
        "Deepseek",
        "GlmMoeDsa",
        "Glm4Moe",
        "Kimi",
        "MiniMaxM",
    ),
    *("MiMo", "NemotronH", "Step3p", "Gemma3", "Gemma4", "FalconH1", "Olmo3", "Deci", "LongcatFlash"),
)
UNCOMPARED = (0.93, 1.05)
# Rotary tables longer than this are not taken for granted.
LONGEST_TABLE = 1 << 20


@dataclass(frozen=True)
class WeightBytes:
    """Bytes on the GPU that holds most; ``low`` and ``high`` bound what loading will report.

    ``measured`` says what was read of a checkpoint on disk (``headers of 4 files``), None for an estimate; ``unread``
    why a checkpoint that is there was not. ``taken_as_plain``: nobody compared this architecture's count with
    published ones, so that it is taken for a plain decoder and the interval is wider.
    """

    value: int
    low: int
    high: int
    parameters: int
    measured: str | None = None
    unread: str | None = None
    taken_as_plain: bool = False


def weight_bytes(
    model: ModelFacts, split: Split, pp: int, quantization: str | None, element: int = 2, sm: int | None = None
) -> WeightBytes:
    """:func:`_weight_bytes`, remembered for models without a folder: only what is on disk can change."""
    if model.folder is not None:
        return _weight_bytes(model, split, pp, quantization, element, sm)
    # Models that are equal may still differ in their raw configuration, so that identity is what counts.
    key = (id(model), split, pp, quantization, element, sm)
    known = _KNOWN.get(key)
    if known is not None and known[0] is model:
        return known[1]
    found = _weight_bytes(model, split, pp, quantization, element, sm)
    while len(_KNOWN) >= _MOST_KNOWN:
        _KNOWN.pop(next(iter(_KNOWN)))
    _KNOWN[key] = (model, found)
    return found


_MOST_KNOWN = 128
_KNOWN: dict[tuple[object, ...], tuple[ModelFacts, WeightBytes]] = {}


def _weight_bytes(
    model: ModelFacts, split: Split, pp: int, quantization: str | None, element: int, sm: int | None
) -> WeightBytes:
    """Weights of ``model`` on its fullest GPU. ``quantization`` None: as the checkpoint says.

    ``element`` is bytes per unquantized parameter; ``sm`` the GPU's compute capability times ten, which decides how
    4-bit experts are padded. Raises :class:`NotModelled` where parameters or the format are not known.
    """
    # Quantized while loading, weights are not as large as on disk.
    as_stored = quantization is None or model.quantization is not None
    if as_stored:
        on_disk = _from_headers(model, split, pp, element, sm)
        if on_disk is not None:
            return on_disk
    formats = formats_of(model, quantization, element)
    padding = expert_padding(model, split, sm) if formats.padded else _AS_IS
    totals, count = max(
        (
            _sum(parts(model, split, layers, first=first, last=last), formats, padding)
            for layers, first, last in fullest_stages(model.num_hidden_layers, pp)
        ),
        key=lambda found: found[0][0],
    )
    beside = [BESIDE_BYTES, _rotary_tables(model)]
    if tower := unstated_tower(model):
        beside.append(tower)
    if formats.experts == MXFP4:
        beside.append(_repacked(sm) if formats.padded else REPACKED)
    if sm == SHARED_MEMORY_SM:
        beside.append(SHARED_MEMORY_BYTES)
    found = WeightBytes(*_bounds(tuple(totals), beside), count)
    if not (model.architecture or "").startswith(_COMPARED):
        low, high = int(found.low * UNCOMPARED[0]), int(found.high * UNCOMPARED[1])
        found = replace(found, low=low, high=high, taken_as_plain=True)
    try:
        checkpoint = checkpoint_of(model)
    except Damaged as error:
        return replace(found, unread=str(error))
    return found if checkpoint is None or not as_stored else _scaled(found, model, checkpoint.total, formats)


def _bounds(totals: tuple[float, ...], beside: Iterable[Amount]) -> tuple[int, int, int]:
    amounts = tuple(beside)
    value, low, high = (
        int(totals[at] * (1 + BESIDE_SHARE[at]) + sum(amount[at] for amount in amounts)) for at in range(3)
    )
    return value, max(0, low), high


def _from_headers(model: ModelFacts, split: Split, pp: int, element: int, sm: int | None) -> WeightBytes | None:
    """From the headers of the checkpoint on disk: how tensors are sharded is all that is inferred."""
    try:
        held = held_bytes(model, split, pp, element)
    except Damaged:
        return None
    if held is None:
        return None
    # A tensor whose name says nothing of its sharding may be held whole.
    totals = (held.bytes + held.absorbed, held.bytes, held.bytes + held.absorbed + held.unsure)
    beside = [BESIDE_BYTES, _rotary_tables(model)]
    if model.quantization == "mxfp4":
        pads = expert_padding(model, split, sm)
        likely, least, most = (int(held.bytes * (pad - 1)) for pad in pads)
        beside += [_repacked(sm), (likely, least, most)]
    if sm == SHARED_MEMORY_SM:
        beside.append(SHARED_MEMORY_BYTES)
    return WeightBytes(*_bounds(totals, beside), held.parameters, _files(held.files))


def _files(count: int) -> str:
    return f"headers of {count} file{'s' if count != 1 else ''} beside config.json"


# Loading leaves prediction layers aside, which the total of an index counts.
_TOTAL_UNSURE = 0.01


def _scaled(found: WeightBytes, model: ModelFacts, total: int, formats: Formats) -> WeightBytes:
    """The estimate in proportion to the total that an index states."""
    (whole, _, _), _ = _sum((part for part in parts(model, Split(1, 1)) if part.kind != "absorbed"), formats, _AS_IS)
    ratio = total / whole
    if not 0.5 <= ratio <= 2:
        return found
    spare = model.num_nextn_predict_layers / model.num_hidden_layers if ratio > 1 else 0.0
    low = int(found.value * ratio * (1 - _TOTAL_UNSURE - spare))
    return WeightBytes(
        int(found.value * ratio * (1 - spare / 2)),
        low,
        int(found.value * ratio * (1 + _TOTAL_UNSURE)) + BESIDE_BYTES[2],
        found.parameters,
        "the total size that the index beside config.json states",
    )


_AS_IS = (1.0, 1.0, 1.0)


def _repacked(sm: int | None) -> Amount:
    return REPACKED_HOPPER if sm is not None and sm // 10 == 9 else REPACKED_BLACKWELL


def _rotary_tables(model: ModelFacts) -> Amount:
    """Cosines and sines of every position, in 32 bits; layers of one kind share them.

    Source: 0.5.23 ``layers/rotary_embedding/base.py:RotaryEmbedding``; DeepSeek-V4 keeps complex ones beside them for
    both of its kinds of layers (``deepseek_v4.py:MqaAttentionBase``).
    """
    text, positions = model.text, model.context_length or 0
    rope = text.get("rope_parameters")
    partial = text.get("partial_rotary_factor") or (rope.get("partial_rotary_factor") if isinstance(rope, dict) else 0)
    width = model.qk_rope_head_dim or int(model.head_dim * float(partial or 1))
    table = min(positions, LONGEST_TABLE) * width * 4
    if model.compress_ratios is not None:
        return (5 * table, 2 * table, 9 * table)
    kinds = 2 if model.swa_layer_ids and text.get("rope_local_base_freq", text.get("swa_rope_theta")) else 1
    return (kinds * table, 0, kinds * table + max(0, positions - LONGEST_TABLE) * width * 4)


def _sum(found: Iterable[Part], formats: Formats, padding: tuple[float, float, float]) -> tuple[list[float], int]:
    size = formats.sizer()
    likely = least = most = 0.0
    count = 0
    pads = (likely_pad, least_pad, most_pad) = padding
    for part in found:
        share = part.parameters / part.shards
        sizes = size(part)
        if part.kind == "experts" and pads != _AS_IS:
            likely += share * sizes[0] * likely_pad
            least += share * sizes[1] * least_pad
            most += share * sizes[2] * most_pad
        else:
            likely += share * sizes[0]
            least += share * sizes[1]
            most += share * sizes[2]
        if part.kind != "absorbed":
            count += part.parameters
    return [likely, least, most], count


def expert_padding(model: ModelFacts, split: Split, sm: int | None) -> tuple[float, float, float]:
    """Factors (likely, least, most) by which kernels for 4-bit experts round their widths up.

    Source: 0.5.23 ``layers/quantization/mxfp4.py:Mxfp4MoEMethod.create_weights``: 64 for Triton's kernels on Hopper;
    128, and 256 for the hidden size, for FlashInfer's and Marlin's elsewhere.
    """
    inner, hidden = expert_width(model.text) / split.tp, model.hidden_size

    def factor(step: int, hidden_step: int) -> float:
        return -(-inner // step) * step / inner * (-(-hidden // hidden_step) * hidden_step / hidden)

    triton, flashinfer = factor(64, 1), factor(128, 256)
    if sm is not None and sm // 10 == 9:
        return (triton, triton, triton)
    return (flashinfer, triton, flashinfer)


_TOWERS = (
    "Qwen3VL",
    "Qwen2_5_VL",
    "Qwen3_5",
    "Gemma4",
    "Gemma3ForConditional",
    "Llama4",
    "KimiK25",
    "KimiK3",
    "Step3p7",
)


def unstated_tower(model: ModelFacts) -> Amount | None:
    """Bytes of an image tower that the configuration at hand leaves out; None without one.

    Published towers of these families have 0.3 to 0.9 billion.
    """
    name = model.architecture or ""
    if not name.startswith(_TOWERS) or name.endswith("ForCausalLM") or "vision_config" in model.config:
        return None
    small = model.hidden_size <= 2560
    return (763 * MIB, 0, 860 * MIB) if small else (954 * MIB, 0, 1812 * MIB)


def draft_bytes(draft: ModelFacts, target: ModelFacts, split: Split) -> WeightBytes:
    """Weights of a draft named by a path: its layers, its input projection and its own output head.

    A checkpoint on disk says them itself; tables that it shares with the target are not in its files.
    """
    try:
        held = draft_held(draft, split)
    except Damaged:
        held = None
    if held is not None:
        likely, most_read = int(held.bytes) + BESIDE_BYTES[0] // 2, int(held.bytes + held.unsure) + BESIDE_BYTES[2]
        return WeightBytes(likely, int(held.bytes), most_read, held.parameters, _files(held.files))
    formats = formats_of(draft, None, 2)
    (best, least, most), count = _sum(parts(draft, split, first=False, last=False), formats, _AS_IS)
    fused = len(draft.target_layer_ids or ()) or 3
    projection = fused * target.hidden_size * draft.hidden_size * 2
    vocabulary = int(draft.text.get("draft_vocab_size") or draft.vocab_size)
    head = vocabulary * draft.hidden_size / split.tp * 2
    high = (most + projection + 2 * head) * (1 + BESIDE_SHARE[2]) + BESIDE_BYTES[2]
    return WeightBytes(int(best + projection + head), int(least), int(high), count)


def head_bytes(target: ModelFacts, split: Split, layers: int, quantization: str | None) -> WeightBytes:
    """Weights of prediction layers inside the target's checkpoint: as many of its last layers, and their projection."""
    formats = formats_of(target, quantization, 2)
    last = range(target.num_hidden_layers - 1, target.num_hidden_layers)
    best = low = high = 0.0
    for part in parts(target, split, last, first=False, last=False):
        sizes = formats.size(part)
        share = part.parameters / part.shards
        best, low, high = best + share * sizes[0], low + share * sizes[1], high + share * max(sizes[2], 2.0)
    projection = 2 * target.hidden_size * target.hidden_size * 2
    table = target.vocab_size * target.hidden_size / split.tp * 2
    return WeightBytes(
        int((best + projection) * layers), int(low * layers), int((high + projection) * layers + 2 * table), 0
    )
