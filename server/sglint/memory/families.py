"""Parameters of one decoder layer, by family of architectures.

Source: ``srt/models`` of 0.5.23; the class is named at each family.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..models.facts import ModelFacts
from .inputs import NotModelled
from .parameters import (
    Part,
    Split,
    dense_mlp,
    dense_width,
    expert_count,
    expert_width,
    grouped_attention,
    is_sparse,
    latent_attention,
    routed,
    shared_mlp,
    shared_width,
)

_NOT_COUNTED = ("Qwen4Exp", "Dots3", "Glm5Next", "GigaChat", "Zaya", "Whisper")
STEP_DENSE_LAYERS = 3
"""Dense layers Step-3.5 starts with where ``moe_layers_enum`` is silent (``configs/step3p5.py``)."""


def layer_parts(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    """Parts of one layer. Raises :class:`NotModelled` for an architecture that is not counted."""
    name = model.architecture or ""
    if name.startswith(_NOT_COUNTED):
        raise NotModelled(f"the weights of {name}")
    for prefix, build in _FAMILIES:
        if name.startswith(prefix):
            try:
                yield from build(model, split, layer)
            except KeyError as error:
                raise NotModelled(f"the weights of {name}: its configuration has no {error.args[0]}") from error
            return
    yield from _mixer(model, split, layer)
    yield from _feed_forward(model, split, layer)


def _mixer(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    state = model.state
    if state is not None and layer in state.layer_ids:
        yield from _state_mixer(model, split, layer)
    if state is not None and layer not in state.attention_layer_ids:
        return
    if model.kv_lora_rank is not None:
        yield from latent_attention(model, split, layer)
        return
    yield from grouped_attention(model, split, layer)


def _state_mixer(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    """Mixers with recurrent state (``qwen3_next.py``, ``kimi_linear.py``, ``layers/attention/mamba/mamba.py``)."""
    state, hidden = model.state, model.hidden_size
    assert state is not None
    if state.kind == "kda":
        yield from _delta(hidden, state.heads, state.head_dim, split, layer)
        return
    inner, keys = state.intermediate_size, state.groups * state.state_size
    if state.kind == "short-conv":
        if inner:
            yield Part("linear", hidden * 4 * inner, split.attn_tp, "conv.in_out_proj", layer)
        return
    if state.kind == "lightning":
        yield Part("linear", hidden * 5 * inner, split.attn_tp, "linear_attn.proj", layer)
        return
    if state.kind == "gdn":
        yield Part("linear", hidden * (2 * keys + 2 * inner), split.attn_tp, "linear_attn.in_proj_qkv_z", layer)
        yield Part("plain", hidden * 2 * state.heads, split.attn_tp, "linear_attn.in_proj_ba", layer)
        yield Part("linear", inner * hidden, split.attn_tp, "linear_attn.out_proj", layer)
        return
    # Groups are kept whole by every GPU where there are fewer than GPUs.
    grouped = max(state.groups, split.attn_tp) * state.state_size if state.kind == "mamba2" else keys
    wide = hidden * (2 * inner + 2 * grouped + state.heads)
    yield Part("linear", wide, split.attn_tp, "linear_attn.in_proj", layer)
    yield Part("linear", inner * hidden, split.attn_tp, "linear_attn.out_proj", layer)


def _delta(hidden: int, heads: int, width: int, split: Split, layer: int, *, gate: str = "low-rank") -> Iterator[Part]:
    """Kimi delta attention; ``gate``: ``low-rank`` gates, a ``full-rank`` output gate, or ``both`` gates full."""
    inner = heads * width
    wide = {"low-rank": 4, "full-rank": 5, "both": 6}[gate]
    yield Part("linear", hidden * inner * wide, split.attn_tp, "self_attn.qkvo_proj", layer)
    low = {"low-rank": 2, "full-rank": 1, "both": 0}[gate]
    yield Part("linear", low * hidden * width, 1, "self_attn.f_a_proj", layer)
    yield Part("linear", low * width * inner + hidden * heads, split.attn_tp, "self_attn.f_b_proj", layer)


def _feed_forward(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    text = model.text
    pattern = text.get("layers_block_type") or text.get("hybrid_override_pattern")
    if pattern:
        yield from _nemotron_feed_forward(model, split, layer, str(pattern[layer]))
        return
    experts = expert_count(text)
    sparse = bool(experts) and is_sparse(text, layer)
    if sparse:
        yield from _mixture(model, split, layer, experts)
    if not sparse or text.get("enable_moe_block"):
        yield dense_mlp(model, split, layer, dense_width(text))


def _mixture(model: ModelFacts, split: Split, layer: int, experts: int) -> Iterator[Part]:
    inner = expert_width(model.text)
    # Gemma-4's experts are beside its MLP, not inside.
    module = "experts" if model.text.get("enable_moe_block") else "mlp.experts"
    yield from routed(split, layer, experts, model.hidden_size, inner, module=module)
    shared = shared_width(model.text, inner)
    if shared:
        yield shared_mlp(model, split, layer, shared)


def _nemotron_feed_forward(model: ModelFacts, split: Split, layer: int, kind: str) -> Iterator[Part]:
    """``nemotron_h.py:NemotronHMLP`` and ``NemotronHMoE``: two matrices, without a gate."""
    text, hidden = model.text, model.hidden_size
    if kind in ("-", "mlp"):
        yield dense_mlp(model, split, layer, int(text["intermediate_size"]), 2)
    if kind in ("E", "moe"):
        experts, inner = expert_count(text), expert_width(text)
        latent = int(text.get("moe_latent_size") or hidden)
        yield from routed(split, layer, experts, latent, inner, 2, gate_hidden=hidden)
        if latent != hidden:
            yield Part("plain", 2 * hidden * latent, 1, "mlp.latent_proj", layer)
        shared = int(text.get("moe_shared_expert_intermediate_size") or 0) * int(text.get("n_shared_experts") or 1)
        yield shared_mlp(model, split, layer, shared, 2)


def _deepseek_v4(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    """``deepseek_v4.py:MqaAttentionBase``, ``layers/attention/dsv4`` (Compressor, C4Indexer)."""
    text, hidden, heads, width = model.text, model.hidden_size, model.num_attention_heads, model.head_dim
    if str(text.get("model_type")) == "deepseek_v41":
        raise NotModelled("the weights of DeepSeek-V4.1")
    query, out, groups = int(text["q_lora_rank"]), int(text["o_lora_rank"]), int(text["o_groups"])
    yield Part("linear", hidden * (query + width), 1, "self_attn.wqkv_a", layer)
    yield Part("linear", query * heads * width, split.attn_tp, "self_attn.wq_b", layer)
    yield Part("linear", heads * width * out, split.attn_tp, "self_attn.wo_a", layer)
    yield Part("linear", groups * out * hidden, split.attn_tp, "self_attn.wo_b", layer)
    ratio = model.compress_ratios[layer] if model.compress_ratios and layer < len(model.compress_ratios) else 0
    if ratio:
        overlap = 2 if ratio == 4 else 1
        yield Part("plain", hidden * 2 * overlap * width, 1, "self_attn.compressor", layer)
        yield Part("float", ratio * overlap * width, 1, "self_attn.compressor", layer)
    if ratio == 4:
        index_heads, index_width = int(text["index_n_heads"]), int(text["index_head_dim"])
        yield Part("linear", query * index_heads * index_width, 1, "self_attn.indexer.wq_b", layer)
        yield Part("plain", hidden * (index_heads + 4 * index_width), 1, "self_attn.indexer", layer)
    streams = int(text.get("hc_mult") or 0)
    yield Part("float", 2 * (2 + streams) * streams * streams * hidden, 1, "hyper_connections", layer)
    inner, experts = expert_width(text), expert_count(text)
    yield from routed(split, layer, experts, hidden, inner)
    yield shared_mlp(model, split, layer, inner * int(text.get("n_shared_experts") or 0))
    if layer < int(text.get("num_hash_layers") or 0):
        yield Part("float", model.vocab_size * int(text["num_experts_per_tok"]), 1, "mlp.tid2eid", layer)


def _kimi_k3(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    """``kimi_k3.py``: KimiK3DeltaAttention, KimiK3MLAAttention, KimiK3MoE."""
    text, hidden, state = model.text, model.hidden_size, model.state
    if state is not None and layer in state.layer_ids:
        full = bool(text["linear_attn_config"].get("use_full_rank_gate"))
        gate = "full-rank" if full else "low-rank"
        yield from _delta(hidden, state.heads, state.head_dim, split, layer, gate=gate)
    else:
        yield from latent_attention(model, split, layer)
        if text.get("mla_use_output_gate"):
            gate_width = model.num_attention_heads * int(text["v_head_dim"])
            yield Part("linear", hidden * gate_width, split.attn_tp, "self_attn.g_proj", layer)
    if not is_sparse(text, layer):
        yield dense_mlp(model, split, layer, int(text["intermediate_size"]))
        return
    inner, latent = expert_width(text), int(text.get("routed_expert_hidden_size") or hidden)
    yield from routed(split, layer, expert_count(text), latent, inner, gate_hidden=hidden)
    if latent != hidden:
        yield Part("plain", 2 * hidden * latent, 1, "mlp.routed_expert_proj", layer)
    yield shared_mlp(model, split, layer, inner * int(text.get("num_shared_experts") or 0))


def _minimax_m3(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    """``minimax_m3.py:MiniMaxM3Attention``: an index projection beside that of sparse layers."""
    yield from grouped_attention(model, split, layer)
    sparse = model.text.get("sparse_attention_config")
    if isinstance(sparse, Mapping) and _flag(sparse, "sparse_attention_freq", layer):
        heads, width = int(sparse["sparse_num_index_heads"]), int(sparse["sparse_index_dim"])
        value = 0 if _flag(sparse, "sparse_disable_index_value", layer) else width
        shards = min(split.attn_tp, heads)
        # One key (and value) head, which every GPU keeps.
        count = model.hidden_size * (heads * width + shards * (width + value))
        yield Part("linear", count, shards, "self_attn.index_qkv_proj", layer)
        if value:
            yield Part("linear", model.hidden_size * heads * width, shards, "self_attn.index_o_proj", layer)
    yield from _feed_forward(model, split, layer)


def _flag(source: Mapping[str, object], key: str, layer: int) -> bool:
    listed = source.get(key)
    return isinstance(listed, list) and layer < len(listed) and bool(listed[layer])


def _step(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    """``step3p5.py``: other heads on sliding layers, a gate of one channel a head, experts from the third layer on."""
    text = model.text
    slides = model.swa_layer_ids is not None and layer in model.swa_layer_ids
    other = text.get("attention_other_setting")
    heads = model.num_attention_heads
    if slides and isinstance(other, Mapping):
        heads = int(other.get("num_attention_heads") or heads)
    yield from grouped_attention(model, split, layer, heads)
    yield Part("plain", model.hidden_size * heads, split.attn_tp, "self_attn.g_proj", layer)
    listed = text.get("moe_layers_enum")
    if isinstance(listed, str):
        sparse = str(layer) in [word.strip() for word in listed.split(",")]
    else:
        sparse = layer in listed if isinstance(listed, list) else layer >= STEP_DENSE_LAYERS
    if sparse:
        yield from _mixture(model, split, layer, expert_count(text))
    else:
        yield dense_mlp(model, split, layer, dense_width(text))


def _longcat(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    """``longcat_flash.py:LongcatFlashDecoderLayer``: two attentions, two MLPs and a mixture a layer."""
    text = model.text
    if text.get("ngram_vocab_size_ratio") or text.get("oe_vocab_size_ratio"):
        raise NotModelled("the n-gram embedding table of LongCat")
    for _ in range(2):
        yield from latent_attention(model, split, layer)
        yield dense_mlp(model, split, layer, dense_width(text))
    experts, spare = expert_count(text), int(text.get("zero_expert_num") or 0)
    yield from routed(split, layer, experts, model.hidden_size, expert_width(text))
    yield Part("plain", spare * model.hidden_size, 1, "mlp.gate", layer)


def _bailing(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    """``bailing_moe.py``, ``bailing_moe_linear.py``, ``bailing_moe_v3.py``: one softmax layer ends each group."""
    text, hidden = model.text, model.hidden_size
    group = text.get("layer_group_size") or 1
    linear = group[layer] == 1 if isinstance(group, list) else (layer + 1) % int(group) != 0
    heads, width = model.num_attention_heads, model.head_dim
    if linear and text.get("short_conv_kernel_size"):
        gate = "both" if text.get("no_kda_lora") else "low-rank"
        yield from _delta(hidden, heads, width, split, layer, gate=gate)
    elif linear:
        yield Part("linear", hidden * 5 * heads * width, split.attn_tp, "self_attn.proj", layer)
    elif model.kv_lora_rank is not None:
        yield from latent_attention(model, split, layer)
        if text.get("gated_attention_proj_granularity_type") == "element_wise":
            count = hidden * heads * int(text["v_head_dim"])
            yield Part("linear", count, split.attn_tp, "self_attn.g_proj", layer)
    else:
        yield from grouped_attention(model, split, layer)
    yield from _feed_forward(model, split, layer)


def _deci(model: ModelFacts, split: Split, layer: int) -> Iterator[Part]:
    """``nemotron_nas.py:DeciLMDecoderLayer``: each block may lack its attention or its MLP."""
    block, hidden = model.config["block_configs"][layer], model.hidden_size
    attention, mlp = block["attention"], block["ffn"]
    if not attention.get("no_op"):
        if attention.get("replace_with_linear"):
            raise NotModelled("attention replaced by a linear layer")
        heads, width = model.num_attention_heads, model.head_dim
        copies = max(heads // int(attention["n_heads_in_group"]), split.attn_tp)
        yield Part("linear", 2 * hidden * heads * width, split.attn_tp, "self_attn.qo_proj", layer)
        yield Part("linear", 2 * hidden * copies * width, split.attn_tp, "self_attn.kv_proj", layer)
    if not mlp.get("no_op"):
        inner = int(2 * float(mlp["ffn_mult"]) * hidden / 3)
        yield dense_mlp(model, split, layer, -(-inner // 256) * 256)


_FAMILIES: tuple[tuple[str, Callable[[ModelFacts, Split, int], Iterator[Part]]], ...] = (
    ("DeepseekV4", _deepseek_v4),
    ("KimiK3", _kimi_k3),
    ("MiniMaxM3", _minimax_m3),
    ("Step3p5", _step),
    ("Step3p7", _step),
    ("LongcatFlash", _longcat),
    ("Bailing", _bailing),
    ("Deci", _deci),
)
