"""Rebuild the registry of known models (``rules/models/registry``) from folders of published configurations.

    python tools/model_registry.py CONFIGS SHAPES

``CONFIGS`` holds ``ORG--NAME.json`` files; ``SHAPES`` holds folders with a ``config.json``, named by a short alias.
Only fields that say something about architecture are kept. ``ALIASES`` below adds ids that share a configuration.
"""

from __future__ import annotations

import json
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
    "ignore",
    "modules_to_not_convert",
    "exclude_modules",
    "config_groups",
    "quantized_layers",
}

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


def write(slug: str, config: dict[str, Any]) -> None:
    text = json.dumps(trimmed(config), separators=(",", ":"), sort_keys=True)
    (TARGET / f"{slug}.json").write_text(text + "\n", encoding="utf-8")


def main(configs: Path, shapes: Path) -> None:
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    index: dict[str, list[str]] = {}
    for file in sorted(configs.glob("*.json")):
        slug = file.stem.lower()
        write(slug, json.loads(file.read_text(encoding="utf-8")))
        index[file.stem.replace("--", "/", 1)] = [slug]
    for folder in sorted(path for path in shapes.iterdir() if path.is_dir()):
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        write(folder.name, config)
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
    main(Path(sys.argv[1]), Path(sys.argv[2]))
