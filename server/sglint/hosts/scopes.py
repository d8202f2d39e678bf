"""Mappings on the way from a document's root to a launch."""

from __future__ import annotations

from collections.abc import Iterator

from ..launch.model import Place
from ..records import dataclass
from ..text import Mapped
from .yaml_tree import Item, Tree, text_of


@dataclass(frozen=True)
class Scope:
    """A mapping (or what stands in its place) and the key it was found under; ``parent`` is the one around it.

    A document inside a scalar of another one goes on outward in that other document, so each scope has its tree.
    """

    tree: Tree
    item: Item
    key: str = ""
    parent: Scope | None = None

    def outward(self) -> Iterator[Scope]:
        """This scope, then those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def get(self, *keys: str) -> Item | None:
        return self.tree.get(self.item, *keys)

    def text(self, *keys: str) -> str | None:
        """The written value of a scalar below a path of keys."""
        return text_of(self.get(*keys))

    def mapped(self, *keys: str) -> Mapped | None:
        """As :meth:`text`, with its place."""
        item = self.get(*keys)
        return None if item is None or text_of(item) is None else self.tree.mapped(item)

    def items(self, *keys: str) -> tuple[Scope, ...]:
        """The children of a list below a path of keys."""
        found = self.get(*keys)
        return tuple(Scope(self.tree, child, keys[-1], self) for child in self.tree.items(found)) if found else ()

    def path(self) -> str:
        """Where this scope stands by names: ``Deployment/prod/llm: spec.template.spec.containers[server]``.

        Without numbers of list items, so that it stays when lines move or a neighbour comes.
        """
        steps: list[str] = []
        for scope in self.outward():
            kind, name = scope.text("kind"), scope.text("metadata", "name")
            if kind is not None and name is not None:
                owner = "/".join(filter(None, (kind, scope.text("metadata", "namespace"), name)))
                return f"{owner}: {'.'.join(reversed(steps))}" if steps else owner
            name = scope.text("name")
            if scope.key:
                steps.append(scope.key if name is None else f"{scope.key}[{name}]")
        return ".".join(reversed(steps))

    def place(self, item: Item) -> Place:
        """Where a scalar's text stands, or a list's items."""
        if item.kind == "scalar":
            return Place(self.tree.mapped(item).span())
        start, end = item.node.start_mark.index, item.node.end_mark.index
        if item.node.flow_style:
            return Place(self.tree.place(start + 1, end - 1))
        return Place(self.tree.place(start, end))
