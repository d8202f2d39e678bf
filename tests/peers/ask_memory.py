"""Run by the Python of a scratch environment that has the peers: questions as JSON on standard input, answers out.

Neither peer is changed. Both ask a model hub; what it would answer is given to them here: the configuration, the
tensors of the checkpoint with their types, and their number. Nothing of SGLint is imported.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import warnings
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

NO_LIMIT = 16_777_216


def vramscout(question: dict[str, Any]) -> dict[str, Any]:
    """Weights of a rank, GiB, and the longest context by memory under the budget of the engine it knows best."""
    from vramscout import modern_v06, modern_v07

    config = json.loads(json.dumps(question["config"]))
    for part in (config, config.get("text_config") or {}):
        # Its search for the longest context ends at the model's; the records are about memory.
        for key in ("max_position_embeddings", "max_sequence_length", "model_max_length", "seq_length", "max_seq_len"):
            part.pop(key, None)
    modern_v06._selected_hub_metadata = lambda *_: (question["parameters"], question["checkpoint_bytes"])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(config))
        found = modern_v07.plan_modern(
            folder,
            tp=question["tp"],
            kv_dtype="fp8" if question["kv_bytes"] == 1 else "bf16",
            vram_gib=question.get("total_gib") or 80.0,
            engine="vllm",
            gpu_memory_utilization=question.get("fraction") or 0.9,
        )
    tokens = found.max_context_vram
    return {
        "weights_gib": found.parts_gib["Model weights / rank"],
        "tokens": tokens if 0 < tokens < NO_LIMIT else None,
        "family": found.profile.family,
    }


def hf_mem(question: dict[str, Any]) -> dict[str, Any]:
    """Bytes of the checkpoint and of the cache for the record's tokens; it knows neither GPUs nor fractions."""
    # The package hides its module of this name behind a function.
    run = import_module("hf_mem.run")
    at, header = 0, {}
    for name, dtype, count, size in question["tensors"]:
        header[name] = {"dtype": dtype, "shape": [count], "data_offsets": [at, at + size]}
        at += size

    async def fetched(client: Any, url: str, headers: Any = None) -> Any:
        if "/tree/" in url:
            return [{"type": "file", "path": path} for path in ("model.safetensors", "config.json")]
        return header if url.endswith(".safetensors") else question["config"]

    vars(run).update(get_json_file=fetched, fetch_safetensors_metadata=fetched)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = asyncio.run(
            run.arun(
                "local/model",
                experimental=bool(question.get("tokens")),
                max_model_len=question.get("tokens"),
                kv_cache_dtype="fp8_e4m3" if question["kv_bytes"] == 1 else "bfloat16",
            )
        )
    return {"weights_bytes": found.memory, "cache_bytes": found.kv_cache}


def main() -> None:
    answers: list[dict[str, Any]] = []
    for question in json.load(sys.stdin):
        answer: dict[str, Any] = {"id": question["id"]}
        for name, ask in (("vramscout", vramscout), ("hf-mem", hf_mem)):
            try:
                answer[name] = ask(question)
            except Exception as error:
                answer[name] = {"refused": f"{type(error).__name__}: {error}"[:200]}
        answers.append(answer)
    versions = {name: version(name) for name in ("vramscout", "hf-mem")}
    json.dump({"versions": versions, "answers": answers}, sys.stdout)


if __name__ == "__main__":
    main()
