"""Every chart of the extraction folder: words where templates and values files write them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sglint import catalogue, hosts
from sglint.launch import Launch, Place, Reading
from sglint.launch.argv import parse
from sglint.text import Document, Sources, Span

from .extraction import BINDING, CASES, _value, place_in

CHARTS = sorted(path.name for path in CASES.iterdir() if path.is_dir() and (path / "Chart.yaml").is_file())


def sources() -> Sources:
    def read(path: str) -> str | None:
        return Path(path).read_bytes().decode("utf-8") if Path(path).is_file() else None

    def names(folder: str) -> list[str]:
        return sorted(path.name for path in Path(folder).iterdir()) if Path(folder).is_dir() else []

    return Sources(read, names=names)


def document(path: Path) -> Document:
    return Document(str(path), path.read_bytes().decode("utf-8"), "yaml")


@dataclass(frozen=True)
class Found:
    """A launch and the template that starts it."""

    chart: Path
    template: Document
    launch: Launch

    def at(self, place: Place | None) -> tuple[list[int] | None, str | None]:
        """Range and file of a place, the file as the answers name it."""
        if place is None:
            return None, None
        path = Path(place.path or self.template.path)
        return place_in(document(path), place.span), path.relative_to(self.chart).as_posix()

    def span(self, span: Span | None, path: str | None) -> tuple[list[int] | None, str | None]:
        return self.at(None if span is None else Place(span, path))


def found_in(chart: Path) -> list[Found]:
    found = []
    for path in sorted((chart / "templates").glob("*.yaml")):
        reading: Reading = hosts.read(document(path), sources())
        assert [problem for problem in reading.problems if problem.severity != "info"] == []
        found += [Found(chart, reading.document, launch) for launch in reading.launches]
    return found


def wanted_at(answer: dict[str, Any], key: str, home: str) -> tuple[list[int] | None, str | None]:
    return (answer[key], answer.get("path", home)) if answer[key] is not None else (None, None)


@pytest.mark.parametrize("name", CHARTS)
def test_the_launches_of_a_chart_are_those_of_the_case(name: str) -> None:
    expected = json.loads((CASES / f"{name}.expected.json").read_text(encoding="utf-8"))
    found = found_in(CASES / name)
    assert len(found) == len(expected["launches"])
    for one, answer in zip(found, expected["launches"], strict=True):
        check_launch(one, answer)


def check_launch(one: Found, answer: dict[str, Any]) -> None:
    launch, home = one.launch, answer["path"]
    assert (launch.host, launch.launcher) == ("helm-template", answer["launcher"])
    if one.at(Place(launch.span))[1] == home:
        assert one.span(launch.launcher_span, None) == (answer["launcher_range"], home)
    options = parse(launch.words, catalogue.load(BINDING), serve=launch.launcher == "serve").options
    options = tuple(option for option in options if not option.implied)
    assert [(option.written, option.presence, _value(option)) for option in options] == [
        (item["flag"], item["presence"], item["value"]) for item in answer["options"]
    ]
    for option, item in zip(options, answer["options"], strict=True):
        check_option(one, option, item, home)
    check_surroundings(one, answer, home)


def check_option(one: Found, option: Any, item: dict[str, Any], home: str) -> None:
    name = option.written
    assert one.span(option.flag_span, option.words[0].path) == wanted_at(item, "flag_range", home), name
    if item["value_range"] is not None and item["value"] is not True:
        assert one.span(option.value_span, option.words[-1].path) == wanted_at(item, "value_range", home), name
    if "defined_at" in item:
        definitions = [definition for word in option.words for definition in word.defined_at]
        assert [(each.name, *one.at(each.place)) for each in definitions] == [
            (each["name"], each["range"], each.get("path", home)) for each in item["defined_at"]
        ], name
    if "used_at" in item:
        assert one.at(option.words[0].used_at)[0] == item["used_at"]["range"], name


def check_surroundings(one: Found, answer: dict[str, Any], home: str) -> None:
    launch = one.launch
    env = {variable.name: (variable.value, *one.at(variable.place)) for variable in launch.env}
    assert env == {key: (item["value"], *wanted_at(item, "range", home)) for key, item in answer["env"].items()}
    for key in ("release", "gpu", "gpu_count"):
        evidence = getattr(launch, key)
        assert (evidence.value if evidence else None) == answer[key]
        if answer[key] is not None:
            assert evidence.source == answer[f"{key}_source"]
            assert one.at(evidence.place) == wanted_at(answer[f"{key}_at"], "range", home)
