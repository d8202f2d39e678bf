"""The layout of YAML lists and maps: taking parts out and putting parts in without touching what stands around.

Offsets count in the document's text. A part is a list item or a map entry.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ..launch.model import CannotEdit
from ..patterns import lazy
from ..records import dataclass
from .yaml_scalars import scalar_start
from .yaml_tree import Item, Tree

_LINE_END = lazy(r"\r\n|\n|\r")
_COMMA = lazy(r"\s*,")
_LIST_LEAD = lazy(r"-[ \t]+")

Replacement = tuple[int, int, str]
"""Start, end, new text."""


@dataclass(frozen=True)
class Part:
    """``[start, end)`` of an item or entry; ``prefix`` is its anchor and tag."""

    start: int
    end: int
    prefix: str = ""


def parts(tree: Tree, block: Item) -> tuple[Part, ...]:
    """The parts of a list or map, in order."""
    node = block.node
    if node.id == "mapping":
        return tuple(_entry(tree, key, value) for key, value in node.value)
    return tuple(_item(tree, child) for child in tree.items(block))


def _entry(tree: Tree, key: Any, value: Any) -> Part:
    start, end = key.start_mark.index, value.end_mark.index
    if value.start_mark.index < key.end_mark.index:
        alias = tree.alias_behind(key.end_mark.index)
        end = alias.end if alias else key.end_mark.index
    return Part(start, end)


def _item(tree: Tree, child: Item) -> Part:
    if child.alias is not None:
        return Part(child.alias.end - len(child.alias.name) - 1, child.alias.end)
    start = child.node.start_mark.index
    own = scalar_start(tree.text, start) if child.kind == "scalar" else start
    return Part(start, child.node.end_mark.index, tree.text[start:own])


def rewrite(
    text: str, node: Any, found: Sequence[Part], removed: Collection[int], added: Sequence[str], after: int
) -> Iterator[Replacement]:
    """Replacements that take ``removed`` parts out and put the ``added`` texts behind part ``after``."""
    if not removed and not added:
        return
    if node.flow_style:
        yield from _rewrite_flow(text, node, found, removed, added, after)
    else:
        yield from _rewrite_block(text, node, found, removed, added, after)


def groups(indexes: Collection[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of neighbouring indexes."""
    ordered = sorted(indexes)
    for number, index in enumerate(ordered):
        if number == 0 or ordered[number - 1] != index - 1:
            first = index
        if number + 1 == len(ordered) or ordered[number + 1] != index + 1:
            yield first, index


def _rewrite_flow(
    text: str, node: Any, found: Sequence[Part], removed: Collection[int], added: Sequence[str], after: int
) -> Iterator[Replacement]:
    last = len(found) - 1
    if len(removed) == len(found):
        comma = _COMMA.match(text, found[last].end, node.end_mark.index)
        yield found[0].start, comma.end() if comma else found[last].end, ", ".join(added)
        return
    for first, end in groups(removed):
        if end < last:
            yield found[first].start, found[end + 1].start, ""
        else:
            yield found[first - 1].end, found[end].end, ""
    if added:
        yield found[after].end, found[after].end, "".join(", " + one for one in added)


def _rewrite_block(
    text: str, node: Any, found: Sequence[Part], removed: Collection[int], added: Sequence[str], after: int
) -> Iterator[Replacement]:
    lead = _lead(text, node, found)
    newline = _LINE_END.search(text)
    eol = newline[0] if newline else "\n"
    for first, end in groups(removed):
        yield _removed_lines(text, _line_start(text, node, found, first), _line_end(text, found[end]))
    if added:
        at = _line_end(text, found[after])
        lines = "".join(lead + one + eol for one in added)
        if at and text[at - 1] not in "\r\n":
            lines = eol + lines[: -len(eol)]
        yield at, at, lines
    elif len(removed) == len(found):
        yield _emptied(text, node)


def _removed_lines(text: str, start: int, end: int) -> Replacement:
    """Whole lines go; at the end of a text without a last line end the one before goes instead."""
    if end == len(text) and text[end - 1 : end] not in ("\n", "\r"):
        start -= 2 if text[max(0, start - 2) : start] == "\r\n" else min(start, 1)
    return start, end, ""


def _emptied(text: str, node: Any) -> Replacement:
    """A block list or map that loses all its parts is written as an empty one behind its key."""
    colon = text.rfind(":", 0, node.start_mark.index)
    between = text[colon + 1 : node.start_mark.index]
    if colon < 0 or not re.fullmatch(r"(?:[ \t]*(?:#[^\r\n]*)?[\r\n]+)*[ \t]*", between):
        raise CannotEdit("nothing would be left of this list")
    return colon + 1, colon + 1, " {}" if node.id == "mapping" else " []"


def _indicator(text: str, node: Any, found: Sequence[Part], index: int) -> int:
    """Offset at which a part begins, the dash of a list item included."""
    if node.id == "mapping":
        return found[index].start
    before = found[index - 1].end if index else node.start_mark.index
    return text.rfind("-", before, found[index].start)


def _lead(text: str, node: Any, found: Sequence[Part]) -> str:
    """Indentation (and dash) of a new part, as the last part has it."""
    index = len(found) - 1
    at = _indicator(text, node, found, index)
    start = _start_of_line(text, at)
    indent = text[start:at]
    if indent.strip(" "):
        indent = " " * len(indent)
    if node.id == "mapping":
        return indent
    dash = _LIST_LEAD.match(text, at)
    return indent + (dash[0] if dash else "- ")


def _start_of_line(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _line_start(text: str, node: Any, found: Sequence[Part], index: int) -> int:
    """Start of the line a part begins on. Raises CannotEdit when something else stands before it there."""
    at = _indicator(text, node, found, index)
    start = _start_of_line(text, at)
    if at < 0 or text[start:at].strip(" \t"):
        raise CannotEdit("the word shares its line with the beginning of something else")
    return start


def _line_end(text: str, part: Part) -> int:
    """End of the last line of a part, its comment and line end included."""
    if part.end > part.start and text[part.end - 1] in "\r\n":
        return part.end
    found = _LINE_END.search(text, part.end)
    return found.end() if found else len(text)
