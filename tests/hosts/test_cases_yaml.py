"""Every YAML case of the extraction folder, word by word."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from sglint import hosts
from sglint.cli.discovery import Candidate
from sglint.cli.loading import Loaded, load
from sglint.launch.model import Launch, Reading
from sglint.text import Document, Sources

from .extraction import Case, cases, differences

KINDS = """
k8s-deployment k8s-pod k8s-statefulset k8s-job k8s-cronjob lws rbg kserve ome dynamo aibrix yaml-other configmap
compose helm-values sglang-config srt-slurm-recipe skypilot gha truss ansible kthena llmaz sglang-cookbook-model
""".split()
SLIPS = {
    # Both containers have an image of their own, and the nearest evidence counts; the answer points to the first
    # one's tag for the second.
    "011-single-quoted-doubled": (1, [11, 29, 11, 36]),
    # The other answers take the whole tag, `v` included.
    "109-compose-flags-in-default": (0, [2, 27, 2, 34]),
}
"""Answers that contradict the other cases: number of the launch, and where the others would have its release."""
ALL = cases(*KINDS)


def corrected(case: Case) -> Case:
    if case.name not in SLIPS:
        return case
    number, place = SLIPS[case.name]
    expected: dict[str, Any] = copy.deepcopy(case.expected)
    expected["launches"][number]["release_at"] = {"range": place}
    return Case(case.name, case.path, expected)


def read(case: Case, text: str) -> Reading:
    return hosts.read(Document(case.path.name, text, "yaml"), Sources.none())


def test_the_folder_is_there() -> None:
    assert len(ALL) == 76


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_the_launches_of_a_file_are_those_of_the_case(case: Case) -> None:
    reading = read(case, case.text)
    assert [problem for problem in reading.problems if problem.severity == "error"] == []
    assert differences(reading, corrected(case)) == []


def shape(launch: Launch, text: str) -> object:
    """A launch without its offsets: texts and what is written at each span."""
    words = [(word.text, word.presence, text[word.span.start : word.span.end]) for word in launch.words]
    evidence = [item and item.value for item in (launch.release, launch.gpu, launch.gpu_count)]
    return launch.host, launch.launcher, words, evidence, [(item.name, item.value) for item in launch.env]


def plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


@pytest.mark.parametrize("variant", ["crlf", "bom", "emoji", "tabs", "no final line end"])
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_line_ends_marks_and_wide_characters_change_no_launch(case: Case, variant: str) -> None:
    text = plain(case.text)
    changed = {
        "crlf": text.replace("\n", "\r\n"),
        "bom": "\ufeff" + text,
        "emoji": "# 😀\n" + text,
        "tabs": "#\tx\t😀\t\n" + text,
        "no final line end": text.rstrip("\n"),
    }[variant]
    expected = [shape(launch, text) for launch in read(case, text).launches]
    found = [shape(launch, changed) for launch in read(case, changed).launches]
    assert repr(found).replace("\\r\\n", "\\n") == repr(expected)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_a_case_in_a_wide_encoding_is_the_same_text(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "wide.yaml"
    for case in ALL:
        text = plain(case.text)
        path.write_bytes(("\ufeff" + text).encode(encoding))
        loaded = load(Candidate(str(path), "yaml", True))
        assert isinstance(loaded, Loaded)
        assert loaded.document.text == text
        assert loaded.encode(text) == path.read_bytes()
