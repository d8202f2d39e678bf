"""What start-up logs printed (``printed.jsonl``), and the command line each is read as (``readings.toml``)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from sglint import catalogue
from sglint.facts import Facts
from sglint.launch.argv import parse, words_of
from sglint.models import facts_from_config, hardware, registry
from sglint.models.facts import ModelFacts
from sglint.resolution import facts_of

HERE = Path(__file__).parent
LOG_FILE = HERE.parents[3] / "shared" / "logs" / "startup-logs.jsonl"
Check = str
"""``weights``, ``memory``, ``end_to_end``, or ``assumed``: end to end where a log does not show the flags."""


@dataclass(frozen=True)
class Record:
    """One log. ``printed`` is the log's own, GiB and tokens; ``reading`` is ours."""

    id: int
    printed: dict[str, Any]
    reading: dict[str, Any]

    @property
    def model(self) -> ModelFacts:
        name = self.reading["model"]
        file = HERE / "models" / f"{name}.json"
        found = facts_from_config(json.loads(file.read_text(encoding="utf-8")), name) if file.exists() else None
        found = found or registry.find(name)
        assert found is not None, name
        return found

    @property
    def title(self) -> str:
        count = self.printed.get("tp") or 1
        return f"{self.id:3d} {self.printed['model'][:38]:38s} tp {count:<2d} {self.printed.get('gpu') or '-':<16s}"

    def facts(self) -> Facts:
        words = ["--model-path", self.reading["model"], *self.reading.get("options", "").split()]
        parsed = parse(words_of(words), catalogue.load(self.reading["release"]))
        gpu = hardware.find(self.reading["gpu"]) if "gpu" in self.reading else hardware.find("h200")
        return facts_of(parsed, self.model, None, gpu, 8, {})

    def reason(self, check: Check) -> str | None:
        """Why the record does not count for ``check``; None where it does."""
        said = self.reading.get("left_out", {}).get(check)
        if said:
            return str(said)
        if check == "assumed":
            return None
        if check == "end_to_end":
            return self._no_end_to_end()
        return None if "model" in self.reading else "no reading"

    def _no_end_to_end(self) -> str | None:
        printed = self.printed
        if str(printed.get("mem_fraction_source", "")).startswith("inferred") and "note" not in self.reading:
            return "fraction inferred from the sizes"
        if printed["model_basis"] != "stated":
            return "model inferred from the sizes"
        if printed["flags_basis"] != "stated" or self.reading.get("assumed"):
            return "flags not stated"
        if "gpu" not in self.reading:
            return "the GPU is not named, or its memory is not known"
        return None


def records() -> list[Record]:
    """All records, in the order of the log file."""
    readings = tomli.loads((HERE / "readings.toml").read_text(encoding="utf-8"))
    lines = [json.loads(line) for line in (HERE / "printed.jsonl").read_text(encoding="utf-8").splitlines()]
    return [Record(line["id"], line, readings.get(str(line["id"]), {})) for line in lines]


def of_check(check: Check) -> list[Record]:
    """The records that have the numbers a check compares, used or not."""
    wanted = {
        "weights": ("weights_gb_per_gpu",),
        "memory": ("avail_mem_after_load_gb", "max_total_num_tokens"),
        "end_to_end": ("max_total_num_tokens",),
        "assumed": ("max_total_num_tokens",),
    }[check]
    found = [record for record in records() if all(record.printed.get(key) is not None for key in wanted)]
    return [record for record in found if check != "assumed" or record.reading.get("assumed")]
