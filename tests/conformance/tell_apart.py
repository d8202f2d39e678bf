"""Launches that tell a rule from its changed conditions, for released code to answer.

    python -m tests.conformance.tell_apart SECONDS [SEED] > cases.jsonl

For every changed condition that no test notices, launches are sought at which the verdict of the changed rule would be
another: known launches, with some words, the model, the GPU or the release exchanged for what the condition asks.
Each line printed is a case for the tool that runs released code; its answer, kept as a vector, makes the suite notice
the change. An answer that is the changed rule's is a mistake of the rule.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

from sglint import catalogue
from sglint.lint.verdict import judged
from sglint.rules import grammar
from sglint.rules.expr import Tree
from sglint.rules.judge import Judgement, judge
from sglint.rules.model import REFUSING, Condition

from . import verdicts
from .draw_verdicts import FAMILY, GPUS, MODELS, UNREADABLE, WHILE_SPECULATING, Draw
from .mutants import Bench, Mutant, all_mutants, outcome, with_mutant
from .mutate_rules import equivalent, survivors

Launch = dict[str, Any]
OWN_CONFIGS = tuple(path.name for path in sorted(verdicts.CONFIGS.iterdir()) if path.is_dir())
NEAREST = 40
"""Known launches that come nearest to a condition, from which others are made."""
EDITS = 5
FLAGS_OF = {
    "attention_backend": ("attention_backend", "prefill_attention_backend", "decode_attention_backend"),
    "kv_cache_dtype": ("kv_cache_dtype",),
    "page_size": ("page_size",),
    "linear_decode": ("linear_attn_backend", "linear_attn_decode_backend"),
    "linear_prefill": ("linear_attn_backend", "linear_attn_prefill_backend"),
    "speculative_algorithm": ("speculative_algorithm",),
    "eagle_topk": ("speculative_eagle_topk", "speculative_ngram_max_bfs_breadth"),
    "num_draft_tokens": ("speculative_num_draft_tokens",),
    "dspark_gamma": ("speculative_dspark_block_size",),
    "attn_dp_size": ("dp_size", "attn_dp_size"),
    "cuda_graph_prefill": ("cuda_graph_backend_prefill",),
    "mamba": ("mamba_radix_cache_strategy", "disable_radix_cache", "mamba_scheduler_strategy"),
}
"""Arguments that resolved facts rest on, by a part of the fact's name."""
STAGES = {ours: theirs for theirs, ours in verdicts.STAGES.items()}


def seeds() -> Iterator[Launch]:
    for vector in verdicts.read([*verdicts.kept(), *filter(lambda path: path.is_file(), [verdicts.SHARED])]):
        launch = {"version": vector["version"], "model_config": vector["model_config"], "gpu": vector["gpu"]}
        launch |= {"argv": vector["argv"], "env": vector.get("env") or {}}
        yield launch | ({"num_gpus": vector["num_gpus"]} if vector.get("num_gpus") else {})


class Search:
    """Tries edited launches against changed conditions, those of the nearest known launches first."""

    def __init__(self, wanted: Iterable[Mutant], seed: int) -> None:
        self.wanted = list(wanted)
        self.dice = random.Random(seed)
        self.releases = Draw(0, 0.0).releases
        self.seeds = list(seeds())
        self.near: dict[str, list[Launch]] = {}
        self.flags = {release: catalogue.load(release).flags for release in self.releases}

    def rank(self) -> None:
        """The known launches that come nearest to each condition: most operands of it are true."""
        found: dict[str, list[tuple[int, int, Launch]]] = {mutant.name: [] for mutant in self.wanted}
        parts = {
            mutant.name: [Condition(part).node for part in _parts(mutant.case.when.tree)] for mutant in self.wanted
        }
        for number, launch in enumerate(self.dice.sample(self.seeds, min(len(self.seeds), 2500))):
            _, facts, _ = judged(verdicts.case_of(launch))
            for mutant in self.wanted:
                if mutant.case.releases.holds(launch["version"]):
                    true = sum(outcome(part, facts) is True for part in parts[mutant.name])
                    best = found[mutant.name]
                    best.append((true, number, launch))
                    if len(best) > 4 * NEAREST:
                        best.sort(key=lambda item: item[0], reverse=True)
                        del best[NEAREST:]
        for name, launches in found.items():
            launches.sort(key=lambda item: item[0], reverse=True)
            self.near[name] = [launch for _, _, launch in launches[:NEAREST]]

    def run(self, seconds: float) -> Iterator[tuple[Mutant, Launch]]:
        until = time.monotonic() + seconds
        while self.wanted and time.monotonic() < until:
            for mutant in list(self.wanted):
                if mutant not in self.wanted:
                    continue
                launch = self._edited(mutant)
                if launch is None:
                    continue
                for told in self._tells(launch, mutant):
                    self.wanted.remove(told)
                    for other in self.wanted:
                        if other.rule is told.rule:
                            self.near.setdefault(other.name, []).append(launch)
                    yield told, launch
                if time.monotonic() > until:
                    return

    def _tells(self, launch: Launch, first: Mutant) -> list[Mutant]:
        try:
            parsed, facts, judgement = judged(verdicts.case_of(launch))
        except ValueError:
            return []
        status = judgement.verdict.status
        if status == "unknown" or judgement.crashes or judgement.verdict.stage == "parse":
            return []
        answer = _as_vector(launch, judgement)
        if verdicts.depends_on_the_machine(answer):
            return []
        told = []
        for mutant in self.wanted:
            if mutant is not first and mutant.rule is not first.rule:
                continue
            if not mutant.case.releases.holds(launch["version"]):
                continue
            if outcome(mutant.case.when.node, facts) == outcome(Condition(mutant.tree).node, facts):
                continue
            if not verdicts.agrees(answer, judge(with_mutant(mutant), parsed, facts)):
                told.append(mutant)
        return told

    def _edited(self, mutant: Mutant) -> Launch | None:
        dice = self.dice
        near = self.near.get(mutant.name)
        launch = dict(dice.choice(near[-5:] if near and dice.random() < 0.2 else near or self.seeds))
        possible = [release for release in self.releases if mutant.case.releases.holds(release)]
        if not possible:
            return None
        if launch["version"] not in possible:
            launch["version"] = dice.choice(possible)
        names = list(grammar.names(mutant.case.when.tree))
        for _ in range(dice.randint(0, EDITS)):
            self._edit(launch, dice.choice(names), mutant.case.when.tree)
        release, model = launch["version"], launch["model_config"]
        return None if release in UNREADABLE.get(model, ()) else launch

    def _edit(self, launch: Launch, name: str, tree: Tree) -> None:
        dice = self.dice
        root, _, rest = name.partition(".")
        below = next((flags for part, flags in FLAGS_OF.items() if root == "resolved" and part in rest), None)
        if root in ("args", "given") and dice.random() < 0.8:
            self._set(launch, rest, list(_constants(tree, name)))
        elif below is not None and dice.random() < 0.6:
            self._set(launch, dice.choice(below), list(_constants(tree, name)))
        elif root == "env":
            value = dice.choice(("1", "true", "0", "python", "cpp", None))
            launch["env"] = {} if value is None else {rest: value}
        elif root == "gpu":
            launch["gpu"] = dice.choice((*GPUS, "a100", "h100", "l40s"))
        elif root == "model" or (root == "resolved" and dice.random() < 0.4):
            launch["model_config"] = dice.choice((*MODELS, *OWN_CONFIGS))
        elif root == "draft" or (root == "resolved" and dice.random() < 0.3):
            self._speculate(launch)
        else:
            _, flag, values = dice.choice((*FAMILY, *WHILE_SPECULATING))
            self._replace(launch, flag, dice.choice(values) if values else True)

    def _set(self, launch: Launch, dest: str, compared: list[Any]) -> None:
        dice = self.dice
        flag = next((flag for flag in self.flags[launch["version"]] if flag.dest == dest), None)
        if flag is None:
            return
        if flag.nargs == 0:
            self._replace(launch, flag.names[0], dice.random() < 0.7 or None)
            return
        constants = [value for value in compared if value is not None]
        numbers = [str(value + dice.choice((-1, 0, 0, 1))) for value in constants if type(value) is int]
        texts = [value for value in constants if isinstance(value, str)]
        pool = [*numbers, *texts, *(str(choice) for choice in flag.choices or ())]
        pool += [value for _, name, values in (*FAMILY, *WHILE_SPECULATING) if name in flag.names for value in values]
        if flag.type == "int":
            pool += ["1", "2", "3", "4", "8"]
        self._replace(launch, flag.names[0], dice.choice((*pool, None)) if pool else None)

    def _replace(self, launch: Launch, name: str, value: str | bool | None) -> None:
        """The flag with the value (True: bare; None: taken out), under whatever name it is written."""
        flag = next((flag for flag in self.flags[launch["version"]] if name in flag.names), None)
        if flag is None:
            return
        short = {"--tp-size": "--tp"}.get(name, name)
        kept, dropping = [], False
        for word in launch["argv"]:
            if word.startswith("--"):
                dropping = word.partition("=")[0] in (*flag.names, short)
            if not dropping:
                kept.append(word)
        if value is not None:
            kept += [name] if value is True else [name, str(value)]
        launch["argv"] = kept

    def _speculate(self, launch: Launch) -> None:
        words = [word for word in launch["argv"] if word.startswith("--speculative")]
        for word in words:
            self._replace(launch, word.partition("=")[0], None)
        drafts = (
            "draft-dspark-qwen3",
            "draft-eagle3-llama",
            "draft-dflash-qwen3",
            "draft-gemma4-assistant-shape",
            None,
        )
        draft = self.dice.choice(drafts)
        algorithm = self.dice.choice(("DSPARK", "DFLASH", "EAGLE3", "EAGLE", "NEXTN", "NGRAM", "STANDALONE"))
        self._replace(launch, "--speculative-algorithm", algorithm)
        if draft is not None:
            self._replace(launch, "--speculative-draft-model-path", f"@{draft}")


def _as_vector(launch: Launch, judgement: Judgement) -> dict[str, Any]:
    """Our own verdict in the form of an answer of released code."""
    verdict = judgement.verdict
    if verdict.status == "accepted":
        return launch | {"verdict": "accept", "stage": "ok", "message_head": None, "where": None}
    first = next(hit for hit in judgement.certain if hit.refuses)
    path, _, symbol = first.firing.case.evidence[0].partition(":")
    where = f"sglang/{path}:{symbol.split('.')[-1]}"
    stage = STAGES[verdict.stage or ""]
    return launch | {"verdict": "reject", "stage": stage, "message_head": verdict.head, "where": where}


def _parts(tree: Tree) -> list[Tree]:
    parts: list[Tree] = tree[1] if tree[0] == "and" else [tree]
    return parts


def _constants(tree: Tree, name: str) -> Iterator[Any]:
    """Literals that a fact is compared with."""
    if tree[0] in ("name", "const"):
        return
    if tree[0] == "not":
        yield from _constants(tree[1], name)
        return
    if tree[0] != "and" and any(part == ["name", name] for part in tree[-1]):
        for part in tree[-1]:
            if part[0] == "const":
                yield part[1]
            elif part[0] == "display":
                yield from (member[1] for member in part[1] if member[0] == "const")
    for part in tree[-1]:
        yield from _constants(part, name)


def main(arguments: list[str]) -> int:
    listed = equivalent()
    bench = Bench(verdicts.read(verdicts.kept()))
    left = [mutant for mutant in survivors(bench, list(all_mutants())) if mutant.name not in listed]
    wanted = [mutant for mutant in left if mutant.case.severity == "error" and mutant.case.stage in REFUSING]
    search = Search(wanted, int(arguments[1]) if len(arguments) > 1 else 0)
    search.rank()
    asked = len(search.wanted)
    for mutant, launch in search.run(float(arguments[0])):
        print(json.dumps(launch | {"id": mutant.name, "pool_init": {}}), flush=True)
    print(f"{asked - len(search.wanted)} of {asked} told apart", file=sys.stderr)
    for mutant in search.wanted:
        print(f"  {mutant.name}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
