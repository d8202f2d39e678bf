"""A long stretch of editing: random edits, opens, closes, settings and cancellations over many files.

``python -m tests.lsp.soak --minutes 20`` prints what it did and what became of the server's memory; the suite runs a
short one. At the end every open text must have the findings that a fresh server gives it.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sglint.text import LineIndex, Position

from ..bench.client import Client
from .test_charts import TEMPLATE, VALUES
from .texts import MANIFEST, SCRIPT

COMMAND = [sys.executable, "-m", "sglint", "lsp"]
OPEN_AT_MOST = 40
PIECES = (
    *("", " ", "\n", "é", "🚀", "\t", "#", '"', "'", "{{", "}}", "- ", ": ", "$X", "\\\n", "--tp-size 2"),
    *("--tp-sise=2", "DSPARK", "EAGLE", "v0.5.21", "\x0c", "\u2028", "---\n", "ignore[", "\r\n", "# sglint: gpu=h100"),
)
SETTINGS: tuple[dict[str, Any], ...] = ({}, {"release": "0.5.20"}, {"gpu": "h100x8"}, {"ignore": ["SGL1"]}, {"gpu": 3})
CONFIGURATIONS = ('gpu = "h200"\n', 'ignore = ["SGL020"]\n', 'exclude = ["f1*"]\n', "broken = [\n", 'releese = "1"\n')
AT_A_PLACE = ("hover", "completion", "definition")
OF_A_FILE = ("codeLens", "documentSymbol", "documentLink")
WARM = 2_000
"""Steps of a short run after which as many files are open as ever."""

WARM_SHARE = 0.15
"""Share of the time after which what the server keeps of parsed texts is at its bounds as well (three minutes of
twenty), so that memory should not grow any more."""


@dataclass
class Text:
    text: str
    version: int


@dataclass
class Soaked:
    """What was done and found. Memory in bytes: private pages of the server when it was warm, and at the end."""

    steps: Counter[str] = field(default_factory=Counter)
    published: int = 0
    warm: int = 0
    late: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def growth(self) -> float:
        return self.late / self.warm - 1 if self.warm else 0.0


class Soak:
    def __init__(self, folder: Path, seed: int, files: int, *, pulls: bool) -> None:
        self._chance = random.Random(seed)
        self._folder = folder
        self._pulls = pulls
        self._disk = workspace(folder, files)
        self._open: dict[str, Text] = {}
        self._closed_at: dict[str, int] = {}
        self._waiting: list[int] = []
        self._options: dict[str, Any] = {}
        self._client = self._start()
        self._client.on_published = self._check
        self.soaked = Soaked()

    def run(self, steps: int | None, minutes: float) -> Soaked:
        begin = time.monotonic()
        end, full = begin + 60 * minutes, begin + 60 * minutes * WARM_SHARE
        done = 0
        while done < steps if steps is not None else time.monotonic() < end:
            self._step()
            done += 1
            if done == WARM if steps is not None else not self.soaked.warm and time.monotonic() > full:
                self._settle()
                self.soaked.warm = self._client.memory("RssAnon")
        self._settle()
        self.soaked.late = self._client.memory("RssAnon")
        mine = self._final(self._client)
        self._finish(self._client)
        self._compare(mine)
        return self.soaked

    def _start(self) -> Client:
        client = Client(COMMAND)
        text: dict[str, Any] = {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True}}
        space: dict[str, Any] = {"workspaceFolders": True, "workspaceEdit": {"documentChanges": True}}
        if self._pulls:
            text["diagnostic"] = {"relatedDocumentSupport": True}
            space["diagnostics"] = {"refreshSupport": True}
        window = {"workDoneProgress": True}
        client.begin(
            self._folder.as_uri(), {"textDocument": text, "workspace": space, "window": window}, {"gpu": "h200"}
        )
        return client

    def _step(self) -> None:
        ways = {
            self._edit: 60,
            self._ask: 16,
            self._open_one: 9,
            self._close_one: 5,
            self._set: 2,
            self._configure: 1,
            self._change_on_disk: 2,
            self._scan: 1,
            self._wait: 4,
        }
        way = self._chance.choices(list(ways), list(ways.values()))[0]
        self.soaked.steps[way.__name__.strip("_")] += 1
        way()
        while len(self._waiting) > 20:
            self._client.answer(self._waiting.pop(0))

    def _edit(self) -> None:
        uri = self._some()
        if uri is None:
            return self._open_one()
        known = self._open[uri]
        text, known.version = known.text, known.version + 1
        if len(text) > 6000 or self._chance.random() < 0.01:
            # An editor that reverts to what is on disk sends the whole text.
            known.text = self._disk.get(uri, "")
            changes: list[dict[str, Any]] = [{"text": known.text}]
        else:
            start = self._chance.randrange(len(text) + 1)
            end = min(len(text), start + self._chance.choice((0, 0, 0, 1, 1, 5, 60)))
            piece = self._chance.choice(PIECES)
            lines = LineIndex(text)
            first, last = lines.position(start, "utf-16"), lines.position(end, "utf-16")
            # A place between CR and LF, or within a surrogate pair, is none that an editor can name.
            start, end = lines.offset(first, "utf-16"), lines.offset(last, "utf-16")
            known.text = text[:start] + piece + text[end:]
            changes = [{"range": {"start": _json(first), "end": _json(last)}, "text": piece}]
        document = {"uri": uri, "version": known.version}
        self._client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        return None

    def _ask(self) -> None:
        uri = self._some()
        if uri is None:
            return
        text = self._open[uri].text
        position = _json(LineIndex(text).position(self._chance.randrange(len(text) + 1), "utf-16"))
        document = {"textDocument": {"uri": uri}}
        whole = {"range": {"start": position, "end": position}}
        requests: list[tuple[str, dict[str, Any]]] = [
            *((f"textDocument/{name}", {**document, "position": position}) for name in AT_A_PLACE),
            *((f"textDocument/{name}", document) for name in OF_A_FILE),
            ("textDocument/codeAction", {**document, **whole, "context": {"diagnostics": []}}),
            ("textDocument/inlayHint", {**document, "range": {"start": {"line": 0, "character": 0}, "end": position}}),
            ("textDocument/references", {**document, "position": position, "context": {"includeDeclaration": True}}),
            ("sglint/status", {"uri": uri, "position": position}),
        ]
        if self._pulls:
            requests += [("textDocument/diagnostic", document)] * 5
        self._send(*self._chance.choice(requests))

    def _scan(self) -> None:
        requests: list[tuple[str, dict[str, Any]]] = [
            ("workspace/executeCommand", {"command": "sglint.showLaunches", "arguments": []}),
            ("sglint/launches", {"uris": list(self._disk)[:10]}),
        ]
        if self._pulls:
            requests.append(("workspace/diagnostic", {"previousResultIds": []}))
        self._send(*self._chance.choice(requests))

    def _send(self, method: str, params: dict[str, Any]) -> None:
        number = self._client.send(method, params)
        self._waiting.append(number)
        if self._chance.random() < 0.3:
            self.soaked.steps["cancel"] += 1
            self._client.notify("$/cancelRequest", {"id": number})

    def _open_one(self) -> None:
        uri = self._chance.choice(list(self._disk))
        if uri in self._open or len(self._open) >= OPEN_AT_MOST:
            return
        text = self._disk[uri]
        # A file that the editor kept from last time differs from the disk.
        text = text if self._chance.random() < 0.8 else text.replace("0.5.18", "0.5.20")
        # Versions go on where they ended, so that a late publication can be told from a right one.
        version = self._closed_at.get(uri, 0) + 1
        self._open[uri] = Text(text, version)
        self._client.open(uri, _language(uri), text, version)

    def _close_one(self) -> None:
        uri = self._some()
        if uri is not None:
            self._closed_at[uri] = self._open.pop(uri).version
            self._client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _set(self) -> None:
        self._options = self._chance.choice(SETTINGS)
        self._client.notify("workspace/didChangeConfiguration", {"settings": {"sglint": self._options}})

    def _configure(self) -> None:
        self._write(self._folder / "sglint.toml", self._chance.choice(CONFIGURATIONS))

    def _change_on_disk(self) -> None:
        uri = self._chance.choice([uri for uri in self._disk if not uri.endswith(".toml")])
        text = self._disk[uri]
        other = text.replace("0.5.18", "0.5.21") if "0.5.18" in text else text.replace("0.5.21", "0.5.18")
        self._disk[uri] = other
        self._write(_path(uri), other)

    def _write(self, file: Path, text: str) -> None:
        file.write_text(text, encoding="utf-8", newline="")
        change = {"uri": file.as_uri(), "type": 2}
        self._client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})

    def _wait(self) -> None:
        uri = self._some()
        if uri is not None:
            self._found(self._client, uri)

    def _settle(self) -> None:
        while self._waiting:
            self._client.answer(self._waiting.pop())
        for uri in self._open:
            self._found(self._client, uri)

    def _final(self, client: Client) -> dict[str, list[Any]]:
        """What is said of each open text once everything asked before is done."""
        for uri in self._open:
            client.request("sglint/status", {"uri": uri})
        return {uri: [_look(each) for each in self._found(client, uri)] for uri in self._open}

    def _found(self, client: Client, uri: str) -> list[dict[str, Any]]:
        if not self._pulls:
            return client.diagnostics(uri, self._open[uri].version)
        answer = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        found: list[dict[str, Any]] = answer["result"]["items"]
        return found

    def _compare(self, mine: Mapping[str, list[Any]]) -> None:
        """A fresh server, told the same."""
        fresh = self._start()
        fresh.notify("workspace/didChangeConfiguration", {"settings": {"sglint": self._options}})
        for uri, known in self._open.items():
            fresh.open(uri, _language(uri), known.text, known.version)
        theirs = self._final(fresh)
        self.soaked.wrong += [
            f"{uri} has {mine[uri]}, and from a fresh server {theirs[uri]}" for uri in mine if mine[uri] != theirs[uri]
        ]
        self._finish(fresh)

    def _finish(self, client: Client) -> None:
        code = client.close()
        if code or "Traceback" in (errors := client.errors()) or "failed" in errors:
            self.soaked.wrong.append(f"exit code {code}: {client.errors()[-3000:]}")

    def _check(self, uri: str, version: int | None, found: list[dict[str, Any]]) -> None:
        """Of every publication: it is for a version that was sent, and none says that SGLint failed."""
        self.soaked.published += 1
        known = self._open.get(uri)
        if known is not None and version is not None and version > known.version:
            self.soaked.wrong.append(f"{uri}: version {version} was never sent")
        self.soaked.wrong += [f"{uri}: {each['message']}" for each in found if each.get("code") == "SGL000"]

    def _some(self) -> str | None:
        return self._chance.choice(list(self._open)) if self._open else None


def workspace(folder: Path, files: int) -> dict[str, str]:
    """Texts of ``files`` files by URI, a chart and a configuration among them, written into ``folder``."""
    chart = folder / "chart"
    texts = {
        folder / "sglint.toml": CONFIGURATIONS[0],
        chart / "Chart.yaml": "name: chart\n",
        chart / "values.yaml": VALUES,
        chart / "templates" / "pod.yaml": TEMPLATE,
    }
    kinds = (
        ("yaml", MANIFEST),
        ("sh", SCRIPT),
        ("yaml", "kind: Service\nspec: {}\n"),
        ("sh", SCRIPT.replace("echo", ". ./f1.sh; echo")),
        ("yaml", MANIFEST.replace("\n", "\r\n")),
    )
    for number in range(files - len(texts)):
        suffix, text = kinds[number % len(kinds)]
        texts[folder / f"f{number}.{suffix}"] = text
    for file, text in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    return {file.as_uri(): text for file, text in texts.items()}


def _json(position: Position) -> dict[str, int]:
    return {"line": position.line, "character": position.character}


def _look(diagnostic: dict[str, Any]) -> Any:
    return {name: value for name, value in diagnostic.items() if name != "data"}


def _language(uri: str) -> str:
    return {"sh": "shellscript", "toml": "toml"}.get(uri.rpartition(".")[2], "yaml")


def _path(uri: str) -> Path:
    return Path(uri.removeprefix("file://"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--pull", action="store_true", help="ask for diagnostics instead of being pushed to")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        soaked = Soak(Path(folder), arguments.seed, arguments.files, pulls=arguments.pull).run(None, arguments.minutes)
    total = sum(soaked.steps.values())
    print(f"{total:,} steps in {arguments.minutes:g} minutes, {soaked.published:,} publications")
    print("  " + ", ".join(f"{name} {count:,}" for name, count in soaked.steps.most_common()))
    print(f"  memory when warm {soaked.warm / 2**20:.1f} MiB, at the end {soaked.late / 2**20:.1f} MiB", end="")
    print(f" ({soaked.growth:+.1%}; aim: at most +10 %)")
    for line in soaked.wrong[:20]:
        print(f"  wrong: {line}")
    sys.exit(1 if soaked.wrong or soaked.growth > 0.1 else 0)


if __name__ == "__main__":
    main()
