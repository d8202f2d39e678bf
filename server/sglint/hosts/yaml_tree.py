"""A composed YAML document as entries and items that know where they are used.

PyYAML replaces an alias by the anchored node itself, so the place of the alias is looked up in the text: a child
that stands before its parent's cursor came through one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..launch.model import EnvVar
from ..patterns import lazy
from ..records import dataclass, field
from ..text import Edit, Mapped, Span
from . import yaml_documents, yaml_scalars
from .embedding import Embedding

if TYPE_CHECKING:
    from .references import Language

_ALIAS_OR_COMMENT = lazy(r"\*([^\s,\[\]{}]+)|(?<!\S)#[^\r\n]*")
_MERGE = "tag:yaml.org,2002:merge"
_NULL = "tag:yaml.org,2002:null"


@dataclass(frozen=True)
class Alias:
    """``*name`` and where it stands in the file."""

    name: str
    span: Span
    end: int
    """Offset behind it in its document's text."""


@dataclass(frozen=True)
class Item:
    """A node where it is used. ``alias`` is the outermost alias it came through, ``parent`` the node around it."""

    node: Any
    alias: Alias | None = None
    parent: Any = None

    @property
    def kind(self) -> str:
        """``mapping``, ``sequence`` or ``scalar``."""
        return str(self.node.id)

    @property
    def in_flow(self) -> bool:
        return self.parent is not None and bool(self.parent.flow_style)


@dataclass(frozen=True)
class Entry:
    """One key of a mapping with its value. ``merged`` when it came through ``<<``."""

    key: str
    key_node: Any
    value: Item
    merged: bool = False


@dataclass
class Tree:
    """One composed document: ``text`` as composed, standing at offset ``base`` of the file.

    ``outer`` is the scalar of another document that holds this one (a patch, a configuration file in a ConfigMap);
    ``base`` then counts in its text. ``path`` is the file's when it is not the one being read.
    ``config_maps`` are the ConfigMaps of the same file by name, for containers that take variables from them;
    ``environments`` those of containers that were read, by the identity of their node.
    ``scripts`` are their texts by key, which containers may start.
    ``language`` is that of the tool that fills the document's references in, where one is known.
    """

    text: str
    base: int
    root: Any
    outer: Embedding | None = None
    path: str | None = None
    config_maps: Mapping[str, Mapping[str, EnvVar]] = field(default_factory=dict)
    environments: dict[int, Mapping[str, EnvVar]] = field(default_factory=dict)
    scripts: Mapping[str, Mapping[str, Embedding]] = field(default_factory=dict)
    language: Language | None = None
    _entries: dict[int, dict[str, Entry]] = field(default_factory=dict)

    @property
    def top(self) -> Item:
        return Item(self.root)

    def span(self, node: Any) -> Span:
        """A node's place in the file, without anchor and tag for a scalar."""
        start = node.start_mark.index
        if node.id == "scalar":
            start = min(yaml_scalars.scalar_start(self.text, start), node.end_mark.index)
        return self.place(start, node.end_mark.index)

    def place(self, start: int, end: int) -> Span:
        """The place in the file of ``[start, end)`` of this document's text."""
        span = Span(start + self.base, end + self.base)
        return span if self.outer is None else self.outer.mapped.span(*span)

    def edit(self, start: int, end: int, text: str) -> Edit:
        """Replace ``[start, end)`` of this document's text. Raises CannotEdit."""
        if self.outer is None:
            return Edit(Span(start + self.base, end + self.base), text, self.path)
        start, end = start + self.base, end + self.base
        inside = self.outer.text
        if not text and end == len(inside) and start > 0 and inside[start - 1] == inside[end - 1] == "\n":
            # The last lines of a block go with the line end before them, for their own ends the block.
            start, end = start - 1, end - 1
        return self.outer.edit(start, end, text)

    def embedding(self, item: Item) -> Embedding:
        """The text of a scalar with its source map."""
        own = yaml_scalars.embedding(self.text, item.node, self.base, in_flow=item.in_flow, path=self.path)
        return own if self.outer is None else self.outer.within(own.mapped, own.encode)

    def mapped(self, item: Item) -> Mapped:
        """The text of a scalar with its place, for readers that edit nothing."""
        own = yaml_scalars.mapped(self.text, item.node, self.base)
        return own if self.outer is None else own.through(self.outer.mapped)

    def name_and_value(self, item: Item) -> tuple[str, str, Span] | None:
        """The texts of ``{name: X, value: Y}`` and the place of the second, where all is written plainly.

        Lists of variables are the larger part of many manifests, so they are read without what other mappings need.
        """
        node = item.node
        if node.id != "mapping" or len(node.value) != 2 or self.outer is not None:
            return None
        (first, name), (second, value) = node.value
        if (first.value, second.value) != ("name", "value") or not name.id == value.id == "scalar":
            return None
        text = value.value
        if name.tag == _NULL or value.tag == _NULL or "$" in text or "{{" in text:
            return None
        start, end = yaml_scalars.inner(self.text, value)
        if end - start != len(text) or not self.text.startswith(text, start):
            return None
        return name.value, text, Span(start + self.base, end + self.base)

    def entries(self, item: Item) -> tuple[Entry, ...]:
        """Keys of a mapping in order, merged ones last; the first of equal keys counts, as readers of ``<<`` want."""
        own = self._map(item.node).values()
        if item.alias is None:
            return tuple(own)
        return tuple(_through(entry, item.alias) for entry in own)

    def get(self, item: Item | None, *keys: str) -> Item | None:
        """The value below a path of keys, None where there is none."""
        for key in keys:
            if item is None:
                return None
            entry = self._map(item.node).get(key)
            if entry is None:
                return None
            item = entry.value if item.alias is None else Item(entry.value.node, item.alias, entry.value.parent)
        return item

    def _map(self, node: Any) -> dict[str, Entry]:
        if node.id != "mapping":
            return {}
        found = self._entries.get(id(node))
        if found is None:
            # A merge key that leads back here finds nothing more.
            self._entries[id(node)] = {}
            found = self._entries[id(node)] = self._read_entries(node)
        return found

    def items(self, item: Item) -> tuple[Item, ...]:
        """The children of a sequence; a scalar or mapping has none."""
        node = item.node
        if node.id != "sequence":
            return ()
        found: list[Item] = []
        cursor = node.start_mark.index
        for child in node.value:
            alias = item.alias
            if child.start_mark.index < cursor:
                own = self.alias_behind(cursor)
                cursor = own.end if own else cursor
                alias = alias or own
            else:
                cursor = child.end_mark.index
            found.append(Item(child, alias, node))
        return tuple(found)

    def _read_entries(self, node: Any) -> dict[str, Entry]:
        own: dict[str, Entry] = {}
        merged: list[Item] = []
        for key, value in node.value:
            alias = None
            if value.start_mark.index < key.end_mark.index:
                alias = self.alias_behind(key.end_mark.index)
            if key.tag == _MERGE:
                found = Item(value, alias, node)
                merged += self.items(found) if value.id == "sequence" else [found]
            elif key.id == "scalar":
                own[key.value] = Entry(key.value, key, Item(value, alias, node))
        for source in merged:
            for entry in self.entries(source):
                own.setdefault(entry.key, Entry(entry.key, entry.key_node, entry.value, merged=True))
        return own

    def alias_behind(self, cursor: int) -> Alias | None:
        """The first alias behind an offset of the document's text."""
        found = next((one for one in _ALIAS_OR_COMMENT.finditer(self.text, cursor) if one[1]), None)
        if found is None:
            return None
        return Alias(found[1], self.place(found.start(1) - 1, found.end(1)), found.end(1))


def first_map(text: str, path: str | None) -> Tree | None:
    """The first document of the file at ``path``; None where that is no map."""
    chunk = next(yaml_documents.chunks(text), None)
    composed = yaml_documents.compose(chunk.text) if chunk is not None else None
    if chunk is None or composed is None or composed.root is None or composed.root.id != "mapping":
        return None
    return Tree(chunk.text, chunk.base, composed.root, path=path)


def _through(entry: Entry, alias: Alias) -> Entry:
    value = Item(entry.value.node, alias, entry.value.parent)
    return Entry(entry.key, entry.key_node, value, entry.merged)


def is_null(item: Item) -> bool:
    return item.kind == "scalar" and item.node.tag == _NULL


def text_of(item: Item | None) -> str | None:
    """The written value of a scalar; None for anything else and for a null."""
    if item is None or item.kind != "scalar" or is_null(item):
        return None
    return str(item.node.value)
