"""Keyword arguments of ``sglang.Engine`` and ``ServerArgs`` as the options that set the same fields.

Source: 0.5.23, srt/entrypoints/engine.py, Engine.__init__ (its keywords are the fields of ServerArgs).
"""

from __future__ import annotations

from .. import catalogue
from ..catalogue import Flag, FlagTable
from ..launch.model import Dropped, Place, Word
from ..records import replace
from ..text import Mapped, Span
from .python_values import Choice, Constant, Entry, Item, Listing, Table, Text, Unknown, Value, hole, span_of, word_of

_OBJECTS = frozenset(("server_args", "port_args", "custom_sigquit_handler", "stat_loggers"))
"""Keywords that no option sets."""

FIRST_FIELD = "model_path"


def words_of_keywords(keywords: Table, release: str | None) -> tuple[tuple[Word, ...], tuple[Dropped, ...]]:
    """The options that the keywords stand for, in their order, and the keywords that stand for none."""
    flags = catalogue.load(catalogue.nearest(release) if release else catalogue.releases()[-1])
    words: list[Word] = []
    dropped: list[Dropped] = []
    for entry in keywords.entries:
        if entry.key in _OBJECTS or entry.key.startswith("_"):
            continue
        found = _option(entry, _flag_of(entry.key, flags))
        words += found
        if not found:
            written = f"{entry.key}={_shown(entry.value)}"
            place = entry.written.span().hull(span_of(entry.value)) if entry.used_at is None else entry.written.span()
            dropped.append(Dropped("this value leaves the default", written, Place(place)))
    words += [word_of(hole(rest)) for rest in keywords.rest]
    return tuple(words), tuple(dropped)


def _flag_of(key: str, flags: FlagTable) -> Flag | None:
    spelled = flags.by_name.get("--" + key.replace("_", "-"))
    return spelled if spelled is not None and spelled.dest == key else flags.by_dest.get(key)


def _option(entry: Entry, flag: Flag | None) -> list[Word]:
    value = entry.value
    word = _flag_word(entry, flag)
    plain = value.value if isinstance(value, Constant) else ...
    if plain is None:
        return []
    takes_value = flag.takes_value if flag is not None else not isinstance(plain, bool)
    if not takes_value:
        return _bare(word, entry, flag, plain)
    if isinstance(value, Unknown | Choice | Table):
        # It may be None, which sets nothing.
        doubtful = word_of(Item(Unknown(Mapped.whole(_shown(value), span_of(value))), "maybe", used_at=entry.used_at))
        return [replace(word, presence="maybe"), doubtful]
    if isinstance(value, Listing):
        items = [replace(item, used_at=item.used_at or entry.used_at) for item in value.items]
        return [word, *map(word_of, items)] if items else []
    return [word, word_of(Item(value, entry.presence, used_at=entry.used_at))]


def _bare(word: Word, entry: Entry, flag: Flag | None, plain: object) -> list[Word]:
    """The option of a field that is true or false."""
    if not isinstance(plain, bool):
        return [replace(word, presence="maybe")]
    if flag is not None and flag.action == "boolean_optional" and not plain:
        text = "--no-" + (word.text or "")[2:]
        return [replace(word, text=text, mapped=Mapped.whole(text, word.span), stated=span_of(entry.value))]
    is_set = not plain if flag is not None and flag.action == "store_false" else plain
    return [replace(word, stated=span_of(entry.value))] if is_set else []


def _flag_word(entry: Entry, flag: Flag | None) -> Word:
    name = "--" + entry.key.replace("_", "-")
    if flag is not None and name not in flag.names:
        name = flag.names[0]
    span = entry.written.span()
    dashes = Mapped.whole("--", Span(span.start, span.start))
    rest = entry.written if entry.written.text == name[2:] else Mapped.whole(name[2:], span)
    return Word(name, span, Mapped.join((dashes, rest)), entry.presence, used_at=entry.used_at)


def _shown(value: Value) -> str:
    if isinstance(value, Constant | Unknown):
        return value.mapped.text
    if isinstance(value, Text):
        return repr(value.known)
    return "[]" if isinstance(value, Listing) else "..."
