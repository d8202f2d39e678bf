"""Compose services that extend others: words, images and variables from where they are written."""

from __future__ import annotations

from collections.abc import Mapping

from sglint import hosts
from sglint.launch import Launch
from sglint.text import Document, Sources

COMMON = """\
services:
  base:
    image: lmsysorg/sglang:v0.5.18
    entrypoint: [python3, -m, sglang.launch_server, --host=0.0.0.0]
    command: [--model-path=m, --tp-size=2]
    environment: {A: "1", B: "2"}
"""


def launches(files: Mapping[str, str], name: str = "d/compose.yaml") -> dict[str | None, Launch]:
    reading = hosts.read(Document(name, files[name], "yaml"), Sources(files.get))
    assert reading.problems == ()
    return {launch.container: launch for launch in reading.launches}


def words(launch: Launch) -> list[tuple[str | None, str | None]]:
    return [(word.text, word.path) for word in launch.words]


def test_a_service_without_words_of_its_own_is_a_launch_of_the_other_s_words() -> None:
    text = COMMON + "  big:\n    extends: base\n    image: lmsysorg/sglang:v0.5.21\n    environment: {B: '3'}\n"
    found = launches({"d/compose.yaml": text})
    assert set(found) == {"base", "big"}
    big = found["big"]
    assert (
        words(big)
        == words(found["base"])
        == [(text, None) for text in ("--host=0.0.0.0", "--model-path=m", "--tp-size=2")]
    )
    assert big.release is not None
    assert big.release.value == "0.5.21"
    assert {one.name: one.value for one in big.env} == {"A": "1", "B": "3"}
    assert text[slice(*big.span)] == "base"


def test_a_service_of_another_file_lends_what_is_not_written_here() -> None:
    own = """\
services:
  big:
    extends: {file: ../common.yml, service: base}
    command: [--model-path=n, --mem-fraction-static=0.8]
"""
    (big,) = launches({"d/compose.yaml": own, "common.yml": COMMON}).values()
    assert big.launcher == "launch_server"
    assert words(big) == [
        ("--host=0.0.0.0", "common.yml"),
        ("--model-path=n", None),
        ("--mem-fraction-static=0.8", None),
    ]
    assert big.release is not None
    assert big.release.place is not None
    assert (big.release.value, big.release.place.path) == ("0.5.18", "common.yml")


def test_chains_are_followed_in_any_order() -> None:
    text = (
        "services:\n  c: {extends: {service: b}}\n  b:\n    extends: {service: base}\n    image: sglang:v0.5.20\n"
        + COMMON.partition("\n")[2]
    )
    found = launches({"d/compose.yaml": text})
    release = found["c"].release
    assert set(found) == {"base", "b", "c"}
    assert release is not None
    assert release.value == "0.5.20"


def test_services_that_extend_each_other_or_nothing_end() -> None:
    for text in (
        "services:\n  a: {extends: b, image: sglang}\n  b: {extends: a, image: sglang}\n",
        "services:\n  a: {extends: none, image: sglang}\n",
        "services:\n  a: {extends: {file: compose.yaml, service: a}, image: sglang}\n",
        "services:\n  a: {extends: {file: missing.yml, service: a}, image: sglang}\n",
        "services:\n  a: {extends: [x], image: sglang}\n",
    ):
        assert launches({"d/compose.yaml": text}) == {}
    cycle = "services:\n  a: {extends: {file: %s, service: a}, image: sglang}\n"
    assert launches({"d/compose.yaml": cycle % "other.yaml", "d/other.yaml": cycle % "compose.yaml"}) == {}
