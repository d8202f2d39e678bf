"""Old and foreign names of flags, values and environment variables, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from .. import toml
from ..catalogue import FlagTable, load, nearest, release_key
from ..data import rules_dir
from ..records import dataclass, field

RENAMES = "flags/renames.toml"
FOREIGN = "flags/foreign.toml"


@dataclass(frozen=True)
class Target:
    """A flag to write instead; ``value`` where the old name stood for one."""

    flag: str
    value: str | None = None

    @property
    def text(self) -> str:
        return self.flag if self.value is None else f"{self.flag}={self.value}"

    @staticmethod
    def parse(text: str) -> Target:
        flag, equals, value = text.partition("=")
        return Target(flag, value if equals else None)


@dataclass(frozen=True)
class Rename:
    """An old name of a flag, as a given release wants it.

    last
        newest release that has the old name; None for one that is only deprecated.
    targets
        what takes its place there, all of them; empty when nothing does.
    values
        words of the old flag that are spelled differently behind the new one.
    drop
        leaving the flag out changes nothing.
    loose
        close to the old meaning, but not the same everywhere.
    needs
        flags with values that the new name asks for, where the launch has nothing for them.
    also
        other flags of the launch that have to be renamed with it.
    """

    written: str
    last: str | None
    targets: tuple[Target, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    drop: bool = False
    note: str = ""
    also: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    loose: bool = False


@dataclass(frozen=True)
class Foreign:
    """A flag of another program.

    target
        SGLang's counterpart, if any; ``same`` when a value means the same behind it.
    drop
        SGLang does this without being asked.
    """

    written: str
    program: str
    target: Target | None = None
    same: bool = False
    drop: bool = False
    note: str = ""


@dataclass(frozen=True)
class EnvironmentRename:
    name: str
    to: str | None
    note: str


def rename(written: str, release: str) -> Rename | None:
    """What became of a flag that ``release`` does not have; None for a name no release had, or that it has."""
    table = load(nearest(release))
    if written in table.by_name:
        return None
    entry = _renames()["removed"].get(written)
    if entry is None or release_key(table.release) <= release_key(entry["last"]):
        return None
    return _resolved(written, entry, table)


def deprecation(written: str, release: str) -> Rename | None:
    """What to write for a flag that ``release`` has and warns of; None when there is nothing to say."""
    table = load(nearest(release))
    data = _renames()
    entry = data["deprecated"].get(written) or data["removed"].get(written)
    return None if entry is None else _resolved(written, entry, table)


def predecessor(written: str, release: str) -> str | None:
    """What ``release`` calls a flag that is named ``written`` later; None when it has no such flag."""
    table = load(nearest(release))
    for old, entry in _renames()["removed"].items():
        if written in entry.get("to", ()) and not entry.get("values"):
            return old if old in table.by_name else predecessor(old, release)
    return None


def foreign(written: str, release: str) -> Foreign | None:
    """The program ``written`` belongs to and its counterpart in ``release``; None for a name not known elsewhere."""
    found = _foreign().get(written)
    if found is None:
        return None
    program, entry = found
    target = Target.parse(entry["to"]) if "to" in entry else None
    if target is not None and target.flag not in load(nearest(release)).by_name:
        older = predecessor(target.flag, release)
        target = Target(older, target.value) if older else None
    return Foreign(written, program, target, entry.get("same", False), entry.get("drop", False), entry.get("note", ""))


def value_rename(flag: str, value: str, release: str) -> str | None:
    """What ``value`` is called behind ``flag`` in a release; None when nothing is known of it."""
    for entry in _renames()["value"]:
        gone = "last" not in entry or release_key(release.removeprefix("v")) > release_key(entry["last"])
        if gone and flag in entry["flags"] and value in entry["values"]:
            renamed: str = entry["values"][value]
            return renamed
    return None


def environment_rename(name: str) -> EnvironmentRename | None:
    """What took the place of an environment variable, or why it is gone."""
    entry = _renames()["environment"].get(name)
    return None if entry is None else EnvironmentRename(name, entry.get("to"), entry.get("note", ""))


def removed_names() -> Iterator[str]:
    """All names that some release had and the newest does not."""
    yield from _renames()["removed"]


def former_names(flag: str) -> Iterator[str]:
    """Names whose successor is ``flag``."""
    for old, entry in _renames()["removed"].items():
        if flag in entry.get("to", ()):
            yield old


def foreign_names() -> Iterator[str]:
    yield from _foreign()


def _resolved(written: str, entry: Mapping[str, Any], table: FlagTable) -> Rename:
    values: dict[str, str] = dict(entry.get("values", {}))
    targets: list[Target] = []
    for text in entry.get("to", ()):
        found = _followed(Target.parse(text), table, values, depth=3)
        if found is None:
            targets = []
            break
        targets.append(found)
    also = entry.get("also", {})
    if any(name not in table.by_name for name in also.values()):
        return Rename(written, entry.get("last"), tuple(targets), values)
    note = entry.get("note", "")
    needs = {name: value for name, value in entry.get("needs", {}).items() if name in table.by_name}
    return Rename(
        written,
        entry.get("last"),
        tuple(targets),
        values,
        drop=entry.get("drop", False),
        note=note,
        also=also,
        needs=needs,
        loose=entry.get("loose", False),
    )


def _followed(target: Target, table: FlagTable, values: dict[str, str], depth: int) -> Target | None:
    """``target`` as ``table`` has it, through later renames of its name and its value; None when it ends nowhere."""
    if target.flag in table.by_name:
        renamed = None if target.value is None else value_rename(target.flag, target.value, table.release)
        return Target(target.flag, renamed or target.value)
    entry = _renames()["removed"].get(target.flag)
    if entry is None or depth == 0:
        return None
    values.update(entry.get("values", {}))
    for text in entry.get("to", ()):
        following = Target.parse(text)
        found = _followed(Target(following.flag, following.value or target.value), table, values, depth - 1)
        if found is not None:
            return found
    return None


@lru_cache(maxsize=1)
def _renames() -> Mapping[str, Any]:
    return toml.parse((rules_dir() / RENAMES).read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _foreign() -> Mapping[str, tuple[str, Mapping[str, Any]]]:
    programs = toml.parse((rules_dir() / FOREIGN).read_text(encoding="utf-8"))
    return {name: (program, entry) for program, flags in programs.items() for name, entry in flags.items()}
