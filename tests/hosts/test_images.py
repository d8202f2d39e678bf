"""What Dockerfiles and units start, where the notation decides."""

from __future__ import annotations

import time

import pytest

from sglint import hosts
from sglint.launch import AddOption, CannotEdit, Launch
from sglint.text import Document, Sources, apply_edits, language_of


def launches_of(text: str, language: str) -> tuple[Launch, ...]:
    reading = hosts.read(Document("file", text, language), Sources.none())
    assert reading.problems == ()
    return reading.launches


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("Dockerfile", "dockerfile"),
        ("a/Dockerfile.cuda", "dockerfile"),
        ("gpu.dockerfile", "dockerfile"),
        ("Containerfile", "dockerfile"),
        ("sglang.service", "systemd"),
        ("Dockerfile.yaml", "yaml"),
        ("x.txt", None),
    ],
)
def test_languages_by_name(path: str, language: str | None) -> None:
    assert language_of(path) == language


def test_a_shell_form_is_edited_like_any_script_and_an_exec_form_is_not() -> None:
    text = "FROM lmsysorg/sglang:v0.5.18\nCMD sglang serve \\\n    --model-path m\n"
    (launch,) = launches_of(text, "dockerfile")
    new = apply_edits(text, launch.editor.edits(launch, [AddOption("--tp-size", "2")]))
    assert new == text.replace("path m", "path m \\\n    --tp-size 2")
    (fixed,) = launches_of('FROM x\nCMD ["sglang", "serve", "--model-path", "m"]\n', "dockerfile")
    with pytest.raises(CannotEdit, match="exec form"):
        fixed.editor.edits(fixed, [AddOption("--tp-size", "2")])


def test_a_script_in_an_exec_form_is_edited_with_json_escapes() -> None:
    text = 'FROM x\nCMD ["bash", "-c", "sglang serve --model-path m"]\n'
    (launch,) = launches_of(text, "dockerfile")
    new = apply_edits(text, launch.editor.edits(launch, [AddOption("--served-model-name", 'a "b"')]))
    assert new == text.replace("path m", "path m --served-model-name 'a \\\"b\\\"'")


def test_a_unit_keeps_unknown_words_unknown() -> None:
    text = "[Service]\nExecStart=/usr/bin/sglang serve --model-path /m/%i $MORE --tp-size ${TP} --port 1%%\n"
    (launch,) = launches_of(text, "systemd")
    assert [("*" if word.many else word.text) for word in launch.words] == [
        "--model-path",
        None,
        "*",
        "--tp-size",
        None,
        "--port",
        "1%",
    ]


@pytest.mark.parametrize("language", ["dockerfile", "systemd"])
@pytest.mark.parametrize(
    "text",
    [
        "CMD [" + '"sglang",' * 20_000,
        "FROM x\nCMD " + "sglang \\\n" * 20_000,
        "FROM x\nRUN <<EOF\nsglang\n" * 5_000,
        "[Service]\nExecStart=sglang " + "'" * 50_001,
        "ExecStart=sglang \\\n# x\n" * 5_000,
        "FROM ${sglang:-" * 5_000,
    ],
)
def test_broken_files_cost_little(language: str, text: str) -> None:
    start = time.process_time()
    hosts.read(Document("file", text, language), Sources.none())
    assert time.process_time() - start < 10
