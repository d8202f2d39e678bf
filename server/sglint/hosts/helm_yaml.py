"""``toYaml``: values written as YAML again, each text standing where the values file has it."""

from __future__ import annotations

import re

from ..records import replace
from .helm_values import (
    DictValue,
    Doubts,
    Fragment,
    ListValue,
    Missing,
    Node,
    Rich,
    Value,
    certain_list,
    children,
    constant,
    kind_of,
    owned,
    part,
    quoted,
    scalar,
    structure,
)
from .yaml_tree import Item
from .yaml_words import ListSlot
from .yaml_write import resolved_tag

_TEXT = "tag:yaml.org,2002:str"
_PLAIN = re.compile(r"(?:[\w/.$()=+~]|-[^\s])[ -~\u00a0-\uffff]*(?<!\s)")
_SPECIAL = re.compile(r"[^ -~\u00a0-\uffff]")
MAX_LINES = 2000

Line = tuple[Fragment, ...]


def rich(value: Value) -> Rich | None:
    """The text of a value; None when it has none that is known."""
    if isinstance(value, Node) and value.item.kind == "scalar":
        found = scalar(value)
        return found if isinstance(found, Rich) else None
    return value if isinstance(value, Rich) else None


def items(value: Value) -> ListValue | None:
    """The items of a list, standing where they are written."""
    if isinstance(value, Node) and value.item.kind == "sequence":
        children = value.tree.items(value.item)
        found = [_child(value, index, child) for index, child in enumerate(children)]
        return certain_list(found)
    return value if isinstance(value, ListValue) else None


def _child(value: Node, index: int, child: Item) -> Node:
    slot = None
    if child.kind == "scalar":
        slot = ListSlot(value.tree, value.item, index, child, value.tree.embedding(child))
    return Node(value.tree, child, value.path, f"{value.name}[{index}]", True, value.used, slot)


def written(value: Value, path: str, *, as_written: bool = False) -> Rich | None:
    """A value as YAML text; None where it is not known or too long.

    ``as_written``: numbers and truths as their file has them, not as Go prints them.
    """
    writer = _Writer(path, as_written)
    if not writer.add(value, 0):
        return None
    found: list[Fragment] = []
    for number, line in enumerate(writer.lines):
        if number:
            found.append(structure("\n", line[0] if line else None, path))
        found += line
    return Rich(tuple(found))


class _Writer:
    """The lines of a value as YAML; a line is the pieces it is made of."""

    def __init__(self, path: str, as_written: bool) -> None:
        self.path = path
        self.as_written = as_written
        self.lines: list[Line] = []

    def add(self, value: Value, depth: int) -> bool:
        """Add the lines of a value; False when it cannot be written."""
        if len(self.lines) > MAX_LINES or depth > 30:
            return False
        if isinstance(value, DictValue) or (isinstance(value, Node) and value.item.kind == "mapping"):
            return self._map(value, depth)
        found = items(value)
        if found is not None:
            return all(self._item(item, doubts, depth) for item, doubts in zip(found.items, found.doubts, strict=True))
        scalar_lines = self._scalar(value)
        self.lines += scalar_lines or ()
        return scalar_lines is not None

    def _item(self, item: Value, doubts: Doubts, depth: int) -> bool:
        inner = self._below(item, depth)
        if inner is None:
            return False
        for number, line in enumerate(inner):
            marked = tuple(replace(piece, doubts=doubts) for piece in line) if doubts else line
            lead = structure("  " if number else "- ", marked[0] if marked else None, self.path)
            self.lines.append((lead, *marked) if marked or not number else ())
        return True

    def _below(self, value: Value, depth: int) -> list[Line] | None:
        """The lines of a value inside another one; an empty map or list has signs of its own."""
        inner = _Writer(self.path, self.as_written)
        if not inner.add(value, depth + 1):
            return None
        empty = {"map": "{}", "slice": "[]"}.get(kind_of(value) or "")
        return inner.lines or [(structure(empty or '""', None, self.path),)]

    def _map(self, value: Node | DictValue, depth: int) -> bool:
        for name, inside in _entries(value, self.path):
            inner = self._below(inside, depth)
            if inner is None or not name.fragments:
                return False
            key = name.fragments if _is_plain_text(name.text) else quoted(name, '"', self.path).fragments
            colon = structure(":", key[0], self.path)
            kind = kind_of(inside)
            if kind in ("map", "slice") and items_or_keys(inside):
                lead = "  " if kind == "map" else ""
                self.lines.append((*key, colon))
                self.lines += [
                    (structure(lead, line[0], self.path), *line) if lead and line else line for line in inner
                ]
            else:
                self.lines.append((*key, colon, structure(" ", key[0], self.path), *inner[0]))
                self.lines += inner[1:]
        return True

    def _scalar(self, value: Value) -> list[Line] | None:
        """The lines of a text, number or truth; None when it is not known."""
        if isinstance(value, Missing) or (isinstance(value, Node) and kind_of(value) == "invalid"):
            return [(structure("null", None, self.path),)] if kind_of(value) == "invalid" else None
        text = rich(value)
        if text is None:
            return None
        is_text = kind_of(value) == "string"
        if isinstance(value, Node) and not is_text:
            whole = scalar(value, as_yaml=not self.as_written, as_written=self.as_written)
            text = whole if isinstance(whole, Rich) else text
        text = owned(text)
        plain = text.text
        if not is_text or _is_plain_text(plain):
            return [text.fragments]
        if "\n" in plain and _fits_block(plain):
            return self._block(text)
        is_other = resolved_tag(plain) != _TEXT or _SPECIAL.search(plain)
        # Single quotes leave what a template may still read as it is.
        mark = '"' if is_other or "\n" in plain else "'"
        return [quoted(text, mark, self.path).fragments if text.fragments else (structure('""', None, self.path),)]

    def _block(self, text: Rich) -> list[Line]:
        """Lines of their own, as they are."""
        plain = text.text
        keep = "" if plain.endswith("\n") and not plain.endswith("\n\n") else "+" if plain.endswith("\n") else "-"
        found: list[Line] = [(structure(f"|{keep}", text.fragments[0], self.path),)]
        at = 0
        for line in plain.removesuffix("\n").split("\n"):
            pieces = part(text, at, at + len(line)).fragments
            found.append((structure("  ", pieces[0], self.path), *pieces) if pieces else ())
            at += len(line) + 1
        return found


def items_or_keys(value: Value) -> bool:
    """Whether a list or map has anything in it."""
    if isinstance(value, DictValue):
        return bool(value.items)
    found = items(value)
    if found is not None:
        return bool(found.items)
    return isinstance(value, Node) and bool(children(value))


def _entries(value: Node | DictValue, path: str) -> list[tuple[Rich, Value]]:
    """Keys and values of a map, sorted as ``toYaml`` writes them."""
    if isinstance(value, DictValue):
        return [(Rich((structure(key, None, path),)), one) for key, one in sorted(value.items.items())]
    return [
        (owned(constant(entry.key, entry.place.span, entry.node.path)), replace(entry.node, in_loop=True))
        for entry in sorted(children(value), key=lambda entry: entry.key)
    ]


def _fits_block(text: str) -> bool:
    """Whether a text can stand as a block: no first line that begins with a blank, no other line end."""
    return not text.startswith((" ", "\n", "\t")) and not re.search(r"[^\n\t -~\u00a0-\uffff]|[ \t]$", text)


def _is_plain_text(text: str) -> bool:
    """Whether a text needs no quotes in a block."""
    if resolved_tag(text) != _TEXT or _PLAIN.fullmatch(text) is None:
        return False
    return ": " not in text and " #" not in text and not text.endswith(":")
