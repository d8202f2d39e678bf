"""Change one operand of a rule's condition and see whether the suite notices.

    python -m tests.conformance.mutate_rules [COUNT [SEED] | CODE ...]

Without a count every change of every condition is tried, or of those of the rules that are named. A change that
nothing notices has to be listed in ``equivalent_mutants.toml`` with the reason why no launch can tell it from the rule;
an entry there that is noticed, or that names no change, is a mistake too. The exit code is 1 where either is so.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from pathlib import Path

from sglint import toml

from . import verdicts
from .mutants import Bench, Mutant, all_mutants

EQUIVALENT = Path(__file__).parent / "equivalent_mutants.toml"


def equivalent() -> dict[str, str]:
    """Names of mutants that no launch can tell from the rule, with the reason."""
    groups = toml.parse(EQUIVALENT.read_text(encoding="utf-8"))["group"]
    return {name: group["reason"] for group in groups for name in group["mutants"]}


def sample(count: int, seed: int) -> list[Mutant]:
    return random.Random(seed).sample(list(all_mutants()), count)


def survivors(bench: Bench, chosen: list[Mutant], counts: Counter[str] | None = None) -> list[Mutant]:
    """Those that nothing notices, listed or not. ``counts`` takes what noticed the others."""
    left = []
    for mutant in chosen:
        by = bench.noticed(mutant)
        if counts is not None:
            counts[by or "nothing"] += 1
        if by is None:
            left.append(mutant)
    return left


def main(arguments: list[str]) -> int:
    chosen = list(all_mutants())
    possible = len(chosen)
    if arguments and not arguments[0].isdigit():
        chosen = [mutant for mutant in chosen if mutant.rule.code in arguments]
    elif arguments:
        chosen = sample(int(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 0)
    begun = time.process_time()
    counts: Counter[str] = Counter()
    left = {mutant.name for mutant in survivors(Bench(verdicts.read(verdicts.kept())), chosen, counts)}
    listed = equivalent()
    for name in sorted(left - listed.keys()):
        print(f"SURVIVES  {name}")
    asked = {mutant.name for mutant in chosen}
    stale = sorted(name for name in listed if name not in left and (name in asked or not arguments))
    for name in stale:
        print(f"NOTICED   {name}")
    told = ", ".join(f"{count} by {by}" for by, count in counts.most_common())
    seconds = time.process_time() - begun
    print(f"{len(chosen)} of {possible} mutants in {seconds:.0f} s: noticed {told}")
    print(f"{len(left & listed.keys())} of those that nothing noticed are equivalent")
    return 1 if stale or left - listed.keys() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
