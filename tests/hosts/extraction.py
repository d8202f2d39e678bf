"""Comparison of a reading with the answers of the extraction cases, by the rules of that folder's README."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sglint import catalogue
from sglint.launch import Launch, Place, Reading
from sglint.launch.argv import parse
from sglint.text import Document, Span

CASES = Path(__file__).parents[3] / "shared" / "cases" / "extraction"
BINDING = "0.5.18"


@dataclass(frozen=True)
class Case:
    name: str
    path: Path
    expected: dict[str, Any]

    @property
    def text(self) -> str:
        return self.path.read_bytes().decode("utf-8")


def cases(*kinds: str) -> list[Case]:
    """The cases of these kinds that are one file."""
    found = []
    for answer in sorted(CASES.glob("*.expected.json")):
        expected = json.loads(answer.read_text(encoding="utf-8"))
        stem = answer.name.removesuffix(".expected.json")
        files = [path for path in CASES.glob(f"{stem}.*") if path != answer]
        if expected["kind"] in kinds and len(files) == 1:
            found.append(Case(stem, files[0], expected))
    return found


def differences(reading: Reading, case: Case) -> list[str]:
    """What is not as the case expects; empty when all is."""
    document = reading.document
    spared = [span_of(document, entry["range"]) for entry in case.expected.get("dont_care", ())]
    launches = [launch for launch in reading.launches if not any(s.contains(_anchor(launch)) for s in spared)]
    wanted = case.expected["launches"]
    wrong = []
    for entry in case.expected["not_launches"]:
        place = span_of(document, entry["range"])
        if any(launch.launcher_span is not None and launch.launcher_span.touches(place) for launch in launches):
            wrong.append(f"a launch at {entry['text']!r}, which is {entry['what']}")
    if len(launches) != len(wanted):
        return [*wrong, f"{len(launches)} launches, not {len(wanted)}: {[_anchor(launch) for launch in launches]}"]
    for number, (launch, answer) in enumerate(zip(launches, wanted, strict=True), 1):
        wrong += [f"#{number} {text}" for text in _launch(document, launch, answer)]
    return wrong


def _anchor(launch: Launch) -> Span:
    return launch.launcher_span or launch.span


def span_of(document: Document, place: list[int]) -> Span:
    from sglint.text import Position

    first = document.lines.offset(Position(place[0], place[1]))
    return Span(first, document.lines.offset(Position(place[2], place[3])))


def place_in(document: Document, span: Span | None) -> list[int] | None:
    if span is None:
        return None
    (line, character), (end_line, end_character) = document.lines.range(span)
    return [line, character, end_line, end_character]


def _launch(document: Document, launch: Launch, answer: dict[str, Any]) -> list[str]:
    wrong = []

    def same(what: str, ours: object, wanted: object) -> None:
        if ours != wanted:
            wrong.append(f"{what}: {ours!r}, not {wanted!r}")

    def at(place: Place | None) -> list[int] | None:
        return place_in(document, place.span) if place is not None else None

    same("launcher", launch.launcher, answer["launcher"])
    same("host", launch.host, answer["host"])
    same("launcher range", place_in(document, launch.launcher_span), answer["launcher_range"])
    parsed = parse(launch.words, catalogue.load(BINDING), serve=launch.launcher == "serve")
    options = [option for option in parsed.options if not option.implied]
    same("flags", [option.written for option in options], [option["flag"] for option in answer["options"]])
    for option, wanted in zip(options, answer["options"], strict=False):
        name = option.written
        same(f"{name} presence", option.presence, wanted["presence"])
        same(f"{name} range", place_in(document, option.flag_span), wanted["flag_range"])
        same(f"{name} value", _value(option), wanted["value"])
        same(f"{name} value range", place_in(document, option.value_span), wanted["value_range"])
        if "defined_at" in wanted:
            found = [at(item.place) for word in option.words for item in word.defined_at]
            same(f"{name} defined at", found, [item["range"] for item in wanted["defined_at"]])
        if "used_at" in wanted:
            same(f"{name} used at", at(option.words[0].used_at), wanted["used_at"]["range"])
    holes = [place_in(document, word.span) for word in parsed.holes if not _is_config(word)]
    same("holes", holes, [hole["range"] for hole in answer.get("holes", ())])
    positional = [(word.text, place_in(document, word.span)) for word in parsed.positional]
    same("positional", positional, [(item["value"], item["range"]) for item in answer["positional"]])
    env = {variable.name: (variable.value, at(variable.place)) for variable in launch.env}
    same("env", env, {name: (item["value"], item["range"]) for name, item in answer["env"].items()})
    for key in ("release", "gpu", "gpu_count"):
        evidence = getattr(launch, key)
        same(key, evidence.value if evidence else None, answer[key])
        if answer[key] is not None and evidence is not None:
            same(f"{key} source", evidence.source, answer[f"{key}_source"])
            same(f"{key} range", at(evidence.place), answer[f"{key}_at"]["range"])
    return wrong


def _is_config(word: Any) -> bool:
    return word.text is not None


def _value(option: Any) -> object:
    if not option.raw:
        return True
    if len(option.raw) == 1 and not (option.flag and option.flag.nargs in ("+", "*")):
        return option.raw[0]
    if len(option.raw) == 1:
        return option.raw[0] if option.raw[0] is None else [option.raw[0]]
    return list(option.raw)
