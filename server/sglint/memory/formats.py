"""Bytes per parameter of each matrix of a checkpoint: its quantization, less the modules that are left out of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from ..models.facts import ModelFacts
from ..patterns import lazy
from ..records import dataclass, field
from .inputs import NotModelled
from .parameters import Part

Size = tuple[float, float, float]
"""Bytes per parameter: (likely, least, most)."""

PLAIN: Size = (2.0, 2.0, 2.0)

# Bytes per parameter, scales included: an 8-bit block of 128 x 128 has one 32-bit scale; 4-bit blocks of 16 with an
# 8-bit scale come to 0.5625, of 32 to 0.53125, groups of 128 with 16-bit scales (and 4-bit zeros) to 0.516 (0.520).
_METHODS: dict[str, Size] = {
    "fp8": (1.00025, 1.0, 1.002),
    "fp8_tensor": (1.0, 1.0, 1.002),
    "w8a8_fp8": (1.001, 1.0, 1.003),
    "w8a8_int8": (1.001, 1.0, 1.003),
    "blockwise_int8": (1.00025, 1.0, 1.002),
    "mxfp8": (1.03125, 1.03125, 1.033),
    "mxfp4": (0.53125, 0.53125, 0.53125),
    "nvfp4": (0.5625, 0.5625, 0.5630),
    "int4": (0.52, 0.516, 0.532),
    "int4_32": (0.5625, 0.5625, 0.58),
    "nf4": (0.5275, 0.5156, 0.5625),
}
MXFP4 = _METHODS["mxfp4"]
_NAMES = {
    "modelopt": "fp8_tensor",
    "modelopt_fp8": "fp8_tensor",
    "fbgemm_fp8": "w8a8_fp8",
    "modelopt_fp4": "nvfp4",
    "petit_nvfp4": "nvfp4",
    "awq": "int4",
    "awq_marlin": "int4",
    "gptq": "int4",
    "gptq_marlin": "int4",
    "moe_wna16": "int4",
    "auto-round": "int4",
    "auto-round-int8": "w8a8_int8",
    "bitsandbytes": "nf4",
    **{name: name for name in ("fp8", "w8a8_fp8", "w8a8_int8", "blockwise_int8", "mxfp8", "mxfp4")},
}
# Algorithms that ModelOpt names per layer.
_ALGORITHMS = {
    "FP8": "fp8_tensor",
    "FP8_PB_WO": "fp8",
    "FP8_PER_CHANNEL_PER_TOKEN": "w8a8_fp8",
    "MXFP8": "mxfp8",
    "MXFP4": "mxfp4",
    "NVFP4": "nvfp4",
    "NVFP4_AWQ": "nvfp4",
    "W4A16_NVFP4": "nvfp4",
    "W4A8_NVFP4_FP8": "nvfp4",
    "W4A16_AWQ": "int4",
    "W4A8_AWQ": "int4",
}
_ONLY_EXPERTS = ("mxfp4", "w4afp8")
_LAYER = lazy(r"(?:^|\.)layers\.(\d+|\*|\[[\d,]+\])")
_LISTS = ("ignore", "modules_to_not_convert", "exclude_modules", "ignored_layers")
# Names other model families give to the modules that `Part.module` names.
_ALIASES = (
    (lazy(r"\b(?:attention|attn)\b"), "self_attn"),
    (lazy(r"\b(?:ffn|block_sparse_moe|feed_forward|moe)\b"), "mlp"),
    (lazy(r"\bmixer\.(?=[qkvo]_proj)"), "self_attn."),
    (lazy(r"\bmixer\.(?=in_proj|out_proj|conv)"), "linear_attn."),
    (lazy(r"\bmixer\."), "mlp."),
    (lazy(r"\bshared_expert\b|\bshare_expert\b"), "shared_experts"),
    (lazy(r"^head$|\blanguage_model\.lm_head$"), "lm_head"),
)
_MOST_ALTERNATIVES = 64


@dataclass(frozen=True)
class _Rule:
    """Modules whose path starts with ``module``, in ``layers`` (None: in all)."""

    module: str
    layers: frozenset[int] | None
    size: Size | None = None


@dataclass(frozen=True)
class Formats:
    """Sizes by kind of part. ``rules`` come first; ``experts`` and ``linear`` are for the rest."""

    linear: Size = PLAIN
    experts: Size = PLAIN
    rules: tuple[_Rule, ...] = ()
    padded: bool = False
    plain: Size = field(default=PLAIN)

    def sizer(self) -> Callable[[Part], Size]:
        """:meth:`size`, remembering what it said: layers of a model have the same few matrices."""
        by_layer = any(rule.layers is not None for rule in self.rules)
        known: dict[tuple[str, str, int | None], Size] = {}

        def size(part: Part) -> Size:
            key = (part.kind, part.module, part.layer if by_layer else None)
            found = known.get(key)
            if found is None:
                found = known[key] = self.size(part)
            return found

        return size

    def size(self, part: Part) -> Size:
        """Bytes per parameter of ``part``, padding aside."""
        if part.kind == "float":
            return (4.0, 4.0, 4.0)
        if part.kind == "vision":
            return (2.0, 1.9, 2.2)
        if part.kind == "absorbed":
            # 8-bit where the kernel multiplies 8-bit rows, else 16-bit.
            return (2.0, min(1.0, self.linear[1]), 2.0)
        if part.kind in ("embedding", "plain"):
            return self.plain
        for rule in self.rules:
            if _applies(rule, part):
                return rule.size or self.plain
        if part.kind == "head":
            return self.plain
        return self.experts if part.kind == "experts" else self.linear


def formats_of(model: ModelFacts, asked: str | None, element: int) -> Formats:
    """Formats of ``model``'s matrices; ``asked`` is ``--quantization``, ``element`` the bytes of an activation.

    Raises :class:`NotModelled` where the bytes of a format are not known.
    """
    plain: Size = PLAIN if element == 2 else (float(element),) * 3
    config = _quantization_config(model)
    method = model.quantization or asked
    if method is None or method in ("auto", "none"):
        return Formats(plain, plain, plain=plain)
    if config is not None and config.get("quantized_layers"):
        return _mixed(model, config, plain)
    rules = tuple(_excluded(config)) if config else ()
    if method == "compressed-tensors":
        size = _compressed(config or {})
        return Formats(size, size, rules, plain=plain)
    if method == "w4afp8":
        return Formats(_METHODS["fp8"], (0.5235, 0.516, 0.532), rules, plain=plain)
    if method not in _NAMES:
        raise NotModelled(f"the bytes per parameter of {method} weights")
    size = _METHODS[_method_name(_NAMES[method], config)]
    if method in _ONLY_EXPERTS:
        return Formats(plain, size, rules, padded=True, plain=plain)
    experts = _experts(model, config, size)
    if _NAMES[method] == "nvfp4" and not rules:
        # ModelOpt leaves most of attention in 16 bits, and without its list nobody knows which.
        size = (2.0, size[1], 2.0)
    return Formats(size, experts, rules, plain=plain)


def _method_name(name: str, config: Mapping[str, Any] | None) -> str:
    """The row for a method: 8-bit checkpoints without blocks have one scale a matrix, 4-bit groups differ in size."""
    if name == "fp8" and config is not None and not config.get("weight_block_size"):
        return "fp8_tensor"
    if name == "int4" and config is not None:
        if config.get("bits") == 8:
            return "w8a8_int8"
        if config.get("group_size") == 32:
            return "int4_32"
    return name


def _experts(model: ModelFacts, config: Mapping[str, Any] | None, size: Size) -> Size:
    """DeepSeek-V4 keeps its experts in four bits in an 8-bit checkpoint."""
    if config is not None and str(config.get("moe_quant_algo") or "").upper() == "NVFP4":
        return _METHODS["nvfp4"]
    return _METHODS["mxfp4"] if model.text.get("expert_dtype") == "fp4" else size


def _mixed(model: ModelFacts, config: Mapping[str, Any], plain: Size) -> Formats:
    """ModelOpt's mixed precision: every quantized module is listed with its algorithm."""
    rules: dict[tuple[str, Size], set[int] | None] = {}
    for name, entry in config["quantized_layers"].items():
        algorithm = str((entry.get("quant_algo") if isinstance(entry, Mapping) else entry) or "").upper()
        if algorithm not in _ALGORITHMS:
            raise NotModelled(f"the bytes per parameter of {algorithm or 'unnamed'} layers")
        module, layers = _module_of(str(name))
        key = (re.sub(r"\.experts\..*", ".experts", module), _METHODS[_ALGORITHMS[algorithm]])
        known = rules.get(key, set())
        rules[key] = None if layers is None or known is None else known | layers
    found = tuple(
        _Rule(module, None if layers is None else frozenset(layers), size) for (module, size), layers in rules.items()
    )
    rest = _METHODS["fp8"] if config.get("weight_block_size") and model.quantization == "fp8" else plain
    return Formats(rest, rest, found, plain=plain)


def _compressed(config: Mapping[str, Any]) -> Size:
    """Bytes of the first group of a compressed-tensors configuration, by the bits and group of its weights."""
    groups = config.get("config_groups")
    first: Any = next(iter(groups.values()), None) if isinstance(groups, Mapping) else None
    weights: Any = first.get("weights") if isinstance(first, Mapping) else None
    form = str(config.get("format") or "")
    if not isinstance(weights, Mapping):
        if "mxfp4" in form:
            return _METHODS["mxfp4"]
        return (0.5625, 0.53, 1.002)
    bits, group = weights.get("num_bits"), weights.get("group_size")
    if bits == 8:
        return (1.001, 1.0, 1.004) if group is None else (1.0 + 1 / 32, 1.0, 1.0 + 1 / 16)
    if bits == 4 and isinstance(group, int) and group > 0:
        scale = 1 / group if "mxfp4" in form or "nvfp4" in form or weights.get("type") == "float" else 2 / group
        zeros = 0.0 if weights.get("symmetric", True) else 0.5 / group
        return (0.5 + scale + zeros, 0.5 + scale, 0.5 + scale + zeros + 0.1 / group)
    raise NotModelled("the bytes per parameter of these compressed-tensors weights")


def _quantization_config(model: ModelFacts) -> Mapping[str, Any] | None:
    for source in (model.config, model.text):
        for key in ("quantization_config", "compression_config"):
            found = source.get(key)
            if isinstance(found, Mapping):
                return found
    return None


def _excluded(config: Mapping[str, Any]) -> Iterable[_Rule]:
    gathered: dict[str, set[int] | None] = {}
    for key in _LISTS:
        listed = config.get(key)
        for pattern in listed if isinstance(listed, list) else ():
            for name in _alternatives(str(pattern)):
                module, named = _module_of(name)
                known = gathered.get(module, set())
                gathered[module] = None if named is None or known is None else known | named
    for module, layers in gathered.items():
        yield _Rule(module, None if layers is None else frozenset(layers))


def _alternatives(pattern: str) -> list[str]:
    """Plain names that a pattern stands for. Patterns are never run: a hostile one could take forever."""
    if not pattern.startswith("re:"):
        return [pattern]
    # A dot that is meant is kept apart from one that stands for anything.
    text = pattern[3:].strip("^$").replace("\\.", "\0").replace("\\d+", "*").replace(".*", "*")
    text = text.replace("\\", "").replace("\0", ".")
    found = [text]
    while any("(" in name for name in found) and len(found) <= _MOST_ALTERNATIVES:
        grown = []
        for name in found:
            before, opened, rest = name.partition("(")
            inside, closed, after = rest.partition(")")
            if not opened or not closed:
                grown.append(name.replace("(", ""))
                continue
            grown.extend(f"{before}{choice}{after}" for choice in inside.removeprefix("?:").split("|"))
        found = grown
    return found[:_MOST_ALTERNATIVES]


@lru_cache(maxsize=4096)
def _module_of(name: str) -> tuple[str, frozenset[int] | None]:
    """Path below the layer, with the wildcard at its end dropped, and the layers named; None for all of them."""
    layers: frozenset[int] | None = None
    match = _LAYER.search(name)
    if match:
        which = match[1]
        if which != "*":
            layers = frozenset(int(word) for word in which.strip("[]").split(",") if word)
        # ``layers.61*`` is a whole layer, and so is ``layers.61.*``.
        name = name[match.end() :].lstrip(".")
    name = name.strip("*.")
    name = re.sub(r"^(?:model|language_model|backbone|transformer|\*)\.", "", name).lstrip("*.")
    for alias, plain in _ALIASES:
        name = alias.sub(plain, name)
    return name, layers


def _applies(rule: _Rule, part: Part) -> bool:
    if rule.layers is not None and (part.layer is None or part.layer not in rule.layers):
        return False
    if not rule.module:
        return rule.layers is not None
    module = part.module
    if module.startswith(rule.module):
        rest = module[len(rule.module) :]
        if not rest or rest[0] == ".":
            return True
    return module in _GROUPED and rule.module in _GROUPED[module]


# Parts that stand for several matrices of a checkpoint: named by any of them.
_GROUPED = {
    "mlp.gate_up_down_proj": ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", "mlp.gate_up_proj"),
    "mlp.shared_experts": tuple(f"mlp.shared_experts.{name}_proj" for name in ("gate", "up", "down", "gate_up")),
    "self_attn.qkvo_proj": ("self_attn.q_proj", "self_attn.o_proj"),
    "self_attn.qo_proj": ("self_attn.q_proj", "self_attn.o_proj"),
    "self_attn.kv_proj": ("self_attn.k_proj", "self_attn.v_proj"),
    "self_attn.index_qkv_proj": ("self_attn.index_q_proj", "self_attn.index_k_proj"),
    "linear_attn.in_proj_qkv_z": ("linear_attn.in_proj_qkv", "linear_attn.in_proj_qkvz", "linear_attn.in_proj_z"),
    "mlp.experts": ("mlp.experts.up_proj", "mlp.experts.gate_up_proj", "mlp.experts.down_proj"),
}
