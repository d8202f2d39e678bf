"""Measuring processes and calls: CPU milliseconds, medians of interleaved rounds."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "server"


def python(*words: str) -> list[str]:
    return [sys.executable, *words]


def sglint(*words: str) -> list[str]:
    return python("-m", "sglint", *words)


def environment() -> dict[str, str]:
    """Ours, but with compiled modules kept, as they are wherever a package is installed, and no results of before."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(SERVER), "NO_COLOR": "1", "SGLINT_NO_CACHE": "1"}


def run(command: Sequence[str], folder: Path, text: str = "") -> tuple[float, str]:
    """CPU milliseconds (user and system, with children) of one run of a command, and its output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, cwd=folder, env=environment(), input=text, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)} left with {result.returncode}: {result.stderr}")
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000, result.stdout


def cpu_of(command: Sequence[str], folder: Path) -> float:
    return run(command, folder)[0]


def medians(commands: Mapping[str, Sequence[str]], folder: Path, rounds: int) -> dict[str, float]:
    """Median CPU of each command; the commands take turns, so that a busy moment hits all of them. One warm-up."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            milliseconds = cpu_of(command, folder)
            if turn:
                taken[name].append(milliseconds)
    return {name: median(values) for name, values in taken.items()}


def call_cpu(call: Callable[[], object], rounds: int) -> float:
    """Median CPU milliseconds of a call in this process."""
    call()
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        call()
        taken.append((time.process_time() - start) * 1000)
    return median(taken)


def table(title: str, rows: Mapping[str, float], base: str | None = None, unit: str = "ms") -> None:
    """Print rows aligned, each with its difference from and ratio to the base row."""
    print(title)
    width = max(map(len, rows))
    for name, value in rows.items():
        against = ""
        if base and name != base:
            against = f"   {value - rows[base]:+8.1f} {unit}   x {value / rows[base]:.2f}"
        print(f"  {name:<{width}}  {value:10.1f} {unit}{against}")
    print()
