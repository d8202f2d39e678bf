"""Wherever a word of a launch is claimed for certain, the real bash hands over the same word.

``python -m tests.hosts.test_bash_judge`` prints how often we are certain.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sglint import hosts
from sglint.launch import Launch
from sglint.text import Document, Sources

from .bash_judge import agrees, at_home, certain, run, stubs
from .extraction import Case, cases
from .logic_maker import make_logic
from .script_maker import make_script
from .wide_maker import make_wide

GENERATED = 500
LOGIC = 250
WIDE = 200
BATCH = 25
FLOOR = 0.9
FLOOR_UNCONDITIONAL = 0.93
FLOOR_MADE = 0.87
FLOOR_MADE_UNCONDITIONAL = 0.94
FLOOR_TOLD = 0.99
FLOOR_LOGIC = 0.65
FLOOR_WIDE = 0.7
"""At least so many words of all launches are claimed for certain; made scripts put many under conditions, and what
is left comes from outside of them: told that, they leave next to nothing open."""
FLOOR_HANDED_OVER = 0.92
FLOOR_HANDED_OVER_MADE = 0.95
"""At least so many of the words that bash hands over; those of branches that it does not take are not among them."""

TOLD = """set -- --from-outside "x y"
export FAST=1 NOT_SET_HERE=v EXTRA_FLAGS="--tp-size 3" LORA=/m/lora
export OPTS1= OPTS2= OPTS3= OPTS4= OPTS5= V1= V2= V3= V4= V5=
"""
"""What made scripts take from their callers. What a script exports, the shells that it starts see as well."""

# Their launchers are not words that a stub can note, or bash refuses the file as a whole.
NOT_RUN = {"068-docker-run-no-launcher", "096-unclosed-quote-tail", "097-terminal-transcript"}


# What is read as one value of a flag has to be set when the script runs.
OUTSIDE = {
    "058-defaults-and-required": {"API_KEY": "key"},
    "065-heredoc-script-written": {"HOST": "host"},
    "070-sbatch-srun-bash-c": {"SLURM_NODEID": "0"},
    "071-sbatch-direct": {"MODEL_DIR": "/m/x"},
    "103-vllm-and-sglang-branches": {"ENGINE": "sglang"},
    "105-module-in-variable": {"SITE_MODEL": "/m/y", "NCCL_PORT": "1"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("judge")
    stubs(place)
    return place


Ran = tuple[str, list[list[str]]]
"""A script as it was run, and the words behind the launcher of every server it started."""


def run_case(case: Case, folder: Path) -> Ran:
    text = at_home(case.text, folder)
    arguments = [] if "${1:-" in case.text else ["argument"]
    return text, run(text.replace("\r\n", "\n"), folder, arguments, OUTSIDE.get(case.name))


def run_made(number: int, folder: Path) -> Ran:
    text = make_script(number)
    return text, run(text, folder, ["--from-outside", "x y"] if number % 2 else [], {"NOT_SET_HERE": "v"})


def launches_of(text: str) -> tuple[Launch, ...]:
    reading = hosts.read(Document("script.sh", text, "shell"), Sources.none())
    assert [problem for problem in reading.problems if problem.severity == "error"] == []
    return reading.launches


@pytest.mark.parametrize("case", cases("shell", "slurm"), ids=lambda case: case.name)
def test_bash_hands_over_what_is_read_in_a_case(case: Case, folder: Path) -> None:
    text, ran = run_case(case, folder)
    launches = launches_of(text)
    if case.name not in NOT_RUN:
        assert bool(ran) == bool(launches)
    for argv in ran:
        assert any(agrees(argv, launch.words) for launch in launches), argv


@pytest.mark.parametrize("batch", range(GENERATED // BATCH))
def test_bash_hands_over_what_is_read_in_made_scripts(batch: int, folder: Path) -> None:
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        text, ran = run_made(number, folder)
        launches = launches_of(text)
        assert ran, text
        for argv in ran:
            assert any(agrees(argv, launch.words) for launch in launches), (argv, text)


@pytest.mark.parametrize("batch", range(GENERATED // BATCH))
def test_bash_hands_over_what_is_read_in_scripts_that_nothing_reaches_from_outside(batch: int, folder: Path) -> None:
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        text = told(make_script(number))
        launches = launches_of(text)
        for argv in run(text, folder):
            assert any(agrees(argv, launch.words) for launch in launches), (argv, text)


@pytest.mark.parametrize("batch", range(LOGIC // BATCH))
def test_bash_takes_the_branches_that_are_read_as_taken(batch: int, folder: Path) -> None:
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        text = make_logic(number)
        (launch,) = launches_of(text)
        (argv,) = run(text, folder)
        assert agrees(argv, launch.words), (argv, text)


@pytest.mark.parametrize("batch", range(WIDE // BATCH))
def test_bash_hands_over_what_is_read_where_values_are_changed_in_many_ways(batch: int, folder: Path) -> None:
    ran = 0
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        text = make_wide(number)
        launches = launches_of(text)
        for argv in run(text, folder, given={"OUTER": "1"} if number % 2 else {}):
            assert any(agrees(argv, launch.words) for launch in launches), (argv, text)
            ran += 1
    assert ran >= BATCH * 0.8


def told(text: str) -> str:
    first, line_end, rest = text.partition("\n")
    return first + line_end + TOLD + rest


def _share(texts: list[str], *, conditional: bool) -> float:
    counts = [certain(launch, conditional=conditional) for text in texts for launch in launches_of(text)]
    return sum(sure for sure, _ in counts) / sum(total for _, total in counts)


def _handed_over(runs: Iterator[Ran]) -> float:
    sure = total = 0
    for text, ran in runs:
        launches = launches_of(text)
        for argv in ran:
            sure += certain(next(launch for launch in launches if agrees(argv, launch.words)))[0]
            total += len(argv)
    return sure / total


def shares(folder: Path) -> Iterator[tuple[str, float, float]]:
    """What is counted, how much of it is claimed for certain, and the least that it may be."""
    written = list(cases("shell", "slurm"))
    texts = [case.text for case in written]
    made = [make_script(number) for number in range(GENERATED)]
    logic = [make_logic(number) for number in range(LOGIC)]
    yield "words bash hands over, cases", _handed_over(run_case(case, folder) for case in written), FLOOR_HANDED_OVER
    over = _handed_over(run_made(number, folder) for number in range(GENERATED))
    yield f"words bash hands over, {GENERATED} made scripts", over, FLOOR_HANDED_OVER_MADE
    for name, scripts, least, unconditional in (
        ("cases", texts, FLOOR, FLOOR_UNCONDITIONAL),
        ("made scripts", made, FLOOR_MADE, FLOOR_MADE_UNCONDITIONAL),
    ):
        yield f"words of launches, {name}", _share(scripts, conditional=True), least
        yield f"the same without those under a condition, {name}", _share(scripts, conditional=False), unconditional
    yield (
        "words of made scripts told what is outside",
        _share([told(text) for text in made], conditional=True),
        FLOOR_TOLD,
    )
    wide = [make_wide(number) for number in range(WIDE)]
    yield f"words of {WIDE} scripts that change values in many ways", _share(wide, conditional=True), FLOOR_WIDE
    yield f"words of {LOGIC} scripts that only decide", _share(logic, conditional=True), FLOOR_LOGIC


def test_most_words_are_claimed_for_certain(folder: Path) -> None:
    assert [line for line in shares(folder) if line[1] < line[2]] == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        stubs(Path(place))
        for what, share, least in shares(Path(place)):
            print(f"{share:6.1%}  (at least {least:.0%})  {what}")
