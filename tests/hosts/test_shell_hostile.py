"""What scripts nobody means well with cost: little time, and never their neighbours' launches."""

from __future__ import annotations

import time

import pytest

from sglint import hosts
from sglint.launch import Reading
from sglint.text import Document, Sources

LAUNCH = "python3 -m sglang.launch_server --model-path m --tp 2\n"
SECONDS = 10.0
"""Far above what is needed, so that a busy machine does not fail; a blow-up needs hours."""


def reading_of(text: str) -> Reading:
    start = time.process_time()
    reading = hosts.read(Document("a.sh", text, "shell"), Sources.none())
    assert time.process_time() - start < SECONDS
    assert [problem for problem in reading.problems if problem.code == "SGL000"] == []
    return reading


NESTED = {
    "quotes": "echo " + '"' * 10_001 + "\n",
    "substitutions": "echo " + '"$(' * 10_000 + "x" + ')"' * 10_000 + "\n",
    "defaults": "echo " + "${X:-" * 10_000 + "}" * 10_000 + "\n",
    "subshells": "(" * 10_000 + ")" * 10_000 + "\n",
    "conditions": "if a; then " * 10_000 + "b; " + "fi; " * 10_000 + "\n",
    "chains": "a && " * 5_000 + "b\n",
    "pipes": "a | " * 5_000 + "b\n",
    "bash -c": "bash -c " + "'bash -c " * 3_000 + "x\n",
    "cases": "case $x in " + "a) ;; " * 10_000 + "esac\n",
    "backslashes": "echo " + "\\" * 20_000 + "\n",
}


@pytest.mark.parametrize("name", NESTED)
def test_a_launch_before_deep_nesting_is_found(name: str) -> None:
    launches = reading_of(LAUNCH + NESTED[name]).launches
    assert [word.text for word in launches[0].words] == ["--model-path", "m", "--tp", "2"]


BOMBS = {
    "string": 'X="--a 1"\n' + 'X="$X$X"\n' * 60 + "sglang serve --model-path m $X\n",
    "array": "X=(a b)\n" + 'X=("${X[@]}" "${X[@]}")\n' * 60 + 'sglang serve --model-path m "${X[@]}"\n',
    "appended": "X=\n" + 'X="$X --f 1"\n' * 1_000 + "sglang serve --model-path m $X\n",
    "branches": "X=--a\n" + 'if a; then X="$X --b"; else X="--c $X"; fi\n' * 200 + "sglang serve --model-path m $X\n",
    "cycle": "X=$Y\nY=$X\nX=$Y\nsglang serve --model-path m $X\n",
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_grows_without_bound_is_a_hole(name: str) -> None:
    (launch,) = reading_of(BOMBS[name]).launches
    assert [word.text for word in launch.words[:2]] == ["--model-path", "m"]
    assert any(word.many for word in launch.words)


def test_functions_that_call_each_other_twice_are_walked_a_few_times() -> None:
    calls = "".join(f"f{number}() {{ f{number + 1}; f{number + 1}; }}\n" for number in range(50))
    assert len(reading_of(f"{calls}f50() {{\n{LAUNCH}}}\nf0\n").launches) == 1


def test_functions_that_call_others_at_many_places_are_read_without_a_limit() -> None:
    """As long programs in the shell do; what is walked must not multiply with the depth of their calls."""
    functions = "".join(
        f"step{number}() {{\n  local x=$1\n  for x in a b c; do\n    case $x in a) step{number + 1} a;; *) R{number}=1;"
        f" step{number + 1} b || step{number + 2} c;; esac\n  done\n  trap 'step{number + 3}' EXIT\n}}\n"
        for number in range(50)
    )
    reading = reading_of(f"{functions}step0\nstep5\n{LAUNCH}")
    assert [[word.text for word in launch.words] for launch in reading.launches] == [["--model-path", "m", "--tp", "2"]]
    assert reading.problems == ()


def test_scripts_that_run_themselves_end() -> None:
    reading = reading_of("cat > a.sh <<'E'\nbash a.sh\nsglang serve --model-path m\nE\nbash a.sh\n")
    assert len(reading.launches) == 1
    assert [problem.code for problem in reading.problems] == ["SGL004"]
    assert len(reading_of('X=\'eval "$X"\'\neval "$X"\n' + LAUNCH).launches) == 1


def test_too_deep_nesting_is_told_with_its_place() -> None:
    text = LAUNCH + "( " * 100 + "export X=1" + " )" * 100 + "\n"
    (problem,) = reading_of(text).problems
    assert (problem.code, problem.severity) == ("SGL004", "info")
    assert text[problem.span.start] == "("


def test_parameters_and_starts_that_multiply_in_loops_are_bounded() -> None:
    inner = 'set -- "$@" "$@"; f "$@" "$@"; ' + LAUNCH.strip()
    loops = f"for i in 1 2 3 4 5 6 7 8 9; do for j in 1 2 3 4 5 6 7 8 9; do {inner}; done; done\n"
    reading = reading_of(f"set -- a b\nf() {{ {loops} }}\n{loops}")
    assert len(reading.launches) == 2
