"""The catalogue against another reading of the same releases (shared/facts/flags-by-release.json)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sglint import catalogue

FACTS = Path(__file__).parents[3] / "shared" / "facts" / "flags-by-release.json"
NO_COMMAND_LINE = {"--custom-sigquit-handler", "--stat-loggers"}
"""Fields without a command-line form in 0.5.17 to 0.5.19, as the parsers of those releases confirm."""

READING = json.loads(FACTS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("release", READING["order"])
def test_option_strings_agree(release: str) -> None:
    names = {name for name in catalogue.load(release).by_name if name.startswith("--")} - {"--help"}
    theirs = set(READING["flags"][release])
    assert names - theirs == set()
    assert theirs - names <= NO_COMMAND_LINE
