"""Everything the pool arithmetic of a release reads, as plain values.

The arithmetic itself (the other modules of this package) is a pure function of :class:`PoolInputs`. Sizes are bytes
and tokens of one GPU; counts of layers and heads are of the whole model and are divided here.
"""

from __future__ import annotations

from functools import cached_property

from ..catalogue import release_key
from ..models.draft import declared_prediction_layers, draft_layers, prediction_layers_as_draft
from ..models.facts import ModelFacts, StateShape, Traits
from ..records import dataclass, field, replace

KV_BYTES = {"bfloat16": 2, "bf16": 2, "float16": 2, "float32": 4, "fp8_e4m3": 1, "fp8_e5m2": 1, "mxfp8": 1}
"""Bytes per stored element of a KV cache data type; the 4-bit types are priced elsewhere."""

FP4 = ("nvfp4", "fp4_mx_block16", "fp4_e2m1")
DEFAULT_EVICTION_INTERVAL = 128
VLM_CACHE_MIB = 100
"""Default of the multimodal embedding cache (environment variable SGLANG_VLM_CACHE_SIZE_MB)."""
FEATURE_CACHE_MIB = 1024
"""Default of the pool that multimodal features travel through (SGLANG_MM_FEATURE_CACHE_MB)."""

EAGLE_FAMILY = ("EAGLE", "EAGLE3", "NEXTN", "FROZEN_KV_MTP")
DFLASH_FAMILY = ("DFLASH", "DSPARK")
NO_DRAFT = ("NGRAM", "LOOKAHEAD")
"""Algorithms that speculate without a draft model."""


class NotModelled(Exception):
    """These settings are outside what the allocator model reproduces; the message says which."""


def pipeline_stage(layers: int, stages: int, rank: int) -> range:
    """Layer ids of a pipeline stage (``distributed/utils.py:get_pp_indices``): the last stages take the rest."""
    size, extra = divmod(layers, stages)
    start = rank * size + max(0, rank - (stages - extra))
    return range(start, start + size + (1 if rank >= stages - extra else 0))


@dataclass(frozen=True)
class PoolInputs:
    """Resolved settings of one launch.

    rest_bytes
        free bytes after loading all weights, less the slack of ``--mem-fraction-static``: what a release divides.
    kv_dtype, model_dtype
        ``auto`` or a value of ``--kv-cache-dtype``; the activation data type ``auto`` stands for.
    attn_tp, attn_dp
        GPUs one attention copy is sharded over; copies of attention (1 without DP attention).
    window
        sliding window as the runner reports it, tokens; None without one.
    hybrid_swa
        whether full and sliding-window layers have pools of their own in this launch.
    swa_ratio
        ``--swa-full-tokens-ratio`` after model defaults.
    max_running_requests
        after resolution (speculation sets 48); None when unset.
    radix, overlap, extra_buffer, extra_buffer_lazy
        radix cache and overlap scheduling on; the strategy of the state cache.
    draft, draft_is_path
        the draft model (the target itself for a built-in head); whether a path names it.
    draft_backends
        attention backends the draft worker may run on.
    hisparse_ratio
        host rows per device row under --enable-hisparse; None without it.
    sparse_index_bytes
        bytes per element of the index keys of block-sparse attention (MiniMax-M3).
    replay_length
        steps that the ring of replayed state keeps (--enable-linear-replayssm-spec); None without it.
    counted_only
        tokens are counted and no pool is built (--prefill-only-disable-kv-cache).
    dsa_raw_rows, elides_indexers
        sparse attention stores 8-bit rows without scales; layers that share indices keep no indexer keys.
    """

    release: str
    model: ModelFacts
    rest_bytes: int
    context_length: int
    page_size: int = 1
    kv_dtype: str = "auto"
    model_dtype: str = "bfloat16"
    attn_tp: int = 1
    attn_dp: int = 1
    pp: int = 1
    dcp: int = 1
    hybrid_swa: bool = False
    window: int | None = None
    swa_ratio: float = 0.8
    mamba_ratio: float = 0.9
    ssm_dtype: str | None = None
    conv_dtype: str = "bfloat16"
    max_mamba_cache_size: int | None = None
    max_total_tokens: int | None = None
    max_running_requests: int | None = None
    chunked_prefill_size: int | None = None
    radix: bool = True
    overlap: bool = True
    extra_buffer: bool = False
    extra_buffer_lazy: bool = False
    unified: bool = False
    multimodal: bool = False
    feature_transport: str | None = None
    vlm_cache_mib: int = VLM_CACHE_MIB
    feature_cache_mib: int = FEATURE_CACHE_MIB
    algorithm: str | None = None
    draft_tokens: int | None = None
    steps: int | None = None
    topk: int | None = None
    draft: ModelFacts | None = None
    draft_is_path: bool = False
    draft_kv_dtype: str | None = None
    draft_backends: tuple[str, ...] = ()
    target_backends: tuple[str, ...] = ()
    hicache: bool = False
    retraction_backup: str | None = None
    disaggregation: str = "null"
    decode_extra_slots: int = 0
    hisparse_ratio: int | None = None
    sparse_index_bytes: int = 2
    replay_length: int | None = None
    counted_only: bool = False
    dsa_raw_rows: bool = False
    elides_indexers: bool = False
    eviction_interval: int = DEFAULT_EVICTION_INTERVAL
    unmodelled: tuple[str, ...] = field(default=())

    def since(self, release: str) -> bool:
        return self._key >= release_key(release)

    @cached_property
    def _key(self) -> tuple[int, ...]:
        return release_key(self.release)

    @cached_property
    def traits(self) -> Traits:
        return self.model.traits(self.release)

    @property
    def state(self) -> StateShape | None:
        """Recurrent state, when this release keeps any for the model."""
        return self.model.state if self.traits.mambaish else None

    @property
    def kv_bytes(self) -> int:
        """Bytes per stored KV element. A 4-bit element counts as one here, as in the releases' own arithmetic."""
        if self.kv_dtype in FP4:
            return 1
        return KV_BYTES[self.model_dtype if self.kv_dtype == "auto" else self.kv_dtype]

    @property
    def kv_heads(self) -> int:
        """Full-attention KV heads per GPU; decode context parallelism replicates them (from 0.5.18)."""
        shards = self.attn_tp // self.dcp if self.since("0.5.18") else self.attn_tp
        return max(1, self.model.num_key_value_heads // max(1, shards))

    @property
    def kv_heads_tp(self) -> int:
        return max(1, self.model.num_key_value_heads // self.attn_tp)

    @property
    def swa_kv_heads(self) -> int:
        return max(1, self.model.swa_num_key_value_heads // self.attn_tp)

    @property
    def is_eagle(self) -> bool:
        return self.algorithm in EAGLE_FAMILY

    @property
    def is_dflash_family(self) -> bool:
        return self.algorithm in DFLASH_FAMILY

    def requests_per_copy(self) -> int | None:
        """``--max-running-requests`` of one attention copy."""
        if self.max_running_requests is None:
            return None
        share = self.max_running_requests // self.attn_dp
        return max(1, share) if self.since("0.5.23") else share

    def stage_layers(self, rank: int) -> range:
        """Layer ids of a pipeline stage."""
        total = self.model.num_attention_layers if self.pp == 1 else self.model.num_hidden_layers
        return pipeline_stage(total, self.pp, rank)

    def eagle_draft_layers(self) -> int:
        """Draft layers that an EAGLE or STANDALONE launch prices into the target's tokens."""
        if not (self.is_eagle or self.algorithm == "STANDALONE") or self.draft is None:
            return 0
        if self.draft_is_path:
            return draft_layers(self.draft)
        if not self.since("0.5.20"):
            return 0
        return declared_prediction_layers(self.model) or 0

    def dflash_draft_layers(self) -> int:
        if not self.is_dflash_family or self.draft is None:
            return 0
        return self.draft.num_hidden_layers

    def fusable_draft_layers(self) -> int:
        """Draft layers the fused layout would place (0.5.22 and later); 0 when the release loads no draft config."""
        if self.draft is None:
            return 0
        if self.is_dflash_family:
            return self.draft.num_hidden_layers
        if self.draft_is_path:
            return draft_layers(self.draft)
        return prediction_layers_as_draft(self.draft) or 0

    def draft_row_bytes(self) -> int:
        """Bytes of one token in one draft layer, at the draft's own geometry and data type."""
        if self.draft is None:
            return 0
        if self.draft.traits(self.release).mla:
            return ((self.draft.kv_lora_rank or 0) + (self.draft.qk_rope_head_dim or 0)) * self.draft_element_bytes()
        heads = max(1, self.draft.num_key_value_heads // self.attn_tp)
        return heads * (self.draft.head_dim + self.draft.v_head_dim) * self.draft_element_bytes()

    def private_draft_layers(self) -> int:
        """Layers of a draft's own pool; all of them where the draft's configuration declares no prediction layers."""
        if self.draft is None or self.algorithm is None:
            return 0
        whole = self.draft.state.attention_layer_ids if self.draft.state else range(self.draft.num_attention_layers)
        return self.fusable_draft_layers() or len(whole)

    def draft_element_bytes(self) -> int:
        dtype = self.draft_kv_dtype or self.kv_dtype
        compute = (self.draft.dtype if self.draft else None) or self.model_dtype
        if self.algorithm in DFLASH_FAMILY and self.draft_backends == ("fa4",):
            dtype = "auto"
        return KV_BYTES.get(compute if dtype == "auto" else dtype, 1)

    def dflash_cell(self) -> int:
        """Bytes per token of a DFLASH or DSPARK draft pool, over all its layers (priced from 0.5.18)."""
        if not self.is_dflash_family or not self.since("0.5.18"):
            return 0
        return self.draft_row_bytes() * self.dflash_draft_layers() * self.dcp

    def with_rest(self, rest_bytes: int) -> PoolInputs:
        return replace(self, rest_bytes=rest_bytes)
