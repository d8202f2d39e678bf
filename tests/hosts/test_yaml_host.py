"""What the YAML host finds in a file, and what bad input costs."""

from __future__ import annotations

import time

import pytest

from sglint.hosts import read
from sglint.hosts.yaml_documents import chunks
from sglint.launch.model import Launch, Reading
from sglint.text import Document, Sources

ARGS = """\
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200}
      containers:
        - name: server
          image: lmsysorg/sglang:v0.5.18-cu129
          command: [python3, -m, sglang.launch_server]
          args:
            - --model-path
            - openai/gpt-oss-120b
            - --enable-unified-memory
          resources:
            limits: {nvidia.com/gpu: 8}
"""
VALUES = """\
image:
  repository: lmsysorg/sglang
  tag: v0.5.18-cu129
extraArgs:
  - --model-path
  - openai/gpt-oss-120b
  - --enable-unified-memory
"""


def reading_of(text: str, path: str = "file.yaml") -> Reading:
    return read(Document(path, text, "yaml"), Sources.none())


def launch_of(text: str, path: str = "file.yaml") -> Launch:
    reading = reading_of(text, path)
    assert not reading.problems
    (launch,) = reading.launches
    return launch


def test_a_container_gives_words_release_and_hardware() -> None:
    launch = launch_of(ARGS)
    assert (launch.host, launch.launcher, launch.container) == ("kubernetes", "launch_server", "server")
    assert [word.text for word in launch.words] == ["--model-path", "openai/gpt-oss-120b", "--enable-unified-memory"]
    assert [ARGS[word.span.start : word.span.end] for word in launch.words] == [word.text for word in launch.words]
    assert launch.release and launch.gpu and launch.gpu_count
    assert (launch.release.value, launch.release.source) == ("0.5.18", "image tag")
    assert (launch.gpu.value, launch.gpu_count.value) == ("h200", 8)
    assert launch.image and launch.image.tag == "v0.5.18-cu129"


@pytest.mark.parametrize("kind", ["CronJob", "LeaderWorkerSet", "SomethingNew"])
def test_any_kind_around_a_container_will_do(kind: str) -> None:
    deeper = ARGS.replace("kind: Deployment\nspec:\n  template:\n", f"kind: {kind}\nspec:\n  anything:\n")
    assert launch_of(deeper).launcher == "launch_server"


def test_a_values_file_gives_the_same_words_and_release() -> None:
    launch = launch_of(VALUES, "values.yaml")
    assert (launch.host, launch.launcher) == ("helm-values", "none")
    assert [word.text for word in launch.words] == [word.text for word in launch_of(ARGS).words]
    assert launch.release and launch.release.value == "0.5.18"


@pytest.mark.parametrize("place", ["    # {}\n        - name: server", "- name: server  # {}", "args: # {}"])
def test_a_directive_at_the_containers_beginning_wins(place: str) -> None:
    directive = "sglint: release=0.5.20 gpu=b200x4"
    anchor = "args:" if place.startswith("args") else "    - name: server" if place[0] == " " else "- name: server"
    launch = launch_of(ARGS.replace(anchor, place.format(directive)))
    assert launch.release and launch.gpu and launch.gpu_count
    assert (launch.release.value, launch.release.source) == ("0.5.20", "directive")
    assert (launch.gpu.value, launch.gpu_count.value) == ("b200", 4)


def test_an_ignore_above_a_list_item_counts() -> None:
    text = ARGS.replace(
        "            - --enable", "            # sglint: ignore[SGL101] we know\n            - --enable"
    )
    assert [ignore.codes for ignore in launch_of(text).directives.ignores] == [("SGL101",)]


def test_a_broken_document_costs_only_itself() -> None:
    broken = ARGS.replace("command: [python3", "command: [[python3")
    reading = reading_of(f"{broken}---\n{ARGS}")
    (problem,) = reading.problems
    assert problem.code == "SGL001"
    assert problem.span.start <= len(broken)
    (launch,) = reading.launches
    assert launch.span.start > len(broken)


def test_comments_and_prose_start_nothing() -> None:
    text = "# python3 -m sglang.launch_server --model-path x\nnote: run sglang.launch_server --tp-size 8\n"
    reading = reading_of(text)
    assert reading.launches == () and reading.problems == ()


def test_other_programs_of_the_image_are_no_launches() -> None:
    text = ARGS.replace("sglang.launch_server", "sglang_router.launch_router")
    reading = reading_of(text)
    assert reading.launches == ()
    assert [(other.program, text[other.span.start : other.span.end]) for other in reading.not_launches] == [
        ("router", "sglang_router.launch_router")
    ]


@pytest.mark.parametrize("variant", ["crlf", "bom", "no final line end", "emoji"])
def test_spans_hold_whatever_the_encoding_does(variant: str) -> None:
    text = {
        "crlf": ARGS.replace("\n", "\r\n"),
        "bom": "\ufeff" + ARGS,
        "no final line end": ARGS.rstrip("\n"),
        "emoji": "# 😀😀\n" + ARGS.replace("name: server", "name: 😀"),
    }[variant]
    launch = launch_of(text)
    assert [text[word.span.start : word.span.end] for word in launch.words] == [word.text for word in launch.words]


def test_the_documents_of_a_stream_cover_it() -> None:
    text = "%YAML 1.1\n---\na: 1\n---\n# note\nb: |\n  ---x\n  --- y\n...\n---\nc: 3"
    found = list(chunks(text))
    assert "".join(chunk.text for chunk in found) == text
    assert [chunk.text.split("\n")[0] for chunk in found] == ["%YAML 1.1", "---", "---"]
    assert all(text.startswith(chunk.text, chunk.base) for chunk in found)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("sglang\0" + ARGS, "SGL003"),
        ("# sglang\n" + "x" * 10_000_001, "SGL002"),
        (ARGS.replace("server\n", "ser\x07ver\n", 1), "SGL001"),
        (ARGS.replace("name: server", "name: \ud800"), "SGL001"),
        ("sglang: " + "[" * 100_000, "SGL001"),
        ("sglang:\n" + "".join(" " * depth + "a:\n" for depth in range(3000)), "SGL001"),
    ],
)
def test_hostile_texts_cost_one_problem(text: str, code: str) -> None:
    reading = reading_of(text)
    assert [problem.code for problem in reading.problems] == [code]


def test_an_alias_bomb_is_read_in_bounded_time() -> None:
    bomb = "a0: &a0 {command: [sglang]}\n"
    for level in range(1, 30):
        bomb += f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n"
    started = time.process_time()
    reading = reading_of(bomb)
    assert time.process_time() - started < 5
    assert [problem.code for problem in reading.problems] == ["SGL002"]


def test_an_alias_to_itself_ends() -> None:
    text = "sglang: &x\n  args: [--model-path, a, --tp-size, '2']\n  again: *x\n  <<: *x\n"
    assert len(reading_of(text).launches) >= 1


def test_a_change_in_one_document_leaves_the_others_launches_as_they_are() -> None:
    first = reading_of(f"{ARGS}---\n{ARGS}")
    second = reading_of(f"{ARGS}---\n{ARGS.replace('unified', 'fused')}")
    assert second.launches[0] is first.launches[0]
    assert second.launches[1].words[-1].text == "--enable-fused-memory"


CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: shared}
data:
  TP: "8"
  MODEL: openai/gpt-oss-20b
---
"""


def test_variables_come_from_a_config_map_of_the_same_file() -> None:
    env = (
        "          envFrom: [{configMapRef: {name: shared}}]\n"
        "          env: [{name: WHICH, valueFrom: {configMapKeyRef: {name: shared, key: MODEL}}}]\n"
    )
    args = ARGS.replace("- openai/gpt-oss-120b", "- $(WHICH)").replace("--enable-unified-memory", "--tp-size=$(TP)")
    text = CONFIG_MAP + args + env
    launch = launch_of(text)
    assert [word.text for word in launch.words] == ["--model-path", "openai/gpt-oss-20b", "--tp-size=8"]
    (definition,) = launch.words[2].defined_at
    assert text[definition.place.span.start : definition.place.span.end] == "8"
    changed = text.replace('TP: "8"', 'TP: "4"')
    assert launch_of(changed).words[2].text == "--tp-size=4"


def test_underscores_are_dashes_in_charts_and_what_they_are_in_a_config_file() -> None:
    flags = "model-path: /m/a\nmem_fraction_static: 0.8\ntp-size: 2\n"
    values = "serverArgs:\n  " + flags.replace("\n", "\n  ").rstrip(" ")
    assert [word.text for word in launch_of(flags).words][2] == "--mem_fraction_static"
    launch = launch_of(values, "values.yaml")
    assert [word.text for word in launch.words][2] == "--mem-fraction-static"
    word = launch.words[2]
    assert values[word.span.start : word.span.end] == "mem_fraction_static"


@pytest.mark.parametrize("end", ["\\", ' "half\\', " 'half", ' "half', " \\\\", ' "a\\"', " a\\", ' ""\\'])
def test_a_compose_command_may_end_in_half_a_word(end: str) -> None:
    """A lone backslash at the end once was a word without an end, again and again."""
    command = f"python3 -m sglang.launch_server --tp-size 2{end}"
    text = f"services:\n  a:\n    image: lmsysorg/sglang:v0.5.18\n    command: {command}\n"
    (launch,) = read(Document("compose.yaml", text, "yaml"), Sources.none()).launches
    assert launch.words[0].text == "--tp-size"
