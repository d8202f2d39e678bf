"""Each format of ``check``, word for word."""

from __future__ import annotations

import pytest

from .golden import FOLDER, OUTPUTS


@pytest.mark.parametrize("name", OUTPUTS)
def test_output(name: str) -> None:
    assert OUTPUTS[name]() + "\n" == (FOLDER / name).read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(OUTPUTS)
