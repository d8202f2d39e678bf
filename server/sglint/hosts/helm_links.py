"""Ways between a chart's templates and its values files: where a value comes from, and what uses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

from ..launch.model import Place
from ..records import dataclass
from ..text import Document, Sources, Span
from . import helm_chart, helm_syntax, helm_uses
from .helm_render import Template
from .helm_syntax import TemplateError
from .helm_uses import ANY, Named, Use, Uses
from .yaml_tree import Item, Tree, first_map

Steps = tuple[str, ...]
"""A path of keys below ``.Values`` of one chart."""


def definition(document: Document, sources: Sources, offset: int) -> tuple[Place, ...]:
    """Where what stands at ``offset`` of a chart's file is written; empty where nothing is.

    Of a value in a template: its keys in the values files, the chart's own first, then those that override it. Of an
    included name: its ``define``. Of a variable: where it gets its values. Of a key of a values file: the same key of
    the files it overrides.
    """
    links = _Links(document, sources)
    found = links.named_at(offset) or links.variable_at(offset)
    if found is not None:
        return tuple(_place(one) for one in found if _declares(one))
    spot = links.template_spot(offset)
    if spot is not None:
        return _once(links.keys(spot))
    spot = links.values_spot(offset)
    return _once(one for one in links.keys(spot) if one.path != document.path) if spot is not None else ()


def references(document: Document, sources: Sources, offset: int) -> tuple[Place, ...]:
    """The places in templates that use the value, the named template or the variable at ``offset``."""
    links = _Links(document, sources)
    found = links.named_at(offset) or links.variable_at(offset)
    if found is not None:
        return tuple(_place(one) for one in found if not _declares(one))
    spot = links.template_spot(offset) or links.values_spot(offset)
    return _once(_place(use) for use in links.users(spot)) if spot is not None else ()


@dataclass(frozen=True)
class _Spot:
    """A value of the chart in ``folder``."""

    folder: PurePath
    path: Steps


class _Links:
    def __init__(self, document: Document, sources: Sources) -> None:
        self.document = document
        self.sources = sources
        self._uses: dict[PurePath, Uses] = {}
        self._template_of = helm_chart.chart_of_template(document.path, sources)

    def _text(self, path: str) -> str | None:
        return self.document.text if path == self.document.path else self.sources.text(path)

    # templates ---------------------------------------------------------------------------------------------

    def uses(self, folder: PurePath) -> Uses:
        """What the templates of a chart use, its named ones and those of charts around it included."""
        if folder not in self._uses:
            paths = [*helm_chart.own_templates(folder, self.sources), *helm_chart.helpers(folder, self.sources)]
            paths += [path for one in helm_chart.related(folder, self.sources) for path in self._helpers(one)]
            parsed = [self._template(path) for path in dict.fromkeys(paths)]
            self._uses[folder] = helm_uses.uses_of([one for one in parsed if one is not None])
        return self._uses[folder]

    def _helpers(self, folder: PurePath) -> list[str]:
        return helm_chart.helpers(folder, self.sources)

    def _template(self, path: str) -> Template | None:
        text = self._text(path)
        if text is None or "{{" not in text:
            return None
        try:
            return Template(path, text, helm_syntax.parse(text))
        except TemplateError:
            return None

    def named_at(self, offset: int) -> Sequence[Named] | None:
        """All places of the named template whose name stands at ``offset``."""
        if self._template_of is None:
            return None
        names = self.uses(self._template_of).names
        here = next((one for one in names if self._is_at(one.file, one.span, offset)), None)
        return None if here is None else sorted((one for one in names if one.name == here.name), key=_order)

    def variable_at(self, offset: int) -> Sequence[helm_uses.Bound] | None:
        """All places of the variable at ``offset`` in its file."""
        if self._template_of is None:
            return None
        found = self.uses(self._template_of).variables
        here = next((one for one in found if self._is_at(one.file, one.span, offset)), None)
        if here is None:
            return None
        return sorted((one for one in found if (one.file, one.name) == (here.file, here.name)), key=_order)

    def template_spot(self, offset: int) -> _Spot | None:
        """The value whose use stands at ``offset``."""
        if self._template_of is None:
            return None
        uses = self.uses(self._template_of).values
        here = sorted((one for one in uses if self._is_at(one.file, one.span, offset)), key=lambda use: use.path)
        return _Spot(self._template_of, here[0].path) if here else None

    def _is_at(self, path: str, span: Span, offset: int) -> bool:
        return path == self.document.path and span.touches(Span(offset, offset))

    # values ------------------------------------------------------------------------------------------------

    def values_spot(self, offset: int) -> _Spot | None:
        """The value whose key or text stands at ``offset`` of a values file."""
        folder = helm_chart.chart_of_values(self.document.path, self.sources)
        tree = self._tree(self.document.path) if folder is not None else None
        path = _path_at(tree, offset) if tree is not None else None
        return _Spot(folder, path) if folder is not None and path else None

    def _tree(self, path: str) -> Tree | None:
        text = self._text(path)
        return None if text is None else first_map(text, path)

    def keys(self, spot: _Spot) -> Iterator[Place]:
        """The keys that give a value, those that are overridden first."""
        for path in helm_chart.values_files(spot.folder, self.sources):
            tree = self._tree(path)
            yield from (Place(span, path) for span in _keys(tree, tree.top, spot.path)) if tree is not None else ()
        outer = helm_chart.chart_around(spot.folder, self.sources)
        if outer is not None:
            names = helm_chart.names_in(outer, spot.folder, self.sources)
            around = [(name, *spot.path) for name in names] + ([spot.path] if spot.path[0] == "global" else [])
            for steps in around:
                yield from self.keys(_Spot(outer, steps))

    def users(self, spot: _Spot) -> Iterator[Use]:
        """The places that use a value, in the templates of its chart, of those in it and of those around it."""
        yield from self._users_inside(spot)
        outer = helm_chart.chart_around(spot.folder, self.sources)
        while outer is not None:
            for name in helm_chart.names_in(outer, spot.folder, self.sources):
                spot = _Spot(outer, (name, *spot.path))
                yield from self._users_in(spot)
            outer = helm_chart.chart_around(outer, self.sources)

    def _users_inside(self, spot: _Spot) -> Iterator[Use]:
        yield from self._users_in(spot)
        for inner in helm_chart.subcharts(spot.folder, self.sources):
            if spot.path[0] == "global":
                yield from self._users_inside(_Spot(inner, spot.path))
            elif spot.path[0] in helm_chart.names_in(spot.folder, inner, self.sources) and len(spot.path) > 1:
                yield from self._users_inside(_Spot(inner, spot.path[1:]))

    def _users_in(self, spot: _Spot) -> Iterator[Use]:
        return helm_uses.users(self.uses(spot.folder), spot.path)


def _path_at(tree: Tree, offset: int) -> Steps | None:
    """The keys down to what stands at ``offset``."""
    here = Span(offset, offset)
    item = tree.top
    steps: list[str] = []
    while True:
        if item.kind == "mapping":
            entries = [entry for entry in tree.entries(item) if not entry.merged and entry.value.alias is None]
            entry = next((one for one in entries if tree.span(one.key_node).touches(here)), None)
            if entry is not None:
                return (*steps, entry.key)
            below = next((one for one in entries if _span(tree, one.value.node).touches(here)), None)
            if below is None:
                return None
            steps.append(below.key)
            item = below.value
        elif item.kind == "sequence":
            child = next((one for one in tree.items(item) if _span(tree, one.node).touches(here)), None)
            if child is None:
                return tuple(steps)
            steps.append(ANY)
            item = child
        else:
            return tuple(steps)


def _span(tree: Tree, node: Any) -> Span:
    return tree.place(node.start_mark.index, node.end_mark.index)


def _keys(tree: Tree, item: Item, steps: Steps) -> Iterator[Span]:
    """The keys (of a list: the items) at a path below ``item``."""
    first, rest = steps[0], steps[1:]
    if item.kind == "sequence" and first == ANY:
        for child in tree.items(item):
            yield from _keys(tree, child, rest) if rest else (tree.span(child.node),)
    for entry in tree.entries(item):
        if first in (ANY, entry.key):
            yield from _keys(tree, entry.value, rest) if rest else (tree.span(entry.key_node),)


def _declares(one: Named | helm_uses.Bound) -> bool:
    return one.defines if isinstance(one, Named) else one.declares


def _place(one: Use | Named | helm_uses.Bound) -> Place:
    return Place(one.span, one.file)


def _order(one: Use | Named | helm_uses.Bound) -> tuple[str, Span]:
    return one.file, one.span


def _once(places: Iterator[Place]) -> tuple[Place, ...]:
    return tuple(dict.fromkeys(places))
