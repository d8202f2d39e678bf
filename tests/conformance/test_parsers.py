"""The catalogue and our parser against what the releases' own parsers said (kept; see fuzz_parsers, parser_dump)."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sglint import catalogue
from sglint.catalogue import Flag

from .compare_parsers import ours

DUMPS: dict[str, Any] = json.loads(lzma.decompress(Path(__file__).with_name("parser_dumps.json.xz").read_bytes()))
VECTORS = lzma.decompress(Path(__file__).with_name("parser_vectors.jsonl.xz").read_bytes()).decode()

ACTIONS = {
    "_StoreAction": "store",
    "_StoreTrueAction": "store_true",
    "_HelpAction": "help",
    "BooleanOptionalAction": "boolean_optional",
}
TYPES = {"loads": "json", None: "str"}


def described(flag: Flag) -> dict[str, Any]:
    """A flag in the words of the driver."""
    suppressed = flag.default_computed == "argparse.SUPPRESS"
    return {
        "names": list(flag.names),
        "dest": flag.dest,
        "action": flag.action_class or flag.action,
        "type": None if flag.nargs == 0 else flag.type,
        "nargs": flag.nargs,
        "choices": None if flag.choices is None else list(flag.choices),
        "default": "==SUPPRESS==" if suppressed or flag.action == "help" else flag.default,
        "required": flag.required,
    }


def normal(action: dict[str, Any]) -> dict[str, Any]:
    kept = {key: action[key] for key in ("names", "dest", "action", "type", "nargs", "choices", "default", "required")}
    kept["action"] = ACTIONS.get(action["action"], action["action"])
    kept["type"] = None if action["nargs"] == 0 else TYPES.get(action["type"], action["type"])
    return kept


@pytest.mark.parametrize("release", DUMPS)
def test_the_catalogue_equals_the_parser(release: str) -> None:
    ours_, theirs_ = [described(flag) for flag in catalogue.load(release).flags], list(map(normal, DUMPS[release]))
    assert [flag["names"] for flag in ours_] == [flag["names"] for flag in theirs_]
    assert [pair for pair in zip(ours_, theirs_, strict=True) if json.dumps(pair[0]) != json.dumps(pair[1])] == []


@pytest.mark.parametrize("release", DUMPS)
def test_no_default_is_computed_but_the_suppressed_ones(release: str) -> None:
    computed = {flag.default_computed for flag in catalogue.load(release).flags}
    assert computed <= {None, "argparse.SUPPRESS"}


def vectors(release: str) -> Iterator[tuple[Any, Any]]:
    for line in VECTORS.splitlines():
        of, case, expected = json.loads(line)
        if of == release:
            yield case, expected


@pytest.mark.parametrize("release", catalogue.releases()[-9:])
def test_command_lines_are_taken_as_the_release_takes_them(release: str) -> None:
    table = catalogue.load(release)
    found = [(case, expected, ours(case, table)) for case, expected in vectors(release)]
    assert len(found) >= 400
    wrong = [entry for entry in found if json.dumps(entry[1], sort_keys=True) != json.dumps(entry[2], sort_keys=True)]
    assert wrong[:3] == []
