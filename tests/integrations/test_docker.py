"""The image of the command line: what its recipe copies is there and is all that a build needs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from sglint.cli import app

ROOT = Path(__file__).parents[2]
RECIPE = (ROOT / "integrations" / "docker" / "Dockerfile").read_text(encoding="utf-8")


def copied() -> set[str]:
    """What the recipe takes from the checkout."""
    lines = re.findall(r"^COPY (?!--from)(.+) \S+$", RECIPE, re.MULTILINE)
    return {name for line in lines for name in line.split()}


def test_everything_copied_is_there() -> None:
    assert {name for name in copied() if not (ROOT / name).exists()} == set()


def test_a_build_lacks_nothing() -> None:
    """The files of a source distribution, and the two that say how to build."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = {*project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"], "pyproject.toml"}
    assert copied() == needed


def test_it_runs_as_nobody_and_checks_by_default() -> None:
    last = RECIPE.rpartition("FROM ")[2]
    assert re.search(r"^USER 65532:65532$", last, re.MULTILINE)
    assert 'ENTRYPOINT ["sglint"]' in last
    (words,) = re.findall(r'^CMD \["(.+)"\]$', last, re.MULTILINE)
    assert words.split('", "')[0] in app.COMMANDS
