"""``toYaml``: values written as YAML again, each text standing where the values file has it."""

from __future__ import annotations

import re

from ..records import replace
from .helm_values import (
    DictValue,
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
    quoted,
    scalar,
    structure,
)
from .yaml_tree import Item
from .yaml_words import ListSlot
from .yaml_write import resolved_tag

_TEXT = "tag:yaml.org,2002:str"
_PLAIN = re.compile(r"(?:[\w/.$()=+~]|-[^\s])[ -~\u00a0-\uffff]*(?<!\s)")
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


def written(value: Value, path: str) -> Rich | None:
    """A value as YAML text; None where it is not known or too long."""
    lines: list[Line] = []
    if not _lines(value, path, lines, 0):
        return None
    found: list[Fragment] = []
    for number, line in enumerate(lines):
        if number and line:
            found.append(structure("\n", line[0], path))
        found += line
    return Rich(tuple(found))


def _lines(value: Value, path: str, lines: list[Line], depth: int) -> bool:
    """Add the lines of a value; False when it cannot be written."""
    if len(lines) > MAX_LINES or depth > 30:
        return False
    if isinstance(value, DictValue) or (isinstance(value, Node) and value.item.kind == "mapping"):
        return _map_lines(value, path, lines, depth)
    found = items(value)
    if found is None:
        text = rich(value)
        if text is None:
            return False
        lines.append(_scalar(value, owned(text), path))
        return True
    for item, doubts in zip(found.items, found.doubts, strict=True):
        inner: list[Line] = []
        if not _lines(item, path, inner, depth + 1) or not inner:
            return False
        for number, line in enumerate(inner):
            marked = tuple(replace(piece, doubts=doubts) for piece in line) if doubts else line
            lines.append((structure("  " if number else "- ", marked[0], path), *marked))
    return True


def _entries(value: Node | DictValue) -> list[tuple[Rich, Value]]:
    """Keys and values of a map, sorted as ``toYaml`` writes them."""
    if isinstance(value, DictValue):
        return [(Rich((structure(key, None, ""),)), one) for key, one in sorted(value.items.items())]
    return [
        (owned(constant(entry.key, entry.place.span, entry.node.path)), replace(entry.node, in_loop=True))
        for entry in sorted(children(value), key=lambda entry: entry.key)
    ]


def _map_lines(value: Node | DictValue, path: str, lines: list[Line], depth: int) -> bool:
    for name, inside in _entries(value):
        key = name.fragments
        if not key:
            return False
        colon = structure(":", key[0], path)
        inner: list[Line] = []
        kind = kind_of(inside)
        if kind in ("map", "slice"):
            if not _lines(inside, path, inner, depth + 1):
                return False
            empty = " {}" if kind == "map" else " []"
            lines.append((*key, colon, *(() if inner else (structure(empty, key[0], path),))))
            lead = "  " if kind == "map" else ""
            lines += [(structure(lead, line[0], path), *line) if lead else line for line in inner]
        elif isinstance(inside, Missing) and not inside.known:
            return False
        else:
            text = rich(inside)
            shown = _scalar(inside, owned(text), path) if text is not None else (structure("null", key[0], path),)
            lines.append((*key, colon, structure(" ", key[0], path), *shown))
    return True


def _scalar(value: Value, text: Rich, path: str) -> Line:
    is_text = kind_of(value) == "string"
    if isinstance(value, Node) and not is_text:
        whole = scalar(value, as_yaml=True)
        text = owned(whole) if isinstance(whole, Rich) else text
    plain = text.text
    if not is_text or (resolved_tag(plain) == _TEXT and _is_plain(plain)):
        return text.fragments
    # Single quotes leave what a template may still read as it is.
    is_other = resolved_tag(plain) != _TEXT or re.search(r"[^ -~\u00a0-\uffff]", plain)
    mark = '"' if is_other else "'"
    return quoted(text, mark, path).fragments if text.fragments else (structure('""', None, path),)


def _is_plain(text: str) -> bool:
    """Whether a text needs no quotes in a block."""
    return _PLAIN.fullmatch(text) is not None and ": " not in text and " #" not in text and not text.endswith(":")
