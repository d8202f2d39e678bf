"""What is known of a Python expression's value: strings with the places of their text, lists, tables.

Values are never changed: what grows a list in place gives its name another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..launch.model import Definition, Place, Presence, Word
from ..records import dataclass, replace
from ..text import Mapped, Span
from .embedding import Embedding
from .origins import HOLE, UNKNOWN, Origin

MAX_ITEMS = 1_000
"""Longer lists are data, not command lines."""

MAX_TEXT = 200_000
MAX_DEPTH = 4
MAX_CHOICES = 4


@dataclass(frozen=True)
class Part:
    """A stretch of a string.

    mapped
        its text where it is written; of a part that is not known, the expression.
    site
        where it is used, when that is another place: a name, a replacement field.
    many
        of a part that is not known: it may hold any number of words, or none.
    maybe
        a condition decides whether it is there.
    """

    mapped: Mapped
    known: bool = True
    site: Span | None = None
    definitions: tuple[Definition, ...] = ()
    many: bool = False
    maybe: bool = False

    @property
    def placed(self) -> Mapped:
        """The text at the place where it is used."""
        return self.mapped if self.site is None else Mapped.whole(self.mapped.text, self.site)


@dataclass(frozen=True)
class Text:
    """A string. Without parts it is empty and stands at ``at``."""

    parts: tuple[Part, ...]
    at: int = 0

    @property
    def known(self) -> str | None:
        if any(part.maybe or not part.known for part in self.parts):
            return None
        return "".join(part.mapped.text for part in self.parts)


@dataclass(frozen=True)
class Constant:
    """``True``, ``None``, a number."""

    value: object
    mapped: Mapped


@dataclass(frozen=True)
class Unknown:
    """A value that is not known, by its expression. ``path``: the dotted name that it is, as far as it is one."""

    mapped: Mapped
    path: str = ""


@dataclass(frozen=True)
class Item:
    """An element of a list. ``many``: it stands for any number of unknown elements."""

    value: Value
    presence: Presence = "yes"
    many: bool = False
    used_at: Place | None = None


@dataclass(frozen=True)
class Listing:
    """A list or a tuple. ``first``: where the statement begins in which it is written. ``depth``: of lists inside."""

    items: tuple[Item, ...]
    span: Span
    first: int = 0
    depth: int = 1


@dataclass(frozen=True)
class Entry:
    """``key: value`` of a dictionary, or a keyword argument."""

    key: str
    written: Mapped
    value: Value
    presence: Presence = "yes"
    used_at: Place | None = None


@dataclass(frozen=True)
class Table:
    """A dictionary. ``rest``: where entries that are not known are merged in."""

    entries: tuple[Entry, ...]
    span: Span
    rest: tuple[Mapped, ...] = ()
    depth: int = 1

    def get(self, key: str) -> Value | None:
        found = [entry.value for entry in self.entries if entry.key == key]
        return found[-1] if found else None


@dataclass(frozen=True)
class Choice:
    """One of several values, as branches give them."""

    options: tuple[Value, ...]


Value = Text | Constant | Unknown | Listing | Table | Choice


def span_of(value: Value) -> Span:
    """Where a value is written."""
    if isinstance(value, Text):
        spans = [part.placed.span() for part in value.parts]
        return Span(min(s.start for s in spans), max(s.end for s in spans)) if spans else Span(value.at, value.at)
    if isinstance(value, Constant | Unknown):
        return value.mapped.span()
    if isinstance(value, Choice):
        return span_of(value.options[0])
    return value.span


def text_of(value: Value) -> Text:
    """The value as ``str`` would make a string of it."""
    if isinstance(value, Text):
        return value
    if isinstance(value, Constant):
        text = str(value.value)
        mapped = value.mapped if text == value.mapped.text else Mapped.whole(text, value.mapped.span())
        return Text((Part(mapped),))
    if isinstance(value, Unknown):
        return Text((Part(value.mapped, known=False),))
    return Text((Part(Mapped.whole("?", span_of(value)), known=False),))


def joined(texts: Iterable[Text], at: int = 0) -> Text:
    """The strings one after the other."""
    parts = tuple(part for text in texts for part in text.parts)
    if len(parts) <= MAX_ITEMS and sum(len(part.mapped.text) for part in parts) <= MAX_TEXT:
        return Text(parts, at)
    return Text((Part(Mapped.whole(HOLE, parts[0].placed.span()), known=False, many=True),))


def listing(items: Sequence[Item], span: Span, first: int) -> Listing:
    """A list with these elements, as many and as deep as a command line may have."""
    depth = 1 + max((item.value.depth for item in items if isinstance(item.value, Listing | Table)), default=0)
    if depth > MAX_DEPTH:
        return Listing((hole(Mapped.whole(HOLE, span)),), span, first)
    if len(items) > MAX_ITEMS:
        return Listing((*items[: MAX_ITEMS - 1], hole(Mapped.whole(HOLE, span))), span, first, depth)
    return Listing(tuple(items), span, first, depth)


def table(entries: Sequence[Entry], span: Span, rest: Sequence[Mapped] = ()) -> Table:
    """A dictionary with these entries, as many and as deep as keyword arguments may have."""
    depth = 1 + max((entry.value.depth for entry in entries if isinstance(entry.value, Listing | Table)), default=0)
    if len(entries) > MAX_ITEMS or depth > MAX_DEPTH:
        return Table((), span, (Mapped.whole(HOLE, span),))
    return Table(tuple(entries), span, tuple(rest), depth)


def named(value: Value, name: str, site: Span) -> Value:
    """The value as a name gives it at ``site``."""
    if isinstance(value, Text):
        return value if has_several_words(value) else _named_text(value, name, site)
    if isinstance(value, Constant):
        if isinstance(value.value, bool) or value.value is None:
            return Constant(value.value, Mapped.whole(str(value.value), site))
        return _named_text(text_of(value), name, site)
    if isinstance(value, Listing):
        place = Place(site)
        return replace(value, items=tuple(replace(item, used_at=place) for item in value.items))
    if isinstance(value, Table):
        place = Place(site)
        return replace(value, entries=tuple(replace(entry, used_at=place) for entry in value.entries))
    if isinstance(value, Choice):
        return Choice(tuple(named(option, name, site) for option in value.options))
    return Unknown(Mapped.whole(name, site), value.path)


def _named_text(text: Text, name: str, site: Span) -> Text:
    parts: list[Part] = []
    for part in text.parts:
        definitions = (Definition(name, Place(part.mapped.span())),) if part.known else ()
        parts.append(replace(part, site=site, definitions=definitions))
    return Text(tuple(parts), site.start)


def has_several_words(text: Text) -> bool:
    """Whether a string is a command line, or a part of one: its words stand where they are written."""
    return any(part.known and re.search(r"\S\s+\S", part.mapped.text) for part in text.parts)


def merged(left: Value, right: Value) -> Value:
    """What a name may stand for behind two branches that gave it ``left`` and ``right``."""
    if _same(left, right):
        return left
    if isinstance(left, Listing) and isinstance(right, Listing):
        common = 0
        for one, other in zip(left.items, right.items, strict=False):
            if not _same_item(one, other):
                break
            common += 1
        if common or not left.items or not right.items:
            rest = [maybe(item) for item in (*left.items[common:], *right.items[common:])]
            return listing((*left.items[:common], *rest), left.span, left.first)
    if isinstance(left, Table) and isinstance(right, Table):
        return _merged_tables(left, right)
    options: list[Value] = []
    for option in (*_options(left), *_options(right)):
        if not any(_same(option, other) for other in options):
            options.append(option)
    return Choice(tuple(options)) if len(options) <= MAX_CHOICES else unknown_at(left)


def _options(value: Value) -> tuple[Value, ...]:
    return value.options if isinstance(value, Choice) else (value,)


def _same(left: Value, right: Value) -> bool:
    """Whether two values are surely one; lists inside are not looked into."""
    if left is right:
        return True
    if isinstance(left, Listing) and isinstance(right, Listing):
        return len(left.items) == len(right.items) and all(map(_same_item, left.items, right.items))
    return isinstance(left, Text | Constant | Unknown) and left == right


def _same_item(left: Item, right: Item) -> bool:
    if left is right:
        return True
    return isinstance(left.value, Text | Constant | Unknown) and left == right


def _merged_tables(left: Table, right: Table) -> Table:
    theirs = {id(entry) for entry in right.entries}
    shared = [entry for entry in left.entries if id(entry) in theirs]
    ours = {id(entry) for entry in shared}
    rest = [entry for entry in (*left.entries, *right.entries) if id(entry) not in ours]
    doubtful = [replace(entry, presence="maybe") for entry in rest]
    return table((*shared, *doubtful), left.span, tuple(dict.fromkeys((*left.rest, *right.rest))))


def maybe(item: Item) -> Item:
    return item if item.presence == "maybe" or item.many else replace(item, presence="maybe")


def unknown_at(value: Value) -> Unknown:
    return Unknown(Mapped.whole("?", span_of(value)))


def hole(mapped: Mapped) -> Item:
    """Any number of elements that the expression ``mapped`` gives."""
    return Item(Unknown(mapped), many=True)


def word_of(item: Item) -> Word:
    """The argument that an element is."""
    text = text_of(item.value)
    mapped = Mapped.join((part.placed for part in text.parts), anchor=text.at)
    unknown: list[tuple[int, int]] = []
    at = 0
    for part in text.parts:
        if part.maybe or not part.known:
            unknown.append((at, at + len(part.mapped.text)))
        at += len(part.mapped.text)
    is_known = not unknown and not item.many
    span = mapped.span() if mapped.text else Span(mapped.anchor, mapped.anchor)
    return Word(
        mapped.text if is_known else None,
        span,
        mapped,
        item.presence,
        item.many,
        tuple(definition for part in text.parts for definition in part.definitions),
        item.used_at,
        handle=script_of(text),
        unknown=tuple(unknown),
    )


def script_of(text: Text) -> tuple[Embedding, tuple[Origin, ...]]:
    """The string as a script, and which stretches of it names gave."""
    pieces: list[Mapped] = []
    origins: list[Origin] = []
    at = 0
    for part in text.parts:
        if part.known:
            # Several words stand where they are written, a piece of a word where it is put in.
            several = part.site is not None and (part.mapped.text[:1] == "-" or " " in part.mapped.text.strip())
            piece = part.mapped if several else part.placed
        else:
            piece = Mapped.whole(HOLE if part.many else UNKNOWN, part.placed.span())
        if part.definitions or part.maybe:
            origins.append(Origin(at, at + len(piece.text), part.definitions, part.maybe))
        pieces.append(piece)
        at += len(piece.text)
    return Embedding(Mapped.join(pieces, anchor=text.at)), tuple(origins)


def words_of(listing: Listing) -> tuple[Word, ...]:
    """The arguments of a list."""
    return tuple(word_of(item) for item in listing.items)
