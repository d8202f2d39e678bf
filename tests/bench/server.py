"""The language server over stdio: initialize, open to diagnostics, change to diagnostics of a 200-line manifest."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import Any

from .client import Client
from .measure import ROOT, environment, sglint, table
from .texts import manifest

LINES = 200
CHANGES = 40
URI = (ROOT / "bench.yaml").as_uri()


@dataclass(frozen=True)
class Changes:
    """Milliseconds from changes to diagnostics: wall time of each, and the server's CPU for one on average."""

    wall: list[float]
    cpu: float


def timed_open(client: Client, uri: str, language: str, text: str) -> tuple[float, list[Any]]:
    """Milliseconds from opening a text to its diagnostics, and these."""
    start = time.perf_counter()
    client.open(uri, language, text)
    found = client.next_diagnostics(uri, start)
    return (client.published[uri][2] - start) * 1000, found


def timed_changes(client: Client, uri: str, text: str, word: str, count: int) -> Changes:
    """Type ``count`` digits, one at a time, behind the first ``word``."""
    lines = text.splitlines()
    line = next(number for number, content in enumerate(lines) if word in content)
    column = lines[line].index(word) + len(word)
    wall = []
    before = client.cpu()
    for change in range(count):
        where = {"line": line, "character": column + change}
        edit = {"range": {"start": where, "end": where}, "text": "1"}
        document = {"uri": uri, "version": change + 2}
        start = time.perf_counter()
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [edit]})
        client.next_diagnostics(uri, start)
        wall.append((client.published[uri][2] - start) * 1000)
    return Changes(wall, (client.cpu() - before) / count)


def main() -> None:
    start = time.perf_counter()
    client = Client(sglint("lsp"), environment())
    client.begin(ROOT.as_uri(), {})
    initialize, work = (time.perf_counter() - start) * 1000, client.cpu()
    text = manifest(LINES)
    opened, found = timed_open(client, URI, "yaml", text)
    changes = timed_changes(client, URI, text, "0.85", CHANGES)
    client.close()
    table(
        f"language server, manifest of {LINES} lines, {len(found)} diagnostics",
        {
            "start to initialized, wall": initialize,
            "start to initialized, CPU": work,
            "first open to diagnostics, wall": opened,
            "change to diagnostics, wall (median)": median(changes.wall),
            "change to diagnostics, CPU (mean)": changes.cpu,
        },
    )
    print("  aims: initialize at most 500 ms, change to diagnostics at most 25 ms of work\n")


if __name__ == "__main__":
    main()
