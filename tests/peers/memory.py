"""Our estimates beside those of ``vramscout`` and ``hf-mem`` on the records of the start-up logs.

``python -m tests.peers.memory PYTHON`` asks the peers in the environment of PYTHON, keeps their answers in
``memory.json`` and writes the table into ``docs/sizing.md``; without PYTHON it prints the kept one.
"""

from __future__ import annotations

import datetime
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from sglint.memory import plan
from sglint.memory.estimate import weights_of
from sglint.memory.formats import formats_of
from sglint.memory.parameters import Split, expert_count, parts
from tests.conformance.budgets.checks import p90, used
from tests.conformance.budgets.records import Record

HERE = Path(__file__).parent
KEPT = HERE / "memory.json"
PAGE = HERE.parents[1] / "docs" / "sizing.md"
BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
GIB = 1 << 30
PEERS = ("vramscout", "hf-mem")


def question(record: Record) -> dict[str, Any]:
    """What a hub and a user would tell the peers about a record."""
    facts, model = record.facts(), record.model
    formats = formats_of(model, None, 2)
    tensors: list[tuple[str, str, int, int]] = []
    for number, part in enumerate(part for part in parts(model, Split(1, 1)) if part.kind != "absorbed"):
        path = f"model.layers.{part.layer}" if part.layer is not None else "model"
        size = formats.size(part)[0]
        if part.kind == "experts":
            experts = expert_count(model.text)
            for expert in range(experts):
                tensors += _tensors(f"{path}.mlp.experts.{expert}.weight", part.parameters // experts, size)
        else:
            tensors += _tensors(f"{path}.{part.module or part.kind}.part{number}.weight", part.parameters, size)
    asked: dict[str, Any] = {
        "id": record.id,
        "config": dict(model.config),
        "tensors": tensors,
        "parameters": sum(part.parameters for part in parts(model, Split(1, 1)) if part.kind != "absorbed"),
        "checkpoint_bytes": sum(size for _, _, _, size in tensors),
        "tp": int(facts["args.tp_size"] or 1),
        "kv_bytes": 1 if "fp8" in str(facts["resolved.kv_cache_dtype"]) else 2,
    }
    if record.id in {item.id for check in ("end_to_end", "assumed") for item in used(check)}:
        found = plan(facts)
        total = next(term.value for term in found.budget.terms if term.name == "total")
        asked |= {"total_gib": total / GIB, "fraction": found.budget.fraction}
        asked["tokens"] = record.printed["max_total_num_tokens"]
    return asked


def _tensors(name: str, count: int, size: float) -> list[tuple[str, str, int, int]]:
    """A matrix as a checkpoint has it: packed, with scales, where it is quantized."""
    if size >= 4:
        return [(name, "F32", count, 4 * count)]
    if size >= 2:
        return [(name, "BF16", count, 2 * count)]
    if size >= 1:
        scales = round((size - 1) * count / 4)
        return [(name, "F8_E4M3", count, count), (f"{name}_scale", "F32", scales, 4 * scales)]
    scales = round((size - 0.5) * count)
    return [(name, "U8", count // 2, count // 2), (f"{name}_scale", "U8", scales, scales)]


def row(record: Record, asked: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """One record: what the log printed, and by whom what was estimated; None where nobody said."""
    facts, tp = record.facts(), asked["tp"]
    scout, mem = answer["vramscout"], answer["hf-mem"]
    shared = None if "weights_bytes" not in mem else mem["weights_bytes"] / GIB / tp
    result: dict[str, Any] = {
        "id": record.id,
        "model": record.printed["model"],
        "gpu": record.printed.get("gpu"),
        "tp": tp,
        "refused": {name: answer[name]["refused"] for name in PEERS if "refused" in answer[name]},
    }
    printed = record.printed.get("weights_gb_per_gpu")
    if printed is not None:
        ours = weights_of(facts).value / GIB
        result["weights"] = {"real": printed, "sglint": ours, "vramscout": scout.get("weights_gib"), "hf-mem": shared}
    if "tokens" in asked:
        budget = asked["total_gib"] * asked["fraction"]
        per_token = (mem.get("cache_bytes") or 0) / asked["tokens"] / tp
        left = (budget - (shared or 0)) * GIB
        result["tokens"] = {
            "real": asked["tokens"],
            "sglint": plan(facts).max_total_num_tokens,
            "vramscout": scout.get("tokens"),
            "hf-mem": int(left / per_token) if per_token and left > 0 and shared is not None else None,
        }
    return result


def measure(python: str) -> dict[str, Any]:
    every = {record.id: record for check in ("weights", "end_to_end", "assumed") for record in used(check)}
    questions = [question(record) for record in every.values()]
    command = [python, str(HERE / "ask_memory.py")]
    done = subprocess.run(command, input=json.dumps(questions), capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    answers = {answer["id"]: answer for answer in found["answers"]}
    rows = [row(every[asked["id"]], asked, answers[asked["id"]]) for asked in questions]
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return {"date": today, "versions": found["versions"], "rows": sorted(rows, key=lambda item: item["id"])}


def error(entry: dict[str, Any], name: str) -> float | None:
    value = entry.get(name)
    return None if value is None else value / entry["real"] - 1


def summary(rows: list[dict[str, Any]], what: str, name: str) -> tuple[int, int, float, float]:
    """(records answered, all, median error, 90th percentile)."""
    entries = [item[what] for item in rows if what in item]
    errors = [abs(found) for entry in entries if (found := error(entry, name)) is not None]
    median, ninety = (statistics.median(errors), p90(errors)) if errors else (math.nan, math.nan)
    return len(errors), len(entries), median, ninety


def table(kept: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in kept["versions"].items())
    lines = [f"Measured on {kept['date']} with {versions}.", ""]
    lines += ["| | estimator | records answered | median error | 90th percentile |", "| --- | --- | --- | --- | --- |"]
    for what, title in (("weights", "weights per GPU"), ("tokens", "tokens of the KV cache")):
        for name in ("sglint", *PEERS):
            count, of, median, ninety = summary(kept["rows"], what, name)
            lines.append(f"| {title} | {name} | {count} of {of} | {median:.1%} | {ninety:.1%} |")
    lines += ["", "| log | model | GPUs | | printed | SGLint | vramscout | hf-mem |", "| --- " * 8 + "|"]
    for item in kept["rows"]:
        for what, unit in (("weights", "GiB"), ("tokens", "tokens")):
            if what in item:
                lines.append(_line(item, what, unit))
    refused = {f"{name}: {reason}" for item in kept["rows"] for name, reason in item["refused"].items()}
    lines += ["", *(f"- {text}" for text in sorted(refused))] if refused else []
    return "\n".join(lines)


def _line(item: dict[str, Any], what: str, unit: str) -> str:
    entry = item[what]

    def shown(value: float | None) -> str:
        if value is None:
            return "–"
        return f"{value:,.2f}" if unit == "GiB" else f"{value:,}"

    cells = [shown(entry["real"])]
    for name in ("sglint", *PEERS):
        off = error(entry, name)
        cells.append("–" if off is None else f"{shown(entry[name])} ({off:+.1%})")
    gpus = f"{item['tp']} × {item['gpu'] or 'unnamed'}"
    return f"| {item['id']} | {item['model']} | {gpus} | {unit} | " + " | ".join(cells) + " |"


def main(arguments: list[str]) -> None:
    if not arguments:
        print(table(json.loads(KEPT.read_text(encoding="utf-8"))))
        return
    kept = measure(arguments[0])
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{table(kept)}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    print(table(kept))


if __name__ == "__main__":
    main(sys.argv[1:])
