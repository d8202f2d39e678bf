"""Edits of launches written as YAML lists and maps, in the layout, quoting and line ends that stand there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import filterfalse
from typing import Any

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
from ..patterns import lazy
from ..records import dataclass, field
from ..text import Edit
from . import yaml_layout
from .edit_words import FILLED, filled_in
from .yaml_layout import Part
from .yaml_scalars import scalar_start
from .yaml_string_edits import StringEdits
from .yaml_strings import StringSlot
from .yaml_tree import Item, Tree
from .yaml_words import BY_KUBELET, MERGED, ListSlot, MapSlot
from .yaml_write import quoted_like, written_value

Slot = (ListSlot, MapSlot, StringSlot)
_ANCHOR = lazy(r"&([0-9A-Za-z_-]+)")
_ASSEMBLED = "this word is not written as an item of its own"
_ALIASED = "this word comes through the alias `*{name}`, which other places may share"


@dataclass
class _Block:
    """What happens to one list or map: parts that go and new ones that come after a part."""

    tree: Tree
    node: Any
    parts: tuple[Part, ...]
    removed: set[int] = field(default_factory=set)
    added: list[str] = field(default_factory=list)
    after: int = -1


def edits(launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
    """Minimal edits of a launch whose words are list items, map entries or words of a string. Raises CannotEdit."""
    work = _Work(launch)
    for change in changes:
        work.apply(change)
    return work.edits()


def image_tag_edit(launch: Launch, tag: str) -> Edit:
    """The edit that gives the launch's image another tag. Raises CannotEdit."""
    image = launch.image
    if image is None or image.tag_place is None:
        raise CannotEdit("no image tag is written here")
    if "@" in image.text:
        raise CannotEdit("the image is pinned by its digest, which wins over the tag")
    if image.is_assembled:
        raise CannotEdit("the tag is put together from variables; change it where they are set")
    return Edit(image.tag_place.span, tag, image.tag_place.path)


class _Work:
    """Gathers changes by list or map, so that neighbours are edited together."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.blocks: dict[int, _Block] = {}
        self.strings: dict[int, StringEdits] = {}
        self.single: list[Edit] = []

    def apply(self, change: Change) -> None:
        if isinstance(change, RemoveOption):
            for word in change.words:
                self._remove(word)
        elif isinstance(change, SetValue):
            self._set(change.words, self._literal(change.value) if change.becomes is None else change.value)
        elif isinstance(change, RenameFlag):
            self._rename(change.word, change.flag)
        elif isinstance(change, AddOption):
            self._add(change.flag, None if change.value is None else self._literal(change.value))
        else:
            assert isinstance(change, SetImageTag)
            self.single.append(image_tag_edit(self.launch, change.tag))

    def _literal(self, value: str) -> str:
        """A value written so that what expands the arguments leaves it as it is."""
        if self.launch.host == "compose":
            return value.replace("$", "$$")
        return re.sub(r"\$(?=[$(])", "$$", value) if self.launch.host in BY_KUBELET else value

    def edits(self) -> tuple[Edit, ...]:
        found = list(self.single)
        for block in self.blocks.values():
            for start, end, text in yaml_layout.rewrite(
                block.tree.text, block.node, block.parts, block.removed, block.added, block.after
            ):
                found.append(block.tree.edit(start, end, text))
        for string in self.strings.values():
            found += string.edits()
        return tuple(sorted(found))

    def _string(self, slot: StringSlot) -> StringEdits:
        return self.strings.setdefault(id(slot.item.node), StringEdits(slot))

    def _block(self, slot: ListSlot | MapSlot) -> _Block:
        around = _around(slot)
        node = around.node
        if id(node) not in self.blocks:
            refuse_shared(slot.tree.text, node)
            self.blocks[id(node)] = _Block(slot.tree, node, yaml_layout.parts(slot.tree, around))
        return self.blocks[id(node)]

    def _remove(self, word: Word) -> None:
        slot = _slot(word)
        if isinstance(slot, StringSlot):
            self._string(slot).remove(slot)
            return
        part = self._part(slot)
        if "&" in part.prefix:
            raise CannotEdit("the word carries an anchor that other places may use")
        self._block(slot).removed.add(slot.index)

    def _part(self, slot: ListSlot | MapSlot) -> Part:
        if slot.index == MERGED:
            raise CannotEdit("the word came in through a merge key")
        return self._block(slot).parts[slot.index]

    def _set(self, words: Sequence[Word], value: str) -> None:
        flag, values = words[0], words[1:]
        slot = _slot(flag)
        if isinstance(slot, StringSlot) and not values:
            _refuse_filled(slot, slot.embedding.text[slice(*slot.words[slot.index])])
            self._string(slot).set_joined(slot, value)
        elif isinstance(slot, ListSlot) and not values and "=" in slot.embedding.text:
            start = slot.embedding.text.index("=") + 1
            self._write(slot, start, len(slot.embedding.text), value)
        elif len(values) > 1 and isinstance(slot, MapSlot):
            raise CannotEdit("the value is a list")
        elif values:
            self._write_value(values[0], value)
            for word in values[1:]:
                self._remove(word)
        elif isinstance(slot, MapSlot):
            raise CannotEdit("this key stands for a flag without a value")
        elif isinstance(slot, ListSlot):
            block = self._block(slot)
            if block.added:
                raise CannotEdit("two additions to one list")
            block.added, block.after = [quoted_like(value, slot.item)], slot.index

    def _write_value(self, word: Word, value: str) -> None:
        slot = _slot(word)
        if isinstance(slot, StringSlot):
            _refuse_filled(slot, slot.embedding.text[slice(*slot.words[slot.index])])
            self._string(slot).set_word(slot, value)
        elif isinstance(slot, MapSlot):
            start, end = extent_of(slot.tree, slot.item)
            refuse_shared(slot.tree.text, slot.item.node)
            like = slot.item if slot.item.kind == "scalar" else None
            self.single.append(slot.tree.edit(start, end, written_value(value, like, as_text=False)))
        else:
            self._write(slot, 0, len(slot.embedding.text), value)

    def _write(self, slot: ListSlot, start: int, end: int, text: str) -> None:
        """Replace decoded ``[start, end)`` of an item, rewriting all of it where its style cannot hold the text."""
        refuse_shared(slot.tree.text, slot.item.node)
        _refuse_filled(slot, slot.embedding.text[start:end])
        whole = slot.embedding.text[:start] + text + slot.embedding.text[end:]
        if slot.item.node.style in ("|", ">") and (start, end) == (0, len(slot.embedding.text)):
            # The block ends where its last line ends, which the item behind it needs.
            self.single.append(slot.tree.edit(*extent_of(slot.tree, slot.item), written_value(text, None)))
            return
        try:
            edit = slot.embedding.edit(start, end, text)
            if slot.item.node.style not in (None, "") or self._item(whole, slot.item) == whole:
                self.single.append(edit)
                return
        except CannotEdit:
            if slot.item.node.style in ("|", ">"):
                raise
        first, last = extent_of(slot.tree, slot.item)
        self.single.append(slot.tree.edit(first, last, self._item(whole, slot.item)))

    def _item(self, text: str, item: Item) -> str:
        """An item of a list in the style of the one that stands there; Kubernetes takes no number."""
        return quoted_like(text, item) if self.launch.host in BY_KUBELET else written_value(text, item)

    def _rename(self, word: Word, flag: str) -> None:
        slot = _slot(word)
        if isinstance(slot, StringSlot):
            self._string(slot).rename(slot, flag)
            return
        if isinstance(slot, MapSlot):
            key = flag.removeprefix("--")
            # Keys whose underscores stand for dashes; where they do not, the flag itself has underscores too.
            key = key.replace("-", "_") if "_" in slot.embedding.text and "_" not in (word.text or "") else key
            self.single.append(slot.embedding.edit(0, len(slot.embedding.text), key))
            return
        end = slot.embedding.text.find("=")
        self._write(slot, 0, len(slot.embedding.text) if end < 0 else end, flag)

    def _add(self, flag: str, value: str | None) -> None:
        words = [word for word in self.launch.words if word.presence == "yes"]
        # An array that a workflow's tool puts in may be used elsewhere too.
        certain = [
            word.handle for word in (*filter(_comes_from_elsewhere, words), *filterfalse(_comes_from_elsewhere, words))
        ]
        own = [slot for slot in certain if isinstance(slot, Slot) and _is_own(slot)]
        if not own:
            raise CannotEdit("no certain option of this launch is written as an item of its own")
        slot = own[-1]
        if isinstance(slot, StringSlot):
            self._string(slot).add(flag, value)
            return
        slots = [other for other in own if not isinstance(other, StringSlot)]
        block = self._block(slot)
        # Behind values that are aliases too: an option is not to come between a flag and its value.
        beside = [one.index for one in certain if isinstance(one, ListSlot) and one.sequence.node is _around(slot).node]
        block.after = max(block.after, slot.index, *beside)
        block.added += self._written_option(slot, slots, flag, value)

    def _written_option(
        self, slot: ListSlot | MapSlot, slots: Sequence[ListSlot | MapSlot], flag: str, value: str | None
    ) -> list[str]:
        if isinstance(slot, MapSlot):
            key = flag.removeprefix("--")
            keys = _keys(slot)
            key = key.replace("-", "_") if "_" in "".join(keys) and "-" not in "".join(keys) else key
            if key in keys:
                raise CannotEdit(f"`{key}` is there already")
            return [f"{key}: {'true' if value is None else written_value(value, None, as_text=False)}"]
        flags = [item.embedding.text for item in slots if item.embedding.text.startswith("--")]
        if value is not None and flags and sum("=" in text for text in flags) * 2 > len(flags):
            return [quoted_like(f"{flag}={value}", slot.item)]
        return [quoted_like(text, slot.item) for text in (flag, value) if text is not None]


def _keys(slot: MapSlot) -> list[str]:
    return [key.value for key, _ in slot.mapping.node.value if key.id == "scalar"]


def refuse_shared(text: str, node: Any) -> None:
    """A list or text with an anchor is part of every launch that names it."""
    anchor = _ANCHOR.match(text, node.start_mark.index)
    if anchor and re.search(rf"\*{anchor[1]}(?![0-9A-Za-z_-])", text):
        raise CannotEdit(f"the text is used again as `*{anchor[1]}`")


def _refuse_filled(slot: ListSlot | StringSlot, text: str) -> None:
    """A value that the workflow's tool fills in is set for all that use it. Raises CannotEdit."""
    found = FILLED.search(text) if slot.tree.language is not None else None
    if found is not None:
        raise CannotEdit(filled_in(found[0]))


def _comes_from_elsewhere(word: Word) -> bool:
    return word.used_at is not None and isinstance(word.handle, ListSlot) and word.handle.tree.language is not None


def _slot(word: Word) -> ListSlot | MapSlot | StringSlot:
    slot = word.handle
    if not isinstance(slot, Slot):
        raise CannotEdit(_ASSEMBLED)
    if not _is_own(slot):
        alias = slot.item.alias or _around(slot).alias
        raise CannotEdit(_ALIASED.format(name=alias.name if alias else "?"))
    return slot


def _around(slot: ListSlot | MapSlot | StringSlot) -> Item:
    """The list, map or string that the word is a part of."""
    if isinstance(slot, ListSlot):
        return slot.sequence
    return slot.mapping if isinstance(slot, MapSlot) else slot.item


def _is_own(slot: ListSlot | MapSlot | StringSlot) -> bool:
    return _around(slot).alias is None and slot.item.alias is None


def extent_of(tree: Tree, item: Item) -> tuple[int, int]:
    """Start and end of a scalar in its document's text, quotes included, anchor and tag not, and no last line end."""
    start, end = scalar_start(tree.text, item.node.start_mark.index), item.node.end_mark.index
    is_block = item.kind == "scalar" and item.node.style in ("|", ">")
    return start, start + len(tree.text[start:end].rstrip()) if is_block else end
