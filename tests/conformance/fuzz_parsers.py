"""Differential fuzzing of our parser against the parsers of releases; keeps vectors for the suite.

    python -m tests.conformance.fuzz_parsers [--lines N] [--seed S] [--keep K] [RELEASE ...]

Needs a prepared oracle (``ORACLE_HOME``). Prints agreement and every difference; ``--keep K`` writes the first K
answers of each release to ``parser_vectors.jsonl.xz``, which the suite replays without an oracle.
"""

from __future__ import annotations

import argparse
import json
import lzma
from pathlib import Path
from typing import Any

from sglint import catalogue

from . import parser_dump
from .command_lines import CommandLines
from .compare_parsers import ours, theirs

VECTORS = Path(__file__).with_name("parser_vectors.jsonl.xz")
ORACLE_RELEASES = catalogue.releases()[-9:]


def cases_of(release: str, count: int, seed: int) -> list[Any]:
    """``count`` command lines for a release; every fifth has a ``--config`` file."""
    names = {known: {name for flag in catalogue.load(known).flags for name in flag.names} for known in ORACLE_RELEASES}
    foreign = sorted(set().union(*names.values()) - names[release])
    source = CommandLines(catalogue.load(release), foreign, seed)
    return [next(source) if index % 5 else source.with_config() for index in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("releases", nargs="*", default=list(ORACLE_RELEASES))
    parser.add_argument("--lines", type=int, default=2500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=int, default=0)
    asked = parser.parse_args()
    kept: list[str] = []
    agreed = total = 0
    for release in asked.releases:
        table = catalogue.load(release)
        cases = cases_of(release, asked.lines, asked.seed)
        answers = parser_dump.run("parse", release, map(json.dumps, cases))
        for index, (case, answer) in enumerate(zip(cases, answers, strict=True)):
            expected, got = theirs(answer, table), ours(case, table)
            same = json.dumps(expected, sort_keys=True) == json.dumps(got, sort_keys=True)
            total += 1
            agreed += same
            if not same:
                print(f"{release}: {case}\n  release {expected}\n  ours    {got}")
            if index < asked.keep:
                kept.append(json.dumps([release, case, expected], ensure_ascii=False, separators=(",", ":")))
        print(f"{release}: {len(cases)} lines", flush=True)
    print(f"agreement {agreed} of {total}")
    if asked.keep:
        VECTORS.write_bytes(lzma.compress("\n".join(kept).encode(), preset=9))


if __name__ == "__main__":
    main()
