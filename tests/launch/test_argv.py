"""Options of a launch, as argparse would bind them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import catalogue
from sglint.launch.argv import parse, words_of

from .words import fatal, kinds, only, parsed

MODEL = ("--model-path", "m")


def test_an_option_keeps_its_words_and_the_spans_of_flag_and_value() -> None:
    option = only(parsed(*MODEL, "--tp-size", "8"), "tp_size")
    assert (option.written, option.raw, option.value, option.known) == ("--tp-size", ("8",), 8, True)
    assert (option.flag_span, option.value_span) == ((15, 24), (25, 26))


def test_a_joined_value_has_the_span_after_the_equals_sign() -> None:
    option = only(parsed(*MODEL, "--tp-size=8"), "tp_size")
    assert (option.flag_span, option.value_span, len(option.words)) == ((15, 24), (25, 26), 1)


def test_a_unique_prefix_stands_for_its_flag_and_is_remarked() -> None:
    result = parsed(*MODEL, "--tp", "8")
    assert only(result, "tp_size").value == 8
    (remark,) = result.problems
    assert (remark.kind, remark.candidates, remark.fatal) == ("abbreviation", ("--tp-size",), False)


def test_an_ambiguous_prefix_names_what_it_could_be() -> None:
    (problem,) = fatal(parsed(*MODEL, "--cuda-graph-max-bs", "64", release="0.5.20"))
    assert problem.kind == "ambiguous"
    assert problem.candidates == ("--cuda-graph-max-bs-decode", "--cuda-graph-max-bs-prefill")
    assert problem.head == "ambiguous option: --cuda-graph-max-bs could match --cuda-gra"


def test_an_exact_name_is_no_prefix() -> None:
    assert not fatal(parsed(*MODEL, "--cuda-graph-max-bs", "64", release="0.5.19"))


def test_ambiguity_anywhere_is_reported_before_bad_values() -> None:
    found = fatal(parsed(*MODEL, "--port", "x", "--cuda-graph-max-bs", "64", release="0.5.20"))
    assert [problem.kind for problem in found] == ["ambiguous", "type"]


@pytest.mark.parametrize(
    ("words", "kind", "head"),
    [
        (("--port", "http"), "type", "argument --port: invalid int value: 'http'"),
        (("--port",), "missing-value", "argument --port: expected one argument"),
        (("--port", "--tp-size", "1"), "missing-value", "argument --port: expected one argument"),
        (("--cuda-graph-bs-decode",), "missing-value", "argument --cuda-graph-bs-decode: expected at least one argum"),
        (("--enable-metrics=true",), "surplus-value", "argument --enable-metrics: ignored explicit argument 'true'"),
        (("--enable-metrics", "true"), "surplus-value", "unrecognized arguments: true"),
        (("--no-such-flag", "3"), "unknown-flag", "unrecognized arguments: --no-such-flag 3"),
        (("--tp-size 8",), "joined-words", "unrecognized arguments: --tp-size 8"),
        (("--port", "1", "2"), "unexpected-word", "unrecognized arguments: 2"),
        (("--", "x"), "unexpected-word", "unrecognized arguments: -- x"),
        (("--load-format", "zip"), "choice", "argument --load-format: invalid choice: 'zip' (choose from '"),
        (("--mm-process-config", "{"), "json", "argument --mm-process-config: invalid loads value: '{'"),
    ],
)
def test_what_the_parser_refuses(words: tuple[str, ...], kind: str, head: str) -> None:
    (problem,) = fatal(parsed(*MODEL, *words))
    assert (problem.kind, problem.head) == (kind, head)


def test_the_model_is_required() -> None:
    (problem,) = fatal(parsed("--tp-size", "2"))
    assert (problem.kind, problem.head) == ("required", "the following arguments are required: --model-path/--model")


def test_unrecognized_words_are_refused_last_and_together() -> None:
    found = fatal(parsed("--no-such-flag", "1", "--port", "x", "--another"))
    assert [problem.kind for problem in found] == ["type", "required", "unknown-flag", "unknown-flag"]
    assert {problem.head for problem in found[2:]} == {"unrecognized arguments: --no-such-flag 1 --another"}


def test_an_error_in_json_is_underlined_where_it_is() -> None:
    text = '{"image": {"max_pixels": }}'
    (problem,) = fatal(parsed("--model-path=m", f"--mm-process-config={text}"))
    assert problem.span == (60, 61)
    assert " ".join(("--model-path=m", f"--mm-process-config={text}"))[60] == "}"


def test_negative_numbers_are_values() -> None:
    assert only(parsed(*MODEL, "--chunked-prefill-size", "-1"), "chunked_prefill_size").value == -1
    assert only(parsed(*MODEL, "--speculative-accept-threshold-single", "-.5"), "speculative_accept_threshold_single")


def test_sizes_may_have_suffixes() -> None:
    assert only(parsed(*MODEL, "--context-length", "4Ki"), "context_length").value == 4096
    assert only(parsed(*MODEL, "--context-length", "25.6k"), "context_length").value == 25600
    (problem,) = fatal(parsed(*MODEL, "--context-length", "1.5Ki"))
    assert problem.kind == "type"


def test_a_list_takes_all_arguments_up_to_the_next_option() -> None:
    option = only(parsed(*MODEL, "--cuda-graph-bs-decode", "1", "2", "4", "--tp-size", "1"), "cuda_graph_bs_decode")
    assert (option.value, option.value_span) == ([1, 2, 4], (38, 43))


def test_an_optional_value_falls_back_to_its_constant() -> None:
    assert only(parsed(*MODEL, "--model-checksum"), "model_checksum").value == ""
    assert only(parsed(*MODEL, "--model-checksum", "abc"), "model_checksum").value == "abc"


def test_negated_booleans_store_false() -> None:
    assert only(parsed(*MODEL, "--no-lora-strict-loading"), "lora_strict_loading").value is False
    assert only(parsed(*MODEL, "--lora-strict-loading"), "lora_strict_loading").value is True


def test_the_last_of_repeated_options_counts_and_the_first_is_remarked() -> None:
    result = parsed(*MODEL, "--tp-size", "2", "--tensor-parallel-size", "4")
    assert [option.value for option in result.of("tp_size")] == [2, 4]
    (remark,) = result.problems
    assert (remark.kind, remark.span, remark.fatal) == ("repeated", (15, 24), False)


def test_the_same_value_twice_is_no_remark() -> None:
    assert kinds(parsed(*MODEL, "--tp-size", "2", "--tensor-parallel-size", "2")) == []


def test_a_deprecated_constant_sets_the_new_flag() -> None:
    result = parsed(*MODEL, "--disable-piecewise-cuda-graph", release="0.5.18")
    assert only(result, "cuda_graph_backend_prefill").value == "disabled"
    (remark,) = result.problems
    assert (remark.kind, remark.candidates) == ("deprecated", ("--cuda-graph-backend-prefill=disabled",))


def test_a_retired_flag_ends_the_launch_with_its_own_message() -> None:
    found = fatal(parsed(*MODEL, "--enable-expert-distribution-metrics", release="0.5.18"))
    assert [problem.kind for problem in found] == ["retired"]
    assert found[0].head and not found[0].head.startswith("argument")


def test_adapters_may_be_json_objects() -> None:
    text = '{"lora_name": "a", "lora_path": "b"}'
    assert only(parsed(*MODEL, "--lora-paths", "x=y", text), "lora_paths").value == [
        "x=y",
        {"lora_name": "a", "lora_path": "b"},
    ]
    (problem,) = fatal(parsed(*MODEL, "--lora-paths", '{"lora_name": "a"}'))
    assert problem.kind == "json"


def test_help_ends_the_launch() -> None:
    assert [problem.kind for problem in fatal(parsed(*MODEL, "--help"))] == ["help"]


def test_a_graph_configuration_knows_its_phases_and_keys_by_release() -> None:
    text = '{"decode": {"tc_compiler": "eager"}}'
    assert not fatal(parsed(*MODEL, "--cuda-graph-config", text, release="0.5.21"))
    (problem,) = fatal(parsed(*MODEL, "--cuda-graph-config", text, release="0.5.22"))
    assert problem.head.endswith("--cuda-graph-config['decode']:")


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(st.text(alphabet="-= ahmodeltpsiz8{}\"'.é\n", max_size=14), max_size=8))
def test_every_word_is_accounted_for_once(texts: list[str]) -> None:
    given_words = words_of(texts)
    result = parse(given_words, catalogue.load("0.5.23"))
    taken = [word for option in result.options for word in option.words] + list(result.positional)
    assert sorted(taken, key=lambda word: word.span) == sorted(given_words, key=lambda word: word.span)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(
    st.lists(st.sampled_from(["--tp", "--tp-size=2", "--port", "x", "8", "--enable-metrics", "--zz", "--"]), max_size=9)
)
def test_every_problem_lies_inside_its_word(texts: list[str]) -> None:
    result = parse(words_of(texts), catalogue.load("0.5.23"))
    for problem in result.problems:
        assert problem.word is None or problem.word.span.contains(problem.span)
