"""The files of a Helm chart: which chart a file belongs to, and its values in the order of precedence.

Source of the order: Helm's documentation of values files and of subcharts (the chart's own ``values.yaml``, then what
the chart around it says under the subchart's name or alias, then a file given with ``-f``; ``global`` is one for all).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from os.path import normpath
from pathlib import PurePath

from ..launch.model import Place
from ..records import replace
from ..text import Document, Sources
from . import helm_syntax
from .gate import may_hold_launch
from .helm_render import Chart, Template
from .helm_syntax import TemplateError
from .helm_values import Child, Node, child, children, layered
from .scopes import Scope
from .yaml_tree import first_map

HELPERS = ("_helpers.tpl",)
"""Files with named templates that are looked for when nobody can list the folder."""

_VALUES_FOLDERS = frozenset(("values", "ci", "env", "envs", "environments"))
_MOST_FOLDERS_UP = 3
_DEEPEST = 4
"""Folders of templates in each other, and subcharts in each other."""

_MOST_TEMPLATES = 500


def chart_of_template(path: str, sources: Sources) -> PurePath | None:
    """The folder of the chart whose template stands at ``path``."""
    for folder in PurePath(path).parents:
        if folder.name == "templates":
            return folder.parent if _is_chart(folder.parent, sources) else None
    return None


def chart_of_values(path: str, sources: Sources) -> PurePath | None:
    """The folder of the chart for which the file at ``path`` gives values: its own or overriding ones."""
    own = PurePath(path)
    if "values" not in own.name and own.parent.name not in _VALUES_FOLDERS:
        return None
    if "templates" in own.parts:
        return None
    return next((folder for folder in list(own.parents)[:_MOST_FOLDERS_UP] if _is_chart(folder, sources)), None)


def _is_chart(folder: PurePath, sources: Sources) -> bool:
    return sources.text(str(folder / "Chart.yaml")) is not None


def takes_part(document: Document, sources: Sources) -> bool:
    """Whether a file that names no server may print one that other files of its chart name."""
    path, text = document.path, document.text
    folder = chart_of_template(path, sources) if "{{" in text and ("include" in text or "toYaml" in text) else None
    if folder is None:
        folder = chart_of_values(path, sources)
        return folder is not None and any(_mentions(template, sources) for template in templates(folder, sources))
    others = (
        str(folder / "values.yaml"),
        *(path for one in related(folder, sources) for path in helpers(one, sources)),
    )
    return any(_mentions(other, sources) for other in others)


def _mentions(path: str, sources: Sources) -> bool:
    return may_hold_launch(sources.text(path) or "")


def templates(folder: PurePath, sources: Sources) -> Iterator[str]:
    """The paths of a chart's own templates and of its subcharts', in order."""
    yield from own_templates(folder, sources)
    for inner in subcharts(folder, sources):
        yield from templates(inner, sources)


def own_templates(folder: PurePath, sources: Sources) -> list[str]:
    """The paths of a chart's templates without its subcharts'."""
    return [path for path in _files(folder / "templates", sources) if path.endswith((".yaml", ".yml"))]


def helpers(folder: PurePath, sources: Sources) -> list[str]:
    """The files of a chart that hold named templates only."""
    inside = folder / "templates"
    listed = [path for path in _files(inside, sources) if path.endswith(".tpl") or PurePath(path).name.startswith("_")]
    return listed or [str(inside / name) for name in HELPERS]


def _files(folder: PurePath, sources: Sources, depth: int = 0) -> Iterator[str]:
    for name in sources.names(str(folder))[:_MOST_TEMPLATES]:
        if "." in name:
            yield str(folder / name)
        elif depth < _DEEPEST:
            yield from _files(folder / name, sources, depth + 1)


def subcharts(folder: PurePath, sources: Sources) -> list[PurePath]:
    """The charts in a chart's ``charts`` folder."""
    inside = folder / "charts"
    if len([part for part in folder.parts if part == "charts"]) > _DEEPEST:
        return []
    return [inside / name for name in sources.names(str(inside)) if _is_chart(inside / name, sources)]


def chart_around(folder: PurePath, sources: Sources) -> PurePath | None:
    """The chart of which the one in ``folder`` is a subchart."""
    outer = folder.parent.parent
    return outer if folder.parent.name == "charts" and _is_chart(outer, sources) else None


def names_in(outer: PurePath, folder: PurePath, sources: Sources) -> tuple[str, ...]:
    """The keys under which a chart gives values to its subchart: its name, or the aliases that it is used by."""
    about = _scope(sources, folder / "Chart.yaml")
    name = (about.text("name") if about is not None else None) or folder.name
    around = _scope(sources, outer / "Chart.yaml")
    listed = [one for one in around.items("dependencies") if one.text("name") == name] if around is not None else []
    return tuple(dict.fromkeys(one.text("alias") or name for one in listed)) or (name,)


def values_files(folder: PurePath, sources: Sources) -> list[str]:
    """The chart's own ``values.yaml``, then the files beside it that may override it."""
    own = str(folder / "values.yaml")
    places = (folder, *(folder / name for name in sources.names(str(folder)) if name in _VALUES_FOLDERS))
    listed = [str(place / name) for place in places for name in sources.names(str(place))]
    others = [path for path in listed if path.endswith((".yaml", ".yml")) and path != own]
    return [own, *(path for path in others if chart_of_values(path, sources) == folder)]


def load(folder: PurePath, sources: Sources, over: str | None = None) -> tuple[Chart, ...]:
    """The chart in ``folder`` with its named templates, as often as the chart around it uses it.

    ``over`` is a values file that overrides the chart's own.
    """
    named: dict[str, tuple[Template, Sequence[helm_syntax.Node]]] = {}
    for one in related(folder, sources):
        for path in helpers(one, sources):
            text = sources.text(path)
            nodes = _parsed(text) if text is not None and "define" in text else None
            if text is not None and nodes is not None:
                helper = Template(path, text, nodes)
                named.update({name: (helper, body) for name, body in helm_syntax.defined(nodes).items()})
    about = _yaml(sources, folder / "Chart.yaml", ".Chart")

    def file(name: str) -> tuple[str, str] | None:
        path = normpath(str(folder / name))
        text = sources.text(path) if folder in PurePath(path).parents else None
        return None if text is None else (text, path)

    return tuple(Chart(values, about, dict(named), file) for values in _values(folder, sources, over))


@lru_cache(maxsize=128)
def _parsed(text: str) -> Sequence[helm_syntax.Node] | None:
    """A file of named templates; None when it does not parse, which Helm says better."""
    try:
        return helm_syntax.parse(text)
    except TemplateError:
        return None


def related(folder: PurePath, sources: Sources) -> list[PurePath]:
    """The charts whose named templates a chart sees, those that win last: all around it and in it."""
    top = folder
    while (outer := chart_around(top, sources)) is not None:
        top = outer
    found = [top]
    for chart in found:
        found += [*subcharts(chart, sources), *_libraries(chart, sources)]
        if len(found) > _MOST_TEMPLATES:
            break
    return list(dict.fromkeys(reversed(found)))


def _libraries(folder: PurePath, sources: Sources) -> Iterator[PurePath]:
    """Charts of the same repository that a chart depends on."""
    about = _scope(sources, folder / "Chart.yaml")
    for one in about.items("dependencies") if about is not None else ():
        place = one.text("repository") or ""
        if place.startswith("file://"):
            path = PurePath(normpath(str(folder / place.removeprefix("file://"))))
            if path not in folder.parents and path != folder and _is_chart(path, sources):
                yield path


def _values(folder: PurePath, sources: Sources, over: str | None) -> list[Node | None]:
    """The values of each use of the chart."""
    own = _whole_values(folder, sources)
    if over is not None and PurePath(over) != folder / "values.yaml" and chart_of_values(over, sources) == folder:
        own = layered(_yaml(sources, PurePath(over), ".Values"), own)
    outer = chart_around(folder, sources)
    if outer is None:
        return [own]
    found: list[Node | None] = []
    for around in _values(outer, sources, over):
        shared = _map_at(around, "global")
        for name in names_in(outer, folder, sources):
            given = _map_at(around, name)
            values = layered(replace(given, name=".Values") if given is not None else None, own)
            found.append(_with_child(values, "global", shared))
    return found


def _whole_values(folder: PurePath, sources: Sources, depth: int = 0) -> Node | None:
    """A chart's own values with those of its subcharts under their names."""
    own = _yaml(sources, folder / "values.yaml", ".Values")
    for inner in subcharts(folder, sources) if depth < _DEEPEST else ():
        values = _whole_values(inner, sources, depth + 1)
        for name in names_in(folder, inner, sources):
            own = _with_child(own, name, values)
    return own


def _with_child(values: Node | None, key: str, below: Node | None) -> Node | None:
    """A map in which ``below`` is what the map under ``key`` overrides."""
    if values is None or below is None:
        return values
    before = next((one for one in children(values) if one.key == key), None)
    if before is not None and before.node.item.kind != "mapping":
        return values
    place = before.place if before is not None else Place(below.tree.span(below.item.node), below.path)
    name = f"{values.name}.{key}"
    node = layered(before.node if before is not None else None, replace(below, name=name))
    assert node is not None
    return replace(values, given=(*values.given, Child(key, place, node)))


def _map_at(values: Node | None, key: str) -> Node | None:
    found = child(values, key) if values is not None else None
    return found if found is not None and found.item.kind == "mapping" else None


def _scope(sources: Sources, path: PurePath) -> Scope | None:
    found = _yaml(sources, path, "")
    return Scope(found.tree, found.item) if found is not None else None


def _yaml(sources: Sources, path: PurePath, name: str) -> Node | None:
    text = sources.text(str(path))
    if text is None:
        return None
    tree = first_map(text, str(path))
    return None if tree is None else Node(tree, tree.top, str(path), name)
