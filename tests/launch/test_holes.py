"""What is not known about a word silences only what it could explain."""

from __future__ import annotations

from .words import HOLE, UNKNOWN, fatal, kinds, only, parsed

MODEL = ("--model-path", "m")


def test_an_unknown_word_is_a_value() -> None:
    option = only(parsed(*MODEL, "--tp-size", UNKNOWN), "tp_size")
    assert (option.raw, option.value, option.known) == ((None,), None, False)
    assert kinds(parsed(*MODEL, "--tp-size", UNKNOWN)) == []


def test_a_word_known_in_part_still_names_its_flag() -> None:
    option = only(parsed(*MODEL, f"--tp-size={UNKNOWN}"), "tp_size")
    assert (option.written, option.raw, option.known) == ("--tp-size", (None,), False)
    assert option.flag_span == (15, 24)


def test_an_unknown_stray_word_is_not_refused() -> None:
    assert kinds(parsed(*MODEL, "--enable-metrics", UNKNOWN, "x")) == []


def test_a_bare_flag_takes_no_unknown_value_either() -> None:
    (problem,) = fatal(parsed(*MODEL, f"--enable-metrics={UNKNOWN}"))
    assert problem.kind == "surplus-value"


def test_a_hole_may_hold_the_value_the_model_and_an_option_for_what_follows() -> None:
    assert kinds(parsed("--port", HOLE)) == []
    assert kinds(parsed(HOLE, "8")) == []
    assert kinds(parsed("--tp-size", "8", HOLE)) == []


def test_a_hole_hides_no_certain_error() -> None:
    assert [problem.kind for problem in fatal(parsed(HOLE, "--port", "x", "--no-such-flag"))] == [
        "type",
        "unknown-flag",
    ]


def test_a_hole_ends_with_the_next_option() -> None:
    assert [problem.kind for problem in fatal(parsed(HOLE, "--enable-metrics", "8"))] == ["surplus-value"]


def test_a_list_before_a_hole_may_go_on_in_it() -> None:
    option = only(parsed(*MODEL, "--cuda-graph-bs-decode", "1", "2", HOLE), "cuda_graph_bs_decode")
    assert (option.raw, option.value, option.known) == (("1", "2"), None, False)


def test_holes_are_listed() -> None:
    assert len(parsed(*MODEL, HOLE, "--tp-size", "8", HOLE).holes) == 2


def test_an_option_is_maybe_when_any_of_its_words_is() -> None:
    assert only(parsed(*MODEL, "?--tp-size", "?8"), "tp_size").presence == "maybe"
    assert only(parsed(*MODEL, "--tp-size", "?8"), "tp_size").presence == "maybe"


def test_problems_of_maybe_words_end_no_launch() -> None:
    result = parsed(*MODEL, "?--no-such-flag")
    assert [(problem.kind, problem.fatal) for problem in result.problems] == [("unknown-flag", False)]


def test_a_maybe_stray_word_is_not_refused() -> None:
    assert kinds(parsed(*MODEL, "--enable-metrics", "?true")) == []


def test_a_maybe_model_is_enough() -> None:
    assert fatal(parsed("?--model-path", "?m")) == []


def test_words_after_an_unknown_flag_may_be_its_values() -> None:
    assert [problem.kind for problem in fatal(parsed(*MODEL, "--no-such-flag", "1", "2"))] == ["unknown-flag"]


def test_an_unknown_option_name_is_a_hole() -> None:
    result = parsed(*MODEL, f"--{UNKNOWN}", "8")
    assert (kinds(result), len(result.holes)) == ([], 1)


def test_an_unknown_stray_word_may_be_an_option_with_a_value() -> None:
    result = parsed(UNKNOWN, "m", "--tp-size", "8")
    assert (kinds(result), len(result.holes)) == ([], 1)
    assert [word.text for word in result.positional] == ["m"]


def test_an_unknown_word_in_a_list_may_end_it() -> None:
    option = only(parsed(*MODEL, "--cuda-graph-bs-decode", "1", UNKNOWN, "m"), "cuda_graph_bs_decode")
    assert (option.value, option.known) == (None, False)
    assert kinds(parsed(*MODEL, "--cuda-graph-bs-decode", "1", UNKNOWN, "m")) == []
    assert [problem.kind for problem in fatal(parsed(*MODEL, "--cuda-graph-bs-decode", UNKNOWN, "m"))] == ["type"]


def test_a_maybe_option_may_leave_its_value_to_the_one_before() -> None:
    (problem,) = parsed(*MODEL, "--port", "?--tp-size", "80").problems
    assert (problem.kind, problem.fatal) == ("missing-value", False)


def test_a_refusal_is_certain_only_with_and_without_the_maybe_words() -> None:
    result = parsed(*MODEL, "--port", "?--tp-size", "http")
    assert [(problem.kind, problem.fatal) for problem in result.problems] == [("missing-value", False), ("type", True)]


def test_maybe_help_ends_no_launch() -> None:
    assert fatal(parsed(*MODEL, "?--help")) == []
