"""Units of systemd: how it splits a line, which variables hold, and what a line runs."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch import CannotEdit, Launch, SetImageTag
from sglint.text import Document, Sources, apply_edits, language_of

START = "ExecStart=/usr/bin/sglang serve"


def read(text: str) -> tuple[Launch, ...]:
    reading = hosts.read(Document("a.service", text, "systemd"), Sources.none())
    assert reading.problems == ()
    return reading.launches


def argv(text: str) -> list[str | None]:
    (launch,) = read(text)
    return ["*" if word.many else word.text for word in launch.words]


@pytest.mark.parametrize(
    ("environment", "words", "expected"),
    [
        # A variable in braces is part of its word, one without is a word on its own that is split.
        ("X=a b", "${X}", ["a b"]),
        ("X=a b", "$X", ["a", "b"]),
        ("X=a b", '"$X"', ["a", "b"]),
        ("X=a b", "'$X' c", ["a", "b", "c"]),
        ("X=a", "--port=${X}", ["--port=a"]),
        ("X=a", "--port=$X", ["--port=$X"]),
        ("X=a", '"x $X"', ["x $X"]),
        ("X=", "$X ${X} y", ["", "y"]),
        ("Y=a", "$X ${X}", ["*", None]),
        # Quotes in what is split are respected.
        ("X=--a 'b c' d", "$X", ["--a", "b c", "d"]),
        ("X=--a '' d", "$X", ["--a", "", "d"]),
        ("X=b\\\\ c", "$X", ["b c"]),
        ("X=a", "$$X ${X}%%", ["$X", "a%"]),
    ],
)
def test_variables_are_put_into_words(environment: str, words: str, expected: list[str | None]) -> None:
    assert argv(f'[Service]\nEnvironment="{environment}"\n{START} {words}\n') == expected


def test_words_of_a_split_variable_stand_where_they_are_written() -> None:
    text = f"[Service]\nEnvironment=A=1 \"X=--port 'a b'\"\n{START} $X\n"
    (launch,) = read(text)
    assert [text[word.span.start : word.span.end] for word in launch.words] == ["--port", "a b"]


def test_variables_hold_wherever_they_stand() -> None:
    assert argv(f"[Service]\n{START} ${{M}}\nEnvironment=M=m\n") == ["m"]
    assert argv(f"[Service]\nEnvironment=M=m\nEnvironment=\n{START} ${{M}}\n") == [None]
    assert argv(f"[Service]\nEnvironment=M=m\nEnvironment=M=n\n{START} ${{M}}\n") == ["n"]


def test_an_empty_line_takes_back_those_before_it() -> None:
    text = f"[Service]\n{START} --old\nExecStart=\n{START} --new\n"
    reading = hosts.read(Document("a.service", text, "systemd"), Sources.none())
    assert [[word.text for word in launch.words] for launch in reading.launches] == [["--new"]]
    assert [item.program for item in reading.not_launches] == ["overridden"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("@/usr/bin/sglang sgl serve m", ["m"]),
        ("-!!/usr/bin/sglang serve m", ["m"]),
        (":/usr/bin/sglang serve $M ${M}", ["$M", "${M}"]),
        ("/bin/true ; /usr/bin/sglang serve m ; /bin/true", ["m"]),
        ("/usr/bin/sglang serve 'a;' \\; b", ["a;", ";", "b"]),
    ],
)
def test_signs_before_a_line_and_semicolons_between_commands(line: str, expected: list[str]) -> None:
    assert argv(f"[Service]\nEnvironment=M=m\nExecStart={line}\n") == expected


DOCKER = "ExecStart=/usr/bin/docker run --rm --gpus '\"device=0,1\"' -e T=${T} IMAGE sglang serve m\n"


def test_a_container_says_its_release_and_gpus() -> None:
    text = f"[Service]\nEnvironment=CUDA_VISIBLE_DEVICES=7\n{DOCKER}".replace("IMAGE", "lmsysorg/sglang:v0.5.18")
    (launch,) = read(text)
    assert launch.release is not None and launch.gpu_count is not None
    assert (launch.release.value, launch.gpu_count.value) == ("0.5.18", 2)
    assert [(variable.name, variable.value) for variable in launch.env] == [("T", None)]
    new = apply_edits(text, launch.editor.edits(launch, [SetImageTag("v0.5.20")]))
    assert new == text.replace("v0.5.18", "v0.5.20")


def test_an_image_in_a_variable_is_changed_where_it_is_set() -> None:
    text = f"[Service]\nEnvironment=I=lmsysorg/sglang:v0.5.18\n{DOCKER}".replace("IMAGE", "${I}")
    (launch,) = read(text)
    new = apply_edits(text, launch.editor.edits(launch, [SetImageTag("v0.5.20")]))
    assert new == text.replace("v0.5.18", "v0.5.20")
    text = f"[Service]\nEnvironment=V=v0.5.18\n{DOCKER}".replace("IMAGE", "lmsysorg/sglang:${V}")
    (launch,) = read(text)
    assert launch.image is not None and launch.image.text == "lmsysorg/sglang:v0.5.18"
    with pytest.raises(CannotEdit):
        launch.editor.edits(launch, [SetImageTag("v0.5.20")])


def test_a_shell_in_a_container_has_the_container_s_variables() -> None:
    text = (
        "[Service]\nEnvironment=A=outside B=1\nExecStart=/usr/bin/podman run -e A=inside lmsysorg/sglang:v0.5.18 "
        "bash -c 'sglang serve $$A $$B'\n"
    )
    (launch,) = read(text)
    assert [word.text for word in launch.words] == ["inside", None]
    assert launch.release is not None and launch.release.value == "0.5.18"


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("etc/sglang.service.d/10-model.conf", "systemd"),
        ("etc/nginx.conf", None),
        ("sglang@.service", "systemd"),
    ],
)
def test_drop_ins_are_units(path: str, language: str | None) -> None:
    assert language_of(path) == language
