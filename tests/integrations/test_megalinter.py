"""The plugin of MegaLinter: its descriptor has fields that MegaLinter knows, and its commands work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from sglint.text import language_of

from ..cli.launches import CLEAN, SCRIPT

ROOT = Path(__file__).parents[2]
FILE = ROOT / "integrations" / "mega-linter-plugin-sglint" / "sglint.megalinter-descriptor.yml"
DESCRIPTOR: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
(LINTER,) = DESCRIPTOR["linters"]

OF_DESCRIPTORS = {
    "descriptor_id", "descriptor_type", "descriptor_flavors", "file_extensions", "file_names_regex", "linters"
}  # fmt: skip
OF_LINTERS = {
    "linter_name", "name", "linter_url", "cli_lint_mode", "cli_lint_extra_args", "cli_lint_errors_count",
    "cli_lint_errors_regex", "cli_lint_fix_arg_name", "cli_lint_fix_remove_args", "cli_help_arg_name",
    "cli_version_arg_name", "install", "examples",
}  # fmt: skip
"""Fields of MegaLinter's schema for descriptors, which admits no others; it has more than these."""


def test_the_descriptor_is_of_megalinters_schema() -> None:
    assert DESCRIPTOR.keys() <= OF_DESCRIPTORS
    assert LINTER.keys() <= OF_LINTERS
    assert {"descriptor_id", "descriptor_type", "linters"} <= DESCRIPTOR.keys()
    assert {"linter_name", "linter_url", "examples"} <= LINTER.keys()
    assert DESCRIPTOR["descriptor_type"] in ("language", "format", "tooling_format", "other")
    assert LINTER["cli_lint_mode"] in ("file", "project", "list_of_files")
    assert LINTER["cli_lint_errors_count"] in ("regex_number", "regex_count", "regex_sum", "total_lines")


def test_megalinter_loads_it_from_where_it_is() -> None:
    """A plugin's folder and file have to be called so, and only ``RUN`` lines install it."""
    assert FILE.parent.name.startswith("mega-linter-plugin-")
    assert FILE.name.endswith(".megalinter-descriptor.yml")
    assert all(line.startswith("RUN ") for line in LINTER["install"]["dockerfile"])


@pytest.mark.parametrize(
    "name", ["a.yaml", "b.yml", "c.sh", "d.slurm", "e.service", "Dockerfile.cuda", "Makefile", "f.py"]
)
def test_files_that_sglint_reads_are_handed_on(name: str) -> None:
    assert language_of(name) is not None
    by_name = any(re.fullmatch(pattern, name) for pattern in DESCRIPTOR["file_names_regex"])
    assert by_name or Path(name).suffix in DESCRIPTOR["file_extensions"]


def commanded(folder: Path, files: list[str], *, fix: bool) -> subprocess.CompletedProcess[str]:
    """What MegaLinter runs: the arguments, with the fixing one behind them and those it displaces taken out."""
    words = [*LINTER["cli_lint_extra_args"]]
    if fix:
        words = [word for word in words if word not in LINTER["cli_lint_fix_remove_args"]]
        words.append(LINTER["cli_lint_fix_arg_name"])
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server"), "FORCE_COLOR": "0", "SGLINT_NO_CACHE": "1"}
    return subprocess.run(
        [sys.executable, "-m", LINTER["linter_name"], *words, *files],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_errors_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "b.sh").write_text(CLEAN, encoding="utf-8")
    done = commanded(tmp_path, ["a.sh", "b.sh"], fix=False)
    assert done.returncode == 1
    assert len(re.findall(LINTER["cli_lint_errors_regex"], done.stdout)) == 1
    assert commanded(tmp_path, ["b.sh"], fix=False).returncode == 0


def test_fixes_are_applied(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text(CLEAN.replace("--tp-size", "--tensor-parallel-siz"), encoding="utf-8")
    assert commanded(tmp_path, ["a.sh"], fix=True).returncode == 0
    assert "--tensor-parallel-size 2" in (tmp_path / "a.sh").read_text(encoding="utf-8")
