"""Outputs kept word for word. ``python -m tests.report.golden`` writes them anew; read the difference."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from sglint import __version__
from sglint.report.codeclimate import issues
from sglint.report.github import annotation_lines
from sglint.report.json import check_json
from sglint.report.junit import junit
from sglint.report.rulebook import Page
from sglint.report.sarif import sarif_log
from sglint.report.style import Style
from sglint.report.text import render, render_concise
from sglint.rules.model import Rule

from .samples import RUN

FOLDER = Path(__file__).parent / "golden"
PAGE = Page(
    Rule(
        code="SGL101",
        name="spec-on-unified-swa-pool",
        topic="unified-memory",
        severity="error",
        summary="Speculation does not run on this pool.",
        message="It does not run.",
        stage="pool-init",
        source="unified-memory/SGL101-spec-on-unified-swa-pool.toml",
        explanation="Ids run past the draft's pool.",
    )
)


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace(f'"{__version__}"', '"VERSION"')


OUTPUTS: dict[str, Callable[[], str]] = {
    "check.txt": lambda: "\n".join(render(RUN, Style())),
    "concise.txt": lambda: "\n".join(render_concise(RUN)),
    "check.json": lambda: _json(check_json(RUN)),
    "check.sarif": lambda: _json(sarif_log(RUN, {"SGL101": PAGE})),
    "github.txt": lambda: "\n".join(annotation_lines(RUN, str)),
    "junit.xml": lambda: junit(RUN, ("error",)),
    "codeclimate.json": lambda: _json(issues(RUN)),
}

if __name__ == "__main__":
    for name, output in OUTPUTS.items():
        (FOLDER / name).write_text(output() + "\n", encoding="utf-8")
