"""Models on disk: a ``config.json`` by path, or in the local Hugging Face cache."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ..records import replace
from .config import ModelError, facts_from_config
from .facts import ModelFacts

QUANTIZATION = "hf_quant_config.json"
"""File beside ``config.json`` in which ModelOpt states how a checkpoint is quantized."""

LARGEST_CONFIG = 8 * 1024 * 1024
"""Bytes; a ``config.json`` beyond this is not one."""


def load(path: str | Path) -> ModelFacts:
    """Facts of the configuration at ``path``, a ``config.json`` or a folder with one.

    Raises :class:`ModelError`, whose message names the file and what is wrong with it.
    """
    file = Path(path)
    if file.is_dir():
        file = file / "config.json"
    try:
        if file.stat().st_size > LARGEST_CONFIG:
            raise ModelError(f"{file}: too large for a model configuration")
        config = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{file}: cannot be read ({(error.strerror or 'unreadable').lower()})") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{file}: not a JSON file") from error
    try:
        return _facts(config, file, file.parent.name if file.name == "config.json" else file.stem)
    except ModelError as error:
        raise ModelError(f"{file}: {error}") from error


def cached(name: str, home: Path | None = None) -> ModelFacts | None:
    """The newest snapshot of model ``name`` in the local Hugging Face cache, or None. Nothing is fetched."""
    folder = snapshots(name, home)
    if folder is None:
        return None
    try:
        found = sorted(folder.glob("*/config.json"), key=lambda file: file.stat().st_mtime)
    except OSError:
        return None
    if not found:
        return None
    try:
        return _facts(json.loads(found[-1].read_text(encoding="utf-8")), found[-1], name)
    except (OSError, ValueError, RecursionError):
        return None


def _facts(config: Any, file: Path, name: str) -> ModelFacts:
    if file.name != "config.json":
        return facts_from_config(config, name)
    facts = facts_from_config(with_quantization(config, _stated(file.parent / QUANTIZATION)), name)
    return replace(facts, folder=str(file.parent))


def _stated(file: Path) -> str | None:
    """Text of a file that may not be there, nor be readable."""
    try:
        small = file.is_file() and file.stat().st_size <= LARGEST_CONFIG
        return file.read_text(encoding="utf-8", errors="replace") if small else None
    except OSError:
        return None


def with_quantization(config: Any, stated: str | None) -> Any:
    """``config`` with what ModelOpt states in a file of its own, which SGLang reads where ``config`` is silent.

    ``stated`` is the text of :data:`QUANTIZATION`, None without one. Source: ``ModelConfig._parse_quant_hf_config``.
    """
    if stated is None or not isinstance(config, dict):
        return config
    text = config.get("text_config")
    parts = (config, text) if isinstance(text, dict) else (config,)
    if any(key in part for part in parts for key in ("quantization_config", "compression_config")):
        return config
    try:
        quantization = json.loads(stated)["quantization"]
        return {**config, "quantization_config": {"quant_method": "modelopt", **quantization}}
    except (ValueError, KeyError, TypeError, RecursionError):
        return config


def snapshots(name: str, home: Path | None = None) -> Path | None:
    """The folder, there or not, in which the local Hugging Face cache keeps model ``name``; None for a path."""
    if name.count("/") != 1 or name.startswith(("/", ".")):
        return None
    root = home or Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    return root / "hub" / f"models--{name.replace('/', '--')}" / "snapshots"
