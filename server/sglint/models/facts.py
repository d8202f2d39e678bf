"""What a model's ``config.json`` says that matters to a launch, and the traits each release derives from it.

Counts are of the whole model (before tensor or pipeline parallelism) unless a name says otherwise. Layer ids are
zero-based.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from ..records import dataclass, field

StateKind = Literal["mamba2", "mamba", "gdn", "kda", "lightning", "short-conv"]
"""Which group of a release's state shapes a recurrent model belongs to."""


@dataclass(frozen=True)
class StateShape:
    """Recurrent state of a hybrid model, before tensor parallelism.

    kind
        ``mamba2`` (Mamba-2 mixers), ``mamba`` (Mamba-1), ``gdn`` (gated delta net), ``kda`` (Kimi delta
        attention), ``lightning`` (linear attention without convolution), ``short-conv`` (convolution only).
    layer_ids, attention_layer_ids
        layers that keep state; layers that keep keys and values (a layer may do both).
    intermediate_size, groups, heads, head_dim, state_size, conv_kernel
        the arguments of the release's state shapes; ``groups`` are key heads where there are such.
    conv_streams
        ``short-conv`` models whose convolutions differ: per stream (heads, width); a stream keeps
        ``max(1, heads // tp) * width`` channels, or ``width`` unsharded ones where heads is 0.
    ssm_dtype
        data type of the temporal state as the configuration asks for (``float32`` when silent or not read).
    """

    kind: StateKind
    layer_ids: tuple[int, ...]
    attention_layer_ids: tuple[int, ...]
    intermediate_size: int = 0
    groups: int = 0
    heads: int = 0
    head_dim: int = 0
    state_size: int = 0
    conv_kernel: int = 0
    conv_streams: tuple[tuple[int, int], ...] = ()
    ssm_dtype: str = "float32"


@dataclass(frozen=True)
class Traits:
    """Properties of a model that one release derives from its architecture lists and configuration classes.

    hybrid_swa
        full and sliding-window layers have pools of their own (before ``--disable-hybrid-swa-memory``).
    swa_compress
        the sliding-window side may have its own head geometry.
    mambaish
        the model keeps recurrent state (``mambaish_config``); ``state_kind`` says which group matched.
    mla
        attention keeps latent rows; ``dsa`` when sparse attention with an indexer is on top.
    deepseek_v4
        the compressed-attention family with its own pools.
    asymmetric_kv
        K and V rows differ in width, on either side.
    attention_sinks
        learned sinks are part of the softmax, which limits the attention backends.
    multimodal
        the release serves images, video or audio with it unless told not to (some families only when
        ``--enable-multimodal`` is given; these do not count).
    encoder_decoder, generation
        listed as encoder-decoder; not an embedding or reward model.
    """

    release: str
    hybrid_swa: bool = False
    swa_compress: bool = False
    mambaish: bool = False
    state_kind: StateKind | None = None
    mla: bool = False
    dsa: bool = False
    deepseek_v4: bool = False
    asymmetric_kv: bool = False
    attention_sinks: bool = False
    multimodal: bool = False
    encoder_decoder: bool = False
    generation: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """Short names of the traits that hold, for output (``hybrid-swa``, ``mla`` or ``mha`` ...)."""
        held = [
            ("hybrid-swa", self.hybrid_swa),
            ("mambaish", self.mambaish),
            ("mla", self.mla),
            ("mha", not self.mla),
            ("dsa", self.dsa),
            ("deepseek-v4", self.deepseek_v4),
            ("asymmetric-kv", self.asymmetric_kv),
            ("attention-sinks", self.attention_sinks),
            ("multimodal", self.multimodal),
        ]
        return tuple(name for name, holds in held if holds)


@dataclass(frozen=True)
class ModelFacts:
    """A model (or draft model) as its configuration describes it.

    name
        Hugging Face id or folder name; None for a configuration without one.
    architectures, architecture
        as listed; the first one, or None.
    model_type, text_model_type
        of the outer configuration and of its language part (equal where there is one configuration).
    config, text
        the raw mappings; ``text`` is the language part.
    num_hidden_layers, num_attention_layers
        decoder layers; layers that keep keys and values (differs where a layer has two attentions or loops).
    num_key_value_heads, head_dim, v_head_dim
        of full attention, elements. Latent models: the raw configuration's values.
    swa_num_key_value_heads, swa_head_dim, swa_v_head_dim
        of sliding-window layers; equal to the full side's unless the configuration says otherwise.
    sliding_window
        tokens; None without one.
    full_layer_ids, swa_layer_ids
        the split a hybrid-SWA release uses; None where the configuration does not describe one.
    context_length
        the maximum length that follows from the configuration (``max_position_embeddings`` with rope scaling), tokens.
    kv_lora_rank, qk_rope_head_dim, qk_nope_head_dim, index_head_dim, index_topk
        latent attention and its sparse indexer; None where absent.
    compress_ratios
        DeepSeek-V4: per layer 0 (window only), 4 or 128.
    state
        recurrent state, or None.
    quantization, kv_cache_quantized
        quantization method of the weights; whether the checkpoint asks for an 8-bit KV cache.
    dtype
        of activations (``bfloat16``, ``float16``, ``float32``); None when silent.
    num_nextn_predict_layers
        built-in multi-token-prediction layers (0 when none).
    block_size, mask_token_id, target_layer_ids, markov_rank
        of DFLASH and DSPARK drafts; None where absent.
    vision
        the configuration has an image, video or audio part.
    folder
        where the configuration was read from, for the checkpoint beside it; None for a shipped one.
    """

    name: str | None
    architectures: tuple[str, ...]
    model_type: str
    text_model_type: str
    num_hidden_layers: int
    num_attention_layers: int
    hidden_size: int
    vocab_size: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    v_head_dim: int
    swa_num_key_value_heads: int
    swa_head_dim: int
    swa_v_head_dim: int
    sliding_window: int | None = None
    full_layer_ids: tuple[int, ...] | None = None
    swa_layer_ids: tuple[int, ...] | None = None
    context_length: int | None = None
    kv_lora_rank: int | None = None
    qk_rope_head_dim: int | None = None
    qk_nope_head_dim: int | None = None
    index_head_dim: int | None = None
    index_topk: int | None = None
    compress_ratios: tuple[int, ...] | None = None
    state: StateShape | None = None
    quantization: str | None = None
    kv_cache_quantized: bool = False
    dtype: str | None = None
    num_nextn_predict_layers: int = 0
    block_size: int | None = None
    mask_token_id: int | None = None
    target_layer_ids: tuple[int, ...] | None = None
    markov_rank: int | None = None
    vision: bool = False
    folder: str | None = field(default=None, repr=False, compare=False)
    config: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    text: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def architecture(self) -> str | None:
        return self.architectures[0] if self.architectures else None

    @property
    def facts(self) -> ModelFacts:
        """This object, so that a facts space can hand out the whole model under ``model.facts``."""
        return self

    def traits(self, release: str) -> Traits:
        """The traits this release derives (cached)."""
        from .traits import traits_of

        return _traits(self, release, traits_of)


@lru_cache(maxsize=256)
def _traits(model: ModelFacts, release: str, derive: Any) -> Traits:
    traits: Traits = derive(model, release)
    return traits
