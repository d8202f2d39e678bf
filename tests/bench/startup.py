"""CPU of starting: ``--version`` and one file, beside Python itself and yamllint, in one run."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from .measure import medians, python, run, sglint, table
from .texts import manifest

ROUNDS = 11
VERSION_OVER_PYTHON = 60
CHECK_OVER_PYTHON = 130


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "accepted.yaml").write_text(manifest(60, refused=False), encoding="utf-8")
        (folder / "refused.yaml").write_text(manifest(60), encoding="utf-8")
        for name, verdict in (("accepted.yaml", "accepted"), ("refused.yaml", "SGL101")):
            if verdict not in run(sglint("check", name), folder)[1]:
                raise RuntimeError(f"{name} is not what it is called")
        rows = medians(
            {
                "python -c pass": python("-c", "pass"),
                "sglint --version": sglint("--version"),
                "sglint check, accepted launch": sglint("check", "accepted.yaml"),
                "sglint check, refused, four fixes tried": sglint("check", "refused.yaml"),
                "yamllint, the same file": python("-m", "yamllint", "refused.yaml"),
            },
            folder,
            int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS,
        )
    table("start-up, CPU ms (median)", rows, "python -c pass")
    print(f"  aims: --version at most python + {VERSION_OVER_PYTHON} ms, check at most + {CHECK_OVER_PYTHON} ms\n")


if __name__ == "__main__":
    main()
