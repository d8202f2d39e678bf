"""Every shell and Slurm case of the extraction folder, word by word."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.text import Document, Sources

from .extraction import Case, cases, differences


@pytest.mark.parametrize("case", cases("shell", "slurm"), ids=lambda case: case.name)
def test_the_launches_of_a_script_are_those_of_the_case(case: Case) -> None:
    reading = hosts.read(Document(case.path.name, case.text, "shell"), Sources.none())
    assert [problem for problem in reading.problems if problem.severity == "error"] == []
    assert differences(reading, case) == []
