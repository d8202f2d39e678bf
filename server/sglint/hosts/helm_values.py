"""What a Helm template works with: texts that know where they are written, nodes of values files, lists."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..launch.model import Definition, Place
from ..records import dataclass, replace
from ..text import Mapped, Span
from .helm_numbers import is_truth, key_of, number_of, printed, tag_of
from .origins import HOLE, UNKNOWN
from .yaml_tree import Item, Tree, is_null


@dataclass(frozen=True)
class Doubt:
    """A condition around a text: ``truth`` as the chart's own values answer it, ``about`` tells it from others."""

    truth: bool | None
    about: str


Doubts = tuple[Doubt, ...]
"""The conditions around a text, outermost first; empty when it is certain."""


def within(outer: Doubts, own: Doubts) -> Doubts:
    """The conditions of a text that may already have those around it."""
    return own if own[: len(outer)] == outer else outer + own


@dataclass(frozen=True)
class Fragment:
    """A piece of rendered text.

    mapped, path
        the text and its place in the file ``path``.
    own
        it stands where it is written, not at the action that prints it.
    doubts
        the conditions that decide whether it is there.
    definitions
        variables that gave it; ``origin`` are the pieces as they were defined, for a piece placed at its action.
    used
        the action that prints a piece of its own.
    slot
        editing key of a list item in a values file.
    stated
        for a key of a map whose value is true: where that stands.
    literal
        a constant of a template's action, ``string`` or ``number``.
    home
        the scalar of a values file, with its tree, that the text is one of or a part of.
    """

    mapped: Mapped
    path: str
    known: bool = True
    own: bool = False
    doubts: Doubts = ()
    definitions: tuple[Definition, ...] = ()
    origin: tuple[Fragment, ...] = ()
    used: Place | None = None
    slot: Any = None
    stated: Span | None = None
    literal: str | None = None
    home: tuple[Tree, Item] | None = None

    @property
    def text(self) -> str:
        return self.mapped.text

    def cut(self, start: int, end: int | None = None) -> Fragment:
        return replace(self, mapped=self.mapped.slice(start, end))


@dataclass(frozen=True)
class Rich:
    """A text made of fragments, or the text of a number; ``kind`` is Go's name for what it is."""

    fragments: tuple[Fragment, ...]
    kind: str = "string"

    @property
    def text(self) -> str:
        return "".join(fragment.text for fragment in self.fragments)

    @property
    def known(self) -> bool:
        return all(fragment.known for fragment in self.fragments)

    def map(self, change: Callable[[str], str]) -> Rich:
        """The text changed piece by piece; a changed piece maps as a whole."""
        return Rich(tuple(changed(fragment, change(fragment.text)) for fragment in self.fragments), self.kind)

    def put_together(self, text: str, kind: str = "string") -> Rich:
        """Another text made of this one; where that is a stretch of it, it stands as it is written."""
        start = self.text.find(text)
        if start >= 0 and text:
            return replace(part(self, start, start + len(text)), kind=kind)
        if not self.fragments:
            return Rich((), kind)
        first = self.fragments[0]
        definitions = tuple(dict.fromkeys(one for piece in self.fragments for one in piece.definitions))
        mapped = Mapped.whole(text, first.mapped.span())
        doubts = max((piece.doubts for piece in self.fragments), key=len)
        own = Fragment(mapped, first.path, own=first.own, doubts=doubts, definitions=definitions, used=first.used)
        return Rich((own,) if text else (), kind)


@dataclass(frozen=True)
class Node:
    """A map, list or scalar of a values file; ``name`` as templates write it (``.Values.image``).

    ``in_loop`` for what a loop goes over: it stands where it is written; ``used`` is the loop when the template
    makes words of keys. ``under`` are the maps of other values files that a map overrides key by key, nearest first;
    ``given`` are keys that stand before its own, as charts around and inside give them.
    """

    tree: Tree
    item: Item
    path: str
    name: str
    in_loop: bool = False
    used: Place | None = None
    slot: Any = None
    under: tuple[Node, ...] = ()
    given: tuple[Child, ...] = ()


@dataclass(frozen=True)
class Child:
    """A key of a map, where it stands, and its value."""

    key: str
    place: Place
    node: Node


def children(node: Node) -> tuple[Child, ...]:
    """Keys of a map with their values, after overriding; a null takes a key out that a lower file has."""
    found = {one.key: one for one in reversed(node.given)}
    for entry in node.tree.entries(node.item):
        key = key_of(entry.key_node)
        if key not in found:
            value = Node(node.tree, entry.value, node.path, f"{node.name}.{key}", node.in_loop, node.used)
            found[key] = Child(key, Place(node.tree.span(entry.key_node), node.path), value)
    if not node.under and not node.given:
        return tuple(found.values())
    for lower in (one for level in node.under for one in children(level)):
        before = found.get(lower.key)
        named = replace(lower.node, name=f"{node.name}.{lower.key}", in_loop=node.in_loop, used=node.used)
        if before is None:
            found[lower.key] = replace(lower, node=named)
        elif before.node.item.kind == named.item.kind == "mapping":
            found[lower.key] = replace(before, node=replace(before.node, under=(*before.node.under, named)))
    return tuple(one for one in found.values() if not is_null(one.node.item))


def child(node: Node, key: str) -> Node | None:
    """The value of a key of a map; None where it has none."""
    if not node.under and not node.given and not is_truth(key):
        own = node.tree.get(node.item, key)
        return None if own is None else Node(node.tree, own, node.path, f"{node.name}.{key}", node.in_loop, node.used)
    return next((one.node for one in children(node) if one.key == key), None)


def layered(over: Node | None, below: Node | None) -> Node | None:
    """A map that overrides another one key by key."""
    if over is None or below is None:
        return over or below
    return replace(over, under=(*over.under, below))


@dataclass(frozen=True)
class ListValue:
    """Items, each with the conditions that decide about it; ``is_ordered`` unless they are a map's keys."""

    items: tuple[Value, ...]
    doubts: tuple[Doubts, ...]
    is_ordered: bool = True

    @property
    def certain(self) -> bool:
        return self.is_ordered and not any(self.doubts)


@dataclass(frozen=True)
class DictValue:
    """A map that a template makes. ``outside``: its keys whose values rest on what users may override."""

    items: dict[str, Value]
    outside: set[str]


@dataclass(frozen=True)
class Choice:
    """One of several maps, as a loop goes over them: known is what they agree in."""

    values: tuple[Value, ...]


@dataclass(frozen=True)
class Truth:
    """A condition; ``value`` None when it is not known.

    ``is_bool``: the value itself; else only what a condition makes of a value is known.
    """

    value: bool | None
    is_bool: bool = True

    @property
    def text(self) -> str | None:
        """What is printed; None when that is not known."""
        return None if self.value is None or not self.is_bool else "true" if self.value else "false"


@dataclass(frozen=True)
class Top:
    """The data a chart's templates get: ``.Values``, ``.Chart``, ``.Release``."""


@dataclass(frozen=True)
class Missing:
    """No value. ``known``: certainly none in the chart's own values."""

    known: bool = False


def certain_list(items: Sequence[Value]) -> ListValue:
    return ListValue(tuple(items), ((),) * len(items))


Value = Rich | Node | ListValue | DictValue | Choice | Truth | Top | Missing
NOTHING = Missing(known=True)
NOT_KNOWN = Missing()


def changed(fragment: Fragment, text: str) -> Fragment:
    if text == fragment.text:
        return fragment
    return replace(fragment, mapped=Mapped.whole(text, fragment.mapped.span()))


def structure(text: str, like: Fragment | None, path: str, at: int = 0) -> Fragment:
    """Text that a function adds (quotes, indentation); it takes no room in the source."""
    if like is not None:
        path, at = like.path, like.mapped.span().start
    return Fragment(
        Mapped.whole(text, Span(at, at)),
        path,
        own=like is not None and like.own,
        doubts=like.doubts if like is not None else (),
        used=like.used if like is not None else None,
    )


def key_text(entry: Child, used: Place) -> Rich:
    """A key of a map that a loop goes over, standing where it is written."""
    (piece,) = owned(constant(entry.key, entry.place.span, entry.node.path), used).fragments
    item = entry.node.item
    is_flag = item.kind == "scalar" and tag_of(item) == "bool" and is_true(entry.node)
    stated = entry.node.tree.mapped(item).span() if is_flag and entry.place.path == entry.node.path else None
    return Rich((replace(piece, stated=stated),))


def constant(text: str, span: Span, path: str, kind: str = "string") -> Rich:
    """A text written in a template."""
    exact = span.end - span.start == len(text)
    return Rich((Fragment(Mapped.identity(text, span.start) if exact else Mapped.whole(text, span), path),), kind)


def scalar(node: Node, *, as_yaml: bool = False, as_written: bool = False) -> Rich | Missing:
    """The text a template prints for a scalar; ``as_yaml`` as ``toYaml`` writes it, ``as_written`` as it stands."""
    text = str(node.item.node.value) if as_written else printed(node.item, as_yaml=as_yaml)
    if text is None:
        return NOTHING
    mapped = node.tree.embedding(node.item).mapped
    if mapped.text != text:
        mapped = Mapped.whole(text, mapped.span())
    definition = Definition(node.name, Place(mapped.span(), node.path))
    kind = kind_of(node)
    piece = Fragment(mapped, node.path, definitions=(definition,), home=(node.tree, node.item))
    found = Rich((piece,), kind or "string")
    return owned(found, node.used, node.slot) if node.in_loop else found


def is_true(value: Value) -> bool | None:
    """Whether Go takes a value for true; None when it is not known."""
    if isinstance(value, Truth):
        return value.value
    if isinstance(value, Missing):
        return False if value.known else None
    if isinstance(value, Top):
        return True
    if isinstance(value, Choice):
        found = {is_true(one) for one in value.values}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, DictValue):
        return bool(value.items)
    if isinstance(value, ListValue):
        return bool(value.items) if not value.items or not all(value.doubts) else None
    if isinstance(value, Rich):
        return _is_full(value) if value.known else None
    if value.item.kind != "scalar":
        return bool(children(value)) if value.under else bool(value.item.node.value)
    tag = tag_of(value.item)
    text = printed(value.item)
    if tag == "bool":
        return text == "true"
    return bool(text) and number_of(value.item) != 0


def _is_full(value: Rich) -> bool:
    if value.kind in ("string", "bool"):
        return bool(value.text) and (value.kind == "string" or value.text == "true")
    return float(value.text) != 0


def kind_of(value: Value) -> str | None:
    """Go's name for the kind of a value; None when it is not known."""
    if isinstance(value, Rich):
        return value.kind
    if isinstance(value, Truth):
        return "bool" if value.is_bool else None
    if isinstance(value, Missing):
        return "invalid" if value.known else None
    if isinstance(value, (DictValue, Top)):
        return "map"
    if isinstance(value, ListValue):
        return "slice"
    if isinstance(value, Choice):
        found = {kind_of(one) for one in value.values}
        return found.pop() if len(found) == 1 else None
    if value.item.kind != "scalar":
        return {"mapping": "map", "sequence": "slice"}[value.item.kind]
    if number_of(value.item) is not None:
        return "float64"
    return {"bool": "bool", "null": "invalid"}.get(tag_of(value.item), "string")


def owned(value: Rich, used: Place | None = None, slot: Any = None) -> Rich:
    """The text standing where it is written, which is then no variable's definition any more."""
    return Rich(tuple(_owned(piece, used, slot) for piece in value.fragments), value.kind)


def _owned(piece: Fragment, used: Place | None, slot: Any) -> Fragment:
    place = Place(piece.mapped.span(), piece.path)
    definitions = tuple(one for one in piece.definitions if one.place != place)
    return replace(piece, own=True, definitions=definitions, used=piece.used or used, slot=piece.slot or slot)


def unknown(mark: str, span: Span, path: str, definitions: Iterable[Definition] = ()) -> Rich:
    """Text that is not known: within one word (:data:`UNKNOWN`) or any number of words (:data:`HOLE`)."""
    assert mark in (UNKNOWN, HOLE)
    return Rich((Fragment(Mapped.whole(mark, span), path, known=False, definitions=tuple(definitions)),))


def quoted(value: Rich, quote: str, path: str) -> Rich:
    """``quote`` and ``squote``; a text that needs escapes maps piece by piece as a whole."""
    if quote == '"':
        value = value.map(lambda text: text if _is_plain(text) else json.dumps(text, ensure_ascii=False)[1:-1])
    else:
        value = value.map(lambda text: text.replace("'", "''"))
    like = value.fragments[0] if value.fragments else None
    mark = structure(quote, like, path)
    return Rich((mark, *value.fragments, mark))


def _is_plain(text: str) -> bool:
    return not re.search(r'["\\\n\r\t]', text)


def indented(value: Rich, width: int, path: str) -> Rich:
    """Every line moved to the right."""
    found: list[Fragment] = []
    begins = True
    for piece in value.fragments:
        at = 0
        for line in re.finditer(r"[^\n]*\n|[^\n]+", piece.text):
            if begins:
                found.append(structure(" " * width, piece, path))
            found.append(piece.cut(line.start(), line.end()))
            begins = line[0].endswith("\n")
            at = line.end()
        assert at == len(piece.text)
    return Rich(tuple(found))


def trimmed(value: Rich) -> Rich:
    """Without blanks at both ends."""
    text = value.text
    return part(value, len(text) - len(text.lstrip()), len(text.rstrip()))


def part(value: Rich, start: int, end: int) -> Rich:
    """The stretch ``[start, end)`` of a text."""
    found: list[Fragment] = []
    at = 0
    for piece in value.fragments:
        first, last = max(start - at, 0), min(end - at, len(piece.text))
        if first < last:
            found.append(piece.cut(first, last))
        at += len(piece.text)
    return Rich(tuple(found))
