"""What each word of a launch is to the parser, before any option takes its values."""

from __future__ import annotations

from collections.abc import Sequence

from ..catalogue import Flag, FlagTable
from ..records import dataclass
from .model import Word


@dataclass(frozen=True)
class Token:
    """A classified word. ``kind``: ``O`` option, ``A`` argument, ``-`` the double dash, ``H`` a hole.

    ``name`` is the option string it resolves to, ``given`` the length of the option part as written; ``explicit``
    whether a value is joined by ``=`` (or to ``-h``). ``candidates`` are all names an ambiguous word could mean.
    """

    word: Word
    kind: str
    name: str | None = None
    flag: Flag | None = None
    given: int = 0
    explicit: bool = False
    candidates: tuple[str, ...] = ()


def classify(words: Sequence[Word], table: FlagTable) -> tuple[Token, ...]:
    """What each word is to the parser; everything after a lone ``--`` is an argument."""
    tokens: list[Token] = []
    ended = False
    for word in words:
        if word.many:
            tokens.append(Token(word, "H"))
        elif ended:
            tokens.append(Token(word, "A"))
        elif word.text == "--":
            ended = True
            tokens.append(Token(word, "-"))
        else:
            tokens.append(_token(word, table))
    return tuple(tokens)


def _token(word: Word, table: FlagTable) -> Token:
    text = word.text
    if text is None:
        known = word.known_prefix
        if not known.startswith("--"):
            return Token(word, "A")
        if "=" not in known:
            return Token(word, "H")
        text = known
    if not text.startswith("-") or len(text) == 1:
        return Token(word, "A")
    flag = table.by_name.get(text)
    if flag is not None:
        return Token(word, "O", text, flag, len(text))
    written, equals, _ = text.partition("=")
    flag = table.by_name.get(written) if equals else None
    if flag is not None:
        return Token(word, "O", written, flag, len(written), explicit=True)
    if text.startswith("--"):
        return _abbreviated(word, text, written, bool(equals), table)
    if text[:2] in table.by_name:
        return Token(word, "O", text[:2], table.by_name[text[:2]], 2, explicit=True)
    if _is_negative_number(text) or " " in text:
        return Token(word, "A")
    return Token(word, "O", given=len(written))


def _abbreviated(word: Word, text: str, written: str, explicit: bool, table: FlagTable) -> Token:
    names = table.candidates(written)
    if len(names) == 1:
        return Token(word, "O", names[0], table.by_name[names[0]], len(written), explicit)
    if names:
        return Token(word, "O", None, None, len(written), explicit, names)
    if " " in text:
        return Token(word, "A")
    return Token(word, "O", given=len(written), explicit=explicit)


def _is_negative_number(text: str) -> bool:
    """``-5``, ``-.5``, ``-5.5``: the parser has no option that looks like one, so they are arguments."""
    whole, dot, fraction = text[1:].partition(".")
    digits = fraction if dot else whole
    return digits.isdecimal() and (not whole or whole.isdecimal())
