"""Mangled files for a host until the time is up: ``python -m tests.fuzz --minutes 10 [--host shell]``.

The minutes are of CPU, for each host. The process has little memory (``--memory``), so that what grows without
bound fails; a text that takes too long is interrupted and told. Prints the first files of each kind of failure and
ends with 1 when there is one.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import resource
import sys
import time
from pathlib import Path

from .reading import failure
from .targets import TARGETS, drawn

MEMORY_MIB = 1_500


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="CPU minutes for each host")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--host", choices=sorted(TARGETS), action="append")
    parser.add_argument("--memory", type=int, default=MEMORY_MIB, help="address space in MiB")
    parser.add_argument("--last", type=Path, default=None, help="where to keep the files being read, for a hard crash")
    given = parser.parse_args()
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (given.memory << 20, given.memory << 20))
    seed = random.randrange(10**9) if given.seed is None else given.seed
    failures = [_fuzz(host, given.minutes * 60, seed, given.last) for host in given.host or TARGETS]
    return 1 if any(failures) else 0


def _fuzz(host: str, seconds: float, seed: int, last: Path | None) -> int:
    dice = random.Random(f"{seed} {host}")
    started = time.process_time()
    read = 0
    failures: set[str] = set()
    slowest = 0.0
    while time.process_time() - started < seconds:
        files = drawn(TARGETS[host], dice)
        if last is not None:
            last.write_text(repr(files), encoding="utf-8")
        before = time.process_time()
        wrong = failure(files, judged=dice.random() < 0.05)
        slowest = max(slowest, time.process_time() - before)
        read += 1
        if wrong is not None and wrong not in failures:
            failures.add(wrong)
            sys.stdout.write(f"{host}: {wrong}\n{files!r}\n")
            sys.stdout.flush()
    spent = (time.process_time() - started) / 60
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(
        f"{host}: {read:,} sets of files in {spent:.1f} CPU minutes, seed {seed}: {len(failures)} kinds of failure; "
        f"slowest {slowest:.2f} s, memory {peak:.0f} MiB\n"
    )
    sys.stdout.flush()
    return len(failures)


if __name__ == "__main__":
    sys.exit(main())
