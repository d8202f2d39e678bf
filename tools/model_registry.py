"""Rebuild the registry of known models (``rules/models/registry``) from folders of published configurations.

    python tools/model_registry.py CONFIGS SHAPES [ORIGINALS]

``CONFIGS`` holds ``ORG--NAME.json`` files; ``SHAPES`` holds folders with a ``config.json``, named by a short alias.
``ORIGINALS`` holds files as published, ``ORG--NAME_config.json`` and ``ORG--NAME_hf_quant_config.json``, for what
``CONFIGS`` leaves out: image towers and the modules that are not quantized. Only fields that say something about
architecture are kept. ``ALIASES`` below adds ids that share a configuration.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parents[1] / "rules" / "models" / "registry"

DROPPED = {
    "auto_map",
    "transformers_version",
    "bos_token_id",
    "eos_token_id",
    "pad_token_id",
    "initializer_range",
    "use_cache",
    "attention_dropout",
    "hidden_act",
    "output_router_logits",
    "router_aux_loss_coef",
    "generation_config",
    "id2label",
    "label2id",
    "producer",
    "hf_quant",
}
LISTS = ("ignore", "modules_to_not_convert", "exclude_modules")
# Norms and biases are too small to count; the image tower is never quantized.
TOO_SMALL = re.compile(r"norm|bias|correction|visual|vision|projector|embed|\.gate$|merge|conv1d|router|mtp")
LAYER = re.compile(r"((?:^|\.)layers\.)(\d+)")

# Short names of shape files to published ids with the same architecture fields. Fine-tunes and instruction editions
# share the configuration of their base model.
ALIASES = {
    "qwen3-next-80b-a3b": ("Qwen/Qwen3-Next-80B-A3B-Instruct", "Qwen/Qwen3-Next-80B-A3B-Thinking"),
    "kimi-linear-48b-a3b": ("moonshotai/Kimi-Linear-48B-A3B-Instruct",),
    "falcon-h1-34b": ("tiiuae/Falcon-H1-34B-Instruct",),
    "gemma-3-27b": ("google/gemma-3-27b-it",),
    "step-3.5-flash": ("stepfun-ai/Step-3.5-Flash",),
    "llama-3.1-8b": (
        "meta-llama/Llama-3.1-8B",
        "meta-llama/Llama-3.1-8B-Instruct",
        "meta-llama/Meta-Llama-3.1-8B-Instruct",
    ),
    "llama-3.1-70b": (
        "meta-llama/Llama-3.1-70B",
        "meta-llama/Llama-3.1-70B-Instruct",
        "meta-llama/Meta-Llama-3.1-70B-Instruct",
        "meta-llama/Llama-3.3-70B-Instruct",
    ),
    "deepseek-v3": ("deepseek-ai/DeepSeek-V3-0324", "deepseek-ai/DeepSeek-R1-0528"),
    "nemotron-3-nano-30b-a3b": (),
    "nemotron-3-super-120b": (),
    "gemma-4-26b-a4b": ("google/gemma-4-26b-a4b-it",),
    "llama-4-scout": ("meta-llama/Llama-4-Scout-17B-16E",),
}
# Editions that differ only in the named field, which is taken out.
WITHOUT = {"google/gemma-4-31b-it": ("gemma-4-31b", "quantization_config")}
# Shapes written from memory of published files; said with every answer that uses them.
UNCONFIRMED = {"kimi-linear-48b-a3b", "falcon-h1-34b", "gemma-3-27b", "olmo3-32b", "step-3.5-flash"}
MADE_UP = ("draft-", "inkling-synthetic")


def trimmed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: trimmed(item) for key, item in value.items() if key not in DROPPED}
    return value


def condensed(names: list[str], layers: int) -> dict[str, str]:
    """Module names with the layers of each in brackets (``*``: all of them), to the name they came from first."""
    found: dict[str, set[int]] = {}
    first: dict[str, str] = {}
    for name in names:
        match = LAYER.search(name)
        key = LAYER.sub(r"\1{}", name, count=1)
        key = re.sub(r"\.experts\.\d+\..*", ".experts", key)
        first.setdefault(key, name)
        found.setdefault(key, set()).update({int(match[2])} if match else ())
    result = {}
    for key, listed in found.items():
        inside = {layer for layer in listed if layer < layers}
        which = "*" if len(inside) == layers else "[" + ",".join(map(str, sorted(inside))) + "]"
        if "{}" not in key or inside:
            result[key.replace("{}", which)] = first[key]
    return result


def quantization(config: dict[str, Any], layers: int) -> dict[str, Any]:
    kept = {key: value for key, value in config.items() if key not in ("producer", *LISTS, "quantized_layers")}
    groups = kept.pop("config_groups", None)
    if isinstance(groups, dict) and not config.get("quantized_layers"):
        kept["config_groups"] = {
            name: {key: group[key] for key in ("format", "weights") if key in group} for name, group in groups.items()
        }
    for key in LISTS:
        names = [name for name in config.get(key) or () if not TOO_SMALL.search(name)]
        if names:
            kept[key] = sorted(condensed(names, layers))
    mixed = config.get("quantized_layers")
    if mixed:
        names = [name for name in mixed if not TOO_SMALL.search(name)]
        kept["quantized_layers"] = {
            name: {"quant_algo": mixed[source]["quant_algo"]} for name, source in condensed(names, layers).items()
        }
    return kept


def completed(config: dict[str, Any], name: str, originals: Path | None) -> dict[str, Any]:
    """The configuration with its image tower and the lists of its quantization, from the published files."""
    published, beside = config, None
    if originals is not None:
        file, beside = originals / f"{name}_config.json", originals / f"{name}_hf_quant_config.json"
        published = json.loads(file.read_text(encoding="utf-8")) if file.exists() else config
    text = config.get("text_config") or config
    layers = len(text.get("hybrid_override_pattern") or text.get("layers_block_type") or ())
    layers = layers or int(text["num_hidden_layers"])
    if isinstance(published.get("vision_config"), dict):
        config["vision_config"] = published["vision_config"]
    for owner, source in ((config, published), (text, published.get("text_config") or {})):
        if isinstance(source.get("quantization_config"), dict):
            owner["quantization_config"] = quantization(source["quantization_config"], layers)
    if beside is not None and beside.exists() and not any("quantization_config" in owner for owner in (config, text)):
        stated = json.loads(beside.read_text(encoding="utf-8"))
        stated = {"quant_method": "modelopt", **stated.get("quantization", stated)}
        config["quantization_config"] = quantization(stated, layers)
    return config


def write(slug: str, config: dict[str, Any]) -> None:
    text = json.dumps(trimmed(config), separators=(",", ":"), sort_keys=True)
    (TARGET / f"{slug}.json").write_text(text + "\n", encoding="utf-8")


def main(configs: Path, shapes: Path, originals: Path | None = None) -> None:
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    index: dict[str, list[str]] = {}
    for file in sorted(configs.glob("*.json")):
        slug = file.stem.lower()
        write(slug, completed(json.loads(file.read_text(encoding="utf-8")), file.stem, originals))
        index[file.stem.replace("--", "/", 1)] = [slug]
    for folder in sorted(path for path in shapes.iterdir() if path.is_dir()):
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        write(folder.name, completed(config, folder.name, None))
        note = "made-up" if folder.name.startswith(MADE_UP) else ""
        note = "unconfirmed" if folder.name in UNCONFIRMED else note
        entry = [folder.name, note] if note else [folder.name]
        for name in (folder.name, *ALIASES.get(folder.name, ())):
            index.setdefault(name, entry)
    for name, (source, field) in WITHOUT.items():
        config = json.loads((shapes / source / "config.json").read_text(encoding="utf-8"))
        config.pop(field)
        slug = name.lower().replace("/", "--")
        write(slug, config)
        index[name] = [slug]
    text = json.dumps(dict(sorted(index.items(), key=lambda item: item[0].lower())), indent=0)
    (TARGET / "index.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
