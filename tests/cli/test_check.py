"""``sglint check`` end to end: the seed conflict in words and as data, exit codes, settings, discovery."""

from __future__ import annotations

import pytest

from .conftest import Cli
from .launches import CLEAN, DEPLOYMENT, SCRIPT

SHELL_HEAD = """\
start.sh:4:1: launch_server of openai/gpt-oss-120b, SGLang 0.5.18 (pip install), h200 (directive)
  refused while the memory pools are built, after the weights are loaded (SGL101)

error[SGL101] spec-on-unified-swa-pool
"""
SHELL_RELATED = """\
  6 |   --speculative-algorithm DSPARK --speculative-draft-model-path draft-dspark-qwen3
    |   ----------------------- asks for a draft model
"""
SHELL_EXCERPT = """\
  --> start.sh:5:30
    |
  5 |   --attention-backend triton --enable-unified-memory \\
    |                              ^^^^^^^^^^^^^^^^^^^^^^^
"""


def errors(report: dict[str, object]) -> list[dict[str, object]]:
    return [finding for finding in report["findings"] if finding["severity"] == "error"]  # type: ignore[attr-defined]


def test_the_seed_conflict_in_words(cli: Cli) -> None:
    cli.write("start.sh", SCRIPT)
    result = cli("check", "start.sh")
    assert result.code == 1
    assert result.out.startswith(SHELL_HEAD)
    assert SHELL_EXCERPT in result.out
    assert SHELL_RELATED in result.out
    assert "= fix (changes what the server does): Drop the unified pool" in result.out
    assert "1 error" in result.out.splitlines()[-2]


def test_the_seed_conflict_as_data(cli: Cli) -> None:
    cli.write("k8s/a.yaml", DEPLOYMENT)
    result = cli("check", "--format", "json", ".")
    assert result.code == 1
    report = result.json
    (error,) = errors(report)
    (launch,) = report["launches"]
    assert (error["code"], error["check"], error["launch"]) == ("SGL101", "UM-SEED", launch["id"])
    assert error["range"] == {"start": {"line": 15, "character": 14}, "end": {"line": 15, "character": 37}}
    assert 16 in [related["range"]["start"]["line"] for related in error["related"]]
    assert launch["release"] == {
        "value": "0.5.18",
        "source": "image tag",
        "path": "k8s/a.yaml",
        "range": {"start": {"line": 10, "character": 33}, "end": {"line": 10, "character": 46}},
    }
    assert launch["model"]["id"] == "openai/gpt-oss-120b"
    assert (launch["hardware"]["gpu"], launch["hardware"]["count"]) == ("h200", 1)
    assert launch["verdict"]["status"] == "refused"
    assert report["files"] == {"seen": 1, "with_launches": 1, "skipped": [], "copies": 0}
    assert all(fix["verified"] for fix in error["fixes"] if fix["edits"])
    assert error["fixes"][0]["edits"]


def test_the_edits_of_a_fix_make_the_file_clean(cli: Cli) -> None:
    from sglint.text import LineIndex, Position

    cli.write("a.yaml", DEPLOYMENT)
    (error,) = errors(cli("check", "--format", "json", "a.yaml").json)
    lines = LineIndex(DEPLOYMENT)
    applicable = [fix for fix in error["fixes"] if fix["safety"] != "display-only"]  # type: ignore[attr-defined]
    assert len(applicable) >= 4
    for fix in applicable:
        text = DEPLOYMENT
        for edit in reversed(fix["edits"]):
            start, end = (lines.offset(Position(**edit["range"][side])) for side in ("start", "end"))
            text = text[:start] + edit["text"] + text[end:]
        cli.write("fixed.yaml", text)
        assert errors(cli("check", "--format", "json", "fixed.yaml").json) == [], fix["title"]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--fail-on", "never"], 0),
        (["--ignore", "SGL101"], 0),
        (["--ignore", "SGL1"], 0),
        (["--select", "SGL2,SGL3"], 0),
        (["--select", "SGL101"], 1),
    ],
)
def test_the_exit_code_follows_what_is_asked_for(cli: Cli, options: list[str], code: int) -> None:
    cli.write("start.sh", SCRIPT)
    assert cli("check", "start.sh", *options).code == code


def test_a_clean_launch(cli: Cli) -> None:
    cli.write("start.sh", CLEAN)
    result = cli("check", "start.sh")
    assert result.code == 0
    assert "accepted: " in result.out


def test_fail_on_comes_from_the_configuration_and_the_option_wins(cli: Cli) -> None:
    cli.write("start.sh", SCRIPT)
    cli.write("sglint.toml", 'fail-on = "never"\n')
    assert cli("check", "start.sh").code == 0
    assert cli("check", "--fail-on", "error", "start.sh").code == 1


def test_options_fill_in_what_a_file_does_not_say(cli: Cli) -> None:
    cli.write("start.sh", "python -m sglang.launch_server --model-path openai/gpt-oss-120b\n")
    (launch,) = cli("check", "--format", "json", "--release", "0.5.17", "--gpu", "b200x4", ".").json["launches"]
    assert (launch["release"]["value"], launch["release"]["source"]) == ("0.5.17", "command line")
    assert (launch["hardware"]["gpu"], launch["hardware"]["count"]) == ("b200", 4)


def test_a_model_behind_a_variable_is_asked_for_and_a_directive_decides(cli: Cli) -> None:
    unknown = SCRIPT.replace("openai/gpt-oss-120b", '"$MODEL"')
    cli.write("start.sh", unknown)
    report = cli("check", "--format", "json", "start.sh").json
    assert errors(report) == []
    undecided = [finding for finding in report["findings"] if finding["code"] == "SGL010"]
    assert len(undecided) == 1
    assert any("--model-path" in need for need in undecided[0]["needs"])
    cli.write("start.sh", unknown.replace("gpu=h200", "gpu=h200 model=openai/gpt-oss-120b"))
    assert [error["code"] for error in errors(cli("check", "--format", "json", "start.sh").json)] == ["SGL101"]


def test_excluded_files_are_left_out_of_folders_only(cli: Cli) -> None:
    cli.write("sglint.toml", 'exclude = ["old/*"]\n')
    cli.write("old/start.sh", SCRIPT)
    assert cli("check", "--format", "json", ".").json["launches"] == []
    assert len(cli("check", "--format", "json", "old/start.sh").json["launches"]) == 1


def test_files_without_a_launch_are_counted_and_nothing_more(cli: Cli) -> None:
    cli.write("a.yaml", "kind: Service\n")
    cli.write("b.sh", "echo hello\n")
    result = cli("check", ".")
    assert (result.code, result.out) == (0, "no findings in 0 launches (2 files read)\n")
