"""Every operation on every option of every extraction case: what is asked happens, and nothing else.

``python -m tests.hosts.test_edit_all_cases`` prints how many edits were made and how many were refused, by notation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache

import pytest

from sglint import catalogue, hosts
from sglint.hosts.programs import has_server_flags
from sglint.launch import Option
from sglint.launch.argv import parse
from sglint.launch.model import (
    AddOption,
    CannotEdit,
    Change,
    Launch,
    RemoveOption,
    RenameFlag,
    SetImageTag,
    SetValue,
    Word,
)
from sglint.text import Document, Edit, Sources, apply_edits
from sglint.text.document import language_of

from .extraction import CASES

NAMES = sorted(path.name.removesuffix(".expected.json") for path in CASES.glob("*.expected.json"))
OPERATIONS = ("remove", "set", "rename", "add flag", "add value", "image tag", "remove and add")
Files = Mapping[str, str]
Words = list[tuple[str | None, str]]


@cache
def files_of(name: str) -> Files:
    found = [path for path in CASES.glob(f"{name}*") if not path.name.endswith(".expected.json")]
    files = [file for path in found for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()]
    return {file.relative_to(CASES).as_posix(): file.read_bytes().decode("utf-8") for file in sorted(files)}


def launches(files: Files) -> list[tuple[str, Launch]]:
    """The launches of all files of a case, with the file that tells each; of a chart those of its templates."""
    is_chart = any(path.endswith("/Chart.yaml") for path in files)
    found: list[tuple[str, Launch]] = []

    def names(folder: str) -> list[str]:
        return sorted({path[len(folder) + 1 :].split("/")[0] for path in files if path.startswith(folder + "/")})

    for path, text in files.items():
        language = language_of(path)
        if language is not None and (not is_chart or "/templates/" in path):
            reading = hosts.read(Document(path, text, language), Sources(files.get, names=names))
            assert [problem for problem in reading.problems if problem.code in ("SGL000", "SGL002")] == []
            found += [(path, launch) for launch in reading.launches]
    return found


@lru_cache(maxsize=1)
def original(name: str) -> list[tuple[str, Launch]]:
    return launches(files_of(name))


def options_of(launch: Launch) -> tuple[Option, ...]:
    options = parse(launch.words, catalogue.load("0.5.18"), serve=launch.launcher == "serve").options
    return tuple(option for option in options if not option.implied)


def words(launch: Launch) -> Words:
    return [(word.text, word.presence) for word in launch.words]


class Refused(Exception):
    """The editor says why it leaves the text alone."""


def edited(files: Files, number: int, *changes: Change) -> tuple[Files, Launch]:
    """The files and the launch after the changes; every other launch and line is as before. Raises Refused."""
    before = launches(files)
    path, launch = before[number]
    try:
        edits = launch.editor.edits(launch, changes)
    except CannotEdit as refusal:
        assert str(refusal)
        raise Refused from refusal
    by_path: dict[str, list[Edit]] = {}
    for edit in edits:
        by_path.setdefault(edit.path or path, []).append(edit)
    after_files = {**files, **{home: apply_edits(files[home], own) for home, own in by_path.items()}}
    lines_are_kept(launch, path, files, by_path, changes)
    after = launches(after_files)
    assert len(after) == len(before)
    if not isinstance(changes[0], SetImageTag):
        for index, (home, other) in enumerate(before):
            if index != number and not shares(home, other, by_path):
                assert words(after[index][1]) == words(other)
    return after_files, after[number][1]


def shares(home: str, launch: Launch, edits: Mapping[str, list[Edit]]) -> bool:
    """Whether an edit is one of text that a launch has a part in."""
    places = [(word.path or home, word.span) for word in launch.words]
    places += [(one.place.path or home, one.place.span) for word in launch.words for one in word.defined_at]
    return any(edit.span.touches(span) for path, span in places for edit in edits.get(path, ()))


def lines_are_kept(
    launch: Launch, home: str, files: Files, edits: Mapping[str, list[Edit]], changes: tuple[Change, ...]
) -> None:
    """Edits touch the lines of the words they are about, their definitions, and the line ends around them."""
    if any(isinstance(change, (AddOption, SetImageTag)) for change in changes):
        return
    about = [word for change in changes for word in words_of(change)]
    for path, own in edits.items():
        document = Document(path, files[path], "yaml")
        touched: set[int] = set()
        for word in about:
            spans = [word.span] if (word.path or home) == path else []
            spans += [one.place.span for one in word.defined_at if (one.place.path or home) == path]
            for span in spans:
                first, last = document.lines.line_of(span.start), document.lines.line_of(span.end)
                touched |= set(range(first - 1, last + 2))
        for edit in own:
            for line in range(document.lines.line_of(edit.span.start), document.lines.line_of(edit.span.end) + 1):
                place = document.lines.line_span(line)
                gone = files[path][max(place.start, edit.span.start) : min(place.end, edit.span.end)].strip()
                # The sign that a line goes on, and comments between the words of an option, may go with it.
                assert line in touched or gone in ("", "\\") or gone.startswith("#"), (path, gone)


def words_of(change: Change) -> tuple[Word, ...]:
    if isinstance(change, (RemoveOption, SetValue)):
        return change.words
    return (change.word,) if isinstance(change, RenameFlag) else ()


def without(launch: Launch, option: Option) -> Words:
    gone = {id(word) for word in option.words}
    return [(word.text, word.presence) for word in launch.words if id(word) not in gone]


def may_refuse(launch: Launch, option: Option) -> bool:
    """Words that are shared, put together, or come from elsewhere may refuse."""
    return any(
        word.text is None or word.defined_at or word.used_at or word.path or word.presence == "maybe" or word.unknown
        for word in option.words
    )


class Tally(Counter[tuple[str, str, str]]):
    """Edits by notation, operation and outcome."""

    def note(self, launch: Launch, operation: str, outcome: str) -> None:
        self[launch.host, operation, outcome] += 1


def tried(name: str, tally: Tally) -> None:
    """All operations on all options of a case."""
    files = files_of(name)
    for number, (_, launch) in enumerate(original(name)):
        for index, option in enumerate(options_of(launch)):
            for operation in (remove, set_value, rename):
                try:
                    tally.note(launch, operation.__name__, operation(files, number, launch, index, option))
                except Refused:
                    tally.note(launch, operation.__name__, "refused")
                    where = (name, number, option.written, operation.__name__)
                    assert may_refuse(launch, option) or name in SHARED or name in SCRIPTS_IN_WORDS, where
        for flag, value in (("--sleep-on-idle", None), ("--stream-interval", "7")) if name not in OPEN_ENDED else ():
            try:
                tally.note(launch, "add", add(files, number, launch, flag, value))
            except Refused:
                tally.note(launch, "add", "refused")
        try:
            tally.note(launch, "image_tag", image_tag(files, number, launch))
        except Refused:
            tally.note(launch, "image_tag", "refused")


SHARED = {
    "013-anchor-alias-args",
    "014-merge-key-env",
    "034-shell-if-inside-yaml",
    "112-compose-anchors-two-services",
}
"""Cases whose words several launches have."""


SCRIPTS_IN_WORDS = {"121-docker-bash-c-json", "125-unit-bash-lc"}
"""Cases whose script stands in a word of a list or a unit."""

OPEN_ENDED = {
    # Behind the last word stand quotes of a session's command, or a quote that is never closed.
    "073-tmux-nested-quotes",
    "096-unclosed-quote-tail",
}


def remove(files: Files, number: int, launch: Launch, index: int, option: Option) -> str:
    kept = [word for word in launch.words if word not in option.words]
    if launch.launcher in ("none", "config") and not has_server_flags(kept):
        return "what is left is too little to tell a launch"
    after_files, after = edited(files, number, RemoveOption(option.words))
    assert words(after) == without(launch, option)
    return put_back(after_files, number, launch, option)


def put_back(files: Files, number: int, launch: Launch, option: Option) -> str:
    """Removed and added again it is the same launch, but for the order of its options."""
    if len(option.raw) > 1 or None in option.raw or option.presence == "maybe":
        return "removed"
    try:
        _, again = edited(files, number, AddOption(option.written, option.raw[0] if option.raw else None))
    except Refused:
        return "removed, adding refused"
    before = Counter((one.written, one.raw) for one in options_of(launch))
    assert Counter((one.written, one.raw) for one in options_of(again)) == before
    return "removed and added"


def set_value(files: Files, number: int, launch: Launch, index: int, option: Option) -> str:
    if len(option.raw) != 1:
        return "no single value"
    _, after = edited(files, number, SetValue(option.words, "new-8"))
    last = option.words[-1]
    joined = f"{option.written}=new-8" if len(option.words) == 1 else "new-8"
    assert [word.text for word in after.words] == [joined if word is last else word.text for word in launch.words]
    return "done"


def rename(files: Files, number: int, launch: Launch, index: int, option: Option) -> str:
    if launch.launcher in ("none", "config"):
        return "the flags themselves tell the launch"
    _, after = edited(files, number, RenameFlag(option.words[0], "--renamed-flag"))
    place = launch.words.index(option.words[0])
    renamed = after.words[place]
    assert renamed.known_prefix == option.words[0].known_prefix.replace(option.written, "--renamed-flag", 1)
    assert words(after)[:place] + words(after)[place + 1 :] == words(launch)[:place] + words(launch)[place + 1 :]
    return "done"


def add(files: Files, number: int, launch: Launch, flag: str, value: str | None) -> str:
    after_files, after = edited(files, number, AddOption(flag, value))
    (new,) = [option for option in options_of(after) if option.written == flag]
    assert new.raw == (() if value is None else (value,))
    assert without(after, new) == words(launch)
    _, again = edited(after_files, number, RemoveOption(new.words))
    assert words(again) == words(launch)
    return "added and removed"


def image_tag(files: Files, number: int, launch: Launch) -> str:
    if launch.image is None or launch.image.tag is None or launch.release is None:
        return "no tag"
    if not re.search(r"0\.[45]\.\d+", launch.image.tag) or "image" not in launch.release.source:
        return "no release in the tag"
    _, after = edited(files, number, SetImageTag(re.sub(r"0\.[45]\.\d+(\.?post\d+)?", "0.5.20", launch.image.tag)))
    assert after.release is not None
    assert after.release.value == "0.5.20"
    assert words(after) == words(launch)
    return "done"


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_does_what_is_asked_and_nothing_else(name: str) -> None:
    tried(name, Tally())


def report(tally: Tally) -> Iterator[str]:
    for (host, operation, outcome), count in sorted(tally.items()):
        yield f"{host:14} {operation:10} {count:5}  {outcome}"
    made = sum(count for (_, _, outcome), count in tally.items() if outcome.startswith(("done", "removed", "added")))
    refused = sum(count for (_, _, outcome), count in tally.items() if outcome == "refused")
    yield f"{made} edits made as asked, {refused} refused, in {len(NAMES)} cases"


if __name__ == "__main__":
    total = Tally()
    for case in NAMES:
        tried(case, total)
    print("\n".join(report(total)))
