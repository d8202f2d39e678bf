"""Fix templates of rules to changes of one launch, and what its words must be afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any

from ..facts import Unknown
from ..launch.model import (
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
from ..launch.options import Option, Parsed
from ..records import dataclass
from ..rules.findings import Safety
from ..rules.model import FixTemplate
from ..rules.places import Places
from ..rules.wording import PLACEHOLDER


@dataclass(frozen=True)
class Plan:
    """A fix to be tried: its title, the changes that make it, and the release to move to, if any.

    ``safety`` where it is not the template's. Plans of one ``way`` (by default, of one title) are alternatives of
    which the first that works is enough.
    """

    title: str
    changes: tuple[Change, ...]
    release: str | None = None
    safety: Safety | None = None
    way: str | None = None


def option_changes(
    template: FixTemplate, parsed: Parsed, places: Places, look: Callable[[str], Any]
) -> tuple[Change, ...]:
    """Changes that take out and set the template's flags; none when the launch is like that already.

    A value may name facts (``{memory.working_tp}``), which ``look`` answers; none where one is not known.
    """
    gone: list[Option] = []
    for name in template.remove:
        gone += places.options(name)
    gone += [
        option
        for option in parsed.options
        if any(fnmatchcase(_full_name(option), pattern) for pattern in template.remove_matching)
    ]
    changes: list[Change] = [RemoveOption(option.words) for option in _in_order(gone, parsed)]
    for name, value in template.set.items():
        filled = _filled(value, look) if isinstance(value, str) else value
        if filled is None:
            return ()
        changes += _setting(name, filled, places.options(name))
    return tuple(changes)


def _filled(value: str, look: Callable[[str], Any]) -> str | None:
    """``value`` with facts as a command line has them, None where one has no value."""
    for name in PLACEHOLDER.findall(value):
        fact = look(name)
        if fact is None or isinstance(fact, Unknown):
            return None
        value = value.replace(f"{{{name}}}", str(fact))
    return value


def release_change(launch: Launch, current: str, target: str) -> SetImageTag:
    """The image tag with the release exchanged and the rest (``-cu129``, ``v``) kept. Raises CannotEdit."""
    tag = launch.image.tag if launch.image else None
    if tag is None:
        raise CannotEdit("no image tag here names the release")
    if current not in tag:
        raise CannotEdit(f"the image tag {tag} does not name the release {current}")
    return SetImageTag(tag.replace(current, target, 1))


def words_after(launch: Launch, changes: Sequence[Change]) -> tuple[list[str], list[list[str]]]:
    """(tokens that must remain in this order, tokens that must have been added).

    A token is a word, or either side of ``--flag=value``: which of the two forms stands there is the host's choice.
    """
    kept: list[str] = []
    removed = {id(word) for change in changes if isinstance(change, RemoveOption) for word in change.words}
    renamed = {id(change.word): change.flag for change in changes if isinstance(change, RenameFlag)}
    values = {id(change.words[0]): change for change in changes if isinstance(change, SetValue)}
    replaced = {id(word) for change in values.values() for word in change.words[1:]}
    for word in (*(launch.config or ()), *launch.words):
        tokens = _tokens(word)
        if id(word) in removed or id(word) in replaced:
            continue
        if id(word) in renamed:
            tokens[:1] = _parts(renamed[id(word)])
        if id(word) in values:
            change = values[id(word)]
            tokens = [tokens[0], change.value if change.becomes is None else change.becomes]
        kept += tokens
    added = [
        [change.flag] if change.value is None else [change.flag, change.value]
        for change in changes
        if isinstance(change, AddOption)
    ]
    return kept, added


def tokens_of(launch: Launch) -> list[str]:
    """The launch's words, its ``--config`` file's first, as tokens; what is not known of a word is left out."""
    return [token for word in (*(launch.config or ()), *launch.words) for token in _tokens(word)]


def without(tokens: list[str], pieces: Sequence[list[str]]) -> list[str] | None:
    """``tokens`` without each of the pieces once, the last occurrence; None when a piece is not there."""
    rest = list(tokens)
    for piece in pieces:
        starts = [at for at in range(len(rest) - len(piece) + 1) if rest[at : at + len(piece)] == piece]
        if not starts:
            return None
        del rest[starts[-1] : starts[-1] + len(piece)]
    return rest


def _tokens(word: Word) -> list[str]:
    return _parts(word.known_prefix)


def _parts(text: str) -> list[str]:
    flag, equals, value = text.partition("=")
    return [flag, value] if equals and text.startswith("--") else [text]


def _full_name(option: Option) -> str:
    return option.flag.names[0] if option.flag else option.written


def _in_order(options: list[Option], parsed: Parsed) -> list[Option]:
    chosen = {id(option) for option in options}
    return [option for option in parsed.options if id(option) in chosen and not option.implied]


def _setting(name: str, value: str | bool, options: tuple[Option, ...]) -> list[Change]:
    if not options:
        return [AddOption(name, None if value is True else str(value))]
    if value is True or options[-1].raw == (value,):
        return []
    return [SetValue(options[-1].words, str(value))]
