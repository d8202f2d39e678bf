"""Speculative decoding after the release's handler: algorithm, steps, branches, draft tokens.

Source throughout: ``srt/arg_groups/speculative_hook.py``.
"""

from __future__ import annotations

from typing import Any

from ..facts import Facts, Unknown
from . import families
from .releases import since, undecided

_ASSISTANT_DRAFTS = frozenset(("Gemma4AssistantForCausalLM", "Gemma4UnifiedAssistantForCausalLM"))
_OWN_HEAD = {
    "DeepseekV32ForCausalLM": "0.5.15",
    "DeepseekV3ForCausalLM": "0.5.15",
    "DeepseekV4ForCausalLM": "0.5.15",
    "Glm4MoeForCausalLM": "0.5.15",
    "Glm4MoeLiteForCausalLM": "0.5.15",
    "GlmMoeDsaForCausalLM": "0.5.15",
    "BailingMoeForCausalLM": "0.5.15",
    "BailingMoeV2ForCausalLM": "0.5.15",
    "BailingMoeV2_5ForCausalLM": "0.5.15",
    "MistralLarge3ForCausalLM": "0.5.15",
    "PixtralForConditionalGeneration": "0.5.15",
    "HYV3ForCausalLM": "0.5.15",
    "HYV4ForCausalLM": "0.5.20",
    "Qwen4ExpForConditionalGeneration": "0.5.20",
}
"""Architectures whose checkpoints hold their own draft head, and the first release that uses it unasked
(``_handle_eagle_family``)."""
_GIGACHAT35 = frozenset(("GigaChat35ForCausalLM", "GigaChat35ForCausalLMNextN"))
_BRANCHING = frozenset(("LlamaForCausalLM", "Grok1ForCausalLM", "Grok1VForCausalLM"))
_DRAFTED = ("EAGLE", "EAGLE3", "STANDALONE")
_DSPARK_KEYS = ("dspark_block_size", "dspark_markov_rank", "dspark_noise_token_id", "dspark_target_layer_ids")
DEFAULT_DSPARK_GAMMA = 7
DEFAULT_DFLASH_BLOCK = 16
DEFAULT_NGRAM_TOKENS = 12
REQUESTS_WHILE_SPECULATING = 48


def requested(facts: Facts) -> str | None:
    """The algorithm as written, in upper case."""
    name = facts["args.speculative_algorithm"]
    return None if name is None else str(name).upper()


def algorithm(facts: Facts) -> str | None:
    """After the aliases: NEXTN is EAGLE; with a Gemma-4 assistant draft both are FROZEN_KV_MTP."""
    name: str | None = facts["resolved.speculative_algorithm_requested"]
    if name not in ("NEXTN", "EAGLE"):
        return name
    return "FROZEN_KV_MTP" if facts["resolved.assistant_draft"] else "EAGLE"


def assistant_draft(facts: Facts) -> bool:
    """The draft is a Gemma-4 assistant. Those are made for Gemma-4 targets, so an unknown draft of another
    model is none."""
    if facts["draft.given"] is False:
        return False
    architectures = facts.look("draft.architectures")
    if isinstance(architectures, Unknown):
        target = facts.look("model.architecture")
        if not isinstance(target, Unknown) and target not in families.GEMMA4:
            return False
    return any(name in _ASSISTANT_DRAFTS for name in facts["draft.architectures"] or ())


def draft_path(facts: Facts) -> str | None:
    """The draft's path after the handler filled it: own heads and bundled DSPARK drafts take the target's."""
    path: str | None = facts["args.speculative_draft_model_path"]
    if path is not None:
        return path
    name = facts["resolved.speculative_algorithm"]
    first = _OWN_HEAD.get(facts["model.architecture"]) if name in _DRAFTED else None
    if first is not None and since(facts, first):
        return str(facts["args.model_path"])
    if name != "DSPARK":
        return None
    if facts["resolved.bundles_dspark_draft"]:
        return str(facts["args.model_path"])
    if since(facts, "0.5.23"):
        undecided(
            "whether the checkpoint has a DSPARK draft in its folder `dspark`; --speculative-draft-model-path names one"
        )
    return None


def bundles_dspark_draft(facts: Facts) -> bool:
    """The target's configuration carries a DSPARK head (``checkpoint_bundles_dspark_draft``)."""
    config = facts["model.config"]
    return any(config.get(key) is not None for key in _DSPARK_KEYS)


def dspark_gamma(facts: Facts) -> int | None:
    """Tokens a DSPARK draft proposes: the flag, else the draft's block size; None when neither says."""
    flag = facts["args.speculative_dspark_block_size"]
    if flag is not None:
        return int(flag)
    if facts["draft.given"]:
        block = facts["draft.block_size"]
        return None if block is None else int(block)
    if facts["resolved.bundles_dspark_draft"]:
        block = facts["model.config"].get("dspark_block_size")
        return None if block is None else int(block)
    return None


def adaptive(facts: Facts) -> bool:
    """Steps follow the acceptance rate, where nothing switches that off again (``adaptive_unsupported_reason``)."""
    if not facts["args.speculative_adaptive"] or facts["resolved.speculative_algorithm"] not in ("EAGLE", "EAGLE3"):
        return False
    if facts["args.speculative_eagle_topk"] not in (None, 1):
        return False
    if facts["args.enable_two_batch_overlap"] or facts["args.enable_pdmux"]:
        return False
    return facts["resolved.attn_dp_size"] == 1 and not _several_draft_layers(facts)


def adaptive_steps(facts: Facts) -> tuple[int, ...]:
    """Step counts that adaptive speculation moves among (``DEFAULT_ADAPTIVE_CONFIG``)."""
    if facts["args.speculative_adaptive_config"] is not None:
        undecided("which step counts the adaptive speculation file lists")
    return (0, 1, 3, 5, 7) if since(facts, "0.5.20") else (0, 1, 3, 7)


def _several_draft_layers(facts: Facts) -> bool:
    """``enable_multi_layer_eagle`` after the declarations of the models that have such drafts."""
    if facts["args.enable_multi_layer_eagle"]:
        return True
    architecture = facts["model.architecture"]
    layered = architecture in families.STEP3P or architecture in families.MIMO_V2 or architecture in _GIGACHAT35
    return layered and facts["resolved.speculative_algorithm_requested"] == "EAGLE"


def num_steps(facts: Facts) -> int | None:
    name = facts["resolved.speculative_algorithm"]
    written: int | None = facts["args.speculative_num_steps"]
    if name in ("DFLASH", "DSPARK") or (name == "UNO" and facts["resolved.uno_branches"] == 1):
        return 1
    if name in _DRAFTED and written is None:
        return _automatic(facts)[0]
    if name == "NGRAM" and written is None:
        topk = facts["resolved.speculative_eagle_topk"]
        return int(facts["resolved.speculative_num_draft_tokens"]) // int(topk)
    return written


def eagle_topk(facts: Facts) -> int | None:
    name = facts["resolved.speculative_algorithm"]
    if name in ("DFLASH", "DSPARK"):
        return 1
    if name == "UNO":
        return int(facts["resolved.uno_branches"])
    if name in _DRAFTED and facts["args.speculative_num_steps"] is None:
        return _automatic(facts)[1]
    if name == "NGRAM":
        breadth: int | None = facts["args.speculative_ngram_max_bfs_breadth"]
        return breadth
    topk: int | None = facts["args.speculative_eagle_topk"]
    if topk is None and name in _DRAFTED and facts["resolved.speculative_adaptive"]:
        return 1
    return topk


def num_draft_tokens(facts: Facts) -> int | None:
    name = facts["resolved.speculative_algorithm"]
    written: int | None = facts["args.speculative_num_draft_tokens"]
    if name == "DSPARK":
        gamma = facts["resolved.dspark_gamma"]
        if gamma is None and written is None:
            gamma = DEFAULT_DSPARK_GAMMA
        return written if gamma is None else gamma + 1
    if name == "DFLASH":
        return _dflash_tokens(facts, written)
    if name == "NGRAM":
        return DEFAULT_NGRAM_TOKENS if written is None else written
    if name in _DRAFTED:
        if facts["resolved.speculative_eagle_topk"] == 1:
            return int(facts["resolved.speculative_num_steps"]) + 1
        return _automatic(facts)[2] if facts["args.speculative_num_steps"] is None else written
    return written


def max_running_requests(facts: Facts) -> int | None:
    """The cap after the speculative default, which UNO has not; None where the release derives it from memory."""
    written: int | None = facts["args.max_running_requests"]
    if written is None and facts["resolved.speculative_algorithm_requested"] not in (None, "UNO"):
        return REQUESTS_WHILE_SPECULATING
    return written


def _automatic(facts: Facts) -> tuple[int, int, int]:
    """(steps, topk, draft tokens) of ``_auto_choose_speculative_params``; topk and tokens must be unset."""
    if facts["resolved.speculative_adaptive"]:
        candidates: tuple[int, ...] = facts["resolved.speculative_adaptive_steps"]
        steps = candidates[len(candidates) // 2]
        return steps, 1, steps + 1
    if facts["resolved.speculative_algorithm"] == "STANDALONE":
        return 3, 1, 4
    return (5, 4, 8) if facts["model.architecture"] in _BRANCHING else (3, 1, 4)


def _dflash_tokens(facts: Facts, written: int | None) -> int:
    block: Any = facts["args.speculative_dflash_block_size"]
    if block is None:
        block = written
    if block is None:
        block = facts["draft.block_size"]
    return DEFAULT_DFLASH_BLOCK if block is None else int(block)


FACTS = {
    "speculative_algorithm_requested": requested,
    "speculative_algorithm": algorithm,
    "assistant_draft": assistant_draft,
    "speculative_draft_model_path": draft_path,
    "bundles_dspark_draft": bundles_dspark_draft,
    "dspark_gamma": dspark_gamma,
    "speculative_adaptive": adaptive,
    "speculative_adaptive_steps": adaptive_steps,
    "speculative_num_steps": num_steps,
    "speculative_eagle_topk": eagle_topk,
    "speculative_num_draft_tokens": num_draft_tokens,
    "max_running_requests": max_running_requests,
}
