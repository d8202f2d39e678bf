"""CPU of starting: ``--version`` and one file, beside Python itself and yamllint, in one run."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .measure import medians, python, sglint, table
from .texts import manifest

ROUNDS = 11
VERSION_OVER_PYTHON = 60
CHECK_OVER_PYTHON = 130


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "deployment.yaml").write_text(manifest(60), encoding="utf-8")
        rows = medians(
            {
                "python -c pass": python("-c", "pass"),
                "sglint --version": sglint("--version"),
                "sglint check deployment.yaml": sglint("check", "deployment.yaml", "--fail-on", "never"),
                "yamllint deployment.yaml": python("-m", "yamllint", "deployment.yaml"),
            },
            folder,
            int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS,
        )
    table("start-up, CPU ms (median)", rows, "python -c pass")
    print(f"  aims: --version at most python + {VERSION_OVER_PYTHON} ms, check at most + {CHECK_OVER_PYTHON} ms\n")


if __name__ == "__main__":
    main()
