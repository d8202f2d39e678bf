"""Python sources that nobody means well with: bounded time, a quiet note, and the launches beside them."""

from __future__ import annotations

import time

import pytest

from sglint import hosts
from sglint.launch import Reading
from sglint.text import Document, Sources

RUN = "run(['python3', '-m', 'sglang.launch_server', '--tp', '2'])\n"
SECONDS = 10.0
"""Far above what is needed, so that a busy machine does not fail; a blow-up needs hours."""


def reading_of(text: str) -> Reading:
    start = time.process_time()
    reading = hosts.read(Document("a.py", text, "python"), Sources.none())
    assert time.process_time() - start < SECONDS
    assert [problem.message for problem in reading.problems if problem.severity == "error"] == []
    assert [problem.message for problem in reading.problems if problem.code == "SGL000"] == []
    return reading


DEEP = {
    "brackets": "(" * 10_000 + ")" * 10_000,
    "open brackets": "[" * 10_000,
    "signs": "-" * 100_000 + "1",
    "negations": "not " * 20_000 + "x",
    "sums": "a+" * 50_000 + "a",
    "attributes": "a" + ".b" * 50_000,
    "calls": "a" + "()" * 50_000,
    "powers": "a**" * 5_000 + "a",
    "functions": "lambda:" * 5_000 + "1",
    "conditions": "a if b else " * 5_000 + "c",
    "fields": "f'{" * 100 + "1" + "}'" * 100,
}


@pytest.mark.parametrize("name", DEEP)
def test_what_is_too_deep_to_parse_is_one_quiet_note(name: str) -> None:
    (problem,) = reading_of(f"{RUN}x = {DEEP[name]}\n").problems
    assert (problem.code, problem.severity) == ("SGL004", "info")


WIDE = {
    "strings": "x = " + "'a' " * 20_000 + "\n",
    "long string": "x = '" + "sglang serve " * 50_000 + "'\n",
    "wide characters": "x = '" + "😀" * 200_000 + "'; y = 1\n",
    "conditions": "if x:\n  y = 1\n" * 3_000,
    "branches": "match x:\n" + "  case 1:\n    cmd = ['sglang', 'serve']\n" * 1_000,
    "doubled lists": "x = ['sglang']\n" + "x = [x, x]\n" * 60 + "run(x)\n",
    "doubled sums": "x = ['a']\n" + "x = x + x\n" * 60 + "run(x)\n",
    "doubled texts": "x = 'sglang serve '\n" + "x = f'{x}{x}'\n" * 60 + "run([x])\n",
    "doubled tables": "x = {'a': 1}\n" + "x = {**x, 'b': x, 'c': x}\n" * 60,
    "doubled templates": "x = 'sglang {} {}'\n" + "x = x.format(x, x)\n" * 40,
    "loops": "".join("  " * n + f"for i{n} in {list(range(20))}:\n" for n in range(15)) + "  " * 15 + "c = str(i1)\n",
    "comprehensions": f"L = {list(range(20))}\nx = " + "[" * 9 + "a" + " for a in L]" * 9 + "\n",
    "tries": "".join("  " * n + "try:\n" for n in range(15)) + "  " * 15 + "x = 1\n"
    "" + "".join("  " * n + "except E:\n" + "  " * (n + 1) + "x = 2\n" for n in reversed(range(15))),
    "functions": "def f():\n  cmd = ['a']\n" * 3_000,
}


@pytest.mark.parametrize("name", WIDE)
def test_a_launch_beside_what_multiplies_is_read(name: str) -> None:
    found = [launch for launch in reading_of(RUN + WIDE[name]).launches if len(launch.words) == 2]
    assert [word.text for word in found[0].words] == ["--tp", "2"]


def test_a_command_line_that_grows_in_loops_keeps_its_beginning() -> None:
    loops = "".join("  " * n + f"for i{n} in {list(range(20))}:\n" for n in range(6))
    text = f"cmd = ['sglang', 'serve', '--model-path', 'm']\n{loops}{'  ' * 6}cmd += ['--a', i1]\nrun(cmd)\n"
    (launch,) = reading_of(text).launches
    assert [word.text for word in launch.words[:2]] == ["--model-path", "m"]


def test_long_sources_are_not_read_and_that_is_said() -> None:
    for text, code in ((RUN + "x = '" + "a" * 2_000_000 + "'\n", "SGL004"), (RUN + "#" * 10_000_001, "SGL002")):
        reading = reading_of(text)
        assert [problem.code for problem in reading.problems] == [code]
        assert reading.launches == ()


def test_characters_that_no_source_may_hold() -> None:
    assert [problem.code for problem in reading_of(RUN + "x = '\ud800'\n").problems] == ["SGL004"]
    assert [problem.code for problem in reading_of(RUN + "\0").problems] == ["SGL003"]
