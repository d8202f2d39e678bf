"""Bytes of weights on one GPU from the tensors of a checkpoint on disk: nothing is estimated but their sharding."""

from __future__ import annotations

import re
from functools import lru_cache

from ..models.checkpoint import Checkpoint, Tensor, read_checkpoint
from ..models.facts import ModelFacts
from ..records import dataclass
from .parameters import Split, tied

_LAYER = re.compile(r"(?:^|\.)(?:layers|blocks|h)\.(\d+)\.")
_OUTSIDE = re.compile(r"^(?:model\.)?(?:visual|vision|vit|audio|mm_|multi_modal|embed_vision|embed_audio)")
_PREDICTION = re.compile(r"(?:^|\.)(?:mtp|nextn|eagle)\b")
_EXPERT = re.compile(r"\.experts?\.|\.experts_|\.switch_mlp\.")
_SHARED = re.compile(r"shared_expert|share_expert|shared_mlp")
_EMBEDDING = re.compile(r"embed_tokens|word_embeddings|(?:^|\.)embed\.weight|(?:^|\.)embeddings\.")
_HEAD = re.compile(r"(?:^|\.)(?:lm_head|head|output)\.weight")
_KEY_VALUE = re.compile(r"\.(?:k_proj|v_proj|key|value)\.")
_WHOLE = re.compile(
    r"norm|\.gate\.|router|q_a_proj|kv_a_proj|wq_a|wkv\b|indexer|compressor|f_a_proj|g_a_proj|correction_bias|\bhc_"
    r"|layer_scalar|input_scale|weight_scale_2|shared_expert_gate|(?:^|\.)gate\.weight"
)
_ABSORBED = re.compile(r"\.kv_b_proj\.weight$")


@dataclass(frozen=True)
class Held:
    """Bytes one GPU holds; ``absorbed`` more for the copy of MLA's up-projection, ``whole`` of them not sharded."""

    bytes: float
    absorbed: float
    whole: float
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
    stage = -(-model.num_hidden_layers // pp)
    total = absorbed = whole = 0.0
    count = 0
    for tensor in checkpoint.tensors:
        shards = _shards(tensor.name, model, split, stage)
        if shards is None:
            continue
        size = float(tensor.bytes)
        if len(tensor.shape) > 1 and tensor.dtype in ("F32", "BF16", "F16") and "scale" not in tensor.name:
            elements = tensor.bytes / (4 if tensor.dtype == "F32" else 2)
            kept = 4 if "conv1d" in tensor.name and tensor.dtype == "F32" else element
            size = elements * kept
        count += _elements(tensor)
        total += size / shards
        whole += size if shards == 1 else 0
        if _ABSORBED.search(tensor.name):
            absorbed += _elements(tensor) * 2 / shards
    return Held(total, absorbed, whole, count, checkpoint.files)


def _elements(tensor: Tensor) -> int:
    count = 1
    for size in tensor.shape:
        count *= size
    return count


def _shards(name: str, model: ModelFacts, split: Split, stage: int) -> float | None:
    """GPUs that share a tensor; None for one that is not loaded on the first stage."""
    kind, layer = _kind(name)
    if kind == "prediction" or (
        layer is not None and kind != "outside" and layer >= min(stage, model.num_hidden_layers)
    ):
        return None
    if kind == "head":
        return None if tied(model) else split.head or split.tp
    if kind == "embedding":
        return split.tp if split.attn_tp == split.tp else 1
    if kind == "key-value":
        return min(split.attn_tp, model.num_key_value_heads)
    return {
        "outside": split.attn_tp,
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
    if match is None:
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
    return ("mlp" if re.search(r"\.(?:mlp|mlps|ffn|feed_forward)\.", name) else "attention"), layer
