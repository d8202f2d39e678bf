"""Which program a command line starts, behind the words in front of it."""

from __future__ import annotations

import shlex

import pytest

from sglint.hosts.programs import has_server_flags, recognise
from sglint.launch.argv import words_of


def program(line: str):
    return recognise(words_of(shlex.split(line)))


@pytest.mark.parametrize(
    ("line", "launcher"),
    [
        ("python3 -m sglang.launch_server -x", "launch_server"),
        ("python -u -X dev -m sglang.launch_server -x", "launch_server"),
        ("/opt/v/bin/python3.12 python/sglang/launch_server.py -x", "launch_server"),
        ("sglang serve -x", "serve"),
        ("/opt/v/bin/sglang serve -x", "serve"),
        ("python3 -m dynamo.sglang -x", "dynamo.sglang"),
        ("python3 -m sglang_router.launch_server -x", "sglang_router.launch_server"),
        ("exec nohup env -u A B=1 nice -n 5 sglang serve -x", "serve"),
        ("numactl --cpunodebind 0 -m 0 sglang serve -x", "serve"),
        ("timeout -k 5 60 sudo -E -u me sglang serve -x", "serve"),
        ("uv run --with x python -m sglang.launch_server -x", "launch_server"),
        ("conda run -n env --no-capture-output sglang serve -x", "serve"),
        ("docker run --rm -it -p 1:1 -v /a:/b --gpus all i:1 sglang serve -x", "serve"),
        ("docker run --entrypoint=sglang i:1 serve -x", "serve"),
        ("docker exec -it -e A=1 name sglang serve -x", "serve"),
        ("docker compose -f x.yml run --rm web sglang serve -x", "serve"),
        ("srun -N 2 --gres=gpu:h100:8 --mpi pmix sglang serve -x", "serve"),
        ("kubectl exec -it pod -c c -- sglang serve -x", "serve"),
        ("apptainer exec --nv --bind /a:/b i.sif sglang serve -x", "serve"),
    ],
)
def test_a_server_is_found(line: str, launcher: str) -> None:
    found = program(line)
    assert found is not None
    assert (found.kind, found.name) == ("server", launcher)
    assert [word.text for word in found.words] == ["-x"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("pkill -f sglang.launch_server", "kill"),
        ("pgrep -f sglang.launch_server", "grep"),
        ("echo python3 -m sglang.launch_server", "echo"),
        ("python3 -m sglang_router.launch_router --prefill x", "router"),
        ("sglang-router launch", "router"),
        ("python3 -m sglang.bench_serving", "bench"),
        ("python3 -m sglang.check_env", "sglang tool"),
        ("python3 -c 'import sglang.launch_server'", "python -c"),
        ("vllm serve m", "vllm"),
        ("python3 -m sgl_jax.launch_server", "sgl_jax"),
        ("sglang --version", "sglang"),
        ("docker run -d lmsysorg/sglang:v0.5.18", "container"),
        ("docker pull lmsysorg/sglang:v0.5.18", "docker"),
    ],
)
def test_anything_else_is_no_server(line: str, name: str) -> None:
    found = program(line)
    assert found is not None
    assert (found.kind, found.name) == ("other", name)


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("bash -lc 'a b' x y", ["a b"]),
        ("/bin/sh -eu -o pipefail -c 'a b'", ["a b"]),
        ("ssh -p 22 host a b", ["a", "b"]),
        ("tmux new-session -d -s n 'a b'", ["a b"]),
        ("tmux send-keys -t n 'a b' C-m", ["a b"]),
        ("eval a b", ["a", "b"]),
        ("su me -c 'a b'", ["a b"]),
    ],
)
def test_a_script_is_found(line: str, script: list[str]) -> None:
    found = program(line)
    assert found is not None
    assert found.kind == "shell"
    assert [word.text for word in found.script] == script


def test_an_image_with_flags_alone_is_a_server_when_two_flags_are_sglangs() -> None:
    both = program("docker run i:1 --model-path m --mem-fraction-static 0.8")
    one = program("docker run i:1 --model-path m --port 1")
    assert both is not None and one is not None
    assert (both.kind, both.name) == ("server", "none")
    assert one.kind == "other"


def test_flags_count_once() -> None:
    assert not has_server_flags(words_of(["--tp-size", "1", "--tp-size=2"]))


def test_a_container_tells_its_environment_image_and_gpus() -> None:
    found = program("docker run -e A=1 --env B --gpus '\"device=0,2\"' x/sglang:v0.5.18 sglang serve")
    assert found is not None and found.image is not None and found.gpu_count is not None
    assert [(variable.name, variable.value) for variable in found.env] == [("A", "1"), ("B", None)]
    assert (found.image.text, found.gpu_count.value, found.fresh_env) == ("x/sglang:v0.5.18", 2, True)


@pytest.mark.parametrize("line", ["", "exec", "env A=1", "nohup", "sudo -u", "docker run -e", "time"])
def test_nothing_is_started(line: str) -> None:
    assert program(line) is None


def test_endless_wrappers_end() -> None:
    assert program("nohup " * 1000 + "sglang serve") is None
