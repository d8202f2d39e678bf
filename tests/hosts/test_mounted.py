"""Scripts of ConfigMaps that containers of the same file start: told once, with what the container says."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch.model import AddOption, CannotEdit, Change, Launch, RemoveOption, SetImageTag, SetValue
from sglint.text import Document, Sources, apply_edits

SCRIPTS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: scripts}
data:
  start.sh: |
    #!/bin/bash
    # sglint: gpu=h200x4
    exec python3 -m sglang.launch_server --model-path "$MODEL" \\
      --tp-size $TP --pid $$ "$@"
  other.txt: nothing
"""
SERVER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: llm}
spec:
  template:
    spec:
      containers:
        - name: server   # sglint: model=org/wren-7b
          image: lmsysorg/sglang:v0.5.18
          command: [bash, /scripts/start.sh, --enable-metrics]
          env: [{name: MODEL, value: org/wren-7b}, {name: TP, value: "4"}]
          volumeMounts:
            - {name: cache, mountPath: /root}
            - {name: scripts, mountPath: /scripts/}
      volumes:
        - {name: cache, emptyDir: {}}
        - name: scripts
          configMap: {name: scripts, defaultMode: 0755}
"""
BOTH = f"{SCRIPTS}---\n{SERVER}"


def launches(text: str) -> tuple[Launch, ...]:
    reading = hosts.read(Document("x.yaml", text, "yaml"), Sources.none())
    assert reading.problems == ()
    return reading.launches


def only(text: str) -> Launch:
    (launch,) = launches(text)
    return launch


def words(launch: Launch) -> list[str | None]:
    return [word.text for word in launch.words if word.text not in ("--pid",)]


@pytest.mark.parametrize("text", [BOTH, f"{SERVER}---\n{SCRIPTS}"])
def test_a_script_has_the_variables_the_image_and_the_arguments_of_its_container(text: str) -> None:
    launch = only(text)
    assert words(launch) == ["--model-path", "org/wren-7b", "--tp-size", "4", None, "--enable-metrics"]
    assert launch.release is not None
    assert launch.directives.model is not None
    assert launch.directives.gpu is not None
    assert (launch.release.value, launch.directives.model.value) == ("0.5.18", "org/wren-7b")
    assert (launch.directives.gpu.value, launch.container) == ("h200", "server")
    assert text[slice(*launch.words[1].span)] == "$MODEL"
    assert [text[slice(*one.place.span)] for one in launch.words[1].defined_at] == ["org/wren-7b"]
    assert launch.words[-1].used_at is not None
    assert text[slice(*launch.words[-1].used_at.span)] == "$@"


@pytest.mark.parametrize(
    ("command", "mount"),
    [
        ("[/scripts/start.sh]", "mountPath: /scripts"),
        ("[sh, -c, exec bash /scripts/start.sh]", "mountPath: /scripts"),
        ("[sh, -c, ' /scripts/start.sh ']", "mountPath: /scripts"),
        ("[bash, start.sh]\n          workingDir: /scripts", "mountPath: /scripts"),
        ("[bash, /go.sh]", "mountPath: /go.sh, subPath: start.sh"),
        ("[bash, -eu, /scripts/../scripts/start.sh]", "mountPath: /scripts"),
        ("[tini, --, /scripts/start.sh]", "mountPath: /scripts"),
    ],
)
def test_ways_to_start_a_script(command: str, mount: str) -> None:
    text = BOTH.replace("[bash, /scripts/start.sh, --enable-metrics]", command).replace("mountPath: /scripts/", mount)
    assert words(only(text))[:4] == ["--model-path", "org/wren-7b", "--tp-size", "4"]


@pytest.mark.parametrize(
    "volume",
    [
        "configMap: {name: scripts, items: [{key: start.sh, path: bin/go}]}",
        "projected: {sources: [{configMap: {name: scripts}}]}",
    ],
)
def test_kinds_of_volumes(volume: str) -> None:
    text = BOTH.replace("configMap: {name: scripts, defaultMode: 0755}", volume)
    text = text.replace("/scripts/start.sh", "/scripts/bin/go") if "bin/go" in volume else text
    assert words(only(text))[1] == "org/wren-7b"


@pytest.mark.parametrize(
    "change",
    [
        ("[bash, /scripts/start.sh", "[bash, /scripts/none.sh"),
        ("[bash, /scripts/start.sh", "[bash, /other/start.sh"),
        ("mountPath: /scripts/", "mountPath: /scripts/, subPath: more"),
        ("configMap: {name: scripts", "configMap: {name: none"),
        ("configMap: {name: scripts", "secret: {secretName: scripts"),
        ("- name: scripts\n", "- name: others\n"),
        ("[bash, /scripts/start.sh", "[$(X), /scripts/start.sh"),
    ],
)
def test_a_script_that_no_container_is_known_to_start_stands_alone(change: tuple[str, str]) -> None:
    launch = only(BOTH.replace(*change))
    assert words(launch)[:2] == ["--model-path", None]
    assert launch.release is None


def test_containers_that_start_one_script_with_other_values_are_told_each() -> None:
    second = SERVER.replace("name: llm", "name: more").replace('"4"', '"8"')
    assert [words(one)[3] for one in launches(f"{BOTH}---\n{second}")] == ["4", "8"]
    same = SERVER.replace("name: llm", "name: more")
    assert len(launches(f"{BOTH}---\n{same}")) == 1


def test_a_list_holds_both() -> None:
    def inside(text: str) -> str:
        return "".join(f"    {line}\n" for line in text.splitlines())

    text = f"apiVersion: v1\nkind: List\nitems:\n  -\n{inside(SCRIPTS)}  -\n{inside(SERVER)}"
    assert words(only(text))[:4] == ["--model-path", "org/wren-7b", "--tp-size", "4"]


def edited(*changes: Change) -> str:
    launch = only(BOTH)
    return apply_edits(BOTH, launch.editor.edits(launch, changes))


def test_edits_go_to_the_script_the_arguments_and_the_image() -> None:
    launch = only(BOTH)
    assert edited(RemoveOption(launch.words[2:4])) == BOTH.replace("--tp-size $TP ", "")
    assert edited(RemoveOption(launch.words[-1:])) == BOTH.replace(", --enable-metrics", "")
    assert edited(AddOption("--dp-size", "2")) == BOTH.replace('"$@"', '"$@" \\\n      --dp-size 2')
    assert edited(SetImageTag("v0.5.20")) == BOTH.replace("v0.5.18", "v0.5.20")
    with pytest.raises(CannotEdit, match="where the variable is set"):
        edited(SetValue(launch.words[2:4], "8"))
