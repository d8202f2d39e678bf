"""Parsed options: what a release's own parser makes of the words of a launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..records import dataclass
from ..text import Span
from .model import EnvVar, Presence, Word

if TYPE_CHECKING:
    from ..catalogue import Flag


@dataclass(frozen=True)
class Option:
    """One occurrence of a flag.

    written
        the flag as written, before ``=`` (may be an abbreviation).
    flag
        the catalogue's flag it resolves to; None when the release has none of that name or it is ambiguous.
    raw
        decoded value words; None for a word that is not statically known. Empty for a bare flag.
    value
        converted as the release would (int, float, str, bool, list); None where it is not known or not
        convertible (``known`` tells the two apart from a real None).
    words
        all words it came from, flag word first; one word for ``--flag=value``.
    presence
        ``maybe`` when any of its words is.
    implied
        no flag was written: the model that ``sglang serve MODEL`` takes by position (also in ``positional``).
    merged
        the ``--config`` whose file was read: the release takes it out before its parser runs, so it sets nothing; it
        is listed for its place.
    """

    written: str
    flag: Flag | None
    raw: tuple[str | None, ...]
    value: Any
    known: bool
    words: tuple[Word, ...]
    presence: Presence
    flag_span: Span
    value_span: Span | None
    implied: bool = False
    merged: bool = False

    @property
    def dest(self) -> str | None:
        return self.flag.dest if self.flag else None


@dataclass(frozen=True)
class ParseProblem:
    """Something the release's parser refuses, in the order it would meet them.

    ``kind``: ``unknown-flag``, ``ambiguous``, ``choice``, ``type``, ``json``, ``missing-value``,
    ``surplus-value``, ``unexpected-word``, ``joined-words`` (flag and value in one word), ``required``, ``retired``
    (the release names a replacement and stops), ``config``, ``help`` (prints and ends). ``span`` is the offending
    word or part of it. ``fatal`` problems end the launch; the rest are remarks (``abbreviation``, ``deprecated``,
    ``repeated``, ``config-not-merged``) or problems of words that are only maybe there. ``head`` is the beginning
    (at most 60 characters) of the parser's own message; ``candidates`` are option names for ambiguity, accepted
    values for choices, near spellings for unknown flags. ``literal`` are variables that the word only names.
    """

    kind: str
    span: Span
    word: Word | None
    flag: Flag | None
    head: str
    detail: str
    candidates: tuple[str, ...] = ()
    fatal: bool = True
    literal: tuple[EnvVar, ...] = ()


@dataclass(frozen=True)
class Parsed:
    """The launch's words as options of one release.

    positional
        words that are no option and no option's value.
    holes
        words that stand for any number of unknown words; while one is there, a flag that was not seen may still
        be given.
    problems
        in the parser's order; the first fatal one is what argparse would report.
    """

    release: str
    options: tuple[Option, ...]
    positional: tuple[Word, ...] = ()
    holes: tuple[Word, ...] = ()
    problems: tuple[ParseProblem, ...] = ()

    def of(self, dest: str) -> tuple[Option, ...]:
        """All occurrences that set ``dest``, in order; the last one wins."""
        return tuple(option for option in self.options if option.flag and option.flag.dest == dest)
