"""How a flag changed from release to release, read from the catalogue."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any

from ..catalogue import Flag, load, release_key, releases, store
from ..catalogue.load import FILE
from ..data import rules_dir
from ..records import dataclass

FOLLOWED = ("default", "choices", "type", "nargs", "required")
"""Fields of a flag whose changes matter to a user."""


@dataclass(frozen=True)
class Change:
    """From ``release`` on the ``field`` of a flag is ``after``; it was ``before``."""

    release: str
    field: str
    before: Any
    after: Any


@dataclass(frozen=True)
class History:
    """Releases that have a name: ``since`` and ``until`` are the first and the last one, gaps are in ``releases``."""

    name: str
    releases: tuple[str, ...]
    changes: tuple[Change, ...]

    @property
    def since(self) -> str:
        return self.releases[0]

    @property
    def until(self) -> str:
        return self.releases[-1]

    def last_change(self, field: str, release: str) -> Change | None:
        """The newest change of ``field`` that ``release`` already has."""
        order = {name: index for index, name in enumerate(releases())}
        here = order.get(release, len(order))
        past = [change for change in self.changes if change.field == field and order[change.release] <= here]
        return past[-1] if past else None


def first_last(name: str) -> tuple[str, str] | None:
    """First and last known release with the option string ``name``; None when none has it."""
    found = history(name)
    return (found.since, found.until) if found else None


@lru_cache(maxsize=256)
def history(name: str) -> History | None:
    """Where an option string exists, and how its flag changed; None when no release has it."""
    by_release = dict(_shipped(name))
    for release in releases():
        if release not in _shipped_releases():
            flag = load(release).by_name.get(name)
            if flag is not None:
                by_release[release] = flag
    having = tuple(release for release in releases() if release in by_release)
    if not having:
        return None
    changes = []
    for before, after in pairwise(having):
        changes += _changes(by_release[before], by_release[after], after)
    return History(name, having, tuple(changes))


def releases_offering(name: str, value: str) -> tuple[str, ...]:
    """Releases whose flag ``name`` lists ``value`` among its choices, oldest first."""
    return tuple(
        release
        for release, flag in sorted(_shipped(name).items(), key=lambda item: release_key(item[0]))
        if flag.choices is not None and value in flag.choices
    )


def _changes(before: Flag, after: Flag, release: str) -> list[Change]:
    return [
        Change(release, field, _shown(before, field), _shown(after, field))
        for field in FOLLOWED
        if _shown(before, field) != _shown(after, field)
    ]


def _shown(flag: Flag, field: str) -> Any:
    if field == "default" and flag.default_computed:
        return flag.default_computed
    return getattr(flag, field)


def _shipped(name: str) -> dict[str, Flag]:
    """Releases of the shipped catalogue with the flag; only the lines that name it are decoded."""
    quoted = f'"{name}"'
    header, _, body = _text().partition("\n")
    lines = [line for line in body.split("\n") if quoted in line]
    found: dict[str, Flag] = {}
    for flag, having in store.shapes("\n".join((header, *lines, ""))):
        if name in flag.names:
            found.update(dict.fromkeys(having, flag))
    return found


@lru_cache(maxsize=1)
def _text() -> str:
    return (rules_dir() / FILE).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _shipped_releases() -> frozenset[str]:
    return frozenset(store.read_header(_text())["releases"])
