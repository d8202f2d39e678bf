"""Lists of a whole cluster and other YAML too large to be held: object by object, with bounded memory."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint.cli import loading
from sglint.cli.loading import Loaded
from sglint.cli.streams import objects
from sglint.report.run import Skipped

from .conftest import Cli
from .launches import DEPLOYMENT


def listed(*objects: str) -> str:
    """As ``kubectl get -o yaml`` prints several objects."""
    items = "".join("- " + "\n  ".join(text.rstrip("\n").split("\n")) + "\n" for text in objects)
    return f'apiVersion: v1\nitems:\n{items}kind: List\nmetadata:\n  resourceVersion: ""\n'


def deployment(name: str, namespace: str = "prod") -> str:
    return DEPLOYMENT.replace("metadata: {name: gpt-oss}", f"metadata:\n  name: {name}\n  namespace: {namespace}")


OTHER = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  a: b\n"


def read(text: str, head: int = 0) -> list[Loaded | Skipped]:
    data = text.encode()
    return list(objects(data[:head], io.BytesIO(data[head:]), "x"))


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(loading, "MAX_BYTES", 2000)
    monkeypatch.setattr("sglint.cli.streams.MAX_BYTES", 2000)
    yield


def test_items_are_texts_of_their_own_called_by_name() -> None:
    first, second = (found for found in read(listed(OTHER, deployment("a"), OTHER, deployment("b"))))
    assert isinstance(first, Loaded) and isinstance(second, Loaded)
    assert [first.document.path, second.document.path] == ["x#Deployment/prod/a", "x#Deployment/prod/b"]
    assert first.document.text == deployment("a")
    assert second.document.text == deployment("b")


def test_documents_are_told_apart_too() -> None:
    text = f"{deployment('a')}---\n{OTHER}---\n{deployment('b')}---\n{listed(deployment('c'))}"
    assert [found.document.path for found in read(text) if isinstance(found, Loaded)] == [
        "x#Deployment/prod/a",
        "x#Deployment/prod/b",
        "x#Deployment/prod/c",
    ]


def test_an_object_without_a_name_is_called_by_its_number() -> None:
    (found,) = read(listed(OTHER, "kind: X\nargs: [sglang.launch_server]\n"))
    assert isinstance(found, Loaded)
    assert re.fullmatch(r"x#\d+", found.document.path)


@settings(derandomize=True, deadline=None)
@given(
    st.lists(st.sampled_from([deployment("a"), deployment("b"), OTHER]), max_size=5),
    st.integers(0, 3000),
)
def test_what_is_read_is_what_yaml_holds_wherever_reading_began(texts: list[str], head: int) -> None:
    text = listed(*texts) if texts else "apiVersion: v1\nitems: []\nkind: List\n"
    expected = [item for item in yaml.safe_load(text)["items"] if item["kind"] == "Deployment"]
    found = read(text, head)
    assert [yaml.safe_load(item.document.text) for item in found if isinstance(item, Loaded)] == expected


@pytest.mark.usefixtures("small_limit")
def test_an_object_that_is_too_large_costs_itself() -> None:
    huge = deployment("huge") + "  # sglang\n" * 500
    found = read(listed(deployment("a"), huge, deployment("b")))
    assert [item.path for item in found if isinstance(item, Skipped)] == ["x#Deployment/prod/huge"]
    assert len(found) == 3


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("by_name", [True, False])
def test_a_large_list_is_checked_object_by_object(cli: Cli, by_name: bool) -> None:
    text = listed(*[OTHER] * 40, deployment("a"), *[OTHER] * 40)
    cli.write("dump.yaml", text)
    words = ("dump.yaml",) if by_name else ("-", "--stdin-filename", "dump.yaml")
    result = cli("check", *words, stdin=text.encode())
    assert result.code == 1
    assert "dump.yaml#Deployment/prod/a:" in result.out
    assert "in 1 launch" in result.out


@pytest.mark.usefixtures("small_limit")
def test_a_large_list_cannot_be_fixed_in_parts(cli: Cli) -> None:
    text = listed(*[OTHER] * 40, deployment("a"))
    result = cli("fix", "-", "--unsafe", stdin=text.encode())
    assert result.err == "sglint: <stdin>: larger than 0.002 MB\n"
    assert result.out == ""


# Not getrusage: its high-water mark is inherited from the process that started this one.
_PEAK = """
import re, pathlib
from sglint.cli import app
code = app.run(["check", "-", "--quiet"])
print(code, int(re.search(r"VmHWM:\\s*(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) // 1024)
"""


def test_memory_does_not_grow_with_the_dump() -> None:
    """40 MB here; the benchmark of scanning has the 200 MB."""
    package = Path(__file__).parents[2] / "server"
    filler = OTHER + "  c: " + "x" * 9000 + "\n"
    with subprocess.Popen(
        [sys.executable, "-c", _PEAK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"PYTHONPATH": str(package)}
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        head, _, tail = listed(deployment("a"), OTHER).encode().partition(b"kind: List")
        process.stdin.write(head)
        item = ("- " + "\n  ".join(filler.rstrip("\n").split("\n")) + "\n").encode()
        for _ in range(4500):
            process.stdin.write(item)
        process.stdin.write(b"kind: List" + tail)
        process.stdin.close()
        code, megabytes = process.stdout.read().split()[-2:]
    assert code == b"1"
    assert int(megabytes) < 80
