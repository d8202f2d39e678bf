"""``sglang serve`` looks at its words before the parser does."""

from __future__ import annotations

from sglint import catalogue

from .words import HOLE, UNKNOWN, fatal, kinds, only, parsed


def test_the_first_word_is_the_model() -> None:
    result = parsed("org/model", "--tp-size", "2", serve=True)
    option = only(result, "model_path")
    assert (option.value, option.implied, option.flag_span) == ("org/model", True, (0, 9))
    assert [word.text for word in result.positional] == ["org/model"]
    assert kinds(result) == []


def test_an_unknown_first_word_is_the_model_too() -> None:
    option = only(parsed(UNKNOWN, serve=True), "model_path")
    assert (option.value, option.known) == (None, False)


def test_releases_before_0_5_16_take_no_positional_model() -> None:
    found = fatal(parsed("org/model", release="0.5.15.post1", serve=True))
    assert [problem.kind for problem in found] == ["required", "unexpected-word"]
    assert found[0].head == "Error: --model-path is required. Please provide the path to "


def test_an_abbreviated_model_flag_is_not_seen_by_serve() -> None:
    (problem,) = fatal(parsed("--model-pat", "m", serve=True))
    assert problem.kind == "required"
    assert not fatal(parsed("--model-pat", "m"))


def test_a_configuration_file_does_not_name_the_model_for_serve() -> None:
    assert [problem.kind for problem in fatal(parsed("--config", "x.yaml", serve=True))] == ["required"]
    assert not fatal(parsed("--config", "x.yaml"))


def test_a_hole_may_name_the_model() -> None:
    assert not fatal(parsed(HOLE, "--tp-size", "2", serve=True))


def test_the_model_type_is_taken_out() -> None:
    assert kinds(parsed("--model-type", "llm", "--model-path", "m", serve=True)) == []
    assert kinds(parsed("--model-type=llm", "org/model", serve=True)) == []
    assert [problem.kind for problem in fatal(parsed("--model-type", "llm", "--model-path", "m"))] == ["unknown-flag"]


def test_flags_of_the_diffusion_server_are_not_judged() -> None:
    result = parsed("--model-path", "m", "--num-gpus", "2", "--vae-cpu-offload", serve=True)
    assert kinds(result) == []
    assert [word.text for word in result.holes] == ["--vae-cpu-offload"]


def test_the_diffusion_server_may_be_asked_for() -> None:
    for words in (("--model-type=diffusion", "m", "--x"), ("--model-type", "diffusion", "m", "--x")):
        result = parsed(*words, serve=True)
        assert kinds(result) == []
        assert len(result.holes) == 1


def test_the_language_model_server_has_no_flags_of_the_diffusion_server() -> None:
    found = fatal(parsed("--model-path", "m", "--vae-cpu-offload"))
    assert [problem.kind for problem in found] == ["unknown-flag"]
    found = fatal(parsed("--model-type", "llm", "--model-path", "m", "--vae-cpu-offload", serve=True))
    assert [problem.kind for problem in found] == ["unknown-flag"]


def test_an_abbreviation_of_a_server_flag_does_not_mean_diffusion() -> None:
    assert not catalogue.diffusion_names() & set(catalogue.load("0.5.23").by_name)
    assert "--dp" not in catalogue.diffusion_names()
