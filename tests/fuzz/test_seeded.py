"""A short stretch of the fuzzing that ``make fuzz`` does for long, the same texts each time."""

from __future__ import annotations

import random

import pytest

from .reading import failure
from .targets import TARGETS, drawn

TEXTS = 25


@pytest.mark.parametrize("host", TARGETS)
def test_mangled_files_are_read_and_judged_without_a_fault(host: str) -> None:
    dice = random.Random(f"seeded {host}")
    for number in range(TEXTS):
        files = drawn(TARGETS[host], dice)
        wrong = failure(files, judged=number % 12 == 0)
        assert wrong is None, f"{wrong}\n{files!r}"
