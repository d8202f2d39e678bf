"""A script as a row of parts, each of them whole statements, parsed once and kept by their text.

A key press in a long script parses the part it is in; the others are there already. Where a part ends depends on
nothing but the text: the first empty line, or end of a block, at which the parser finds everything before it whole.
A part that is never whole is a broken one, which costs nothing but itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from threading import Lock
from typing import Any

from ..records import dataclass
from .embedding import Embedding
from .shell_inert import Trait, all_may_matter, relevant, trait_of
from .shell_script import Script, line_feeds, speaks_otherwise
from .shell_syntax import parse

Node = Any

KEPT_CHARACTERS = 1_500_000
KEPT_PARTS = 2_500
"""Of all parts kept together. A script of 16,000 lines has some 2,000 parts, and a part's tree takes about 12 kB."""

_MAX_TRIED = 20_000
"""Characters up to which the end of a part is looked for, here-documents apart."""

_MAX_BLOCK = 200_000
"""Characters of the longest block whose end is looked for by how its lines are indented."""

_MAX_KEPT = 200_000
"""Characters of the longest part that is kept."""

_BREAK = re.compile(r"\n[ \t\r]*\n(?=[^\s)}])|\n(?:fi|done|esac|\})[ \t]*\r?\n(?=[^\s)}])")
_HEREDOC = re.compile(r"<<-?[ \t]*[\"'\\]?([A-Za-z_]\w*)")


@dataclass(frozen=True, eq=False)
class Part:
    """Statements that follow each other. Offsets count from the part's first character, with LF line ends."""

    text: str
    root: Node

    @property
    def is_whole(self) -> bool:
        """Whether the parser found nothing missing and nothing too much."""
        return not self.root.has_error

    @cached_property
    def statements(self) -> tuple[Node, ...]:
        return tuple(self.root.named_children)

    @cached_property
    def traits(self) -> tuple[Trait, ...]:
        """What each statement may do."""
        return tuple(trait_of(node.type, self.text[node.start_byte : node.end_byte]) for node in self.statements)


@dataclass(frozen=True, eq=False)
class PlacedPart:
    """A part and where it stands in the text of ``embedding``."""

    part: Part
    embedding: Embedding
    start: int
    end: int
    speaks_otherwise: bool

    @cached_property
    def script(self) -> Script:
        """The part as a script of its own, whose places are those of the document."""
        embedding = line_feeds(self.embedding.stretch(self.start, self.end))
        return Script(embedding, speaks_otherwise=self.speaks_otherwise)


def parts_of(embedding: Embedding) -> list[PlacedPart]:
    """The parts of a script, in order."""
    text = embedding.text
    ends = [found.end() for found in _BREAK.finditer(text)]
    ends.append(len(text))
    speaks = speaks_otherwise(text)
    parts: list[PlacedPart] = []
    start = index = 0
    while start < len(text):
        part, index = _next_part(text, start, ends, index)
        parts.append(PlacedPart(part, embedding, start, ends[index], speaks))
        start = ends[index]
        index += 1
    return parts


def _next_part(text: str, start: int, ends: Sequence[int], first: int) -> tuple[Part, int]:
    """The part that begins at ``start``, and which of ``ends`` is its own. It ends at ``ends[first]`` or later."""
    broken = part = _part(text[start : ends[first]])
    index, step = first, 1
    while not part.is_whole and index + 1 < len(ends):
        least = _heredoc_end(text, start, ends[index])
        if max(ends[index], least) - start > _MAX_TRIED and least <= ends[index]:
            index = _block_end(text, start, ends, first)
            part = _part(text[start : ends[index]]) if index > first else broken
            break
        index = min(max(index + step, bisect_left(ends, least)), len(ends) - 1)
        step *= 2
        part = _part(text[start : ends[index]])
    return (part, index) if part.is_whole or index == first else (broken, first)


_BLOCK = re.compile(
    r"^(?:(?P<fi>if)|(?P<esac>case)|(?P<done>for|while|until|select)|(?P<brace>\{|function\b|[\w:.-]+[ \t]*\(\)))"
    r"(?![\w-])",
    re.MULTILINE,
)
_BLOCK_ENDS = {
    "fi": re.compile(r"^fi(?![\w-])", re.MULTILINE),
    "esac": re.compile(r"^esac(?![\w-])", re.MULTILINE),
    "done": re.compile(r"^done(?![\w-])", re.MULTILINE),
    "brace": re.compile(r"^\}", re.MULTILINE),
}
"""How blocks that begin at the start of a line end."""


def _block_end(text: str, start: int, ends: Sequence[int], first: int) -> int:
    """Which of ``ends`` comes behind the long block that begins before ``ends[first]``; ``first`` for none."""
    blocks = list(_BLOCK.finditer(text, start, ends[first]))
    if not blocks:
        return first
    closing = _BLOCK_ENDS[blocks[-1].lastgroup or "brace"].search(text, blocks[-1].end(), start + _MAX_BLOCK)
    return min(bisect_left(ends, closing.end()), len(ends) - 1) if closing else first


def _heredoc_end(text: str, start: int, end: int) -> int:
    """Where the last here-document that begins in a stretch ends; 0 when none begins there, or it has no end."""
    if text.find("<<", start, end) < 0:
        return 0
    begins = list(_HEREDOC.finditer(text, start, end))
    if not begins:
        return 0
    closing = re.compile(rf"^[ \t]*{re.escape(begins[-1][1])}[ \t\r]*$", re.MULTILINE).search(text, begins[-1].end())
    return closing.end() if closing else 0


def statements_of(script: Script) -> list[tuple[Script, Node]]:
    """The statements of a script that is read as one part."""
    return [(script, node) for node in parse(script.text).named_children]


def relevant_statements(
    embedding: Embedding, launchers: Collection[str], *, all_of_them: bool = False
) -> Iterator[tuple[Script, Node]]:
    """The statements of a script that may have a part in what it starts; the script of each is its part."""
    placed = parts_of(embedding)
    if all_of_them or all_may_matter(embedding.text):
        for item in placed:
            yield from ((item.script, node) for node in item.part.statements)
        return
    taken = relevant([trait for item in placed for trait in item.part.traits], launchers)
    for item in placed:
        for node in item.part.statements:
            if next(taken):
                yield item.script, node


_kept: OrderedDict[str, Part] = OrderedDict()
_held = 0
_lock = Lock()


def _part(text: str) -> Part:
    global _held
    with _lock:
        part = _kept.get(text)
        if part is not None:
            _kept.move_to_end(text)
            return part
    plain = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    part = Part(plain, parse(plain))
    if len(text) <= _MAX_KEPT:
        with _lock:
            if text not in _kept:
                _held += len(text)
            _kept[text] = part
            while _held > KEPT_CHARACTERS or len(_kept) > KEPT_PARTS:
                _held -= len(_kept.popitem(last=False)[0])
    return part


def forget_all() -> None:
    """Parse everything anew from here on."""
    global _held
    with _lock:
        _kept.clear()
        _held = 0
