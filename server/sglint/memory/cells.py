"""Bytes per token: one layer's rows by attention kind and data type, and the cost of a token with its draft.

Source: ``model_executor/pool_configurator.py:DefaultPoolConfigurator`` of each release.
"""

from __future__ import annotations

from . import block_sparse
from .inputs import FP4, NotModelled, PoolInputs

_FP4_BLOCK = 16
_MXFP8_BLOCK = 32
_DSA_QUANT_BLOCK = 128


def full_layer_bytes(inputs: PoolInputs) -> int:
    """Bytes of one token in one full-attention layer of a hybrid-SWA model, with mxfp8 scales where asked for."""
    if inputs.traits.mla:
        raise NotModelled("pool sizes of latent attention with sliding-window layers")
    width = inputs.model.head_dim + inputs.model.v_head_dim
    return _row(inputs, inputs.kv_heads_tp, width)


def swa_layer_bytes(inputs: PoolInputs) -> int:
    """Bytes of one token in one sliding-window layer."""
    return _row(inputs, inputs.swa_kv_heads, inputs.model.swa_head_dim + inputs.model.swa_v_head_dim)


def _row(inputs: PoolInputs, heads: int, width: int) -> int:
    scales = heads * width // _MXFP8_BLOCK if inputs.kv_dtype == "mxfp8" and inputs.since("0.5.16") else 0
    return heads * width * inputs.kv_bytes + scales


def target_cell(inputs: PoolInputs, layer_ids: range | tuple[int, ...]) -> int:
    """Bytes of one token over ``layer_ids`` of the target (``_compute_cell_size``)."""
    layers = len(layer_ids)
    if inputs.traits.mla:
        return _latent_cell(inputs, layers) + indexer_bytes(inputs, layer_ids)
    if inputs.model.architecture in block_sparse.ARCHITECTURES:
        return _minimax_sparse_cell(inputs, layer_ids)
    heads, width = inputs.kv_heads, inputs.model.head_dim + inputs.model.v_head_dim
    cell = heads * width * layers * inputs.kv_bytes
    if inputs.kv_dtype in FP4:
        return _fp4_cell(inputs, cell, layers)
    if inputs.kv_dtype == "mxfp8" and inputs.since("0.5.16"):
        cell += heads * width * layers // _MXFP8_BLOCK
    return cell


def _fp4_cell(inputs: PoolInputs, cell: int, layers: int) -> int:
    heads, head_dim = inputs.kv_heads, inputs.model.head_dim
    if inputs.since("0.5.21"):
        if inputs.kv_dtype != "fp4_mx_block16":
            raise NotModelled(f"--kv-cache-dtype nvfp4 in {inputs.release}, whose scales depend on the kernels in use")
        return (heads * (head_dim // 2) + heads * head_dim // _FP4_BLOCK) * layers * 2
    cell = cell // 2 + heads * head_dim * layers * 2 // _FP4_BLOCK
    # The workspace that prefill dequantizes into is shared by all layers.
    return cell + (heads * head_dim * 2 if inputs.since("0.5.16") else 0)


def latent_row_elements(inputs: PoolInputs) -> int:
    """Stored elements of one latent row (``calculate_mla_kv_cache_dim``)."""
    lora, rope = inputs.model.kv_lora_rank or 0, _rope_dim(inputs)
    if inputs.traits.dsa and inputs.kv_dtype == "fp8_e4m3" and not inputs.dsa_raw_rows and inputs.since("0.5.17"):
        # Scaled fp8 rows: one float32 scale per block of 128, and the rope part stays bfloat16.
        return lora + lora // _DSA_QUANT_BLOCK * 4 + rope * 2
    return lora + rope


def _rope_dim(inputs: PoolInputs) -> int:
    if (inputs.model.architecture or "").startswith("BailingMoeV3") and inputs.model.text.get("use_mla_nope"):
        return 0
    return inputs.model.qk_rope_head_dim or 0


def _latent_cell(inputs: PoolInputs, layers: int) -> int:
    cell = latent_row_elements(inputs) * layers * inputs.kv_bytes
    if inputs.kv_dtype in FP4:
        row = (inputs.model.kv_lora_rank or 0) + _rope_dim(inputs)
        return cell // 2 + row // _FP4_BLOCK * layers * inputs.kv_bytes
    return cell


def indexer_bytes(inputs: PoolInputs, layer_ids: range | tuple[int, ...], *, all_layers: bool = False) -> int:
    """Bytes per token of the sparse-attention indexer keys; replicated under decode context parallelism (0.5.22+)."""
    if not inputs.traits.dsa or not inputs.since("0.5.3.post1"):
        return 0
    head_dim = inputs.model.index_head_dim or 0
    row = head_dim + head_dim // _DSA_QUANT_BLOCK * 4
    if inputs.since("0.5.22"):
        row = -(-row // int(inputs.model.text.get("index_kpool") or 1))
    layers = len(layer_ids)
    if inputs.elides_indexers and not all_layers and inputs.hisparse_ratio is None:
        layers = sum(not _skips_topk(inputs, layer) for layer in layer_ids)
    # The indexer of hierarchical sparse attention has a row for every row on the host.
    return row * layers * (inputs.hisparse_ratio or 1) * (inputs.dcp if inputs.since("0.5.22") else 1)


def _skips_topk(inputs: PoolInputs, layer: int) -> bool:
    """Whether a layer reuses the indices of an earlier one and keeps no indexer keys (``dsa_layer_skips_topk``)."""
    text = inputs.model.text
    kinds = text.get("indexer_types")
    if isinstance(kinds, list):
        return layer < len(kinds) and kinds[layer] == "shared"
    factor = int(text.get("cli_factor") or 1)
    if factor > 1:
        return layer % factor != 0
    pattern = text.get("index_topk_pattern")
    if pattern:
        return layer < len(pattern) and pattern[layer] == "S"
    frequency = int(text.get("index_topk_freq") or 1)
    offset = text.get("index_skip_topk_offset")
    first = layer - int(offset) + 1 if offset is not None else layer - 1
    return max(first, 0) % frequency != 0


def _minimax_sparse_cell(inputs: PoolInputs, layer_ids: range | tuple[int, ...]) -> int:
    sparse = inputs.model.text.get("sparse_attention_config") or inputs.model.config.get("sparse_attention_config")
    if not isinstance(sparse, dict) or "sparse_attention_freq" not in sparse:
        raise NotModelled("sparse attention without its sparse_attention_config")
    if inputs.model.quantization == "modelopt_mixed" and inputs.since("0.5.23"):
        raise NotModelled(f"the packed pool of this checkpoint in {inputs.release}")
    frequency = sparse["sparse_attention_freq"]
    key_only = {i for i, flag in enumerate(sparse.get("sparse_disable_index_value") or ()) if flag}
    sparse_ids = [i for i in layer_ids if frequency[i]]
    dense = sum(1 for i in layer_ids if not frequency[i])
    only_keys = sum(1 for i in sparse_ids if i in key_only)
    ratio = inputs.hisparse_ratio or 1
    main = (dense * ratio + len(sparse_ids)) * 2 * inputs.kv_heads_tp * inputs.model.head_dim * inputs.kv_bytes
    index_rows = (len(sparse_ids) - only_keys) * 2 + only_keys
    return main + index_rows * int(sparse["sparse_index_dim"]) * inputs.sparse_index_bytes * ratio


def cell_with_draft(inputs: PoolInputs, target: int, layer_ids: range | tuple[int, ...], fused: int | None) -> int:
    """Bytes one token costs a target without sliding-window pools, its draft included.

    ``target`` is :func:`target_cell`, ``fused`` the fused entry where the draft lives in it.
    """
    layers = len(layer_ids)
    if not layers:
        return target
    if fused is not None and inputs.algorithm is not None:
        return fused
    eagle = inputs.eagle_draft_layers()
    if eagle:
        return _with_eagle(inputs, target, layer_ids, eagle)
    dflash = inputs.dflash_draft_layers()
    if not dflash:
        return target
    if inputs.since("0.5.18"):
        return target + inputs.dflash_cell()
    drafts = dflash * (inputs.dcp if inputs.since("0.5.17") else 1)
    return -(-target * (layers + drafts) // layers)


def _with_eagle(inputs: PoolInputs, target: int, layer_ids: range | tuple[int, ...], drafts: int) -> int:
    layers = len(layer_ids)
    if inputs.traits.dsa and inputs.since("0.5.18"):
        latent = target - indexer_bytes(inputs, layer_ids)
        dcp = inputs.dcp if inputs.since("0.5.22") else 1
        indexer = indexer_bytes(inputs, range(drafts), all_layers=True)
        return target + int(latent * drafts / layers) * dcp + indexer
    if inputs.since("0.5.22"):
        return target + int(target * drafts / layers)
    return int(target * (1 + drafts / layers))
