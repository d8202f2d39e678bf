"""Whatever stands on a command line, telling its problems and ways out never fails and keeps the parser's verdict."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglint import catalogue
from sglint.commandline.braces import surplus_words
from sglint.commandline.proposals import proposals
from sglint.commandline.refine import refined
from sglint.knowledge.names import foreign_names, removed_names
from sglint.launch import argv
from sglint.launch.model import AddOption

RELEASES = (catalogue.releases()[0], "0.5.10", "0.5.18", catalogue.releases()[-1])
NAMES = [
    *(name for name in catalogue.load(RELEASES[-1]).by_name if name.startswith("--")),
    *removed_names(),
    *foreign_names(),
]

flags = st.sampled_from(NAMES).flatmap(
    lambda name: st.sampled_from(
        [
            name,
            name.replace("-", "_"),
            name[:-1],
            name[:6],
            name + "x",
            f"{name}=1",
            f"{name} 2",
            f"{name}=",
            name.upper(),
        ]
    )
)
values = st.sampled_from(
    ["1", "true", "False", "80%", "8k", "fa3", "FA3", "x", "", "-1", "--", "{'a': 1}", '{"a":1,}', "{a:1}"]
)
command_lines = st.lists(st.one_of(flags, values, st.text(max_size=12)), max_size=8)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(command_lines, st.sampled_from(RELEASES))
def test_ways_out_are_of_words_that_are_there(words: list[str], release: str) -> None:
    table = catalogue.load(release)
    plain = argv.parse(argv.words_of(words), table)
    told = refined(plain, table)
    first = next((problem for problem in plain.problems if problem.fatal), None)
    if first is not None:
        first_told = next(problem for problem in told.problems if problem.fatal)
        assert (first_told.head, first_told.word) == (first.head, first.word)
    known = {id(word) for option in told.options for word in option.words} | {id(word) for word in told.positional}
    for problem in told.problems:
        assert problem.detail
        for way in proposals(problem, told, table):
            assert way.title
            for change in way.changes:
                if isinstance(change, AddOption):
                    assert change.flag.startswith("-")
                    continue
                of_change = getattr(change, "words", None) or (change.word,)  # type: ignore[union-attr]
                assert {id(word) for word in of_change} <= known


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a":1,"b":2}', ["b:2"]),
        ('{"a":1}', []),
        ('{"a":{"b":1,"c":2}}', []),
        ('{"a":"x","b":"y","c":3}', ["b:y", "c:3"]),
    ],
)
def test_what_a_shell_makes_of_braces(text: str, words: list[str]) -> None:
    assert surplus_words(text) == words
