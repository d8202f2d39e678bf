"""A folder of ten thousand files without a launch: CPU of ``sglint check`` beside ``git grep`` for the same word."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from .measure import medians, python, sglint, table
from .texts import manifest

FILES = 10_000
FOLDERS = 100
ROUNDS = 2
OVER_GIT_GREP = 8


def make_tree(root: Path) -> None:
    """Manifests and scripts of other programs, as a repository of deployments holds them."""
    other = "\n".join(line for line in manifest(60).replace("sglang", "other").split("\n") if "- --" not in line)
    script = "#!/bin/sh\nset -e\n" + "echo step\n" * 40
    for number in range(FILES):
        folder = root / f"team-{number % FOLDERS:03}"
        folder.mkdir(exist_ok=True)
        name, text = ("deploy.yaml", other) if number % 4 else ("run.sh", script)
        (folder / f"{number:05}-{name}").write_text(text, encoding="utf-8")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=root, check=True, capture_output=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        make_tree(root)
        rows = medians(
            {
                "git grep -lE sglang": ["git", "grep", "-lE", "sglang"],
                "sglint check": sglint("check", "."),
                "python read loop": python("-c", _READ_LOOP),
            },
            root,
            ROUNDS,
        )
    table(f"{FILES:,} files without a launch, CPU ms (median)", rows, "git grep -lE sglang")
    print(f"  aim: sglint check at most x {OVER_GIT_GREP}\n")


_READ_LOOP = """
import os
for folder, _, names in os.walk("."):
    if ".git" not in folder:
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                b"sglang" in file.read()
"""


if __name__ == "__main__":
    main()
