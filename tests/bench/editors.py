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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from .client import Client
from .measure import environment, sglint
from .server import timed_changes, timed_open
from .texts import manifest, manifests, script

SIZES = (200, 5_000, 16_000)
CHANGES = 12
OPEN_FILES = 200
YAML_DELAY = 200.0
"""Milliseconds yaml-language-server waits after a change (its ``validationDelayMs``)."""
SHELLCHECK_DELAY = 500.0
"""Milliseconds bash-language-server waits before it runs ShellCheck (its ``DEBOUNCE_MS``)."""


@dataclass(frozen=True)
class Server:
    """``delay``: milliseconds it waits after a change before it looks at it."""

    name: str
    command: Sequence[str]
    delay: float = 0.0
    initialize: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Notation:
    language: str
    suffix: str
    texts: Mapping[str, Callable[[int], str]]
    servers: Sequence[Server]


def notations(folder: Path) -> list[Notation]:
    tools = folder / "node_modules" / ".bin"
    wait = SHELLCHECK_DELAY if shutil.which("shellcheck") else 0.0
    ours = Server("sglint", sglint("lsp"))
    yaml = Server("yaml-language-server", [str(tools / "yaml-language-server"), "--stdio"], YAML_DELAY)
    bash = Server("bash-language-server", [str(tools / "bash-language-server"), "start"], wait)
    return [
        Notation("yaml", "yaml", {"objects of 200 lines": manifests, "one object": manifest}, (ours, yaml)),
        Notation("shellscript", "sh", {"script": script}, (ours, bash)),
    ]


def started(server: Server, root: Path) -> Client:
    start = time.perf_counter()
    client = Client(server.command, environment())
    client.begin(root.as_uri(), {"workspace": {"configuration": True}})
    server.initialize.append((time.perf_counter() - start) * 1000)
    return client


def latency(server: Server, notation: Notation, root: Path, text: str) -> str:
    """One row: open to diagnostics, change to diagnostics with and without the server's wait, CPU of a change."""
    client = started(server, root)
    uri = (root / f"bench.{notation.suffix}").as_uri()
    opened, found = timed_open(client, uri, notation.language, text)
    changes = timed_changes(client, uri, text, "0.85", CHANGES)
    client.close()
    wall = median(changes.wall)
    own = max(0.0, wall - server.delay)
    return f"{server.name:<21} {opened:9.0f} {wall:9.1f} {own:9.1f} {changes.cpu:9.1f} {len(found):5}"


def memory(server: Server, notation: Notation, root: Path) -> str:
    client = started(server, root)
    text = next(iter(notation.texts.values()))(200)
    uris = [(root / f"open{number}.{notation.suffix}").as_uri() for number in range(OPEN_FILES)]
    begun = time.perf_counter()
    for uri in uris:
        client.open(uri, notation.language, text)
    for uri in uris:
        client.next_diagnostics(uri, begun)
    size = client.memory() / 2**20
    client.close()
    return f"{server.name:<21} .{notation.suffix:<5} {size:8.1f} MiB resident"


def main() -> None:
    found = notations(Path(sys.argv[1]))
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        print(f"{'milliseconds, medians':<51} open to change to  without    CPU of found")
        print(f"{'':<47} diagnostics    diagn.  its wait  a change")
        for notation in found:
            for title, make in notation.texts.items():
                for lines in SIZES:
                    text = make(lines)
                    if title == "one object" and lines == SIZES[0]:
                        continue
                    for server in notation.servers:
                        print(f"  {lines:>6} {title:<21} {latency(server, notation, root, text)}", flush=True)
        print("\nstart to initialized, wall, median")
        for server in {server.name: server for notation in found for server in notation.servers}.values():
            print(f"  {server.name:<21} {median(server.initialize):8.0f} ms")
        print(f"\n{OPEN_FILES} open files of 200 lines")
        for notation in found:
            for server in notation.servers:
                print(f"  {memory(server, notation, root)}", flush=True)
    print("\naims: initialize at most 500 ms on a quiet machine, at most 120 MiB with 200 open files")


if __name__ == "__main__":
    main()
