"""Which layers of a hybrid-SWA model are full attention and which slide (``get_hybrid_layer_ids``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Split = tuple[tuple[int, ...] | None, tuple[int, ...] | None]

# The MTP heads of these families are one sliding-window layer each.
_WINDOW_HEADS = ("MiMoV2MTP", "Step3p5MTP")


def hybrid_layers(architectures: tuple[str, ...], text: Mapping[str, Any], layers: int) -> Split:
    """(full, sliding) layer ids, zero-based; (None, None) where the configuration describes no split.

    Source: 0.5.23 ``configs/model_config.py:get_hybrid_layer_ids``. Says nothing about whether a release treats the
    model as hybrid; that is a trait.
    """
    every = range(layers)
    if any(name in _WINDOW_HEADS for name in architectures):
        return (), (0,)
    if "UnlimitedOCRForCausalLM" in architectures:
        return (), tuple(every)
    if "Llama4ForConditionalGeneration" in architectures:
        return _split([(i + 1) % 4 != 0 for i in every])
    if "InklingForConditionalGenerationMTP" in architectures:
        heads = int(text.get("num_nextn_predict_layers") or 0)
        return _split([i in set(text.get("mtp_local_layer_ids") or ()) for i in range(heads)])
    if isinstance(text.get("local_layer_ids"), list):
        local = set(text["local_layer_ids"])
        return _split([i in local for i in every])
    pattern = text.get("hybrid_layer_pattern")
    if isinstance(pattern, list):
        return _split([kind == 1 for kind in pattern[:layers]])
    return _by_layer_types(text, layers)


def _by_layer_types(text: Mapping[str, Any], layers: int) -> Split:
    kinds = text.get("layer_types")
    if not isinstance(kinds, list) or "sliding_attention" not in kinds:
        return None, None
    kinds = kinds[:layers]
    full = tuple(i for i, kind in enumerate(kinds) if kind == "full_attention")
    return full, tuple(i for i, kind in enumerate(kinds) if kind == "sliding_attention")


def _split(slides: list[bool]) -> Split:
    return (
        tuple(i for i, sliding in enumerate(slides) if not sliding),
        tuple(i for i, sliding in enumerate(slides) if sliding),
    )


# Model classes of these families report one token less than their configuration's window.
_EXCLUSIVE_WINDOW = ("GptOss", "Gemma2", "Gemma3", "Gemma4", "Inkling", "Olmo2", "Olmo3", "Exaone4", "Muse", "Mellum")


def runner_window(
    architecture: str | None, text: Mapping[str, Any], window: int | None, hybrid_swa: bool
) -> int | None:
    """The sliding window the model runner works with, tokens (``resolve_sliding_window_size``); None without one.

    ``window`` is the configuration's; ``hybrid_swa`` whether the release splits the pools.
    """
    if (architecture or "").startswith(_EXCLUSIVE_WINDOW):
        return window - 1 if window else None
    if hybrid_swa and window is not None:
        return window
    chunk = text.get("attention_chunk_size")
    return chunk if isinstance(chunk, int) else None
