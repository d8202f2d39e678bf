"""``sglint check --shard`` and ``sglint merge``: the parts together say what the whole run says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sglint.report import sarif

from .conftest import Cli
from .launches import CLEAN, DEPLOYMENT, SCRIPT


@pytest.fixture
def fleet(cli: Cli) -> Cli:
    for name in ("a", "a-b", "b"):
        cli.write(f"{name}/k.yaml", DEPLOYMENT.replace("name: gpt-oss", f"name: {name}"))
        cli.write(f"{name}/z.sh", SCRIPT)
        cli.write(f"{name}/clean.sh", CLEAN)
    cli.write("big.yaml", b"a: \0")
    cli.write("sglint.toml", 'releese = "0.5.18"\n')
    return cli


def parts(cli: Cli, wanted: str, number: int) -> list[str]:
    names = []
    for part in range(1, number + 1):
        result = cli("check", "--format", wanted, "--shard", f"{part}/{number}")
        names.append(f"out-{part}.json")
        cli.write(names[-1], result.out)
    return names


@pytest.mark.parametrize("number", [1, 2, 3, 16])
@pytest.mark.parametrize("wanted", ["json", "sarif"])
def test_the_parts_are_the_whole(fleet: Cli, wanted: str, number: int) -> None:
    whole = fleet("check", "--format", wanted).json
    assert fleet("merge", *parts(fleet, wanted, number)).json == whole


def test_every_file_is_in_one_part(fleet: Cli) -> None:
    seen: list[dict[str, Any]] = [json.loads((fleet.folder / name).read_text()) for name in parts(fleet, "json", 3)]
    paths = [launch["path"] for part in seen for launch in part["launches"]]
    assert len(paths) == len(set(paths)) == 9
    assert sum(part["files"]["seen"] for part in seen) == 10
    assert max(part["files"]["seen"] for part in seen) < 10


def test_exit_codes(fleet: Cli) -> None:
    found = parts(fleet, "json", 2)
    assert fleet("merge", *found).code == 1
    assert fleet("merge", "--fail-on", "never", *found).code == 0
    found = parts(fleet, "sarif", 2)
    assert fleet("merge", *found).code == 0
    assert fleet("merge", "--fail-on", "error", *found).code == 1


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "1/", "/2", "a/b", "1/2/3", "-1/2"])
def test_a_part_that_is_none(cli: Cli, shard: str) -> None:
    result = cli("check", f"--shard={shard}")
    assert result.code == 2
    assert "must be a part and the number of parts, as 1/4" in result.err


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["{"], "not JSON"),
        (["{}"], "document 1 is neither JSON nor SARIF"),
        (['{"version": "2.1.0", "runs": []}'], "document 1 is neither"),
        (['{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "Other"}}}]}'], "document 1 is neither"),
        (['{"schema": 1, "launches": [], "findings": []}'], "a document is damaged"),
    ],
)
def test_what_cannot_be_merged_is_one_line(cli: Cli, texts: list[str], told: str) -> None:
    names = [cli.write(f"{number}.json", text).name for number, text in enumerate(texts)]
    result = cli("merge", *names)
    assert (result.code, result.out) == (2, "")
    assert told in result.err and len(result.err.splitlines()) == 1


def test_kinds_and_versions_do_not_mix(fleet: Cli) -> None:
    fleet.write("a.json", fleet("check", "--format", "json").out)
    fleet.write("b.json", fleet("check", "--format", "sarif").out)
    assert "give one kind" in fleet("merge", "a.json", "b.json").err
    other = json.loads((fleet.folder / "a.json").read_text()) | {"sglint": "0.0.1"}
    fleet.write("c.json", json.dumps(other))
    assert "different versions" in fleet("merge", "a.json", "c.json").err


def test_a_file_that_is_not_there(cli: Cli) -> None:
    assert cli("merge", "x.json").err == "sglint: x.json: no such file or directory\n"


def test_parts_with_more_than_code_scanning_takes_keep_the_worst(fleet: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    names = parts(fleet, "sarif", 2)
    monkeypatch.setattr(sarif, "MOST_RESULTS", 5)
    (run,) = fleet("merge", *names).json["runs"]
    assert [result["level"] for result in run["results"]] == ["error"] * 5
    assert "code scanning takes 5 at most" in run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
