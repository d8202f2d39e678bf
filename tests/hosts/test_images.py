"""What Dockerfiles and units start, where the notation decides."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from sglint import hosts
from sglint.launch import (
    AddOption,
    CannotEdit,
    Change,
    Launch,
    RemoveOption,
    RenameFlag,
    SetImageTag,
    SetValue,
    Word,
)
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


def test_a_shell_form_is_edited_like_any_script() -> None:
    text = "FROM lmsysorg/sglang:v0.5.18\nCMD sglang serve \\\n    --model-path m\n"
    (launch,) = launches_of(text, "dockerfile")
    new = apply_edits(text, launch.editor.edits(launch, [AddOption("--tp-size", "2")]))
    assert new == text.replace("path m", "path m \\\n    --tp-size 2")


EXEC = """\
FROM lmsysorg/sglang:v0.5.18
ENTRYPOINT ["sglang", "serve", "--model-path", "m"]
CMD ["--tp-size=2", "--host", "a\\"b"]
"""


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (lambda words: RemoveOption(words[2:3]), '"--tp-size=2", ', ""),
        (lambda words: RemoveOption(words[3:5]), ', "--host", "a\\"b"', ""),
        (lambda words: RemoveOption(words[0:2]), ', "--model-path", "m"', ""),
        (lambda words: RemoveOption(words[2:5]), '"--tp-size=2", "--host", "a\\"b"', ""),
        (lambda words: SetValue(words[2:3], "8"), "=2", "=8"),
        (lambda words: SetValue(words[3:5], 'c"'), 'a\\"b', 'c\\"'),
        (lambda words: RenameFlag(words[2], "--tp"), "--tp-size=", "--tp="),
        (lambda words: AddOption("--page-size", "1"), 'a\\"b"', 'a\\"b", "--page-size", "1"'),
        (lambda words: SetImageTag("v0.5.20"), "v0.5.18", "v0.5.20"),
    ],
)
def test_words_of_exec_forms_are_edited_in_their_lists(
    change: Callable[[tuple[Word, ...]], Change], before: str, after: str
) -> None:
    (launch,) = launches_of(EXEC, "dockerfile")
    new = apply_edits(EXEC, launch.editor.edits(launch, [change(launch.words)]))
    assert new == EXEC.replace(before, after)


UNIT = "[Service]\nExecStart=/usr/bin/sglang serve \\\n    --model-path '/m/a b' \\\n    --port 1 --tp-size=${TP}\n"


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (lambda words: RemoveOption(words[0:2]), " \\\n    --model-path '/m/a b'", ""),
        (lambda words: RemoveOption(words[4:5]), " --tp-size=${TP}", ""),
        (lambda words: SetValue(words[0:2], "/m/100%"), "'/m/a b'", "/m/100%%"),
        (lambda words: SetValue(words[2:4], "a $b"), "--port 1", '--port "a $$b"'),
        (lambda words: RenameFlag(words[0], "--model"), "--model-path", "--model"),
        (lambda words: AddOption("--page-size", "1"), "${TP}", "${TP} --page-size 1"),
    ],
)
def test_words_of_a_unit_are_edited_in_their_line(
    change: Callable[[tuple[Word, ...]], Change], before: str, after: str
) -> None:
    (launch,) = launches_of(UNIT, "systemd")
    new = apply_edits(UNIT, launch.editor.edits(launch, [change(launch.words)]))
    assert new == UNIT.replace(before, after)


def test_words_of_a_unit_s_variables_are_left_alone() -> None:
    text = '[Service]\nEnvironment="MORE=--port 1"\nExecStart=/usr/bin/sglang serve --model-path m $MORE\n'
    (launch,) = launches_of(text, "systemd")
    with pytest.raises(CannotEdit, match="where that is set"):
        launch.editor.edits(launch, [RemoveOption(launch.words[2:4])])


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
