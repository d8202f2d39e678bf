"""``sglint launches``: the extraction cases, through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli
from .launches import DEPLOYMENT

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "extraction"


def as_case(found: dict[str, Any] | None) -> list[int] | None:
    """A range as the cases write it."""
    return None if found is None else [found[side][axis] for side in ("start", "end") for axis in ("line", "character")]


@pytest.mark.parametrize(
    "name",
    [
        "001-deployment-eq-items.yaml",
        "039-emoji-columns-yaml.yaml",
        "040-crlf-manifest.yaml",
        "053-array-grown.sh",
        "093-emoji-columns-shell.sh",
    ],
)
def test_launches_as_the_cases_have_them(cli: Cli, name: str) -> None:
    expected = json.loads((CASES / name).with_suffix(".expected.json").read_text(encoding="utf-8"))["launches"]
    cli.write(name, (CASES / name).read_bytes())
    found = cli("launches", "--format", "json", name).json["launches"]
    assert [launch["launcher"] for launch in found] == [launch["launcher"] for launch in expected]
    assert [as_case(launch["launcher_range"]) for launch in found] == [launch["launcher_range"] for launch in expected]
    for ours, theirs in zip(found, expected, strict=True):
        assert [
            (option["flag"], option["value"], option["presence"], as_case(option["flag_range"]))
            for option in ours["options"]
        ] == [
            (option["flag"], option["value"], option["presence"], option["flag_range"]) for option in theirs["options"]
        ]
        assert (ours["release_source"], ours["gpu"], ours["gpu_count"]) == (
            theirs["release_source"],
            theirs["gpu"],
            theirs["gpu_count"],
        )


def test_words_options_and_holes_in_words(cli: Cli) -> None:
    cli.write("start.sh", 'python -m sglang.launch_server --model-path m $EXTRA "$@"\n')
    lines = cli("launches", "start.sh").out.splitlines()
    assert lines[0].startswith("start.sh:1:1: launch_server of m, ")
    assert lines[1].split() == ["1:32", "--model-path", "m"]
    assert sum("not statically known" in line for line in lines) == 2
    assert lines[-1] == "1 launch, 1 file read"


def test_places_that_start_no_server_are_listed(cli: Cli) -> None:
    cli.write("stop.sh", "pkill -f sglang.launch_server\n")
    result = cli("launches", "--format", "json", "stop.sh").json
    assert result["launches"] == []
    assert [item["path"] for item in result["not_launches"]] == ["stop.sh"]


def test_findings_do_not_change_the_exit_code(cli: Cli) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    assert cli("launches", "a.yaml").code == 0
