"""The files of a Helm chart: which chart a file belongs to, and its values in the order of precedence.

Source of the order: Helm's documentation of values files and of subcharts (the chart's own ``values.yaml``, then what
the chart around it says under the subchart's name, then a file given with ``-f``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from ..records import replace
from ..text import Document, Sources
from . import helm_syntax, yaml_documents
from .gate import may_hold_launch
from .helm_render import Chart, Template
from .helm_syntax import TemplateError
from .helm_values import Node, child
from .yaml_tree import Item, Tree

HELPERS = ("_helpers.tpl",)
"""Files with named templates that are looked for when nobody can list the folder."""

_VALUES_FOLDERS = frozenset(("values", "ci", "env", "envs", "environments"))
_MOST_FOLDERS_UP = 3


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
    return any(_mentions(other, sources) for other in (str(folder / "values.yaml"), *_helper_paths(sources, folder)))


def _mentions(path: str, sources: Sources) -> bool:
    return may_hold_launch(sources.text(path) or "")


def templates(folder: PurePath, sources: Sources) -> Iterator[str]:
    """The paths of a chart's own templates and of its subcharts', in order."""
    inside = folder / "templates"
    yield from (str(inside / name) for name in sources.names(str(inside)) if name.endswith((".yaml", ".yml")))
    for name in sources.names(str(folder / "charts")):
        if "." not in name:
            yield from templates(folder / "charts" / name, sources)


def load(folder: PurePath, sources: Sources, over: str | None = None) -> Chart:
    """The chart in ``folder`` with its named templates; ``over`` is a values file that overrides the chart's own."""
    chart = Chart(_values(folder, sources, over), _yaml(sources, folder / "Chart.yaml", ".Chart"))
    for path in _helper_paths(sources, folder):
        text = sources.text(path)
        if text is None:
            continue
        try:
            helper = Template(path, text, helm_syntax.parse(text))
        except TemplateError:
            continue
        for name, nodes in helm_syntax.defined(helper.nodes).items():
            chart.named[name] = (helper, nodes)
    return chart


def _helper_paths(sources: Sources, folder: PurePath) -> list[str]:
    inside = folder / "templates"
    listed = [name for name in sources.names(str(inside)) if name.endswith(".tpl")]
    return [str(inside / name) for name in (listed or HELPERS)]


def _values(folder: PurePath, sources: Sources, over: str | None) -> Node | None:
    found = _yaml(sources, folder / "values.yaml", ".Values")
    if over is not None and PurePath(over) != folder / "values.yaml" and chart_of_values(over, sources) == folder:
        found = _layered(_yaml(sources, PurePath(over), ".Values"), found)
    if folder.parent.name == "charts" and _is_chart(folder.parent.parent, sources):
        around = _values(folder.parent.parent, sources, over)
        own = child(around, folder.name) if around is not None else None
        if own is not None and own.item.kind == "mapping":
            found = _layered(replace(own, name=".Values"), found)
    return found


def _layered(over: Node | None, under: Node | None) -> Node | None:
    if over is None or under is None:
        return over or under
    return replace(over, under=(*over.under, under))


def _yaml(sources: Sources, path: PurePath, name: str) -> Node | None:
    text = sources.text(str(path))
    if text is None:
        return None
    composed = yaml_documents.compose(text)
    if composed.root is None or composed.root.id != "mapping":
        return None
    tree = Tree(text, 0, composed.root, path=str(path))
    return Node(tree, Item(composed.root), str(path), name)
