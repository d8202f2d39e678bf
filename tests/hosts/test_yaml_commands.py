"""Commands under the keys that tools of many kinds have for them, and YAML documents inside strings."""

from __future__ import annotations

import textwrap

import pytest

from sglint import hosts
from sglint.launch.model import Launch, RemoveOption, SetImageTag, SetValue
from sglint.text import Document, Sources, apply_edits

LINE = "python3 -m sglang.launch_server --model-path m --tp-size 2"
WORDS = LINE.split()[3:]
FLOW = "[" + ", ".join(f'"{word}"' for word in LINE.split()) + "]"


def launches(text: str, name: str = "x.yaml") -> tuple[Launch, ...]:
    reading = hosts.read(Document(name, text, "yaml"), Sources.none())
    assert reading.problems == ()
    return reading.launches


def words(launch: Launch) -> list[str | None]:
    return [word.text for word in launch.words]


@pytest.mark.parametrize(
    "text",
    [
        f"steps:\n  - bash: |\n      {LINE}\n",
        f"services:\n  - type: web\n    dockerCommand: {LINE}\n",
        f"server: {{launch_cmd: {LINE}}}\n",
        f"tasks:\n  serve: {LINE}\n",
        f"vars:\n  sglang: CUDA_VISIBLE_DEVICES=0,1 exec {LINE}\n",
        f"spec:\n  multiHostCommands:\n    leader: {FLOW}\n",
        f"spec:\n  multiHostCommands:\n    leader: [sh, -c, '{LINE}']\n",
        f"runcmd:\n  - {FLOW}\n",
        f"tasks:\n  serve:\n    cmds:\n      - nvidia-smi\n      - {LINE}\n",
    ],
)
def test_a_command_is_found_under_the_key_of_any_tool(text: str) -> None:
    (launch,) = launches(text)
    assert words(launch) == WORDS
    assert [text[slice(*word.span)] for word in launch.words] == WORDS


@pytest.mark.parametrize(
    "text",
    [
        f"steps:\n  - name: {LINE}\n",
        f"steps:\n  - displayName: {LINE}\n",
        f"parameters:\n  - description: {LINE}\n",
        f"notes: Run {LINE} by hand.\n",
        f"examples:\n  - {LINE}\n",
    ],
)
def test_prose_that_quotes_a_command_starts_nothing(text: str) -> None:
    assert launches(text) == ()


@pytest.mark.parametrize("engine", ["engine: sglang", "backend: SGLang", "backendName: sglang"])
@pytest.mark.parametrize("key", ["extraArgs", "backend_parameters", "args"])
def test_flags_beside_the_name_of_the_engine_are_the_server_s(engine: str, key: str) -> None:
    flags = "[--context-length=32768, --reasoning-parser=qwen3]"
    text = f"models:  # of sglang\n  - {engine}\n    {key}: {flags}\n"
    (launch,) = launches(text)
    assert words(launch) == ["--context-length=32768", "--reasoning-parser=qwen3"]
    assert launch.launcher == "none"
    other = engine.partition(":")[0] + ": vllm"
    assert launches(text.replace(engine, other)) == ()


@pytest.mark.parametrize(
    ("engine", "version"), [("backendName: sglang", "version"), ("backend: SGLang", "backend_version")]
)
def test_a_version_beside_the_name_of_the_engine_is_the_release(engine: str, version: str) -> None:
    flags = "[--tp-size, '2', --mem-fraction-static, '0.9']"
    text = f"spec:  # of sglang\n  {engine}\n  {version}: v0.5.19\n  args: {flags}\n"
    (launch,) = launches(text)
    assert launch.release is not None
    assert (launch.release.value, launch.release.source) == ("0.5.19", "version key")
    assert launch.release.place is not None
    assert text[slice(*launch.release.place.span)] == "v0.5.19"
    (other,) = launches(text.replace("SGLang", "vLLM").replace("sglang", "vllm"))
    assert other.release is None


POD = f"""\
apiVersion: v1
kind: Pod
metadata: {{name: inner}}
spec:
  containers:
    - name: server
      image: lmsysorg/sglang:v0.5.18
      args: {FLOW}
"""
VALUES = """\
image: {repository: lmsysorg/sglang, tag: v0.5.18}
extraArgs: ["--model-path", "m", "--tp-size", "2"]
"""


def embedded(keys: tuple[str, ...], text: str, style: str = "|") -> str:
    outer = ""
    for depth, key in enumerate(keys[:-1]):
        outer += "  " * depth + f"{key}:\n"
    width = 2 * (len(keys) - 1)
    return outer + " " * width + f"{keys[-1]}: {style}\n" + textwrap.indent(text, " " * (width + 4))


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (("spec", "source", "helm", "values"), VALUES),
        (("spec", "valuesContent"), VALUES),
        (("data", "values.yaml"), VALUES),
        (("spec", "template", "resource", "manifest"), POD),
        (("data", "pod.yml"), POD),
        (("data", "all.yaml"), f"kind: Service\n---\n{POD}"),
    ],
)
def test_documents_in_strings_are_read_and_edited_where_they_stand(keys: tuple[str, ...], text: str) -> None:
    outer = embedded(keys, text)
    (launch,) = launches(outer)
    assert words(launch) == WORDS
    assert [outer[slice(*word.span)] for word in launch.words] == WORDS
    assert launch.release is not None
    assert launch.release.value == "0.5.18"
    after = apply_edits(outer, launch.editor.edits(launch, [RemoveOption(launch.words[2:4]), SetImageTag("v0.5.20")]))
    assert after == outer.replace(', "--tp-size", "2"', "").replace("v0.5.18", "v0.5.20")


GROUP = f"""\
kind: RoleBasedGroup
metadata: {{name: x}}
spec:
  roles:
    - name: prefill
      leaderWorkerSet:
        patchLeaderTemplate:
          spec:
            containers:
              - name: server
                command: {FLOW}
        patchWorkerTemplate:
          spec:
            containers:
              - name: server
                command: {FLOW}
      template:
        spec:
          containers:
            - name: other
              image: lmsysorg/sglang:v0.5.16
            - name: server
              image: lmsysorg/sglang:v0.5.18
              resources: {{limits: {{nvidia.com/gpu: 8}}}}
"""


def test_a_patch_of_a_group_s_template_runs_in_the_container_that_it_changes() -> None:
    found = launches(GROUP)
    assert [launch.role for launch in found] == ["leader", "worker"]
    assert [launch.image.text for launch in found if launch.image] == ["lmsysorg/sglang:v0.5.18"] * 2
    assert [launch.release.value for launch in found if launch.release] == ["0.5.18"] * 2
    assert [launch.gpu_count.value for launch in found if launch.gpu_count] == [8, 8]
    assert all(
        launch.image is None for launch in launches(GROUP.replace("- name: server\n              image", "- image"))
    )


def container(command: str, *variables: tuple[str, str]) -> str:
    env = "".join(f"      - name: {name}\n        value: {value!r}\n" for name, value in variables)
    return (
        f"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - name: x\n      command: {command}\n      env:\n{env}"
    )


def test_a_variable_s_text_is_told_where_something_runs_it() -> None:
    flags = "--model-path m --tp-size 2"
    for command, variables in (
        ('[sh, -c, "exec $CMD"]', [("CMD", LINE)]),
        ('[sh, -c, "$(CMD)"]', [("CMD", LINE)]),
        ('[sh, -c, "sglang serve $FLAGS"]', [("FLAGS", flags)]),
    ):
        (launch,) = launches(container(command, *variables))
        assert words(launch) == WORDS
    assert launches(container('[sh, -c, "sleep 1"]', ("CMD", LINE))) == ()
    (alone,) = launches(container("[/start]", ("FLAGS", flags)))
    assert alone.launcher == "none"


def test_gpus_that_a_script_leaves_visible_are_not_the_container_s() -> None:
    script = "|\n          for i in 0 1; do\n            CUDA_VISIBLE_DEVICES=$i " + LINE + "\n          done\n"
    text = f"kind: Pod\nspec:\n  containers:\n    - command:\n        - sh\n        - -c\n        - {script}"
    text += "      resources: {limits: {nvidia.com/gpu: 2}}\n"
    (launch,) = launches(text)
    assert launch.gpu_count is None
    (whole,) = launches(text.replace("CUDA_VISIBLE_DEVICES=$i ", ""))
    assert whole.gpu_count is not None
    assert whole.gpu_count.value == 2


def test_amd_s_development_images_carry_the_release() -> None:
    (launch,) = launches(f"image: rocm/sgl-dev:v0.5.9-rocm700-mi35x-20260115\ncommand: {FLOW}\n")
    assert launch.release is not None
    assert launch.release.value == "0.5.9"


def test_a_task_of_ecs_has_its_command_in_two_lists_and_references_in_tags() -> None:
    task = "Containers:\n  - Image: x\n    EntryPoint: [python3, -m, sglang.launch_server]\n"
    task += "    Command: [--model-path, !Ref Model, --tp-size, '2']\n"
    (launch,) = launches(task)
    assert words(launch) == ["--model-path", None, "--tp-size", "2"]
    (launch,) = launches(task.replace("EntryPoint", "entryPoint").replace("Command", "command"))
    assert words(launch) == ["--model-path", None, "--tp-size", "2"]


@pytest.mark.parametrize(
    "piece", ["macros:\n  run: &run\n    a: python3 -m sglang.launch_server --tp-size 2\n", f"base: {FLOW[:42]}]\n"]
)
def test_a_piece_of_a_command_is_no_launch(piece: str) -> None:
    assert launches(piece) == ()


def test_a_switch_with_an_empty_text_in_a_tool_s_map_is_a_switch() -> None:
    text = "config:\n  tp-size: 2\n  mem-fraction-static: 0.9\n  trust-remote-code: ''\n  served-model-name: ''\n"
    (launch,) = launches(text)
    assert words(launch)[4:] == ["--trust-remote-code", "--served-model-name", ""]


BLOCK = """\
command: [python3, -m, sglang.launch_server]
args:
  - --model-loader-extra-config
  - |  # as JSON
    {
      "a": 1
    }

  # the next one
  - --chat-template
  - >-
    /a b/c
  - --tp-size
  - "2"
"""


def test_a_value_written_as_a_block_is_set_without_what_stands_behind_it() -> None:
    (launch,) = launches(BLOCK)
    config, template = launch.words[0:2], launch.words[2:4]
    after = apply_edits(BLOCK, launch.editor.edits(launch, [SetValue(config, '{"a": 2}')]))
    written = '"{\\"a\\": 2}"\n'
    assert after == BLOCK.replace('|  # as JSON\n    {\n      "a": 1\n    }\n', written)
    assert words(launches(after)[0]) == ["--model-loader-extra-config", '{"a": 2}', *words(launch)[2:]]
    after = apply_edits(BLOCK, launch.editor.edits(launch, [SetValue(template, "8")]))
    assert after == BLOCK.replace(">-\n    /a b/c\n", '"8"\n')
    (again,) = launches(after)
    assert words(again)[2:] == ["--chat-template", "8", "--tp-size", "2"]
    for text in (BLOCK, after):
        (found,) = launches(text)
        assert "# the next one" in apply_edits(text, found.editor.edits(found, [RemoveOption(found.words[:2])]))
