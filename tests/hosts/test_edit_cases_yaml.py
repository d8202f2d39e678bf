"""Every operation on every option of the YAML cases: what is asked happens, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from sglint import catalogue, hosts
from sglint.hosts.programs import has_server_flags
from sglint.launch import Option
from sglint.launch.argv import parse
from sglint.launch.model import AddOption, CannotEdit, Change, Launch, RemoveOption, RenameFlag, SetImageTag, SetValue
from sglint.text import Document, Sources, apply_edits

from .extraction import Case
from .test_cases_yaml import ALL

Words = list[tuple[str | None, str]]


def read(case: Case, text: str) -> list[Launch]:
    reading = hosts.read(Document(case.path.name, text, "yaml"), Sources.none())
    assert [problem for problem in reading.problems if problem.code != "SGL001"] == []
    return list(reading.launches)


def options_of(launch: Launch) -> tuple[Option, ...]:
    options = parse(launch.words, catalogue.load("0.5.18"), serve=launch.launcher == "serve").options
    return tuple(option for option in options if not option.implied)


def words(launch: Launch) -> Words:
    return [(word.text, word.presence) for word in launch.words]


def without(launch: Launch, option: Option) -> Words:
    gone = {id(word) for word in option.words}
    return [(word.text, word.presence) for word in launch.words if id(word) not in gone]


def edited(case: Case, number: int, *changes: Change) -> Launch | None:
    """The launch after the changes; None when it refuses. The other launches must be as before."""
    before = read(case, case.text)
    launch = before[number]
    try:
        edits = launch.editor.edits(launch, changes)
    except CannotEdit as refusal:
        assert str(refusal)
        return None
    after = read(case, apply_edits(case.text, edits))
    assert len(after) == len(before)
    for index, other in enumerate(before):
        shares = any(edit.span.touches(word.span) for word in other.words for edit in edits)
        if index != number and not shares and not isinstance(changes[0], SetImageTag):
            assert words(after[index]) == words(other)
    return after[number]


def each_option(case: Case) -> Iterator[tuple[int, Launch, Option]]:
    for number, launch in enumerate(read(case, case.text)):
        for option in options_of(launch):
            yield number, launch, option


def count(case: Case, operation: Callable[[int, Launch, Option], bool]) -> tuple[int, int]:
    done = [operation(number, launch, option) for number, launch, option in each_option(case)]
    return sum(done), len(done)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_removing_an_option_leaves_all_others(case: Case) -> None:
    def remove(number: int, launch: Launch, option: Option) -> bool:
        left = without(launch, option)
        kept = [word for word in launch.words if word not in option.words]
        if launch.launcher in ("none", "config") and not has_server_flags(kept):
            return True  # what is left is too little to tell a launch
        after = edited(case, number, RemoveOption(option.words))
        assert after is None or words(after) == left
        return after is not None

    assert_mostly(case, *count(case, remove))


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_setting_a_value_changes_that_option_only(case: Case) -> None:
    def set_value(number: int, launch: Launch, option: Option) -> bool:
        if len(option.raw) != 1:
            return True
        after = edited(case, number, SetValue(option.words, "new-8"))
        if after is None:
            # In a script the place to change is where the variable is set.
            return any(word.text is None or word.defined_at for word in option.words)
        last = option.words[-1]
        joined = f"{option.written}=new-8" if len(option.words) == 1 else "new-8"
        assert [word.text for word in after.words] == [joined if word is last else word.text for word in launch.words]
        return True

    assert_mostly(case, *count(case, set_value))


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_renaming_a_flag_keeps_its_value(case: Case) -> None:
    def rename(number: int, launch: Launch, option: Option) -> bool:
        if launch.launcher in ("none", "config"):
            return True  # the flags themselves tell the launch
        after = edited(case, number, RenameFlag(option.words[0], "--renamed-flag"))
        if after is None:
            return False
        place = launch.words.index(option.words[0])
        renamed = after.words[place]
        assert renamed.known_prefix == option.words[0].known_prefix.replace(option.written, "--renamed-flag", 1)
        assert words(after)[:place] + words(after)[place + 1 :] == words(launch)[:place] + words(launch)[place + 1 :]
        return True

    assert_mostly(case, *count(case, rename))


@pytest.mark.parametrize("value", [None, "7"])
@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_an_added_option_is_there_and_goes_again(case: Case, value: str | None) -> None:
    flag = "--stream-interval" if value else "--sleep-on-idle"
    for number, launch in enumerate(read(case, case.text)):
        added = edited(case, number, AddOption(flag, value))
        if added is None:
            continue
        (new,) = [option for option in options_of(added) if option.written == flag]
        assert new.raw == (() if value is None else (value,))
        assert without(added, new) == words(launch)


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_another_image_tag_is_another_release(case: Case) -> None:
    for number, launch in enumerate(read(case, case.text)):
        if launch.image is None or launch.image.tag is None or launch.release is None:
            continue
        after = edited(case, number, SetImageTag(re.sub(r"0\.[45]\.\d+(\.?post\d+)?", "0.5.20", launch.image.tag)))
        if "@" in launch.image.text:
            assert after is None
            continue
        assert after is not None and after.release is not None
        assert after.release.value == "0.5.20"
        assert words(after) == words(launch)


SHARED_OR_ASSEMBLED = {"013-anchor-alias-args", "014-merge-key-env", "034-shell-if-inside-yaml"}


def assert_mostly(case: Case, done: int, asked: int) -> None:
    """Only words that are shared or put together may refuse."""
    if case.name not in SHARED_OR_ASSEMBLED:
        assert done == asked, f"{asked - done} of {asked} refuse"
