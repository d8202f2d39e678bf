"""``--config`` files: the words they become, and what is refused on the way."""

from __future__ import annotations

from typing import Any

import pytest

from sglint import catalogue
from sglint.launch.argv import parse, words_of
from sglint.launch.config_file import UnsupportedKey, config_argv
from sglint.launch.options import Parsed
from sglint.resolution import facts_of

from .words import fatal, kinds, only, parsed


def merged(words: list[str], config: dict[str, Any], release: str = "0.5.23") -> Parsed:
    table = catalogue.load(release)
    return parse(words_of(words), table, config=words_of(config_argv(config, table)))


def test_the_command_line_wins_over_the_file() -> None:
    result = merged(["--config", "x.yaml", "--tp-size", "4"], {"model-path": "m", "tp-size": 2})
    assert [option.value for option in result.of("tp_size")] == [2, 4]
    assert not fatal(result)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"enable-metrics": True}, ["--enable-metrics"]),
        ({"enable-metrics": False}, []),
        ({"trust-remote-code": True, "port": 80}, ["--trust-remote-code", "--port", "80"]),
        ({"cuda-graph-bs-decode": [1, 2]}, ["--cuda-graph-bs-decode", "1", "2"]),
        ({"cuda-graph-bs-decode": []}, []),
        ({"mem-fraction-static": 0.20}, ["--mem-fraction-static", "0.2"]),
        ({"chat-template": None}, ["--chat-template", "None"]),
        ({"preferred-sampling-params": {"top_k": 5}}, ["--preferred-sampling-params", '{"top_k": 5}']),
        ({"port": True}, ["--port", "true"]),
    ],
)
def test_words_of_a_file(config: dict[str, Any], words: list[str]) -> None:
    assert config_argv(config, catalogue.load("0.5.23")) == words


def test_before_0_5_8_every_true_is_a_bare_flag() -> None:
    config = {"port": True, "enable-metrics": False}
    assert config_argv(config, catalogue.load("0.5.7")) == ["--port"]
    assert config_argv(config, catalogue.load("0.5.8")) == ["--port", "true"]


def test_keys_of_flags_with_actions_of_their_own_are_refused() -> None:
    with pytest.raises(UnsupportedKey, match="'lora_paths' with action 'LoRAPathAction'"):
        config_argv({"lora-paths": ["a"]}, catalogue.load("0.5.23"))


def test_up_to_0_5_22_an_old_alias_also_blocks_the_key_of_the_new_flag() -> None:
    with pytest.raises(UnsupportedKey, match="DeprecatedAliasStoreAction"):
        config_argv({"cuda-graph-bs-decode": [1]}, catalogue.load("0.5.18"))
    assert config_argv({"cuda-graph-bs-decode": [1]}, catalogue.load("0.5.20"))


def test_refused_keys_are_found_among_the_words_of_a_file() -> None:
    table = catalogue.load("0.5.23")
    result = parse(words_of(["--lora-paths", "a"]), table, is_config=True)
    assert [(problem.kind, problem.span) for problem in fatal(result)] == [("config", (0, 12))]


def test_a_file_by_itself_need_not_name_the_model() -> None:
    assert kinds(parse(words_of(["--tp-size", "2"]), catalogue.load("0.5.23"), is_config=True)) == []


def test_without_the_file_its_words_are_a_hole() -> None:
    result = parsed("--config", "x.yaml")
    assert not fatal(result)
    assert [word.text for word in result.holes] == ["--config", "x.yaml"]


def test_only_a_separate_word_is_merged() -> None:
    assert kinds(parsed("--model-path", "m", "--config=x.yaml")) == ["config-not-merged"]


@pytest.mark.parametrize(
    ("words", "head"),
    [
        (("--config", "a.yaml", "--config", "b.yaml"), "Multiple config files specified! Only one allowed."),
        (("--config",), "No config file specified after --config flag!"),
        (("--config", "x.json"), "Config file must be YAML format, got: .json"),
    ],
)
def test_what_the_merger_refuses(words: tuple[str, ...], head: str) -> None:
    problem = fatal(parsed("--model-path", "m", *words))[0]
    assert (problem.kind, problem.head) == ("config", head)


def test_a_value_of_the_file_is_an_option_with_its_place() -> None:
    assert only(merged(["--config", "x.yaml"], {"model-path": "m"}), "model_path").value == "m"


def test_the_option_that_named_a_merged_file_is_listed_and_sets_nothing() -> None:
    table = catalogue.load("0.5.23")
    words = words_of(["--config", "a.yaml", "--tp-size", "2"])
    merged = parse(words, table, config=words_of(["--model-path", "m"]))
    (named,) = merged.of("config")
    assert named.merged
    assert [option.written for option in merged.options] == ["--model-path", "--config", "--tp-size"]
    facts = facts_of(merged, None, None, None, None, {})
    assert facts.look("args.config") is None
    assert facts.look("given.config") is False
    assert facts.look("args.tp_size") == 2
