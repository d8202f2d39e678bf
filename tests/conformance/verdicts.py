"""What releases said to command lines, beside what we say: the adapter, the comparison and its print-out.

    python -m tests.conformance.verdicts [--unified-speculation] [FILE ...]
    python -m tests.conformance.verdicts --keep FILE ... > kept.jsonl

A vector is a line ``{"version", "model_config", "gpu", "argv", "env", "verdict", "stage", "message_head", "where"}``:
an answer of released code, nothing of it written by hand. ``@NAME`` words and ``model_config`` are names of the
shipped registry here, or of a folder in ``tests/data/configs``.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sglint.lint.verdict import judged
from sglint.rules.judge import Judgement
from sglint.rules.model import Case
from sglint.rules.unstated import unstated

KEPT = Path(__file__).parent / "vectors"
SHARED = Path(__file__).parents[2].parent / "shared" / "oracle" / "conformance.jsonl"
CONFIGS = Path(__file__).parents[1] / "data" / "configs"
STAGES = {"parse": "parse", "resolve": "arguments", "pool-init": "pool-init"}
MACHINE_HEADS = (
    "Loaded weights leave no",
    "Not enough",
    "[unified-memory-pool]",
    "SWA pool (",
    "Kimi-K3 on Blackwell with moe_runner_backend",
    "Kimi-K3 DCP with decode_attention_backend",
    "libnccl.so.2: cannot open",
    "--enable-http2 requires the 'granian'",
)
"""Refusals that depend on the oracle's machine (its guess of free memory, kernels and packages that an image may
carry); they are no verdicts on the command line."""
HEAD_LENGTH = 60
"""An upstream message is kept by its first characters only."""
_NEEDED_FIELDS = ("version", "model_config", "gpu", "argv", "verdict", "stage", "message_head", "where")
_KEPT_FIELDS = (*_NEEDED_FIELDS, "env", "num_gpus", "attention_backends")


def read(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def case_of(vector: dict[str, Any]) -> dict[str, Any]:
    """A vector as input of ``verdict``. Eight GPUs are what the oracle shows unless told otherwise."""
    words = [word.replace("@", "", 1) if word.startswith("@") else word.replace("=@", "=") for word in vector["argv"]]
    if not any(word.split("=")[0] in ("--model-path", "--model") for word in words):
        words = ["--model-path", vector["model_config"], *words]
    case = {
        "release": vector["version"],
        "gpu": vector["gpu"],
        "gpus": vector.get("num_gpus", 8),
        "argv": words,
        "env": vector.get("env") or {},
    }
    if (CONFIGS / vector["model_config"]).is_dir():
        case["model_config"] = str(CONFIGS / vector["model_config"])
    drafts = [word.rpartition("@")[2] for word in vector["argv"] if "@" in word]
    if drafts and (CONFIGS / drafts[-1]).is_dir():
        case["draft_model_config"] = str(CONFIGS / drafts[-1])
    return case


def kept() -> list[Path]:
    """The files of vectors that the suite runs on."""
    return sorted(KEPT.glob("verdicts*.jsonl"))


def depends_on_the_machine(vector: dict[str, Any]) -> bool:
    if "pynccl" in (vector["where"] or ""):
        return True
    return (vector["message_head"] or "").startswith(MACHINE_HEADS)


def speculates_on_unified_memory(vector: dict[str, Any]) -> bool:
    words = vector["argv"]
    return "--enable-unified-memory" in words and any(word.startswith("--speculative") for word in words)


@dataclass
class Agreement:
    """``decided`` counts verdicts other than unknown, ``checks`` refusals by the very check the release named.

    ``open`` counts refusals by another check, of launches with an option whose checks no rule states.
    """

    seen: int = 0
    excluded: int = 0
    decided: int = 0
    refused: int = 0
    checks: int = 0
    open: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)
    undecided: Counter[str] = field(default_factory=Counter)
    by_check: Counter[tuple[str, str, str]] = field(default_factory=Counter)


def compare(vectors: Iterable[dict[str, Any]], *, advice: bool = True) -> Agreement:
    """Without ``advice`` as the command does it; with it warnings are tried for crashes too."""
    result = Agreement()
    begun = time.process_time()
    for vector in vectors:
        if depends_on_the_machine(vector):
            result.excluded += 1
            continue
        result.seen += 1
        parsed, _, judgement = judged(case_of(vector), advice=advice)
        _count(result, vector, judgement, unstated(parsed))
    result.seconds = time.process_time() - begun
    return result


def decided(vectors: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Vectors of which we say whether the release accepts them."""
    for vector in vectors:
        if not depends_on_the_machine(vector) and judged(case_of(vector))[2].verdict.status != "unknown":
            yield vector


def agrees(vector: dict[str, Any], judgement: Judgement) -> bool:
    """Whether a judgement is decided and says what the release said."""
    result = Agreement()
    _count(result, vector, judgement)
    return result.decided == 1 and not result.wrong


def _count(result: Agreement, vector: dict[str, Any], judgement: Judgement, unstated: tuple[str, ...] = ()) -> None:
    verdict = judgement.verdict
    for crash in judgement.crashes:
        result.wrong.append(f"{crash.firing.rule.code} crashed ({crash.error}): {_shown(vector)}")
    if verdict.status == "unknown":
        result.undecided["; ".join(verdict.needs)] += 1
        return
    result.decided += 1
    expected = "accepted" if vector["verdict"] == "accept" else "refused"
    if verdict.status != expected:
        result.wrong.append(f"{verdict.status} ({verdict.code}), the release {expected}: {_shown(vector)}")
        return
    if expected == "accepted":
        return
    result.refused += 1
    mismatch = _mismatch(vector, judgement)
    if mismatch and unstated:
        # What no rule states may have struck before the refusal that is certain.
        result.open += 1
        return
    if mismatch:
        result.wrong.append(f"{mismatch}: {_shown(vector)}")
        return
    result.checks += 1
    code = verdict.code or "parse"
    result.by_check[(code, verdict.check or code, vector["version"])] += 1


def _mismatch(vector: dict[str, Any], judgement: Judgement) -> str | None:
    """What differs between the refusal we name and the one that happened, by file, function and message."""
    verdict = judgement.verdict
    if "parse" in (verdict.stage, STAGES[vector["stage"]]):
        return None if verdict.stage == STAGES[vector["stage"]] else f"refused at {verdict.stage} ({verdict.code})"
    first = next(hit for hit in judgement.certain if hit.refuses)
    before = [hit for hit in judgement.undecided if hit.refuses and hit.position < first.position]
    # A check that cannot be decided may be the one that struck.
    differences = [_difference(vector, hit.rule.code, hit.firing.case) for hit in (first, *before)]
    return None if None in differences else differences[0]


def _difference(vector: dict[str, Any], code: str, case: Case) -> str | None:
    if case.stage != STAGES[vector["stage"]]:
        return f"refused at {case.stage} ({code}), not at {STAGES[vector['stage']]}"
    path, _, function = vector["where"].partition(":")
    function = function.split(" ")[-1].lstrip("_")
    named = {tuple(place.split(":")) for place in case.evidence}
    if not any(place[0] == path.removeprefix("sglang/") and _function(place[1]) == function for place in named):
        return f"{code} names {', '.join(case.evidence)}"
    if case.head and not (vector["message_head"] or "").startswith(case.head):
        return f"{code} says {case.head!r}"
    return None


def _function(symbol: str) -> str:
    return symbol.split(".")[-1].lstrip("_")


def _shown(vector: dict[str, Any]) -> str:
    where = (vector["where"] or "").split("/")[-1]
    said = (vector["message_head"] or "")[:HEAD_LENGTH]
    return f"{vector['version']} {vector['gpu']} {vector['model_config']} {' '.join(vector['argv'])} [{where} {said}]"


def keep(vectors: Iterable[dict[str, Any]], each: int = 2) -> Iterator[dict[str, Any]]:
    """A subset that still meets every refusal of every release, and accepted launches of every model."""
    met: Counter[tuple[Any, ...]] = Counter()
    for vector in vectors:
        if depends_on_the_machine(vector):
            continue
        function = (vector["where"] or "").split(" ")[-1]
        said = (vector["message_head"] or "")[:50]
        model = vector["model_config"] if vector["verdict"] == "accept" else None
        key = (vector["version"], vector["stage"], function, said, model)
        met[key] += 1
        if met[key] <= each:
            kept = {name: vector.get(name) for name in _KEPT_FIELDS if vector.get(name) or name in _NEEDED_FIELDS}
            yield kept | {"message_head": (vector.get("message_head") or "")[:HEAD_LENGTH] or None}


def main(arguments: list[str]) -> int:
    only = speculates_on_unified_memory if "--unified-speculation" in arguments else None
    paths = [Path(word) for word in arguments if not word.startswith("--")] or [SHARED]
    if "--keep" in arguments:
        for vector in keep(read(paths)):
            print(json.dumps(vector, separators=(",", ":")))
        return 0
    result = compare(filter(only, read(paths)))
    rate = result.seen / result.seconds if result.seconds else 0
    print(f"{result.seen} vectors, {result.excluded} more left out (they depend on the machine)")
    print(
        f"decided {result.decided}, of {result.refused} refusals {result.checks} by the very check, {result.open} by "
        f"another where an option that no rule states may have struck first; {rate:.0f} a second"
    )
    for needs, count in result.undecided.most_common():
        print(f"  {count:5} undecided: {needs}")
    for line in result.wrong:
        print(f"  wrong: {line}")
    return 1 if result.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
