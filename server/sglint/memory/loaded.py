"""Bytes of weights on one GPU from the tensors of a checkpoint on disk: nothing is estimated but their sharding."""

from __future__ import annotations

from functools import lru_cache

from ..models.checkpoint import Checkpoint, Tensor, read_checkpoint
from ..models.facts import ModelFacts
from ..patterns import lazy
from ..records import dataclass
from .inputs import pipeline_stage
from .parameters import Split, tied

_LAYER = lazy(r"(?:^|\.)(?:layers|blocks|h)\.(\d+)\.")
_SINGLE_LAYER = lazy(r"(?:^|\.)midlayer\.")
"""The one layer of an EAGLE-3 draft."""
_OUTSIDE = lazy(r"^(?:model\.)?(?:visual|vision|vit|audio|mm_|multi_modal|embed_vision|embed_audio)")
_PREDICTION = lazy(r"(?:^|\.)(?:mtp|nextn|eagle)\b")
_EXPERT = lazy(r"\.experts?\.|\.experts_|\.switch_mlp\.")
_SHARED = lazy(r"shared_expert|share_expert|shared_mlp")
_EMBEDDING = lazy(r"embed_tokens|word_embeddings|(?:^|\.)embed\.weight|(?:^|\.)embeddings\.")
_HEAD = lazy(r"(?:^|\.)(?:lm_head|head|output)\.weight")
_KEY_VALUE = lazy(r"\.(?:k_proj|v_proj|key|value)\.")
_WHOLE = lazy(
    r"norm|\.gate\.|router|q_a_proj|kv_a_proj|wq_a|wkv\b|indexer|compressor|f_a_proj|g_a_proj|correction_bias|\bhc_"
    r"|layer_scalar|input_scale|weight_scale_2|shared_expert_gate|(?:^|\.)gate\.weight"
)
_DENSE = lazy(r"\.(?:mlp|mlps|ffn|feed_forward)\.")
_PROJECTION = lazy(r"\.(?:\w*_)?(?:proj|qkv|wq_b|wo_a|wo_b|dense|query_key_value|conv1d|sinks|A_log|dt_bias|D)\b")
_ABSORBED = lazy(r"\.kv_b_proj\.weight$")


@dataclass(frozen=True)
class Held:
    """Bytes one GPU holds; ``absorbed`` more for the copy of MLA's up-projection, and ``unsure`` more if tensors
    whose name says nothing of their sharding are held whole."""

    bytes: float
    absorbed: float
    unsure: float
    parameters: int
    files: int


def checkpoint_of(model: ModelFacts) -> Checkpoint | None:
    """The checkpoint beside the model's configuration, None without one. Raises :class:`Damaged`."""
    return None if model.folder is None else read_checkpoint(model.folder)


def held_bytes(model: ModelFacts, split: Split, pp: int, element: int) -> Held | None:
    """What the fullest GPU holds of the checkpoint on disk, bytes; None without its headers. Raises :class:`Damaged`.

    ``element`` is the bytes that unquantized matrices take once loaded, whatever the file stores them in.
    """
    checkpoint = checkpoint_of(model)
    if checkpoint is None or not checkpoint.tensors:
        return None
    stages = [_Stage(model, split, *stage) for stage in fullest_stages(model.num_hidden_layers, pp)]
    return max((_held(checkpoint, stage, element) for stage in stages), key=lambda held: held.bytes)


def draft_held(draft: ModelFacts, split: Split) -> Held | None:
    """What a GPU holds of a draft's own checkpoint: whatever its files have. Raises :class:`Damaged`."""
    checkpoint = checkpoint_of(draft)
    if checkpoint is None or not checkpoint.tensors:
        return None
    return _held(checkpoint, _Stage(draft, split, range(draft.num_hidden_layers), True, True), 2)


def fullest_stages(layers: int, pp: int) -> list[tuple[range, bool, bool]]:
    """Pipeline stages one of which holds most: (layers, whether it is the first, the last)."""
    if pp == 1:
        return [(range(layers), True, True)]
    return [(pipeline_stage(layers, pp, 0), True, False), (pipeline_stage(layers, pp, pp - 1), False, True)]


@dataclass(frozen=True)
class _Stage:
    model: ModelFacts
    split: Split
    layers: range
    first: bool
    last: bool


def _held(checkpoint: Checkpoint, stage: _Stage, element: int) -> Held:
    total = absorbed = unsure = 0.0
    count = 0
    for tensor in checkpoint.tensors:
        kind, layer = _kind(tensor.name)
        shards = _shards(kind, layer, stage)
        if shards is None:
            continue
        size = _loaded(tensor, element)
        count += _elements(tensor)
        total += size / shards
        if kind == "unnamed":
            unsure += size - size / shards
        if _ABSORBED.search(tensor.name):
            absorbed += _elements(tensor) * 2 / shards
    return Held(total, absorbed, unsure, count, checkpoint.files)


def _loaded(tensor: Tensor, element: int) -> float:
    """Bytes of a tensor once loaded: unquantized matrices take the type of activations."""
    if len(tensor.shape) < 2 or tensor.dtype not in ("F32", "BF16", "F16") or "scale" in tensor.name:
        return tensor.bytes
    if "conv1d" in tensor.name:
        return tensor.bytes
    return _elements(tensor) * element


def _elements(tensor: Tensor) -> int:
    count = 1
    for size in tensor.shape:
        count *= size
    return count


def _shards(kind: str, layer: int | None, stage: _Stage) -> float | None:
    """GPUs that share a tensor; None for one that this stage does not load."""
    model, split = stage.model, stage.split
    if kind == "prediction" or (layer is not None and kind != "outside" and layer not in stage.layers):
        return None
    if kind == "head":
        return (split.head or split.tp) if stage.last and not (stage.first and tied(model)) else None
    if kind in ("embedding", "outside") and not stage.first:
        return None
    if kind == "embedding":
        return split.tp if split.attn_tp == split.tp else 1
    if kind == "key-value":
        return min(split.attn_tp, model.num_key_value_heads)
    return {
        "experts": split.tp,
        "shared": split.shared or split.tp,
        "mlp": split.dense or split.tp,
        "whole": 1,
    }.get(kind, split.attn_tp)


@lru_cache(maxsize=1 << 17)
def _kind(name: str) -> tuple[str, int | None]:
    match = _LAYER.search(name)
    layer = int(match[1][:6]) if match else None
    if _OUTSIDE.search(name):
        return "outside", layer
    if _PREDICTION.search(name):
        return "prediction", layer
    if match is None and not _SINGLE_LAYER.search(name):
        if _EMBEDDING.search(name):
            return "embedding", None
        return ("head" if _HEAD.search(name) else "whole"), None
    if _SHARED.search(name) and "gate.weight" not in name:
        return "shared", layer
    if _EXPERT.search(name):
        return "experts", layer
    if _WHOLE.search(name):
        return "whole", layer
    if _KEY_VALUE.search(name):
        return "key-value", layer
    if _DENSE.search(name):
        return "mlp", layer
    return ("attention" if _PROJECTION.search(name) else "unnamed"), layer
