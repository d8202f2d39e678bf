"""Options that releases check in ways no rule states: a launch with one of them is not called accepted."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..launch.options import Option, Parsed

_OTHER_THAN_DEFAULT: frozenset[str] = frozenset(
    """
    cuda_graph_prefill_max_context decoupled_spec_bind_endpoint disaggregation_decode_allocation_policy
    disaggregation_decode_host_receive_threshold dllm_algorithm dsv4_attn_backend dwdp_size elastic_ep_backend
    enable_amd_monokernel enable_cp_decode_attn_tp enable_deepseek_v4_fp4_indexer enable_linear_replayssm
    enable_linear_replayssm_spec enable_linker_mla_dedup enable_lora enable_nvidia_megakernel
    enable_pd_role_switch enable_return_aux_hidden_states enable_session_radix_cache enable_watermark
    ep_join_mode flashinfer_a2a_dispatch_type generation_tokens_buckets linear_attn_verify_backend
    linear_replayssm_cache_len load_publish_endpoint lora_paths max_ep_size moe_dp_size
    ple_offload_backend ple_offload_embedding prompt_tokens_buckets qsa_indexer_dtype
    return_aux_hidden_state_layer_ids sampling_mask_max_tokens shared_experts_tp_size sidecar sidecar_args
    speculative_draft_sink_size speculative_draft_window_size speculative_ngram_external_corpus_path
    speculative_use_block_verification speculative_use_rejection_sampling
    swa_prefix_tails unified_cache_external_linker_config weight_cache_mode
    """.split()
)
"""Arguments whose own checks no rule states, where they differ from their default."""
_VALUES: dict[str, frozenset[str]] = {
    "load_format": frozenset(("instanttensor", "ipc_cache")),
    "mm_feature_transport": frozenset(("cuda_ipc", "cuda_vmm")),
    "moe_a2a_backend": frozenset(("deepep_v2", "flashinfer", "flashinfer_megamoe", "megamoe", "mori", "pplx")),
    "moe_runner_backend": frozenset(("flashinfer_cutedsl", "flashinfer_megamoe", "lora_cutedsl", "megamoe")),
    "quantization": frozenset(("nvfp4_online",)),
    "radix_eviction_policy": frozenset(("tlru",)),
}
"""Arguments of which these values only are checked so."""
_OVERRIDES_FOLLOWED = frozenset(
    ("max_position_embeddings", "max_sequence_length", "rope_parameters", "rope_scaling", "rope_theta")
)
"""Fields of a configuration of which the context length alone depends."""


def unstated(parsed: Parsed) -> tuple[str, ...]:
    """Flags as written, of which it is not known what the release asks besides."""
    return tuple(dict.fromkeys(option.written for option in parsed.options if _is_unstated(option)))


def _is_unstated(option: Option) -> bool:
    if option.flag is None or option.merged:
        return False
    if option.flag.dest == "json_model_override_args":
        return not _only_context(option.value)
    values = _VALUES.get(option.flag.dest)
    if values is not None:
        return option.known and option.value in values
    return option.flag.dest in _OTHER_THAN_DEFAULT and not (option.known and option.value == option.flag.default)


def _only_context(written: object) -> bool:
    """Whether ``--json-model-override-args`` changes the context length at most; what is no JSON other rules refuse."""
    try:
        changes = json.loads(written) if isinstance(written, str) else written
    except (ValueError, RecursionError):
        return True
    return not isinstance(changes, Mapping) or _OVERRIDES_FOLLOWED.issuperset(changes)
