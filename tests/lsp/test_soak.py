"""A short stretch of what ``make soak`` does for minutes."""

from __future__ import annotations

from pathlib import Path

import pytest

from .soak import Soak


@pytest.mark.parametrize("pulls", [False, True], ids=["pushed", "pulled"])
def test_after_much_editing_a_server_says_what_a_fresh_one_does(tmp_path: Path, pulls: bool) -> None:
    soaked = Soak(tmp_path, seed=7, files=20, pulls=pulls).run(steps=250, minutes=0)
    assert soaked.wrong == []
    assert min(soaked.steps[name] for name in ("edit", "ask", "cancel", "open_one", "close_one", "set")) > 0
