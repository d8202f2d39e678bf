"""What the page about other tools says of them and of SGLint on the demo's file."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "comparison.md").read_text(encoding="utf-8")
FILE = "demo/k8s/gpt-oss-120b.yaml"


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def test_yamllint_has_nothing_but_long_lines() -> None:
    done = ran("yamllint", "-d", "relaxed", "-f", "parsable", FILE)
    complaints = re.findall(r"\(([a-z-]+)\)$", done.stdout, re.MULTILINE)
    assert complaints == ["line-length"] * 2
    assert done.returncode == 0
    assert "two lines are longer" in PAGE
    assert int(version("yamllint").split(".")[0]) == 1


def test_sglint_sees_the_refusal_and_four_ways_out() -> None:
    done = ran("sglint", "check", "--no-cache", FILE)
    assert done.returncode == 1
    assert "error[SGL101]" in done.stdout
    finding = done.stdout.split("error[SGL101]")[1].split("\n\n")[0]
    assert len(re.findall(r"^  = fix \(changes", finding, re.MULTILINE)) == 4
