"""Our language server beside yaml-language-server and bash-language-server, in turns, on the same texts.

``python -m tests.bench.editors FOLDER``: FOLDER is where ``npm install`` put the two (``make bench-lsp`` does that).
Both wait before they look at a change, so that nobody sees a state of a second ago for long; what they take without
that wait is printed too, and the processor time, which no wait touches.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from .client import Client
from .measure import environment, sglint
from .server import timed_changes, timed_open
from .texts import manifest, script

SIZES = (200, 5_000, 16_000)
CHANGES = 12
ROUNDS = 5
OPEN_FILES = 200
YAML_DELAY = 200.0
"""Milliseconds yaml-language-server waits after a change (its ``validationDelayMs``)."""
SHELLCHECK_DELAY = 500.0
"""Milliseconds bash-language-server waits before it runs ShellCheck (its ``DEBOUNCE_MS``)."""


@dataclass(frozen=True)
class Server:
    name: str
    command: Sequence[str]
    language: str
    suffix: str
    delay: float = 0.0
    initialize: list[float] = field(default_factory=list)


def servers(folder: Path) -> list[Server]:
    tools = folder / "node_modules" / ".bin"
    wait = SHELLCHECK_DELAY if shutil.which("shellcheck") else 0.0
    return [
        Server("sglint", sglint("lsp"), "yaml", "yaml"),
        Server("yaml-language-server", [str(tools / "yaml-language-server"), "--stdio"], "yaml", "yaml", YAML_DELAY),
        Server("sglint", sglint("lsp"), "shellscript", "sh"),
        Server("bash-language-server", [str(tools / "bash-language-server"), "start"], "shellscript", "sh", wait),
    ]


def started(server: Server, root: Path) -> Client:
    start = time.perf_counter()
    client = Client(server.command, environment())
    client.begin(root.as_uri(), {"workspace": {"configuration": True}})
    server.initialize.append((time.perf_counter() - start) * 1000)
    return client


def latency(server: Server, root: Path, lines: int) -> None:
    client = started(server, root)
    text = manifest(lines) if server.suffix == "yaml" else script(lines)
    uri = (root / f"bench.{server.suffix}").as_uri()
    opened, found = timed_open(client, uri, server.language, text)
    changes = timed_changes(client, uri, text, "0.85", CHANGES)
    client.close()
    wall = median(changes.wall)
    print(
        f"  {lines:>6} lines  {server.name:<21} {opened:9.0f} {wall:9.1f} {max(0.0, wall - server.delay):9.1f}"
        f" {changes.cpu:9.1f}   {len(found)}"
    )


def memory(server: Server, root: Path) -> None:
    client = started(server, root)
    text = manifest(200) if server.suffix == "yaml" else script(200)
    uris = [(root / f"open{number}.{server.suffix}").as_uri() for number in range(OPEN_FILES)]
    begun = time.perf_counter()
    for uri in uris:
        client.open(uri, server.language, text)
    for uri in uris:
        client.next_diagnostics(uri, begun)
    print(f"  {server.name:<21} .{server.suffix:<5} {client.memory() / 2**20:8.1f} MiB resident")
    client.close()


def main() -> None:
    folder = Path(sys.argv[1])
    found = servers(folder)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        print("milliseconds, medians        open to   change to   without   CPU of")
        print("                         diagnostics diagnostics  its wait  a change   diagnostics")
        for lines in SIZES:
            for server in found:
                latency(server, root, lines)
        for _ in range(ROUNDS - len(SIZES)):
            for server in found:
                started(server, root).close()
        print("\nstart to initialized, wall, median")
        for server in found:
            print(f"  {server.name:<21} .{server.suffix:<5} {median(server.initialize):8.0f} ms")
        print(f"\n{OPEN_FILES} open files of 200 lines")
        for server in found:
            memory(server, root)
    print("\naims: initialize at most 500 ms on a quiet machine, at most 120 MiB with 200 open files")


if __name__ == "__main__":
    main()
