"""What calls of Python's own functions and methods give, as far as command lines are made with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..records import dataclass
from ..text import Mapped, Span
from .python_format import as_shell_words, at_blanks, braces, stripped, together
from .python_values import (
    Entry,
    Item,
    Listing,
    Part,
    Table,
    Text,
    Unknown,
    Value,
    hole,
    listing,
    maybe,
    table,
    text_of,
)


@dataclass(frozen=True)
class Arguments:
    """Of a call: where it stands, the value before the dot if any, and what is in the parentheses."""

    span: Span
    first: int
    owner: Value | None
    items: Sequence[Item]
    keywords: Table
    shown: Mapped

    def at(self, index: int) -> Value | None:
        """The positional argument, where stars leave no doubt about it."""
        if index >= len(self.items) or any(item.many for item in self.items[: index + 1]):
            return None
        return self.items[index].value

    def unknown(self) -> Unknown:
        return Unknown(self.shown)


def result(path: str, call: Arguments) -> Value | None:
    """What the function gives; None for a function that is not known here."""
    function = FUNCTIONS.get(path)
    if function is not None:
        return function(call)
    method = METHODS.get(path.rpartition(".")[2])
    if method is not None and call.owner is not None:
        return method(call.owner, call)
    return None


def _text(call: Arguments) -> Value | None:
    given = call.at(0)
    return text_of(given) if given is not None and not isinstance(given, Listing | Table) else None


def _list(call: Arguments) -> Value | None:
    given = call.at(0)
    if given is None:
        return listing((), call.span, call.first) if not call.items else None
    if isinstance(given, Listing):
        return given
    return listing([hole(call.shown)], call.span, call.first)


def _dict(call: Arguments) -> Value | None:
    given = call.at(0)
    before = given if isinstance(given, Table) else None
    rest = [call.shown] if given is not None and before is None else []
    entries = before.entries if before is not None else ()
    more = before.rest if before is not None else ()
    return table((*entries, *call.keywords.entries), call.span, (*more, *rest, *call.keywords.rest))


def _map(call: Arguments) -> Value | None:
    given = call.at(1)
    function = call.at(0)
    if isinstance(given, Listing) and isinstance(function, Unknown) and function.mapped.text == "str":
        items = [item if item.many else Item(text_of(item.value), item.presence) for item in given.items]
        return listing(items, call.span, call.first)
    return listing([hole(call.shown)], call.span, call.first)


def _shlex_split(call: Arguments) -> Value | None:
    given = call.at(0)
    if isinstance(given, Text):
        return listing(as_shell_words(given), call.span, call.first)
    return listing([hole(call.shown)], call.span, call.first)


def _shlex_join(call: Arguments) -> Value | None:
    given = call.at(0)
    return together(" ", given.items, call.span.start) if isinstance(given, Listing) else None


def _same(call: Arguments) -> Value | None:
    given = call.at(0)
    return given if isinstance(given, Text) else None


def _environment(call: Arguments) -> Value | None:
    """``os.getenv(NAME, DEFAULT)``: without the variable the default runs."""
    given = call.at(1)
    if not isinstance(given, Text) or given.known is None:
        return None
    return Text(tuple(Part(part.mapped, True, call.span, part.definitions) for part in given.parts), call.span.start)


def _copied(call: Arguments) -> Value | None:
    return table((), call.span, (call.shown,))


FUNCTIONS: Mapping[str, Callable[[Arguments], Value | None]] = {
    "str": _text,
    "list": _list,
    "tuple": _list,
    "dict": _dict,
    "map": _map,
    "shlex.split": _shlex_split,
    "shlex.join": _shlex_join,
    "subprocess.list2cmdline": _shlex_join,
    "shlex.quote": _same,
    "textwrap.dedent": _same,
    "inspect.cleandoc": _same,
    "os.getenv": _environment,
    "os.environ.get": _environment,
    "os.environ.copy": _copied,
    "copy.copy": lambda call: call.at(0),
    "copy.deepcopy": lambda call: call.at(0),
}


def _join(owner: Value, call: Arguments) -> Value | None:
    given = call.at(0)
    separator = owner.known if isinstance(owner, Text) else None
    if separator is None:
        return None
    items = given.items if isinstance(given, Listing) else (hole(call.shown),)
    return together(separator, items, call.span.start)


def _format(owner: Value, call: Arguments) -> Value | None:
    return braces(owner, call.items, call.keywords) if isinstance(owner, Text) else None


def _split(owner: Value, call: Arguments) -> Value | None:
    if isinstance(owner, Text) and not call.items and not call.keywords.entries:
        return listing(at_blanks(owner), call.span, call.first)
    return listing([hole(call.shown)], call.span, call.first) if isinstance(owner, Text) else None


def _copy(owner: Value, call: Arguments) -> Value | None:
    return owner if isinstance(owner, Listing | Table) else None


def _strip(owner: Value, call: Arguments, *, left: bool = True, right: bool = True) -> Value | None:
    return stripped(owner, left=left, right=right) if isinstance(owner, Text) and not call.items else None


def _get(owner: Value, call: Arguments) -> Value | None:
    key = call.at(0)
    if isinstance(owner, Table) and isinstance(key, Text) and key.known is not None:
        return owner.get(key.known)
    return None


def _entries(owner: Value, call: Arguments) -> Value | None:
    if not isinstance(owner, Table) or owner.rest:
        return None
    pairs = [
        Item(listing((Item(_key(entry)), Item(entry.value)), call.span, call.first), entry.presence)
        for entry in owner.entries
    ]
    return listing(pairs, call.span, call.first)


def _key(entry: Entry) -> Text:
    return Text((Part(entry.written),))


def _values(owner: Value, call: Arguments) -> Value | None:
    if not isinstance(owner, Table) or owner.rest:
        return None
    return listing([Item(entry.value, entry.presence) for entry in owner.entries], call.span, call.first)


METHODS: Mapping[str, Callable[[Value, Arguments], Value | None]] = {
    "join": _join,
    "format": _format,
    "split": _split,
    "copy": _copy,
    "strip": _strip,
    "lstrip": lambda owner, call: _strip(owner, call, right=False),
    "rstrip": lambda owner, call: _strip(owner, call, left=False),
    "get": _get,
    "items": _entries,
    "values": _values,
}


def grown(method: str, before: Listing, call: Arguments) -> Listing | None:
    """The list after a method changed it in place; None for a method that does not."""
    items = before.items
    if method == "append" and call.items:
        more: Sequence[Item] = (call.items[0],)
    elif method == "extend" and call.items:
        given = call.at(0)
        more = given.items if isinstance(given, Listing) else (hole(call.shown),)
    elif method == "insert" and len(call.items) > 1:
        return listing((hole(call.shown), *items), before.span, before.first)
    elif method in ("pop", "remove", "clear", "reverse", "sort"):
        return listing([*map(maybe, items)], before.span, before.first)
    else:
        return None
    return listing((*items, *more), before.span, before.first)


def updated(before: Table, call: Arguments) -> Table:
    """The dictionary after ``update``."""
    given = call.at(0)
    entries = given.entries if isinstance(given, Table) else ()
    rest = given.rest if isinstance(given, Table) else (call.shown,) if given is not None else ()
    replaced = {entry.key for entry in (*entries, *call.keywords.entries)}
    kept = [entry for entry in before.entries if entry.key not in replaced]
    return table((*kept, *entries, *call.keywords.entries), before.span, (*before.rest, *rest))
