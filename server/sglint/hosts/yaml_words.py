"""Words of an argv written as YAML: list items and flag maps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..launch.model import Definition, Place, Word
from ..patterns import lazy
from ..records import dataclass, replace
from ..text import Mapped
from .embedding import Embedding
from .expansion import Expand, as_written
from .yaml_tree import Item, Tree, is_null

BY_KUBELET = ("kubernetes", "helm-template")
"""Notations whose lists a kubelet gets: text only, with variables of its own."""

_TEXT = "tag:yaml.org,2002:str"
_TRUTH = "tag:yaml.org,2002:bool"
_NUMBER = lazy(r"[-+]?(?:0x[0-9a-fA-F]+|\d+|(?:\d+\.\d*|\.?\d+)(?:[eE][-+]?\d+)?)")


@dataclass(frozen=True)
class ListSlot:
    """Editing key of a word that is one item of a list: the list's node and the item's index in it."""

    tree: Tree
    sequence: Item
    index: int
    item: Item
    embedding: Embedding


MERGED = -1
"""Index of an entry that came in through a merge key."""


@dataclass(frozen=True)
class MapSlot:
    """Editing key of a word that comes from an entry of a map: the map's node and the entry's index in it."""

    tree: Tree
    mapping: Item
    index: int
    is_key: bool
    item: Item
    embedding: Embedding


Spread = Callable[[str], "Sequence[Word] | None"]


def list_words(tree: Tree, sequence: Item, expand: Expand = as_written, spread: Spread | None = None) -> list[Word]:
    """The items of a list as argv words. An item that is no text stands for any number of words.

    ``spread`` has the words of an item that is a reference to another list (none: they are not known), and None for
    one that is not.
    """
    words: list[Word] = []
    for index, item in enumerate(tree.items(sequence)):
        if is_null(item) and not item.node.value:
            continue
        if item.kind != "scalar":
            words.append(Word(None, tree.span(item.node), many=True))
            continue
        others = spread(str(item.node.value)) if spread is not None else None
        if others is None:
            words.append(_list_word(tree, sequence, index, item, expand))
        elif others:
            used = Place(tree.embedding(item).mapped.span())
            words += [replace(word, used_at=used) for word in others]
        else:
            words.append(Word(None, tree.embedding(item).mapped.span(), many=True))
    return words


def _list_word(tree: Tree, sequence: Item, index: int, item: Item, expand: Expand) -> Word:
    embedding = tree.embedding(item)
    expanded = expand(embedding.mapped)
    slot = ListSlot(tree, sequence, index, item, embedding)
    if item.node.tag.startswith("!"):
        # ``!Ref``, ``!Sub``: what the tool with this tag makes of it.
        return Word(None, embedding.mapped.span(), handle=slot)
    if item.alias is not None and sequence.alias is None:
        return _alias_word(expanded.text, item, embedding, slot)
    return Word(
        expanded.text,
        embedding.mapped.span(),
        expanded.mapped,
        defined_at=expanded.definitions,
        used_at=Place(sequence.alias.span) if sequence.alias else None,
        handle=slot,
        unknown=expanded.unknown,
        read_as=_read_as(tree, item),
    )


def _read_as(tree: Tree, item: Item) -> str | None:
    """What the YAML library of Kubernetes takes an item for, where that is no text; ours knows no ``1e3``."""
    node = item.node
    if node.tag == _TRUTH:
        return "a truth value"
    if not _NUMBER.fullmatch(node.value) or not tree.text.startswith(node.value, node.start_mark.index):
        return None
    return "a number"


def _alias_word(text: str | None, item: Item, embedding: Embedding, slot: ListSlot) -> Word:
    """``*name`` as a list item is a variable: it stands where it is used."""
    assert item.alias is not None
    definition = Definition(item.alias.name, Place(embedding.mapped.span()))
    mapped = None if text is None else Mapped.whole(text, item.alias.span)
    return Word(text, item.alias.span, mapped, defined_at=(definition,), handle=slot)
