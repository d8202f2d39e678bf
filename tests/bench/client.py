"""As much of a language client as it takes to drive and measure any server: framed JSON over pipes."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

PATIENCE = 120.0
"""Seconds after which a server that does not answer counts as broken."""


class Client:
    """Reads all the time, so that the server never waits for us; agrees to whatever the server asks."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None, folder: str | None = None) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the client)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, env=env, cwd=folder
        )
        self._requests = 0
        self._answers: dict[int, dict[str, Any]] = {}
        self._news = threading.Condition()
        self._sending = threading.Lock()
        self._ended = False
        self.settings: Any = None
        self.published: dict[str, tuple[int | None, list[dict[str, Any]], float]] = {}
        """Latest diagnostics by URI: version, diagnostics, and when they came (``time.perf_counter``)."""
        self.messages: list[dict[str, Any]] = []
        """Other notifications, and the server's requests."""
        self.on_published: Callable[[str, int | None, list[dict[str, Any]]], None] = lambda *args: None
        self._reader = threading.Thread(target=self._read_all, daemon=True)
        self._reader.start()

    def begin(self, root: str | None, capabilities: Mapping[str, Any], options: Any = None) -> dict[str, Any]:
        """``initialize`` and ``initialized``; the server's capabilities."""
        folders = [{"uri": root, "name": "work"}] if root else None
        params = {
            "processId": os.getpid(),
            "rootUri": root,
            "workspaceFolders": folders,
            "capabilities": capabilities,
            "initializationOptions": options,
        }
        answer = self.request("initialize", params)
        self.notify("initialized", {})
        result: dict[str, Any] = answer["result"]["capabilities"]
        return result

    def send(self, method: str, params: Any) -> int:
        """Send a request; its id."""
        self._requests += 1
        self._write({"id": self._requests, "method": method, "params": params})
        return self._requests

    def answer(self, number: int) -> dict[str, Any]:
        """The message that answers a request, with ``result`` or ``error``. Raises TimeoutError."""
        self._until(lambda: number in self._answers)
        return self._answers.pop(number)

    def answered(self, number: int) -> bool:
        return number in self._answers

    def request(self, method: str, params: Any) -> dict[str, Any]:
        return self.answer(self.send(method, params))

    def notify(self, method: str, params: Any = None) -> None:
        self._write({"method": method, "params": params})

    def open(self, uri: str, language: str, text: str, version: int = 1) -> None:
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def diagnostics(self, uri: str, version: int | None) -> list[dict[str, Any]]:
        """The diagnostics published for a version. Raises TimeoutError."""
        self._until(lambda: uri in self.published and self.published[uri][0] == version)
        return self.published[uri][1]

    def next_diagnostics(self, uri: str, after: float) -> list[dict[str, Any]]:
        """The first diagnostics published after a time, for servers that name no version. Raises TimeoutError."""
        self._until(lambda: uri in self.published and self.published[uri][2] > after)
        return self.published[uri][1]

    def cpu(self) -> float:
        """CPU milliseconds the server has used so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    def memory(self, name: str = "VmRSS") -> int:
        """Bytes of the server's memory: resident, or as another line of ``/proc/PID/status`` counts it."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
        raise RuntimeError(f"no {name}")

    def errors(self) -> str:
        """What the server wrote to its standard error so far."""
        self._log.seek(0)
        return self._log.read().decode("utf-8", "replace")

    def close(self) -> int:
        """Shut the server down; its exit code."""
        self.request("shutdown", None)
        self.notify("exit")
        return self._process.wait(timeout=PATIENCE)

    def _until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        with self._news:
            while not condition():
                if self._ended or not self._news.wait(max(0.0, end - time.monotonic())):
                    raise TimeoutError(f"the server gave no answer; it wrote:\n{self.errors()[-2000:]}")

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin
        with self._sending:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._process.stdin.flush()

    def _read_all(self) -> None:
        while (message := self._read()) is not None:
            with self._news:
                self._take(message)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _take(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            self._answers[message["id"]] = message
        elif method == "textDocument/publishDiagnostics":
            params = message["params"]
            version, found = params.get("version"), params["diagnostics"]
            self.published[params["uri"]] = (version, found, time.perf_counter())
            self.on_published(params["uri"], version, found)
        else:
            self.messages.append(message)
            if "id" in message:
                count = len(message["params"]["items"]) if method == "workspace/configuration" else 0
                result = [self.settings] * count if method == "workspace/configuration" else None
                self._write({"id": message["id"], "result": result})

    def _read(self) -> dict[str, Any] | None:
        stream = self._process.stdout
        assert stream
        length = 0
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            return None
        message: dict[str, Any] = json.loads(stream.read(length))
        return message
