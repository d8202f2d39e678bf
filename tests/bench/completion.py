"""Completion: what a key press costs in a manifest of 200 lines and in a script."""

from __future__ import annotations

from sglint.assist import complete
from sglint.settings import Settings
from sglint.text import Document

from .measure import call_cpu, table
from .texts import manifest

SCRIPT = "#!/bin/bash\n" + "export A=1\n" * 40 + "python -m sglang.launch_server --model-path a \\\n  --tp 2 --att\n"


def main() -> None:
    text = manifest(200)
    at = text.index("--attention-backend") + len("--att")
    value = text.index("--attention-backend=") + len("--attention-backend=t")
    typing = iter(range(10_000))

    def changed(where: int, path: str = "bench.yaml") -> None:
        # Every key press makes another text, so no cache of the whole document helps.
        comment = f"\n# {next(typing)}\n"
        complete(Document(path, text + comment, "yaml"), where, Settings())

    def script() -> None:
        body = f"{SCRIPT}# {next(typing)}\n"
        complete(Document("bench.sh", body, "shell"), SCRIPT.index("--att\n") + 5, Settings())

    table(
        "completion (aim 20 ms)",
        {
            "flag in a manifest": call_cpu(lambda: changed(at), rounds=20),
            "value in a manifest": call_cpu(lambda: changed(value), rounds=20),
            "flag in a script": call_cpu(script, rounds=20),
        },
    )
