"""Wherever a word of a launch is claimed for certain, the real bash hands over the same word."""

from __future__ import annotations

from pathlib import Path

import pytest

from sglint import hosts
from sglint.launch import Launch
from sglint.text import Document, Sources

from .bash_judge import agrees, at_home, certain, run, stubs
from .extraction import Case, cases
from .logic_maker import make_logic
from .script_maker import make_script

GENERATED = 500
LOGIC = 250
BATCH = 25
FLOOR = 0.9
FLOOR_UNCONDITIONAL = 0.93
FLOOR_MADE = 0.87
FLOOR_MADE_UNCONDITIONAL = 0.94
FLOOR_TOLD = 0.99
FLOOR_LOGIC = 0.65
"""At least so many words of all launches are claimed for certain; made scripts put many under conditions, and what
is left comes from outside of them: told that, they leave next to nothing open."""

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


def launches_of(text: str) -> tuple[Launch, ...]:
    reading = hosts.read(Document("script.sh", text, "shell"), Sources.none())
    assert [problem for problem in reading.problems if problem.severity == "error"] == []
    return reading.launches


@pytest.mark.parametrize("case", cases("shell", "slurm"), ids=lambda case: case.name)
def test_bash_hands_over_what_is_read_in_a_case(case: Case, folder: Path) -> None:
    text = at_home(case.text, folder)
    ran = run(text.replace("\r\n", "\n"), folder, [] if "${1:-" in case.text else ["argument"], OUTSIDE.get(case.name))
    launches = launches_of(text)
    if case.name not in NOT_RUN:
        assert bool(ran) == bool(launches)
    for argv in ran:
        assert any(agrees(argv, launch.words) for launch in launches), argv


@pytest.mark.parametrize("batch", range(GENERATED // BATCH))
def test_bash_hands_over_what_is_read_in_made_scripts(batch: int, folder: Path) -> None:
    for number in range(batch * BATCH, (batch + 1) * BATCH):
        text = make_script(number)
        launches = launches_of(text)
        ran = run(text, folder, ["--from-outside", "x y"] if number % 2 else [], {"NOT_SET_HERE": "v"})
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


def told(text: str) -> str:
    first, line_end, rest = text.partition("\n")
    return first + line_end + TOLD + rest


def _share(texts: list[str], *, conditional: bool) -> float:
    counts = [certain(launch, conditional=conditional) for text in texts for launch in launches_of(text)]
    return sum(sure for sure, _ in counts) / sum(total for _, total in counts)


def test_most_words_are_claimed_for_certain() -> None:
    written = [case.text for case in cases("shell", "slurm")]
    made = [make_script(number) for number in range(GENERATED)]
    assert _share(written, conditional=True) >= FLOOR
    assert _share(written, conditional=False) >= FLOOR_UNCONDITIONAL
    assert _share(made, conditional=True) >= FLOOR_MADE
    assert _share(made, conditional=False) >= FLOOR_MADE_UNCONDITIONAL
    assert _share([told(text) for text in made], conditional=True) >= FLOOR_TOLD
    assert _share([make_logic(number) for number in range(LOGIC)], conditional=True) >= FLOOR_LOGIC
