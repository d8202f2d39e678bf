"""Scripts whose lines are the items of lists, as pipelines write them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ..launch.model import CannotEdit
from ..text import Mapped, Span
from .embedding import Embedding, Stretches
from .yaml_tree import Item, Tree, text_of

MAX_NESTING = 10
MAX_LINES = 20_000


class Lines(Stretches):
    """Lines of a list, which an edit leaves items of their own."""

    between = "the text stands in several items of a list"


def lines_of(tree: Tree, lists: Sequence[Item]) -> Embedding:
    """The items of ``lists`` as the lines of one script. Lists in lists, as aliases make them, are part of theirs."""
    starts: list[int] = []
    embeddings: list[Embedding | None] = []
    parts: list[Mapped] = []
    at = 0
    for item in _lines(tree, lists):
        own = tree.embedding(item)
        starts.append(at)
        embeddings.append(own if item.alias is None else None)
        parts += [own.mapped, Mapped.whole("\n", Span(*[own.mapped.span().end] * 2))]
        at += len(own.text) + 1

    def encode(text: str, offset: int) -> str:
        index = max(0, bisect_right(starts, offset) - 1)
        own = embeddings[index] if embeddings else None
        if own is None:
            raise CannotEdit("the text comes through an alias, which other places may share")
        return own.encode(text, offset - starts[index])

    return Lines(Mapped.join(parts), encode, tree.path)


def _lines(tree: Tree, lists: Sequence[Item]) -> Iterator[Item]:
    waiting = [(one, 0) for one in reversed(lists)]
    found = 0
    while waiting and found < MAX_LINES:
        item, depth = waiting.pop()
        if text_of(item) is not None:
            found += 1
            yield item
        elif depth < MAX_NESTING:
            waiting += [(one, depth + 1) for one in reversed(tree.items(item))]
