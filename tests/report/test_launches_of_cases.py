"""The JSON of ``launches`` for every extraction case: each field that the answers fix, strictly."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

import pytest

from sglint.lint import lint
from sglint.report.json import launches_json
from sglint.report.run import Run
from sglint.rules.findings import Report
from sglint.settings import Settings
from sglint.text import Document, Sources
from sglint.text.document import language_of

from ..hosts.extraction import CASES, Case
from ..hosts.test_cases_yaml import corrected

ANSWERS = sorted(path.name.removesuffix(".expected.json") for path in CASES.glob("*.expected.json"))


def read(path: str) -> str | None:
    place = CASES / path
    return place.read_bytes().decode("utf-8") if place.is_file() else None


def names(folder: str) -> list[str]:
    return sorted(path.name for path in (CASES / folder).iterdir()) if (CASES / folder).is_dir() else []


def files_of(name: str) -> list[str]:
    """The files of a case that SGLint reads, named from the folder of the cases."""
    found = [path for path in CASES.glob(f"{name}*") if not path.name.endswith(".expected.json")]
    files = [file for path in found for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()]
    return sorted(file.relative_to(CASES).as_posix() for file in files if language_of(file.name))


BOUND_BY_018 = {"140-config-file-standalone", "143-srt-slurm-recipe"}
"""Their flags bind several values in 0.5.18, as the answers have it; without evidence we bind by the newest release."""
NAMES = {"058-defaults-and-required": {"LL": "LOG_LEVEL"}}
"""Variables that an answer names otherwise than its file."""


def reports(name: str) -> Iterator[Report]:
    settings = Settings(release="0.5.18") if name in BOUND_BY_018 else Settings()
    files = files_of(name)
    linted = frozenset(path for path in files if "/templates/" in path)
    for path in sorted(files, key=lambda path: "/templates/" not in path):
        language = language_of(path)
        assert language is not None
        document = Document(path, read(path) or "", language)
        yield lint(document, settings, Sources(read, names=names, linted=linted), fixes=False)


def launches_of(name: str, home: str) -> list[dict[str, Any]]:
    """Our launches in the terms of the answers: ranges as four numbers, paths where they are another file's."""
    document = launches_json(Run(tuple(reports(name)), read=read))
    return [_in_their_terms(launch, name) for launch in document["launches"]]


def _in_their_terms(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_in_their_terms(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"start", "end"}:
        start, end = value["start"], value["end"]
        return [start["line"], start["character"], end["line"], end["character"]]
    found = {key: _in_their_terms(item, name) for key, item in value.items()}
    for key in ("path", "launcher_path"):
        if isinstance(found.get(key), str):
            found[key] = found[key].removeprefix(f"{name}/")
    return found


def wanted_of(name: str) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((CASES / f"{name}.expected.json").read_text(encoding="utf-8"))
    return corrected(Case(name, CASES / name, expected)).expected


def spared(expected: dict[str, Any], launch: dict[str, Any]) -> bool:
    line = (launch["launcher_range"] or launch["range"])[0]
    return any(one["range"][0] <= line <= one["range"][2] for one in expected.get("dont_care", ()))


class Comparison:
    """Fields of one launch that are not as the answer has them; ``count`` is how many were compared."""

    def __init__(self, home: str, names: Mapping[str, str]) -> None:
        self.home = home
        self.names = names
        self.count = 0
        self.wrong: list[str] = []

    def same(self, what: str, ours: Any, wanted: Any) -> None:
        self.count += 1
        if ours != wanted:
            self.wrong.append(f"{what}: {ours!r}, not {wanted!r}")

    def place(self, what: str, ours: dict[str, Any] | None, wanted: dict[str, Any] | None) -> None:
        """A range and its file; an answer without a range knows no place."""
        if wanted is None or wanted["range"] is None:
            self.same(what, ours["range"] if ours else None, None)
        else:
            self.same(what, ours and [ours["range"], ours["path"]], [wanted["range"], wanted.get("path", self.home)])


def compare(ours: dict[str, Any], wanted: dict[str, Any], home: str, names: Mapping[str, str]) -> Comparison:
    found = Comparison(home, names)
    for key in ("launcher", "host", "launcher_range", "gpu", "gpu_count"):
        found.same(key, ours[key], wanted[key])
    if wanted["launcher_range"] is not None:
        found.same("launcher_path", ours["launcher_path"], home)
    # A release that nothing in the file tells is taken from a setting, else the newest one is assumed.
    told = ours["release"]["value"] if ours["release_source"] not in (None, "unresolved variable") else None
    found.same("release", told, wanted["release"])
    for key in ("release", "gpu", "gpu_count"):
        found.same(f"{key}_source", ours[f"{key}_source"], wanted.get(f"{key}_source"))
        found.place(f"{key}_at", ours[f"{key}_at"], wanted.get(f"{key}_at"))
    found.same("config_launch", ours["config_launch"], wanted.get("config_launch"))
    for key in ("holes", "positional", "dropped"):
        found.same(f"number of {key}", len(ours[key]), len(wanted.get(key, ())))
        for mine, theirs in zip(ours[key], wanted.get(key, ()), strict=False):
            found.place(f"{key} {theirs}", mine, theirs)
            if key != "positional":
                found.same(f"{key} text", mine["text"], theirs["text"])
            if key == "positional":
                found.same("positional value", mine["value"], theirs["value"])
    found.same("env", {key: one["value"] for key, one in ours["env"].items()}, values_of(wanted["env"]))
    for key, item in wanted["env"].items():
        found.place(f"env {key}", ours["env"].get(key), item)
    found.same("flags", [one["flag"] for one in ours["options"]], [one["flag"] for one in wanted["options"]])
    for option, answer in zip(ours["options"], wanted["options"], strict=False):
        compare_option(found, option, answer)
    return found


def values_of(env: dict[str, Any]) -> dict[str, Any]:
    return {key: item["value"] for key, item in env.items()}


def names_in(definitions: Sequence[dict[str, Any]], others: Mapping[str, str] = MappingProxyType({})) -> list[str]:
    return [others.get(one["name"], one["name"]) for one in definitions]


def compare_option(found: Comparison, option: dict[str, Any], answer: dict[str, Any]) -> None:
    name = answer["flag"]
    for key in ("value", "presence", "value_range"):
        found.same(f"{name} {key}", option[key], answer[key])
    found.same(f"{name} with_defaults", option["with_defaults"], answer.get("with_defaults"))
    found.place(
        name, {"range": option["flag_range"], "path": option["path"]}, {**answer, "range": answer["flag_range"]}
    )
    definitions = answer.get("defined_at")
    if definitions is not None:
        found.same(f"{name} definitions", names_in(option["defined_at"]), names_in(definitions, found.names))
        for mine, theirs in zip(option["defined_at"], definitions, strict=False):
            found.place(f"{name} defined_at", mine, theirs)
    if "used_at" in answer:
        found.place(f"{name} used_at", option["used_at"], answer["used_at"])


@pytest.mark.parametrize("name", ANSWERS)
def test_every_field_of_every_launch_is_that_of_the_answer(name: str) -> None:
    assert differences(name) == []


def differences(name: str) -> list[str]:
    expected = wanted_of(name)
    files = files_of(name)
    home = PurePosixPath(files[0]).name if files else ""
    ours = [one for one in launches_of(name, home) if not spared(expected, one)]
    if len(ours) != len(expected["launches"]):
        return [f"{len(ours)} launches, not {len(expected['launches'])}"]
    wrong: list[str] = []
    for mine, answer in zip(ours, expected["launches"], strict=True):
        wrong += compare(mine, answer, answer.get("path", home), NAMES.get(name, {})).wrong
    return wrong
