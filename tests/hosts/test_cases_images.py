"""Dockerfiles and systemd units of the extraction folder, word by word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sglint.hosts import dockerfile, systemd
from sglint.launch import Reading
from sglint.text import Document, Sources

from .extraction import Case, cases, differences

READERS: dict[str, Callable[[Document, Sources], Reading]] = {
    "dockerfile": dockerfile.read,
    "systemd": systemd.read,
}


@pytest.mark.parametrize("case", cases("dockerfile", "systemd"), ids=lambda case: case.name)
def test_the_launches_of_a_file_are_those_of_the_case(case: Case) -> None:
    kind = case.expected["kind"]
    reading = READERS[kind](Document(case.path.name, case.text, kind), Sources.none())
    assert differences(reading, case) == []
