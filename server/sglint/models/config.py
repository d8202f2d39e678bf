"""From a ``config.json`` to :class:`ModelFacts`.

Reads what SGLang's ``configs/model_config.py`` (``ModelConfig._derive_model_shapes``, ``get_hybrid_layer_ids``) and
``utils/hf_transformers`` read, with the defaults of the configuration classes where a published file may be silent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .facts import ModelFacts
from .layers import hybrid_layers
from .state import state_of

_TEXT_PARTS = ("thinker_config", "llm_config", "language_config", "text_config")
_KV_HEAD_KEYS = ("n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num", "num_attention_groups")
_CONTEXT_KEYS = ("max_sequence_length", "seq_length", "max_seq_len", "model_max_length", "max_position_embeddings")
_WINDOW_KEYS = ("sliding_window_size", "sliding_window", "window_size")
# Defaults of configuration classes that published files rely on.
_HEAD_DIM_DEFAULTS = {
    "qwen3": 128,
    "qwen3_next": 256,
    "qwen3_5_text": 256,
    "qwen3_5_moe_text": 256,
    "gemma2": 256,
    "gemma3_text": 256,
    "gemma4_text": 256,
    "gpt_oss": 64,
    "nemotron_h": 128,
}
_NO_CONTEXT = 2048
# Rope parameters of these are kept per kind of layer, so that no factor reaches the context length.
_LAYERWISE_ROPE = {"gemma3_text"}


class ModelError(ValueError):
    """A configuration that describes no model SGLint can read; the message says what is missing."""


def facts_from_config(config: Mapping[str, Any], name: str | None = None) -> ModelFacts:
    """Facts of the model (or draft) that ``config`` describes.

    Raises :class:`ModelError` when ``config`` is not a mapping, lacks the sizes every decoder has, or has a field of
    another kind than it should be.
    """
    if not isinstance(config, Mapping):
        raise ModelError("a model configuration is a JSON object")
    try:
        return _facts(config, name)
    except ModelError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise ModelError(f"a field has a value of an unexpected kind ({error})") from error


def _facts(config: Mapping[str, Any], name: str | None) -> ModelFacts:
    text = _text_part(config)
    architectures = _strings(config.get("architectures") or text.get("architectures"))
    hidden_size = _number(text, "hidden_size", "n_embd", "d_model")
    layers = _layer_count(text, architectures)
    heads = int(text.get("num_attention_heads") or text.get("n_head") or 0)
    kv_heads = _kv_heads(config, text, heads)
    head_dim = int(text.get("head_dim") or text.get("kv_channels") or _head_dim(text, hidden_size, heads))
    v_head_dim = int(text.get("v_head_dim") or head_dim)
    swa_head_dim = int(text.get("swa_head_dim") or head_dim)
    swa_v_head_dim = int(text.get("swa_v_head_dim") or swa_head_dim)
    swa_kv_heads = _swa_kv_heads(text, kv_heads)
    if text.get("global_head_dim"):
        # Gemma-4 states the sliding-window shape first and the full-attention shape as an exception.
        swa_head_dim = swa_v_head_dim = head_dim
        swa_kv_heads = kv_heads
        head_dim = v_head_dim = int(text["global_head_dim"])
        kv_heads = int(text.get("num_global_key_value_heads") or kv_heads)
    full, swa = hybrid_layers(architectures, text, layers)
    quantization = _quantization(config, text)
    speculation = _speculation(config)
    return ModelFacts(
        name=name,
        architectures=architectures,
        model_type=str(config.get("model_type") or ""),
        text_model_type=str(text.get("model_type") or config.get("model_type") or ""),
        num_hidden_layers=layers,
        num_attention_layers=_attention_layer_count(architectures, text, layers),
        hidden_size=hidden_size,
        vocab_size=int(text.get("vocab_size") or 0),
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        head_dim=head_dim,
        v_head_dim=v_head_dim,
        swa_num_key_value_heads=swa_kv_heads,
        swa_head_dim=swa_head_dim,
        swa_v_head_dim=swa_v_head_dim,
        sliding_window=_first_int(text, _WINDOW_KEYS),
        full_layer_ids=full,
        swa_layer_ids=swa,
        context_length=_context_length(text),
        kv_lora_rank=_optional_int(text, "kv_lora_rank"),
        qk_rope_head_dim=_optional_int(text, "qk_rope_head_dim"),
        qk_nope_head_dim=_optional_int(text, "qk_nope_head_dim"),
        index_head_dim=_optional_int(text, "index_head_dim"),
        index_topk=_optional_int(text, "index_topk"),
        compress_ratios=_ints(text.get("compress_ratios")),
        state=state_of(config, text, layers),
        quantization=_method(quantization),
        kv_cache_quantized=_quantized_kv(quantization),
        dtype=_dtype(config, text),
        num_nextn_predict_layers=_nextn(config, text),
        block_size=_optional_int(config, "block_size"),
        mask_token_id=_optional_int(speculation, "mask_token_id"),
        target_layer_ids=_ints(speculation.get("target_layer_ids")),
        markov_rank=_optional_int(speculation, "markov_rank"),
        vision=any(key in config for key in ("vision_config", "audio_config", "sound_config")),
        config=config,
        text=text,
    )


def _text_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in _TEXT_PARTS:
        part = config.get(key)
        if isinstance(part, Mapping):
            inner = part.get("text_config")
            return inner if isinstance(inner, Mapping) else part
    return config


def _number(text: Mapping[str, Any], *keys: str) -> int:
    for key in keys:
        value = text.get(key)
        if isinstance(value, int) and value > 0:
            return value
    raise ModelError(f"the configuration has no {keys[0]}; is it the config.json of a language model?")


def _layer_count(text: Mapping[str, Any], architectures: tuple[str, ...]) -> int:
    pattern = text.get("layers_block_type") or text.get("hybrid_override_pattern")
    if pattern:
        return len(pattern)
    layer_types = text.get("layer_types")
    if isinstance(layer_types, list) and any(name.startswith("Step3p5") for name in architectures):
        return min(len(layer_types), _number(text, "num_hidden_layers"))
    return _number(text, "num_hidden_layers", "n_layer", "num_layers")


def _attention_layer_count(architectures: tuple[str, ...], text: Mapping[str, Any], layers: int) -> int:
    if "LongcatFlashForCausalLM" in architectures:
        return 2 * layers
    if "IQuestLoopCoderForCausalLM" in architectures:
        return layers * int(text.get("loop_num") or 1)
    if "NanbeigeForCausalLM" in architectures:
        return layers * int(text.get("num_loops") or 1)
    return layers


def _kv_heads(config: Mapping[str, Any], text: Mapping[str, Any], heads: int) -> int:
    if text.get("multi_query") and not config.get("new_decoder_architecture"):
        return 1
    attention = config.get("attn_config")
    if config.get("model_type") in ("dbrx", "mpt") and isinstance(attention, Mapping):
        return int(attention.get("kv_n_heads") or heads)
    blocks = config.get("block_configs")
    if config.get("model_type") == "nemotron-nas" and isinstance(blocks, list):
        groups = {block["attention"].get("n_heads_in_group") for block in blocks if "attention" in block} - {None}
        return heads // groups.pop() if len(groups) == 1 else heads
    for key in _KV_HEAD_KEYS:
        if text.get(key) is not None:
            return int(text[key])
    return heads


def _swa_kv_heads(text: Mapping[str, Any], kv_heads: int) -> int:
    if text.get("swa_num_key_value_heads") is not None:
        return int(text["swa_num_key_value_heads"])
    other = text.get("attention_other_setting")
    if isinstance(other, Mapping) and other.get("num_attention_groups") is not None:
        return int(other["num_attention_groups"])
    return kv_heads


def _head_dim(text: Mapping[str, Any], hidden_size: int, heads: int) -> int:
    known = _HEAD_DIM_DEFAULTS.get(str(text.get("model_type")))
    return known or (hidden_size // heads if heads else 0)


def _context_length(text: Mapping[str, Any]) -> int:
    # utils/hf_transformers/common.py:get_context_length
    scaling = text.get("rope_scaling") or text.get("rope_parameters")
    factor = 1.0
    layerwise = text.get("model_type") in _LAYERWISE_ROPE
    if isinstance(scaling, Mapping) and not layerwise and "original_max_position_embeddings" not in scaling:
        factor = 1.0 if scaling.get("rope_type") == "llama3" else float(scaling.get("factor") or 1)
    length = _first_int(text, _CONTEXT_KEYS)
    return _NO_CONTEXT if length is None else int(factor * length)


def _quantization(config: Mapping[str, Any], text: Mapping[str, Any]) -> Mapping[str, Any]:
    for source in (config, text):
        for key in ("quantization_config", "compression_config"):
            found = source.get(key)
            if isinstance(found, Mapping):
                return found
    return {}


def _method(quantization: Mapping[str, Any]) -> str | None:
    """The method under SGLang's own name (``ModelConfig._parse_quant_hf_config``)."""
    method = str(quantization.get("quant_method") or "").lower()
    algorithm = str(quantization.get("quant_algo") or "").upper()
    if method == "modelopt" or (not method and algorithm):
        if algorithm == "MIXED_PRECISION":
            return "modelopt_mixed" if _lists_nvfp4(quantization) else "w4afp8"
        if "FP4" in algorithm:
            return "modelopt_fp4"
        return "mxfp8" if algorithm == "MXFP8" else "modelopt_fp8"
    return method or None


def _lists_nvfp4(quantization: Mapping[str, Any]) -> bool:
    layers = quantization.get("quantized_layers")
    entries = layers.values() if isinstance(layers, Mapping) else ()
    algorithms = {str(entry.get("quant_algo", "")).upper() for entry in entries if isinstance(entry, Mapping)}
    return not algorithms.isdisjoint(("NVFP4", "W4A16_NVFP4"))


def _quantized_kv(quantization: Mapping[str, Any]) -> bool:
    scheme = quantization.get("kv_cache_scheme")
    if isinstance(scheme, Mapping):
        return scheme.get("num_bits") == 8
    return str(scheme or quantization.get("kv_cache_quant_algo") or "").upper() == "FP8"


def _dtype(config: Mapping[str, Any], text: Mapping[str, Any]) -> str | None:
    for source in (text, config):
        for key in ("dtype", "torch_dtype"):
            if isinstance(source.get(key), str):
                return str(source[key]).removeprefix("torch.")
    return None


def _nextn(config: Mapping[str, Any], text: Mapping[str, Any]) -> int:
    for source in (text, config):
        for key in ("num_nextn_predict_layers", "mtp_num_hidden_layers"):
            if isinstance(source.get(key), int):
                return int(source[key])
    return 0


def _speculation(config: Mapping[str, Any]) -> Mapping[str, Any]:
    for key in ("dspark_config", "dflash_config"):
        part = config.get(key)
        if isinstance(part, Mapping):
            return {**config, **part}
    return config


def _strings(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _ints(value: object) -> tuple[int, ...] | None:
    if not isinstance(value, list):
        return None
    return tuple(int(item) for item in value if isinstance(item, (int, float)))


def _first_int(text: Mapping[str, Any], keys: tuple[str, ...]) -> int | None:
    for key in keys:
        value = text.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _optional_int(source: Mapping[str, Any], key: str) -> int | None:
    return _first_int(source, (key,))
