"""What a release's parser refuses, told with what is known of all releases."""

from __future__ import annotations

import pytest

from sglint import catalogue
from sglint.commandline.braces import needs_telling
from sglint.commandline.refine import refined
from sglint.launch import argv
from sglint.launch.model import EnvVar, Place
from sglint.launch.options import Parsed, ParseProblem
from sglint.text import Span


def parsed(release: str, *words: str, known_flags: tuple[str, ...] = (), env: tuple[EnvVar, ...] = ()) -> Parsed:
    table = catalogue.load(release)
    return refined(argv.parse(argv.words_of(["--model-path", "m", *words]), table), table, known_flags, env)


def only(release: str, *words: str) -> ParseProblem:
    problems = parsed(release, *words).problems
    assert len(problems) == 1, problems
    return problems[0]


@pytest.mark.parametrize(
    ("release", "words", "kind", "said"),
    [
        ("0.5.20", ["--cuda-graph-max-bs", "64"], "removed-flag", "write `--cuda-graph-max-bs-decode`"),
        ("0.5.20", ["--mamba-scheduler-strategy", "auto"], "removed-flag", "left with 0.5.20"),
        ("0.5.20", ["--prefill-round-robin-balance"], "removed-flag", "leave it out"),
        ("0.5.18", ["--enable-watermark"], "later-flag", "comes with 0.5.22"),
        ("0.5.10", ["--cuda-graph-max-bs-decode", "8"], "later-flag", "here it is called `--cuda-graph-max-bs`"),
        ("0.5.18", ["--max-model-len", "8192"], "foreign-flag", "flag of vLLM"),
        ("0.5.18", ["--ctx-size", "8192"], "foreign-flag", "flag of llama.cpp"),
        ("0.5.18", ["--enable_metrics"], "unknown-flag", "flags have dashes, so it is `--enable-metrics`"),
        ("0.5.18", ["--mem-fractoin-static", "0.8"], "unknown-flag", "perhaps `--mem-fraction-static` is meant"),
        ("0.5.18", ["--frobnicate"], "unknown-flag", "has no flag `--frobnicate`"),
        ("0.5.18", ["--attention-backend", "FA3"], "choice", "perhaps `fa3` is meant"),
        ("0.5.18", ["--kv-cache-dtype", "fp8"], "choice", "perhaps `fp8_e4m3` is meant"),
        ("0.5.18", ["--attention-backend", "qsa"], "choice", "it comes with 0.5.20"),
        ("0.5.20", ["--attention-backend", "cutlass_mla"], "choice", "0.5.19 was the last release to have it"),
    ],
)
def test_each_cause_has_its_own_kind_and_sentence(release: str, words: list[str], kind: str, said: str) -> None:
    problem = only(release, *words)
    assert problem.kind == kind
    assert said in problem.detail
    assert problem.fatal


def test_a_retired_alias_keeps_the_message_its_release_gives() -> None:
    problem = only("0.5.20", "--cuda-graph-max-bs", "64")
    assert problem.head.startswith("ambiguous option: --cuda-graph-max-bs")


def test_an_ambiguous_abbreviation_meant_the_oldest_flag() -> None:
    problem = only("0.5.23", "--pp", "2")
    assert problem.kind == "ambiguous"
    assert problem.candidates[0] == "--pp-size"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tp", "2"], "which another release may read differently or refuse"),
        (["--cuda-graph-max", "8"], "SGLang 0.5.23 takes it for ambiguous"),
        (["--mamba-sched", "auto"], "SGLang 0.5.23 does not know it"),
    ],
)
def test_an_abbreviation_is_told_with_its_future(words: list[str], said: str) -> None:
    problem = next(problem for problem in parsed("0.5.13", *words).problems if problem.kind == "abbreviation")
    assert said in problem.detail


def test_flags_of_a_fork_are_no_problem() -> None:
    words = ("--kt-numa-nodes", "2", "--enable-pcie-oneshot-allreduce")
    assert len(parsed("0.5.18", *words).problems) == 2
    assert parsed("0.5.18", *words, known_flags=("--kt-*", "--enable-pcie-oneshot-allreduce")).problems == ()


def test_a_deprecated_flag_is_told_with_what_replaces_it() -> None:
    problem = only("0.5.19", "--nsa-prefill-backend", "fa3")
    assert problem.kind == "deprecated"
    assert "gone after 0.5.19: write `--dsa-prefill-backend`" in problem.detail
    assert not problem.fatal


def variable(name: str) -> EnvVar:
    return EnvVar(name, "1", Place(Span(0, len(name))))


def test_variables_are_told_only_when_a_release_read_them_and_this_one_does_not() -> None:
    env = tuple(map(variable, ("SGLANG_ENABLE_SPEC_V2", "SGLANG_IMAGE", "HF_TOKEN", "SGLANG_USE_MODELSCOPE")))
    problems = parsed("0.5.18", env=env).problems
    assert [problem.kind for problem in problems] == ["env-not-read"]
    assert "0.5.13.post1 was the last release to read it" in problems[0].detail
    assert not problems[0].fatal
    assert parsed("0.5.9", env=env).problems == ()


def test_a_later_variable_says_from_where_on_it_is_read() -> None:
    problems = parsed("0.5.9", env=(variable("SGLANG_DSV4_REASONING_EFFORT"),)).problems
    assert [problem.kind for problem in problems] == ["env-not-read"]
    assert "it is read from 0.5" in problems[0].detail


def test_a_launch_without_problems_needs_no_telling() -> None:
    table = catalogue.load("0.5.18")
    assert not needs_telling(argv.parse(argv.words_of(["--model-path", "m", "--tp-size", "2"]), table))
    assert needs_telling(argv.parse(argv.words_of(["--model-path", "m", "--tp", "2"]), table))
