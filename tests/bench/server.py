"""The language server over stdio: initialize, open to diagnostics, change to diagnostics of a 200-line manifest."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from .measure import ROOT, environment, sglint, table
from .texts import manifest

LINES = 200
CHANGES = 40
URI = (ROOT / "bench.yaml").as_uri()


class Client:
    """As much of a client as it takes to measure: framed JSON over the server's pipes."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            sglint("lsp"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
        )
        self._requests = 0

    def request(self, method: str, params: Mapping[str, Any] | None) -> Any:
        self._requests += 1
        self._send({"id": self._requests, "method": method, "params": params})
        return self._wait(lambda message: message.get("id") == self._requests and "method" not in message)

    def notify(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        self._send({"method": method, "params": params})

    def diagnostics(self, version: int) -> list[Any]:
        """The diagnostics published for a version of the text."""

        def wanted(message: dict[str, Any]) -> bool:
            return (
                message.get("method") == "textDocument/publishDiagnostics"
                and message["params"].get("version") == version
            )

        found: list[Any] = self._wait(wanted)["params"]["diagnostics"]
        return found

    def cpu(self) -> float:
        """CPU milliseconds the server has used so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.request("shutdown", None)
        self.notify("exit")
        self._process.wait(timeout=10)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _wait(self, wanted: Any) -> dict[str, Any]:
        while True:
            message = self._read()
            if wanted(message):
                return message

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise RuntimeError("the server closed its output")
        message: dict[str, Any] = json.loads(self._process.stdout.read(length))
        return message


def main() -> None:
    start = time.perf_counter()
    client = Client()
    client.request("initialize", {"processId": os.getpid(), "rootUri": ROOT.as_uri(), "capabilities": {}})
    initialize = (time.perf_counter() - start) * 1000
    initialize_work = client.cpu()
    client.notify("initialized", {})

    text = manifest(LINES)
    start = time.perf_counter()
    item = {"uri": URI, "languageId": "yaml", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": item})
    found = client.diagnostics(1)
    opened = (time.perf_counter() - start) * 1000

    line = next(number for number, content in enumerate(text.splitlines()) if "--port=" in content)
    column = len(text.splitlines()[line])
    changed = []
    before = client.cpu()
    for change in range(CHANGES):
        where = {"line": line, "character": column + change}
        edit = {"range": {"start": where, "end": where}, "text": "1"}
        start = time.perf_counter()
        client.notify(
            "textDocument/didChange", {"textDocument": {"uri": URI, "version": change + 2}, "contentChanges": [edit]}
        )
        client.diagnostics(change + 2)
        changed.append((time.perf_counter() - start) * 1000)
    work = (client.cpu() - before) / CHANGES
    client.close()
    table(
        f"language server, manifest of {LINES} lines, {len(found)} diagnostics",
        {
            "start to initialized, wall": initialize,
            "start to initialized, CPU": initialize_work,
            "first open to diagnostics, wall": opened,
            "change to diagnostics, wall (median)": median(changed),
            "change to diagnostics, CPU (mean)": work,
        },
    )
    print("  aims: initialize at most 500 ms, change to diagnostics at most 25 ms of work\n")


if __name__ == "__main__":
    main()
