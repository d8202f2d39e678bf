"""What a container of a Dockerfile's last stage starts: variables of the build, stages, and both forms of commands."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch import AddOption, CannotEdit, Launch, RemoveOption, SetImageTag
from sglint.text import Document, Sources, apply_edits

SERVE = '["python3", "-m", "sglang.launch_server"'


def read(text: str) -> tuple[Launch, ...]:
    reading = hosts.read(Document("Dockerfile", text, "dockerfile"), Sources.none())
    assert reading.problems == ()
    return reading.launches


def argv(text: str) -> list[str | None]:
    (launch,) = read(text)
    return [word.text for word in launch.words]


def release(text: str) -> str | None:
    (launch,) = read(text)
    return launch.release.value if launch.release is not None else None


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ("ARG M=org/m\nENV X=$M", "org/m"),
        ("ARG M=org/m\nENV X=${M}-v2", "org/m-v2"),
        ('ARG M="org/m"\nENV A=1 X="/x/$M"', "/x/org/m"),
        ("ARG M\nENV X=${M:-org/d}", "org/d"),
        ("ARG M=\nENV X=${M:-org/d}", "org/d"),
        ("ARG M=\nENV X=a${M-org/d}", "a"),
        ("ENV M=org/m\nARG M=org/other\nENV X=$M", "org/m"),
        ("ARG A=org B=m\nENV X=$A/$B", "org/m"),
        ("ARG A=org\nARG B=$A/m\nENV X=$B", "org/m"),
        ("ENV M org/m\nENV X ${M}", "org/m"),
        ("ENV M=a M2=b\nENV M=c X=$M", "a"),
        ("ARG S=1\nENV X=m${S:+-fast}", "m-fast"),
        # Only who builds knows these, or the image that is built on.
        ("ARG M\nENV X=$M", None),
        ("ENV X=${HOME}/m", None),
        # No variables.
        ("ENV X='$M'", "$M"),
        ("ENV X=\\$M", "$M"),
    ],
)
def test_variables_of_the_build_are_filled_into_the_environment(lines: str, value: str | None) -> None:
    assert argv(f"FROM a/b\n{lines}\nCMD sglang serve --model-path $X --port 1")[1] == value


def test_words_of_a_variable_stand_where_they_are_written() -> None:
    text = 'FROM a/b\nARG M=org/m\nENV X="--model-path $M --tp-size 2"\nCMD sglang serve $X\n'
    (launch,) = read(text)
    assert [(word.text, text[word.span.start : word.span.end]) for word in launch.words] == [
        ("--model-path", "--model-path"),
        ("org/m", "org/m"),
        ("--tp-size", "--tp-size"),
        ("2", "2"),
    ]


def test_a_stage_has_what_the_stage_it_is_made_from_sets() -> None:
    text = (
        "FROM lmsysorg/sglang:v0.5.19 AS Base\nENV M=org/m CUDA_VISIBLE_DEVICES=0,1\n"
        f'ENTRYPOINT {SERVE}]\nFROM x AS tools\nCMD ["true"]\nFROM base\nCMD ["--model-path", "m"]\n'
    )
    (launch,) = read(text)
    assert [word.text for word in launch.words] == ["--model-path", "m"]
    assert launch.release is not None and launch.gpu_count is not None
    assert (launch.release.value, launch.gpu_count.value) == ("0.5.19", 2)
    assert ("M", "org/m") in [(variable.name, variable.value) for variable in launch.env]


def test_what_a_stage_inherits_is_no_overridden_start() -> None:
    text = f'FROM a AS b\nCMD {SERVE}, "--model-path", "m"]\nFROM b\nRUN true\n'
    reading = hosts.read(Document("Dockerfile", text, "dockerfile"), Sources.none())
    assert ([len(launch.words) for launch in reading.launches], reading.not_launches) == ([2], ())


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        # An inherited command is dropped by an entry point, one of the same stage is not.
        (f'FROM a AS b\nCMD ["--old"]\nFROM b\nENTRYPOINT {SERVE}, "m"]', ["m"]),
        (f'FROM a\nCMD ["--own"]\nENTRYPOINT {SERVE}, "m"]', ["m", "--own"]),
    ],
)
def test_an_entry_point_drops_the_command_it_was_not_written_for(stages: str, expected: list[str]) -> None:
    assert argv(stages) == expected


def test_a_command_in_shell_form_is_handed_to_the_entry_point_as_a_shell() -> None:
    text = 'FROM a\nENTRYPOINT ["/opt/entry.sh"]\nCMD sglang serve m --tp-size 2 \\\n  --port 1\n'
    (launch,) = read(text)
    assert [word.text for word in launch.words] == ["m", "--tp-size", "2", "--port", "1"]
    new = apply_edits(text, launch.editor.edits(launch, [RemoveOption(launch.words[1:3])]))
    assert new == text.replace(" --tp-size 2", "")


def test_a_server_that_is_handed_a_shell_gets_its_words() -> None:
    text = f"FROM a\nENTRYPOINT {SERVE}]\nCMD --model-path m --tp 2\n"
    (launch,) = read(text)
    assert [word.text for word in launch.words] == ["/bin/sh", "-c", "--model-path m --tp 2"]
    with pytest.raises(CannotEdit):
        launch.editor.edits(launch, [AddOption("--port", "1")])


@pytest.mark.parametrize(
    "file",
    [
        "COPY --chmod=755 <<'EOF' /opt/start.sh\nBODY\nEOF\n",
        "RUN cat > /opt/start.sh <<'EOF'\nBODY\nEOF\n",
        "RUN cat <<'EOF' > /opt/start.sh && chmod +x /opt/start.sh\nBODY\nEOF\n",
    ],
)
@pytest.mark.parametrize("entry", ['["/opt/start.sh"]', '["tini", "--", "bash", "/opt/start.sh"]'])
def test_an_entry_point_is_a_script_that_the_file_writes(file: str, entry: str) -> None:
    body = '#!/bin/bash\nexec sglang serve --model-path "$M" "$@"'
    text = f'FROM a\nENV M=m\n{file.replace("BODY", body)}ENTRYPOINT {entry}\nCMD ["--tp-size", "4"]\n'
    assert argv(text) == ["--model-path", "m", "--tp-size", "4"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("FROM lmsysorg/sglang:v0.5.18", "0.5.18"),
        ("ARG V=v0.5.18\nFROM lmsysorg/sglang:${V}-cu129", "0.5.18"),
        ("ARG R=lmsysorg/sglang\nARG T=v0.5.18\nARG I=$R:$T\nFROM $I", "0.5.18"),
        ("FROM nvidia/cuda:12.9.1\nARG V=0.5.18\nRUN pip install 'sglang[all]==${V}'", "0.5.18"),
        ("ARG V=0.5.18\nFROM nvidia/cuda:12.9.1\nARG V\nRUN uv pip install sglang==$V", "0.5.18"),
        ("FROM nvidia/cuda:12.9.1\nARG V\nRUN pip install sglang==${V:-0.5.18}", "0.5.18"),
        (
            "FROM x\nARG V=v0.5.18\nRUN git clone -b ${V} https://github.com/sgl-project/sglang && pip install x",
            "0.5.18",
        ),
        ("FROM x\nRUN cd sglang && git checkout v0.5.18", "0.5.18"),
        # What is installed over an image's own is what runs.
        ("FROM lmsysorg/sglang:v0.5.18\nRUN pip install sglang==0.5.20", "0.5.20"),
        ("FROM x\nARG V\nRUN pip install sglang==$V", None),
        ("FROM x\nRUN git clone -b v0.5.18 https://github.com/a/flash && pip install y", None),
    ],
)
def test_the_release_that_a_build_installs(lines: str, expected: str | None) -> None:
    assert release(f'{lines}\nCMD {SERVE}, "--model-path", "m"]') == expected


@pytest.mark.parametrize("name", ["CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"])
def test_visible_gpus_of_each_vendor_are_counted(name: str) -> None:
    (launch,) = read(f"FROM a\nENV {name}=0,1,2\nCMD sglang serve m\n")
    assert launch.gpu_count is not None
    assert (launch.gpu_count.value, launch.gpu_count.source) == (3, name)


def test_a_tag_that_an_argument_is_a_part_of_is_left_alone() -> None:
    text = "ARG V=v0.5.18\nFROM lmsysorg/sglang:${V}-cu129 AS base\nCMD sglang serve m\n"
    (launch,) = read(text)
    assert launch.image is not None and launch.image.tag == "v0.5.18-cu129"
    with pytest.raises(CannotEdit, match="put together"):
        launch.editor.edits(launch, [SetImageTag("v0.5.20")])
    whole = text.replace("-cu129", "")
    (launch,) = read(whole)
    new = apply_edits(whole, launch.editor.edits(launch, [SetImageTag("v0.5.20")]))
    assert new == whole.replace("v0.5.18", "v0.5.20")
