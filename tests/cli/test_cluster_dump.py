"""A live cluster, as kubectl writes it into a folder: every workload once, under its own name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Cli
from .launches import ARGV

Object = dict[str, Any]


def pod_spec(*more: str) -> Object:
    container = {
        "name": "server",
        "image": "lmsysorg/sglang:v0.5.18-cu129",
        "command": ["python3", "-m", "sglang.launch_server"],
        "args": [*ARGV, *more],
        "resources": {"limits": {"nvidia.com/gpu": "1"}},
    }
    return {"containers": [container], "nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-H200"}}


def workload(kind: str, name: str, owner: tuple[str, str] | None = None, namespace: str = "prod") -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace, **owned(owner)},
        "spec": {"replicas": 1, "template": {"spec": pod_spec()}},
    }


def pod(name: str, owner: tuple[str, str] | None, namespace: str = "prod") -> Object:
    metadata = {"name": name, "namespace": namespace, **owned(owner)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec()}


def owned(owner: tuple[str, str] | None) -> Object:
    if owner is None:
        return {}
    kind, name = owner
    reference = {"apiVersion": "apps/v1", "controller": True, "kind": kind, "name": name, "uid": "1"}
    return {"ownerReferences": [{**reference, "controller": False, "kind": "Other"}, reference]}


def secret(number: int) -> Object:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"s-{number}", "namespace": "prod"}}


def as_json(kind: str, objects: list[Object]) -> str:
    """As ``kubectl cluster-info dump``: the items of a list that has their kind."""
    items = [{key: value for key, value in one.items() if key not in ("kind", "apiVersion")} for one in objects]
    return json.dumps({"kind": f"{kind}List", "apiVersion": "v1", "metadata": {}, "items": items}, indent=4) + "\n"


def as_json_list(objects: list[Object]) -> str:
    """As ``kubectl get -o json``."""
    return json.dumps({"apiVersion": "v1", "items": objects, "kind": "List", "metadata": {}}, indent=4) + "\n"


def as_yaml(objects: list[Object]) -> str:
    """As ``kubectl get -o yaml``."""
    import yaml

    items = yaml.safe_dump(objects, default_flow_style=False)
    return f'apiVersion: v1\nitems:\n{items}kind: List\nmetadata:\n  resourceVersion: ""\n'


FLEET = [
    workload("Deployment", "llm"),
    workload("ReplicaSet", "llm-7d9f8c6b5d", ("Deployment", "llm")),
    workload("ReplicaSet", "llm-5c4d8f7b9c", ("Deployment", "llm")),
    pod("llm-7d9f8c6b5d-abcde", ("ReplicaSet", "llm-7d9f8c6b5d")),
    pod("llm-7d9f8c6b5d-fghij", ("ReplicaSet", "llm-7d9f8c6b5d")),
    pod("worker-0", ("LeaderWorkerSet", "worker")),
    pod("worker-1", ("LeaderWorkerSet", "worker")),
    pod("worker-0", ("LeaderWorkerSet", "worker"), "dev"),
    pod("alone", None),
    *(secret(number) for number in range(5)),
]
TOLD = ["Deployment/prod/llm", "Pod/dev/worker-0", "Pod/prod/alone", "Pod/prod/worker-0"]


def told(cli: Cli, *words: str) -> list[str]:
    result = cli("check", "--cluster-dump", "dump", "--format", "json", *words)
    assert result.err == ""
    return sorted(launch["path"].partition("#")[2] for launch in result.json["launches"])


@pytest.mark.parametrize("write", [as_yaml, as_json_list])
def test_each_workload_is_told_once_by_its_name(cli: Cli, write: Any) -> None:
    cli.write("dump/all.yaml", write(FLEET))
    assert told(cli) == TOLD


def test_a_folder_of_cluster_info_dump(cli: Cli) -> None:
    for namespace in ("prod", "dev"):
        for kind, name in (("Deployment", "deployments"), ("ReplicaSet", "replicasets"), ("Pod", "pods")):
            own = [one for one in FLEET if one["kind"] == kind and one["metadata"]["namespace"] == namespace]
            cli.write(f"dump/{namespace}/{name}.json", as_json(kind, own))
        cli.write(f"dump/{namespace}/events.json", as_json("Event", []))
    cli.write("dump/nodes.json", as_json("Node", []))
    cli.write("dump/prod/alone/logs.txt", "python -m sglang.launch_server --no-such-flag\n")
    assert told(cli) == TOLD
    result = cli("check", "--cluster-dump", "dump", "-q")
    assert result.code == 1
    assert "dump/prod/deployments.json#Deployment/prod/llm:" in result.out
    assert "in 4 launches (9 objects read, 5 of them copies)" in result.out


def test_an_owner_that_its_name_tells_stands_for_what_it_made(cli: Cli) -> None:
    cli.write("dump/all.yaml", as_yaml([one for one in FLEET if one["kind"] != "ReplicaSet"]))
    assert told(cli) == TOLD


def test_an_owner_that_does_not_mention_sglang_stands_for_nothing(cli: Cli) -> None:
    other = {"apiVersion": "v1", "kind": "LeaderWorkerSet", "metadata": {"name": "worker", "namespace": "prod"}}
    cli.write("dump/all.yaml", as_yaml([other, *FLEET]))
    assert told(cli) == TOLD


def test_an_object_in_two_files_is_told_once(cli: Cli) -> None:
    cli.write("dump/all.yaml", as_yaml(FLEET))
    cli.write("dump/pods.json", as_json_list([one for one in FLEET if one["kind"] == "Pod"]))
    assert told(cli) == TOLD


def test_names_do_not_depend_on_files(cli: Cli) -> None:
    """A pod may come before its owner, in another file, in the other notation."""
    cli.write("dump/a.json", as_json_list([one for one in FLEET if one["kind"] == "Pod"]))
    cli.write("dump/b.yaml", as_yaml([one for one in FLEET if one["kind"] != "Pod"]))
    assert told(cli) == TOLD


def test_parts_of_a_run_make_the_whole(cli: Cli) -> None:
    cli.write("dump/a.json", as_json_list(FLEET))
    cli.write("dump/b.yaml", as_yaml([secret(9), workload("StatefulSet", "more")]))
    cli.write("dump/c.yaml", "\xff\xfe".encode("latin-1") + "kind: List".encode("utf-16-le"))
    whole = cli("check", "--cluster-dump", "dump", "--format", "json")
    parts = []
    for number in (1, 2, 3):
        part = cli("check", "--cluster-dump", "dump", "--format", "json", "--shard", f"{number}/3")
        parts.append(str(cli.write(f"{number}.json", part.out)))
    assert cli("merge", *parts).json == whole.json
    assert whole.json["files"]["copies"] == 5


def test_places_count_from_the_first_line_of_the_object(cli: Cli) -> None:
    objects = [secret(1), workload("Deployment", "llm")]
    cli.write("dump/a.yaml", as_yaml(objects))
    (launch,) = cli("check", "--cluster-dump", "dump", "--format", "json").json["launches"]
    import yaml

    text = yaml.safe_dump(objects[1], default_flow_style=False).split("\n")
    assert text[launch["range"]["start"]["line"]][launch["range"]["start"]["character"] :] == "--model-path"


def test_what_cannot_be_read_is_told_and_the_rest_is_linted(cli: Cli) -> None:
    cli.write("dump/a.yaml", as_yaml(FLEET))
    cli.write("dump/b.json", '{"items": [' + '{"a": "' + "x" * 100)
    cli.write("dump/c.json", as_json_list([workload("Deployment", "cut")])[:-200])
    cli.write("dump/d.yaml", b"\xff\xfek\x00")
    (cli.folder / "dump" / "e.yaml").symlink_to("nowhere")
    result = cli("check", "--cluster-dump", "dump", "--format", "json")
    assert result.code == 2
    assert {item["path"]: item["reason"] for item in result.json["files"]["skipped"]} == {
        "dump/d.yaml": "UTF-16; write it as UTF-8",
        "dump/e.yaml": "no such file or directory",
    }
    assert len(result.json["launches"]) == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cluster-dump", "gone"), "sglint: --cluster-dump gone: no such folder\n"),
        (("--cluster-dump", ".", "a.yaml"), "sglint: --cluster-dump stands for the paths; give one or the other\n"),
    ],
)
def test_a_mistake(cli: Cli, words: tuple[str, ...], message: str) -> None:
    result = cli("check", *words)
    assert (result.code, result.err) == (2, message)


def test_a_list_in_json_on_standard_input_is_read_as_one_in_yaml(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    text = as_json_list([secret(1), workload("Deployment", "llm"), *map(secret, range(20))])
    small = cli("check", "-", "--format", "json", stdin=text.encode()).json
    monkeypatch.setattr("sglint.cli.loading.MAX_BYTES", 3000)
    streamed = cli("check", "-", "--format", "json", stdin=text.encode()).json
    assert [launch["path"] for launch in small["launches"]] == ["<stdin>"]
    assert [launch["path"] for launch in streamed["launches"]] == ["<stdin>#Deployment/prod/llm"]
    assert [one["code"] for one in small["findings"]] == [one["code"] for one in streamed["findings"]]
    assert streamed["launches"][0]["verdict"]["code"] == "SGL101"
