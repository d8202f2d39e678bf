"""``sglint verdict``: one command line, and many as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Cli, Result
from .launches import ARGV

CASE = {"id": "a", "release": "0.5.18", "gpu": "h200", "gpus": 1, "argv": list(ARGV)}


def batch(cli: Cli, *lines: object) -> tuple[Result, list[dict[str, object]]]:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    result = cli("verdict", "--batch", stdin=text.encode())
    return result, [json.loads(line) for line in result.out.splitlines()]


def test_a_refusal_names_stage_rule_and_check(cli: Cli) -> None:
    result = cli("verdict", "--release", "0.5.18", "--gpu", "h200x1", "--", *ARGV)
    assert result.code == 1
    assert result.out.splitlines()[:3] == [
        "  refused while the memory pools are built, after the weights are loaded (SGL101)",
        "  upstream check  UM-SEED",
        "  message begins  Speculative decoding with --enable-unified-memory is only su",
    ]


def test_the_same_in_a_later_release_is_accepted(cli: Cli) -> None:
    result = cli("verdict", "--release", "0.5.21", "--gpu", "h200x1", "--", *ARGV)
    assert result.code == 0
    assert result.out.startswith("  accepted: ")


def test_the_launcher_may_stand_in_front(cli: Cli) -> None:
    front = ("env", "CUDA_VISIBLE_DEVICES=0", "python3", "-m", "sglang.launch_server")
    plain = cli("verdict", "--release", "0.5.18", "--gpu", "h200", "--format", "json", "--", *ARGV)
    with_launcher = cli("verdict", "--release", "0.5.18", "--gpu", "h200", "--format", "json", "--", *front, *ARGV)
    assert with_launcher.json == plain.json


def test_an_unknown_model_is_not_decided_and_says_what_is_needed(cli: Cli) -> None:
    argv = [word if word != "openai/gpt-oss-120b" else "my/own-model" for word in ARGV]
    result = cli("verdict", "--release", "0.5.18", "--gpu", "h200", "--", *argv)
    assert result.code == 0
    assert result.out.startswith("  not decided: ")
    assert "my/own-model" in result.out


def test_a_configuration_decides_an_unknown_model(cli: Cli) -> None:
    config = Path(__file__).parents[2].parent / "shared/oracle/configs/gpt-oss-120b/config.json"
    cli.write("model/config.json", config.read_bytes())
    argv = [word if word != "openai/gpt-oss-120b" else "my/own-model" for word in ARGV]
    result = cli("verdict", "--release", "0.5.18", "--gpu", "h200", "--model-config", "model", "--", *argv)
    assert (result.code, "SGL101" in result.out) == (1, True)


def test_batch_answers_in_order_with_the_ids(cli: Cli) -> None:
    result, answers = batch(cli, CASE, {**CASE, "id": "b", "release": "0.5.21"}, "", {**CASE, "id": 3})
    assert result.code == 0
    assert [(answer["id"], answer["status"]) for answer in answers] == [
        ("a", "refused"),
        ("b", "accepted"),
        (3, "refused"),
    ]
    assert set(answers[0]) >= {"id", "status", "stage", "code", "check", "message_head", "needs", "resolved"}


def test_a_bad_line_gets_an_error_and_the_rest_is_answered(cli: Cli) -> None:
    bad = ["{", "[1]", {"argv": "text"}, {"argv": [], "gpuz": "x"}, {"argv": [], "env": {"A": 1}}, "[" * 100_000]
    result, answers = batch(cli, *bad, {**CASE, "gpu": "h2000"}, {**CASE, "model_config": "gone"}, CASE)
    assert result.code == 2
    assert result.err == ""
    assert [answer.get("status") for answer in answers] == [None] * (len(bad) + 2) + ["refused"]
    assert all(str(answer["error"]).startswith(f"line {number}: ") for number, answer in enumerate(answers[:-1], 1))
    assert answers[-2]["id"] == "a"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        *(("gpus", value, "gpus must be a whole number from 1 on") for value in (0, -1, 2.5, "2", True, [], 1e400)),
        ("env", [], "env must map names to texts"),
        ("env", "", "env must map names to texts"),
        ("model_config", 7, "model_config must be a path or a configuration"),
        ("draft_model_config", [], "draft_model_config must be a path or a configuration"),
        ("release", 5, "release must be a text"),
    ],
)
def test_a_key_of_another_kind_is_named(cli: Cli, key: str, value: object, message: str) -> None:
    result, (answer,) = batch(cli, {**CASE, key: value})
    assert (result.code, answer) == (2, {"id": "a", "error": f"line 1: {message}"})


def test_a_key_may_be_left_open(cli: Cli) -> None:
    _, answers = batch(cli, CASE, {**CASE, "env": None, "model_config": None, "draft_model_config": None})
    assert answers[0] == answers[1]


def test_batch_and_a_command_line_together_are_a_mistake(cli: Cli) -> None:
    assert cli("verdict", "--batch", "--", "--tp-size", "1").code == 2


def test_batch_survives_bytes_that_are_no_text(cli: Cli) -> None:
    good = json.dumps({"id": "é", "argv": ["--model-path", "m"]}, ensure_ascii=False).encode()
    result = cli("verdict", "--batch", stdin=b'{"id": "\xff"}\n' + good + b"\r\n")
    first, second = [json.loads(line) for line in result.out.splitlines()]
    assert (result.code, first) == (2, {"id": None, "error": "line 1: not UTF-8 at byte 9"})
    assert second["id"] == "é"


@pytest.mark.parametrize(
    "config",
    [{}, {"architectures": "x"}, {"architectures": [1]}, {"num_hidden_layers": "many"}, {"text_config": 3}, [], 7, ""],
)
def test_a_configuration_that_makes_no_sense_is_no_bug(cli: Cli, config: object) -> None:
    result, (answer,) = batch(cli, {**CASE, "model_config": config})
    assert result.code in (0, 2)
    assert "internal error" not in str(answer)
