"""Parameters of a model by kind of matrix, from its configuration.

Counts follow the published architectures; each part says how many GPUs share it, since what is not sharded is held
by every one. Parts below a thousandth of a model (norms, biases of dense layers) are left to the interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ..models.facts import ModelFacts
from ..records import dataclass
from .inputs import NotModelled

Kind = Literal["embedding", "head", "attention", "mlp", "experts", "router", "vision"]


@dataclass(frozen=True)
class Part:
    """``count`` parameters in all that ``shards`` GPUs share (1: each holds all)."""

    kind: Kind
    count: int
    shards: int


@dataclass(frozen=True)
class Split:
    """How matrices are sharded: ``tp`` for MLPs, experts and vocabulary, ``attn_tp`` for attention."""

    tp: int
    attn_tp: int


_NOT_COUNTED = (
    "DeepseekV4",
    "LongcatFlash",
    "Qwen4Exp",
    "Dots3",
    "Glm5Next",
    "GigaChat",
    "Bailing",
    "Zaya",
    "Whisper",
    "Deci",
    "KimiK3",
    "Step3p7",
    "MiniMaxM3",
)


def parts(model: ModelFacts, split: Split, layers: range | None = None, *, ends: bool = True) -> Iterator[Part]:
    """Parts of ``layers`` (all by default); ``ends`` adds embeddings and output head.

    Raises :class:`NotModelled` for architectures whose parameters are not counted.
    """
    if (model.architecture or "").startswith(_NOT_COUNTED):
        raise NotModelled(f"the weights of {model.architecture}")
    wanted = range(model.num_hidden_layers) if layers is None else layers
    if ends:
        yield from _ends(model, split)
    for layer in wanted:
        yield from _mixer(model, split, layer)
        yield from _feed_forward(model, split, layer)
    vision = vision_parameters(model)
    if vision and ends:
        yield Part("vision", vision, split.attn_tp)


def _ends(model: ModelFacts, split: Split) -> Iterator[Part]:
    table = model.vocab_size * model.hidden_size
    # With data-parallel attention every GPU keeps the whole embedding table.
    yield Part("embedding", table, split.tp if split.attn_tp == split.tp else 1)
    tied = model.config.get("tie_word_embeddings", model.text.get("tie_word_embeddings", False))
    if not tied:
        yield Part("head", table, split.tp)
    per_layer = int(model.text.get("hidden_size_per_layer_input") or 0)
    if per_layer:
        vocabulary = int(model.text.get("vocab_size_per_layer_input") or model.vocab_size)
        yield Part("embedding", vocabulary * per_layer * model.num_hidden_layers, 1)


def _mixer(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    state = model.state
    if state is not None and layer in state.layer_ids and state.kind != "short-conv":
        yield Part("attention", _state_mixer(model), split.attn_tp)
    if state is not None and layer not in state.attention_layer_ids:
        return
    if model.kv_lora_rank is not None:
        yield from _latent_attention(model, split)
        return
    yield from _attention(model, split, layer)


def _state_mixer(model: ModelFacts) -> int:
    state, hidden = model.state, model.hidden_size
    assert state is not None
    if state.kind == "kda":
        inner = state.heads * state.head_dim
        return hidden * inner * 4 + 2 * (hidden * state.head_dim + state.head_dim * inner) + hidden * state.heads
    inner, keys = state.intermediate_size, state.groups * state.state_size
    if state.kind == "gdn":
        return hidden * (2 * keys + 2 * inner) + hidden * 2 * state.heads + inner * hidden
    return hidden * (2 * inner + 2 * keys + state.heads) + inner * hidden


def _latent_attention(model: ModelFacts, split: Split) -> Iterator[Part]:
    hidden, heads = model.hidden_size, model.num_attention_heads
    lora, rope, nope = model.kv_lora_rank or 0, model.qk_rope_head_dim or 0, model.qk_nope_head_dim or 0
    query_lora = int(model.text.get("q_lora_rank") or 0)
    value = int(model.text.get("v_head_dim") or model.v_head_dim)
    whole = hidden * query_lora + hidden * (lora + rope)
    sharded = (query_lora or hidden) * heads * (nope + rope) + heads * value * hidden + lora * heads * (nope + value)
    index_heads = int(model.text.get("index_n_heads") or 0)
    if index_heads and model.index_head_dim:
        whole += query_lora * index_heads * model.index_head_dim + hidden * (model.index_head_dim + index_heads)
    yield Part("attention", whole, 1)
    yield Part("attention", sharded, split.attn_tp)
    # The up-projection is kept a second time, split for the absorbed form.
    yield Part("router", lora * heads * (nope + value), split.attn_tp)


def _attention(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    slides = model.swa_layer_ids is not None and layer in model.swa_layer_ids
    hidden, heads = model.hidden_size, model.num_attention_heads
    kv_heads = model.swa_num_key_value_heads if slides else model.num_key_value_heads
    width = model.swa_head_dim if slides else model.head_dim
    value = model.swa_v_head_dim if slides else model.v_head_dim
    gated = 2 if model.text.get("attn_output_gate") else 1
    yield Part("attention", hidden * heads * width * gated + heads * value * hidden, split.attn_tp)
    shared_kv = model.text.get("attention_k_eq_v") and not slides
    rows = width if shared_kv else width + value
    # Fewer KV heads than GPUs: each GPU keeps one of its own.
    copies = max(kv_heads, split.attn_tp)
    yield Part("attention", hidden * copies * rows, split.attn_tp)


def _feed_forward(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    text, hidden = model.text, model.hidden_size
    pattern = text.get("layers_block_type") or text.get("hybrid_override_pattern")
    if pattern:
        yield from _nemotron_feed_forward(model, split, str(pattern[layer]))
        return
    experts = expert_count(text)
    sparse = experts and is_sparse(text, layer)
    if sparse:
        inner = expert_width(text)
        yield Part("experts", experts * 3 * hidden * inner, split.tp)
        yield Part("router", experts * hidden, 1)
        shared = shared_width(text, inner)
        if shared:
            yield Part("mlp", 3 * hidden * shared, split.tp)
    if not sparse or text.get("enable_moe_block"):
        yield Part("mlp", 3 * hidden * dense_width(text), split.tp)


def _nemotron_feed_forward(model: ModelFacts, split: Split, kind: str) -> Iterator[Part]:
    text, hidden = model.text, model.hidden_size
    if kind in ("-", "mlp"):
        yield Part("mlp", 2 * hidden * int(text["intermediate_size"]), split.tp)
    if kind in ("E", "moe"):
        experts, inner = expert_count(text), expert_width(text)
        latent = int(text.get("moe_latent_size") or hidden)
        yield Part("experts", experts * 2 * latent * inner, split.tp)
        yield Part("router", experts * hidden + (2 * hidden * latent if latent != hidden else 0), 1)
        shared = int(text.get("moe_shared_expert_intermediate_size") or 0) * int(text.get("n_shared_experts") or 1)
        yield Part("mlp", 2 * hidden * shared, split.tp)


def expert_count(text: Mapping[str, Any]) -> int:
    for key in ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"):
        if isinstance(text.get(key), int):
            return int(text[key])
    return 0


def expert_width(text: Mapping[str, Any]) -> int:
    for key in ("moe_intermediate_size", "expert_intermediate_size", "intermediate_size"):
        if isinstance(text.get(key), int):
            return int(text[key])
    raise NotModelled("experts without a width in the configuration")


def dense_width(text: Mapping[str, Any]) -> int:
    for key in ("intermediate_size_mlp", "dense_intermediate_size", "intermediate_size"):
        if isinstance(text.get(key), int):
            return int(text[key])
    raise NotModelled("layers without an MLP width in the configuration")


def shared_width(text: Mapping[str, Any], expert: int) -> int:
    """Width of all shared experts together."""
    for key in ("shared_expert_intermediate_size", "share_expert_dim", "shared_intermediate_size"):
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
    return depth * (4 * width * width + 2 * width * inner)
