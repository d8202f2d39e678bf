"""Parameters of a model by kind of matrix, from its configuration.

Counts follow the published architectures and what the loader of the newest release allocates; each part says how many
GPUs share it, since what is not sharded is held by every one. Norms and biases are left to the interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from ..models.facts import ModelFacts
from ..records import dataclass
from .inputs import NotModelled

Kind = Literal["embedding", "head", "linear", "experts", "plain", "float", "absorbed", "vision"]
"""How a matrix is stored: ``linear`` and ``experts`` in the format of the checkpoint, ``plain`` in 16 bits always,
``float`` in 32 bits, ``absorbed`` a copy the loader makes of an up-projection, ``vision`` as ``plain``."""

VOCABULARY_STEP = 64
"""Rows the embedding table is padded to (``layers/vocab_parallel_embedding.py:pad_vocab_size``)."""


class Part(NamedTuple):
    """``parameters`` in all that ``shards`` GPUs share (1: each holds all).

    ``module`` is the path of the matrix inside its layer, as lists of modules left unquantized name it; ``layer`` is
    None outside the decoder layers.
    """

    kind: Kind
    parameters: int
    shards: int
    module: str = ""
    layer: int | None = None


@dataclass(frozen=True)
class Split:
    """How matrices are sharded over GPUs.

    tp, attn_tp
        GPUs of the tensor-parallel group; of one copy of attention.
    head, dense
        GPUs that share the output head, and the MLPs of dense layers; 0: as ``tp``.
    shared
        GPUs that share the shared experts; 0: as ``tp``.
    redundant
        copies of experts added to every layer (``--ep-num-redundant-experts``).
    """

    tp: int
    attn_tp: int
    head: int = 0
    dense: int = 0
    shared: int = 0
    redundant: int = 0


def parts(
    model: ModelFacts, split: Split, layers: range | None = None, *, first: bool = True, last: bool = True
) -> Iterator[Part]:
    """Parts of ``layers`` (all by default) of the ``first`` stage, which has embeddings and image tower, of the
    ``last``, which has the output head, or of both.

    Raises :class:`NotModelled` for architectures whose parameters are not counted.
    """
    from .families import layer_parts

    wanted = range(model.num_hidden_layers) if layers is None else layers
    if first:
        yield from _embeddings(model, split)
    if last and not (first and tied(model)):
        head = split.head or split.tp
        yield Part("head", padded_vocabulary(model.vocab_size, head) * model.hidden_size, head, "lm_head")
    for layer in wanted:
        yield from layer_parts(model, split, layer)
    vision = vision_parameters(model)
    if vision and first:
        yield Part("vision", vision, split.attn_tp, "visual")


def padded_vocabulary(rows: int, shards: int) -> int:
    step = VOCABULARY_STEP if -(-rows // VOCABULARY_STEP) * VOCABULARY_STEP % shards == 0 else VOCABULARY_STEP * shards
    return -(-rows // step) * step


def _embeddings(model: ModelFacts, split: Split) -> Iterator[Part]:
    # With data-parallel attention every GPU keeps the whole embedding table.
    embedding = split.tp if split.attn_tp == split.tp else 1
    yield Part("embedding", padded_vocabulary(model.vocab_size, embedding) * model.hidden_size, embedding)
    per_layer = int(model.text.get("hidden_size_per_layer_input") or 0)
    if per_layer:
        vocabulary = int(model.text.get("vocab_size_per_layer_input") or model.vocab_size)
        yield Part("embedding", vocabulary * per_layer * model.num_hidden_layers, 1)


_TIED_BY_DEFAULT = ("gemma", "diffusion_gemma")


def tied(model: ModelFacts) -> bool:
    """Whether the output head is the embedding table; some configuration classes tie where a file is silent."""
    for source in (model.config, model.text):
        if "tie_word_embeddings" in source:
            return bool(source["tie_word_embeddings"])
    return model.text_model_type.startswith(_TIED_BY_DEFAULT)


def latent_attention(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    """Multi-head latent attention with its indexer (``deepseek_v2.py:DeepseekV2AttentionMLA``)."""
    hidden, heads = model.hidden_size, model.num_attention_heads
    lora, rope, nope = model.kv_lora_rank or 0, model.qk_rope_head_dim or 0, model.qk_nope_head_dim or 0
    query_lora = int(model.text.get("q_lora_rank") or 0)
    value = int(model.text.get("v_head_dim") or model.v_head_dim)
    if query_lora:
        yield Part("linear", hidden * query_lora, 1, "self_attn.q_a_proj", layer)
    yield Part("linear", hidden * (lora + rope), 1, "self_attn.kv_a_proj_with_mqa", layer)
    query = "self_attn.q_b_proj" if query_lora else "self_attn.q_proj"
    yield Part("linear", (query_lora or hidden) * heads * (nope + rope), split.attn_tp, query, layer)
    yield Part("linear", heads * value * hidden, split.attn_tp, "self_attn.o_proj", layer)
    yield Part("linear", lora * heads * (nope + value), split.attn_tp, "self_attn.kv_b_proj", layer)
    # The up-projection is kept a second time, split for the absorbed form.
    yield Part("absorbed", lora * heads * (nope + value), split.attn_tp, "self_attn.kv_b_proj", layer)
    index_heads = int(model.text.get("index_n_heads") or 0)
    if index_heads and model.index_head_dim:
        yield Part("linear", query_lora * index_heads * model.index_head_dim, 1, "self_attn.indexer.wq_b", layer)
        small = hidden * (model.index_head_dim + index_heads)
        yield Part("plain", small, 1, "self_attn.indexer.wk", layer)


def grouped_attention(model: ModelFacts, split: Split, layer: int, heads: int | None = None) -> Iterator[Part]:
    """Attention with grouped keys and values; ``heads`` where this layer has another number than the model."""
    slides = model.swa_layer_ids is not None and layer in model.swa_layer_ids
    hidden, count = model.hidden_size, heads or model.num_attention_heads
    kv_heads = model.swa_num_key_value_heads if slides else model.num_key_value_heads
    width = model.swa_head_dim if slides else model.head_dim
    value = model.swa_v_head_dim if slides else model.v_head_dim
    gated = 2 if model.text.get("attn_output_gate") else 1
    shared_kv = model.text.get("attention_k_eq_v") and not slides
    # Fewer KV heads than GPUs: each GPU keeps one of its own.
    copies = max(kv_heads, split.attn_tp)
    yield Part("linear", hidden * count * width * gated, split.attn_tp, "self_attn.q_proj", layer)
    yield Part("linear", hidden * copies * width, split.attn_tp, "self_attn.k_proj", layer)
    if not shared_kv:
        yield Part("linear", hidden * copies * value, split.attn_tp, "self_attn.v_proj", layer)
    yield Part("linear", count * value * hidden, split.attn_tp, "self_attn.o_proj", layer)


def dense_mlp(model: ModelFacts, split: Split, layer: int, width: int, matrices: int = 3) -> Part:
    return Part("linear", matrices * model.hidden_size * width, split.dense or split.tp, "mlp.gate_up_down_proj", layer)


def shared_mlp(model: ModelFacts, split: Split, layer: int, width: int, matrices: int = 3) -> Part:
    count = matrices * model.hidden_size * width
    return Part("linear", count, split.shared or split.tp, "mlp.shared_experts", layer)


def routed(
    split: Split,
    layer: int,
    experts: int,
    hidden: int,
    width: int,
    matrices: int = 3,
    *,
    gate_hidden: int = 0,
    module: str = "mlp.experts",
) -> Iterator[Part]:
    """Routed experts and their gate, which reads ``gate_hidden`` channels (default: as the experts)."""
    copies = experts + split.redundant
    yield Part("experts", copies * matrices * hidden * width, split.tp, module, layer)
    yield Part("plain", experts * (gate_hidden or hidden), 1, "mlp.gate", layer)


def expert_count(text: Mapping[str, Any]) -> int:
    for key in ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"):
        if isinstance(text.get(key), int):
            return int(text[key])
    return 0


def expert_width(text: Mapping[str, Any]) -> int:
    for key in ("moe_intermediate_size", "expert_ffn_hidden_size", "expert_intermediate_size", "intermediate_size"):
        if isinstance(text.get(key), int):
            return int(text[key])
    raise NotModelled("experts without a width in the configuration")


def dense_width(text: Mapping[str, Any]) -> int:
    for key in ("intermediate_size_mlp", "dense_intermediate_size", "ffn_hidden_size", "intermediate_size"):
        if isinstance(text.get(key), int):
            return int(text[key])
    raise NotModelled("layers without an MLP width in the configuration")


_SHARED_WIDTHS = (
    "moe_shared_expert_intermediate_size",
    "shared_expert_intermediate_size",
    "share_expert_dim",
    "share_expert_dims",
    "shared_intermediate_size",
)


def shared_width(text: Mapping[str, Any], expert: int) -> int:
    """Width of all shared experts together."""
    for key in _SHARED_WIDTHS:
        if isinstance(text.get(key), int):
            return int(text[key])
    if text.get("model_type") == "llama4_text":
        return expert
    return expert * int(text.get("n_shared_experts") or text.get("num_shared_experts") or 0)


def is_sparse(text: Mapping[str, Any], layer: int) -> bool:
    """Whether a layer of a mixture-of-experts model routes to experts."""
    frequency = text.get("moe_layer_freq")
    if isinstance(frequency, list):
        return bool(layer < len(frequency) and frequency[layer])
    if layer < int(text.get("first_k_dense_replace") or 0):
        return False
    listed = text.get("moe_layers")
    if isinstance(listed, list):
        return layer in listed
    if text.get("interleave_moe_layer_step"):
        return (layer + 1) % int(text["interleave_moe_layer_step"]) == 0
    if layer in (text.get("mlp_only_layers") or ()):
        return False
    step = int(text.get("decoder_sparse_step") or frequency or 1)
    return (layer + 1) % step == 0 if text.get("decoder_sparse_step") else layer % step == 0


def vision_parameters(model: ModelFacts) -> int:
    """Parameters of an image tower, roughly; 0 without one or where its sizes are not given."""
    vision = model.config.get("vision_config")
    if not isinstance(vision, Mapping):
        return 0
    depth = vision.get("depth") or vision.get("num_hidden_layers") or vision.get("vt_num_hidden_layers")
    width = vision.get("hidden_size") or vision.get("vt_hidden_size")
    inner = vision.get("intermediate_size") or vision.get("vt_intermediate_size")
    if not (isinstance(depth, int) and isinstance(width, int) and isinstance(inner, int)):
        return 0
    # Siglip2-like towers of the Gemma-4 family gate their MLP.
    matrices = 3 if str(vision.get("model_type")).startswith("gemma4") else 2
    return depth * (4 * width * width + matrices * width * inner) + _merger(vision, width)


def _merger(vision: Mapping[str, Any], width: int) -> int:
    """Parameters of the patch merger that Qwen's towers end in, and of each of its deep copies."""
    out, step = vision.get("out_hidden_size"), vision.get("spatial_merge_size")
    if not (isinstance(out, int) and isinstance(step, int)):
        return 0
    merged = width * step * step
    return (merged * merged + merged * out) * (1 + len(vision.get("deepstack_visual_indexes") or ()))
