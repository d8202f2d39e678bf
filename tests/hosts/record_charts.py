"""Ask a real Helm what the charts of ``chart_texts`` render to, and keep its answers or hold them to those kept.

``python -m tests.hosts.record_charts [--check] HELM``; ``make judge-charts HELM=...`` checks.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from .chart_texts import ALL_CHARTS

RECORD = Path(__file__).with_name("chart_argv.json")


def argv_of(manifest: Any) -> Iterator[list[str]]:
    """``command`` and ``args`` of every container in a manifest."""
    if isinstance(manifest, dict):
        if isinstance(manifest.get("command"), list):
            yield [str(word) for word in (*manifest["command"], *(manifest.get("args") or []))]
        for value in manifest.values():
            yield from argv_of(value)
    elif isinstance(manifest, list):
        for value in manifest:
            yield from argv_of(value)


def rendered(helm: str, files: dict[str, str]) -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        chart = Path(folder, "chart")
        for name, text in {"Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n", **files}.items():
            path = chart / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([helm, "template", "release", str(chart)], capture_output=True, text=True, check=True)
    return [argv for document in yaml.safe_load_all(done.stdout) for argv in argv_of(document)]


def main() -> int:
    *options, helm = sys.argv[1:]
    if shutil.which(helm) is None:
        print(f"no Helm at {helm}: name one, or go by the answers that are kept")
        return 2
    answers = {name: rendered(helm, files) for name, files in ALL_CHARTS.items()}
    if options != ["--check"]:
        RECORD.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return 0
    kept = json.loads(RECORD.read_text(encoding="utf-8"))
    other = [name for name, argv in answers.items() if kept.get(name) != argv]
    for name in other:
        print(f"{name}: Helm renders {answers[name]}, kept is {kept.get(name)}")
    print(f"{len(answers) - len(other)} of {len(answers)} charts render to what is kept")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
