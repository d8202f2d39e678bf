"""Launches in the less usual places of manifests, workflows and playbooks."""

from __future__ import annotations

import pytest

from sglint import hosts
from sglint.launch.model import AddOption, CannotEdit, Change, Launch, RemoveOption, RenameFlag, SetImageTag, SetValue
from sglint.text import Document, Sources, apply_edits

GROUP = """\
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: x}
spec:
  leaderWorkerTemplate:
    leaderTemplate:
      spec:
        containers:
          - name: leader
            image: lmsysorg/sglang:v0.5.18
            command:
              - sh
              - -c
              - 'exec python3 -m sglang.launch_server "$@" --node-rank 0'
              - sglang
              - --model-path
              - Qwen/Qwen3-8B
              - --tp-size
              - "16"   # two nodes
              - --dist-init-addr=$(LWS_LEADER_ADDRESS):20000
"""


def launches(text: str) -> tuple[Launch, ...]:
    reading = hosts.read(Document("x.yaml", text, "yaml"), Sources.none())
    assert reading.problems == ()
    return reading.launches


def only(text: str) -> Launch:
    (launch,) = launches(text)
    return launch


def words(launch: Launch) -> list[str | None]:
    return [word.text for word in launch.words]


def test_what_a_script_gets_behind_it_is_what_it_hands_on() -> None:
    launch = only(GROUP)
    assert words(launch) == ["--model-path", "Qwen/Qwen3-8B", "--tp-size", "16", None, "--node-rank", "0"]
    assert launch.words[4].known_prefix.startswith("--dist-init-addr=")
    assert [GROUP[slice(*word.span)] for word in launch.words[:4]] == [
        "--model-path",
        "Qwen/Qwen3-8B",
        "--tp-size",
        "16",
    ]
    assert all(word.used_at is not None and GROUP[slice(*word.used_at.span)] == "$@" for word in launch.words[:4])
    numbered = GROUP.replace('"$@"', '--model-path "$2" --tp-size ${4}')
    assert words(only(numbered)) == ["--model-path", "Qwen/Qwen3-8B", "--tp-size", "16", "--node-rank", "0"]


@pytest.mark.parametrize("unknown", ["$(EXTRA)", "{{ extra }}"])
def test_a_parameter_that_is_not_known_is_a_word_that_is_not_known(unknown: str) -> None:
    launch = only(GROUP.replace("Qwen/Qwen3-8B", f"'{unknown}'"))
    assert words(launch)[:3] == ["--model-path", None, "--tp-size"]


def edited(text: str, *changes: Change) -> str:
    launch = only(text)
    return apply_edits(text, launch.editor.edits(launch, changes))


def test_parameters_are_edited_as_items_and_the_script_as_a_script() -> None:
    launch = only(GROUP)
    model, size, rank = launch.words[:2], launch.words[2:4], launch.words[5:7]
    assert edited(GROUP, SetValue(size, "8")) == GROUP.replace('"16"', '"8"')
    gone = '              - --tp-size\n              - "16"   # two nodes\n'
    assert edited(GROUP, RemoveOption(size)) == GROUP.replace(gone, "")
    assert edited(GROUP, RenameFlag(model[0], "--model")) == GROUP.replace("- --model-path", "- --model")
    assert edited(GROUP, SetValue(rank, "1")) == GROUP.replace("--node-rank 0", "--node-rank 1")
    assert edited(GROUP, SetImageTag("v0.5.20")) == GROUP.replace("v0.5.18", "v0.5.20")
    both = edited(GROUP, RemoveOption(rank), SetValue(size, "8"))
    assert both == GROUP.replace('"16"', '"8"').replace(" --node-rank 0", "")
    added = edited(GROUP, AddOption("--page-size", "1"))
    assert words(only(added))[-2:] == ["--page-size", "1"]
    split = GROUP.replace('"$@"', '--model-path "$2"')
    assert edited(split, RemoveOption(only(split).words[:2])) == GROUP.replace(' "$@"', "")
    with pytest.raises(CannotEdit, match="where the variable is set"):
        edited(split, SetValue(only(split).words[:2], "other"))


LAUNCH = "python3 -m sglang.launch_server --model-path m --tp-size 2"


@pytest.mark.parametrize(
    "task",
    [
        f"ansible.builtin.shell: |\n        {LAUNCH} &\n",
        f"ansible.builtin.command: {LAUNCH}\n",
        f"shell: {LAUNCH}\n",
        f"ansible.builtin.command:\n        cmd: {LAUNCH}\n",
        "ansible.builtin.command:\n        argv: [" + ", ".join(LAUNCH.split()) + "]\n",
    ],
)
def test_a_task_of_a_playbook_starts_a_server(task: str) -> None:
    assert words(only(f"- hosts: gpu\n  tasks:\n    - name: start\n      {task}")) == LAUNCH.split()[3:]


def test_a_step_of_a_workflow_starts_one_in_the_image_of_its_script() -> None:
    step = f"script:\n  image: lmsysorg/sglang:v0.5.18\n  command: [bash]\n  source: |\n    {LAUNCH}\n"
    launch = only(
        f"apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec:\n  templates:\n    - name: x\n      {step}".replace(
            "\n  ", "\n        "
        )
    )
    assert words(launch) == LAUNCH.split()[3:]
    assert launch.release is not None
    assert launch.release.value == "0.5.18"
    assert launches(f"source: '{LAUNCH}'\n") == ()


@pytest.mark.parametrize("container", ["lmsysorg/sglang:v0.5.17", "{image: 'lmsysorg/sglang:v0.5.17'}"])
def test_the_image_of_a_job_is_that_of_its_steps(container: str) -> None:
    job = f"jobs:\n  x:\n    runs-on: gpu\n    container: {container}\n    steps:\n      - run: {LAUNCH}\n"
    launch = only("on: push\n" + job)
    assert launch.release is not None
    assert launch.release.value == "0.5.17"


POD = """\
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Pod
    metadata: {name: x}
    spec:
      containers:
        - name: s
          image: lmsysorg/sglang:v0.5.18
          command: [python3, -m, sglang.launch_server]
          args: [--model-path=$(MODEL), "--port=${PORT}", "--host=${HOST}"]
          env: [{name: PORT, value: "1"}]
          envFrom: [{configMapRef: {name: cm}}]
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: cm}
    data: {MODEL: org/m}
"""


def test_a_list_s_config_maps_and_what_nobody_expands() -> None:
    launch = only(POD)
    assert words(launch) == ["--model-path=org/m", "--port=${PORT}", None]
    assert words(only(POD.replace('value: "1"', 'value: "${PORT}"')))[1] is None


@pytest.mark.parametrize(
    ("image", "version", "release"),
    [
        ("lmsysorg/sglang", "v0.5.18-cu129", "0.5.18"),
        ("lmsysorg/sglang", "0.5.18", "0.5.18"),
        ("lmsysorg/sglang", "v0.5.13.post1-rocm700", "0.5.13.post1"),
        ("lmsysorg/sglang", "nightly", None),
        ("lmsysorg/sglang:v0.5.20", "v0.5.18", "0.5.20"),
        ("other/server", "v0.5.18", None),
    ],
)
def test_a_version_beside_an_image_is_read_like_a_tag(image: str, version: str, release: str | None) -> None:
    launch = only(
        f"apiVersion: inference.example.com/v1\nkind: BackendRuntime\nspec:\n  image: {image}\n  version: {version}\n"
        "  command: [python3, -m, sglang.launch_server]\n  args: [--model-path, m]\n"
    )
    assert (launch.release.value if launch.release else None) == release


def test_a_parameter_with_blanks_is_one_word_where_the_script_quotes_it() -> None:
    text = GROUP.replace("Qwen/Qwen3-8B", "'my model'").replace("- --tp-size", "- --json-model-override-args")
    text = text.replace('"16"   # two nodes', """'{"a": "b c"}'""")
    assert words(only(text))[:4] == ["--model-path", "my model", "--json-model-override-args", '{"a": "b c"}']
    assert words(only(text.replace('"$@"', "$@")))[:3] == ["--model-path", "my", "model"]
    assert words(only(text.replace('"$@"', '--model-path "$2" --port $2')))[:5] == [
        "--model-path",
        "my model",
        "--port",
        "my",
        "model",
    ]


def test_what_services_of_compose_share_is_no_service_itself() -> None:
    text = (
        "x-sglang: &shared\n  image: lmsysorg/sglang:v0.5.18\n  entrypoint: sglang serve\n"
        "x-flags: &flags [--model-path, m, --tp-size, '2']\n"
        "services:\n  a:\n    <<: *shared\n    command: *flags\n  b:\n    <<: *shared\n    command: n --port 1\n"
    )
    launches = hosts.read(Document("compose.yaml", text, "yaml"), Sources.none()).launches
    assert [[word.text for word in launch.words] for launch in launches] == [
        ["--model-path", "m", "--tp-size", "2"],
        ["n", "--port", "1"],
    ]
    assert [launch.release.value for launch in launches if launch.release] == ["0.5.18", "0.5.18"]
