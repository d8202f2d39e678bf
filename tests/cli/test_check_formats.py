"""``sglint check --format`` for other systems: exit codes, paths, and that every format is whole."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from .conftest import Cli
from .launches import CLEAN, DEPLOYMENT, SCRIPT


@pytest.mark.parametrize(
    ("wanted", "code"),
    [("text", 1), ("concise", 1), ("json", 1), ("junit", 1), ("codeclimate", 1), ("sarif", 0), ("github", 0)],
)
def test_findings_change_the_exit_code_but_where_another_system_judges(cli: Cli, wanted: str, code: int) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    assert cli("check", "--format", wanted).code == code
    assert cli("check", "--format", wanted, "--fail-on", "error").code == 1
    assert cli("check", "--format", wanted, "--fail-on", "never").code == 0


@pytest.mark.parametrize("wanted", ["sarif", "github"])
def test_a_configured_threshold_is_no_request(cli: Cli, wanted: str) -> None:
    cli.write("sglint.toml", 'fail-on = "hint"\n')
    cli.write("a.yaml", DEPLOYMENT)
    assert cli("check", "--format", wanted).code == 0


@pytest.mark.parametrize("wanted", ["sarif", "github", "junit", "codeclimate"])
def test_a_path_that_is_not_there_is_a_mistake_in_every_format(cli: Cli, wanted: str) -> None:
    cli.write("a.sh", CLEAN)
    result = cli("check", "--format", wanted, "a.sh", "nowhere")
    assert result.code == 2
    assert result.err == "sglint: nowhere: no such file or folder\n"
    if wanted == "sarif":
        assert result.json["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_sarif_tells_where_the_launch_stands_by_names(cli: Cli) -> None:
    cli.write("k8s/a.yaml", DEPLOYMENT)
    (run,) = cli("check", "--format", "sarif").json["runs"]
    (result,) = [result for result in run["results"] if result["ruleId"] == "SGL101"]
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": "k8s/a.yaml", "uriBaseId": "%SRCROOT%"}
    assert location["physicalLocation"]["region"] == {
        "startLine": 16,
        "startColumn": 15,
        "endLine": 16,
        "endColumn": 38,
    }
    (named,) = location["logicalLocations"]
    assert named["fullyQualifiedName"] == "Deployment/gpt-oss: spec.template.spec.containers[server]"


def test_annotations_name_files_from_the_checkout(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.write("charts/start.sh", SCRIPT)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(cli.folder))
    monkeypatch.chdir(cli.folder / "charts")
    out = cli("check", "--format", "github").out
    assert out.startswith("::error file=charts/start.sh,line=5,endLine=5,col=30,endColumn=53,title=SGL101 ")


def test_no_finding_is_an_empty_document_in_every_format(cli: Cli) -> None:
    cli.write("a.sh", CLEAN)
    assert cli("check", "--select=SGL1", "--format", "codeclimate").json == []
    assert cli("check", "--select=SGL1", "--format", "sarif").json["runs"][0]["results"] == []
    assert cli("check", "--select=SGL1", "--format", "github").out.startswith("no findings in 1 launch (1 file read)")
    assert (
        ElementTree.fromstring(cli("check", "--select=SGL1", "--format", "junit").out.encode()).get("failures") == "0"
    )


def test_a_path_may_stand_behind_two_dashes(cli: Cli) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    cli.write("b.sh", SCRIPT)
    assert cli("check", "--format", "json", "--", "a.yaml").json["files"]["seen"] == 1
