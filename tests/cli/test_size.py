"""``sglint size``: the integers of the worked example, through the command line."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from .conftest import Cli
from .launches import DEPLOYMENT, SCRIPT

REST = 51_754_355_916
LAUNCH = ("--model-path", "openai/gpt-oss-120b", "--attention-backend", "triton", "--enable-unified-memory")
DRAFT = ("--speculative-algorithm", "EAGLE3", "--speculative-draft-model-path", "draft-eagle3-llama")
OPTIONS = ("size", "--release", "0.5.18", "--gpu", "h200x1", "--rest-bytes", str(REST))


@pytest.mark.parametrize(
    ("words", "full", "swa", "arena", "last_id"),
    [
        (LAUNCH, 779_959, 623_967, 51_754_328_064, 1_403_925),
        ((*LAUNCH, *DRAFT), 756_607, 605_285, 50_204_786_688, 1_361_891),
    ],
    ids=["without-draft", "one-layer-draft"],
)
def test_the_worked_example(cli: Cli, words: tuple[str, ...], full: int, swa: int, arena: int, last_id: int) -> None:
    plan = cli(*OPTIONS, "--format", "json", "--", *words).json
    pools = {pool["name"]: pool for pool in plan["pools"]}
    assert (plan["schema"], plan["release"], plan["model"]) == (1, "0.5.18", "openai/gpt-oss-120b")
    assert plan["budget"]["rest"] == REST
    assert (pools["full"]["tokens"], pools["swa"]["tokens"]) == (full, swa)
    assert plan["max_total_num_tokens"] == full
    assert plan["unified_total_bytes"] == arena
    assert pools["arena"]["virtual_id_span"] == last_id


def test_the_same_in_words(cli: Cli) -> None:
    lines = cli(*OPTIONS, "--", *LAUNCH).out.splitlines()
    assert lines[0].startswith("<command line>:1:1: launch_server of openai/gpt-oss-120b, SGLang 0.5.18 (command line)")
    assert "  = left for the pools     48.20 GiB (51,754,355,916 bytes, given)" in lines
    assert "  full   779,959  28,752,408,576  26.78     36,864  #############" in lines
    assert "         ids run to 1,403,925" in lines
    assert "  max_total_num_tokens  779,959" in lines


def test_files_give_a_plan_for_each_launch_with_its_place(cli: Cli) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    cli.write("b.sh", SCRIPT)
    launches = cli("size", "--rest-bytes", f"{REST:_}", "--format", "json", ".").json["launches"]
    assert [(launch["id"], launch["path"]) for launch in launches] == [(1, "a.yaml"), (2, "b.sh")]
    assert launches[0]["pools"] == launches[1]["pools"]
    assert launches[0]["range"]["start"]["line"] >= 9


def test_a_model_that_is_not_known_is_asked_for(cli: Cli) -> None:
    result = cli("size", "--release", "0.5.18", "--gpu", "h200", "--", "--model-path", "my/own-model")
    assert result.code == 0
    assert "  = not known: " in result.out
    assert "my/own-model" in result.out


def test_a_command_line_with_a_config_file_of_the_model(cli: Cli) -> None:
    cli.write("config.json", "{}")
    result = cli("size", "--gpu", "h200", "--model-config", "config.json", "--", "--model-path", "m")
    assert result.code in (0, 2)
    assert result.out or result.err


def test_no_launch_says_so(cli: Cli) -> None:
    cli.write("a.yaml", "kind: Service\n")
    assert cli("size", ".").out == "no launch found\n"


def test_files_and_a_command_line_together_are_a_mistake(cli: Cli) -> None:
    assert cli("size", "a.yaml", "--", "--tp-size", "1").code == 2


def test_the_plan_after_each_fix(cli: Cli) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    options = ("size", "--rest-bytes", str(REST), "--compare-fixes", "a.yaml")
    (launch,) = cli(*options, "--format", "json").json["launches"]
    titles = [fix["title"] for fix in launch["fixes"]]
    assert len(titles) == len(set(titles)) >= 3
    assert all(fix["plan"]["budget"]["rest"] == REST for fix in launch["fixes"])
    without_draft = next(fix["plan"] for fix in launch["fixes"] if "speculative" in fix["title"])
    assert without_draft["max_total_num_tokens"] == 779_959
    text = cli(*options).out
    assert all(f"  After: {title}\n" in text for title in titles)


def test_a_mistake_in_the_configuration_is_told_and_the_sizes_are_given(cli: Cli) -> None:
    cli.write("sglint.toml", "gpuz = 1\n")
    cli.write("a.yaml", DEPLOYMENT)
    result = cli("size", "a.yaml")
    assert result.code == 2
    assert result.err.startswith("sglint: sglint.toml:1:1: `gpuz` is no setting")
    assert "max_total_num_tokens" in result.out


def test_one_picture_of_all_launches(cli: Cli) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    cli.write("b.sh", SCRIPT)
    picture = ElementTree.fromstring(cli("size", "--format", "svg", ".").out)
    words = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert sum(word is not None and word.startswith(("a.yaml:", "b.sh:")) for word in words) == 2
    assert picture.findtext("{http://www.w3.org/2000/svg}title") == "GPU memory of 2 launches"


def test_the_picture_in_a_file(cli: Cli) -> None:
    cli.write("a.yaml", DEPLOYMENT)
    result = cli("size", "--format", "svg", "--compare-fixes", "--output", "map.svg", "a.yaml")
    assert (result.code, result.out) == (0, "")
    written = Path("map.svg").read_text(encoding="ascii")
    assert "After: Drop the unified pool" in written


def test_a_picture_goes_to_a_file_only_as_a_picture(cli: Cli) -> None:
    assert cli("size", "--output", "map.txt", ".").code == 2
    result = cli("size", "--format", "svg", "--output", "no/such/folder/map.svg", ".")
    assert result.code == 2
    assert result.err.startswith("sglint: no/such/folder/map.svg: ")
