"""Templates of a Helm chart: rendered with the chart's own values, then read like any manifest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from ..launch.model import Launch, NotLaunch, Problem, Reading
from ..records import replace
from ..text import Document, Sources, Span
from . import helm_syntax, yaml_documents
from .directives import read_directives
from .expansion import script
from .gate import may_hold_launch
from .helm_places import Rendered, in_files
from .helm_render import Chart, Renderer, Template, TooMuch
from .helm_syntax import TemplateError
from .helm_values import Node
from .yaml_reader import AliasBomb, DocumentReader, Notation
from .yaml_tree import Item, Tree

HELPERS = ("_helpers.tpl",)
"""Files with named templates that are looked for when nobody can list the folder."""


def chart_of(document: Document, sources: Sources) -> PurePath | None:
    """The folder of the chart whose template ``document`` is."""
    path = PurePath(document.path)
    for folder in path.parents:
        if folder.name == "templates":
            return folder.parent if sources.text(str(folder.parent / "Chart.yaml")) is not None else None
    return None


def read(document: Document, sources: Sources, folder: PurePath) -> Reading:
    """The launches of a template of the chart in ``folder``."""
    try:
        template = Template(document.path, document.text, helm_syntax.parse(document.text))
        fragments = Renderer(_chart(template, sources, folder)).render(template)
    except TemplateError as error:
        message = f"This template does not parse: {error}. Launches in it are not checked."
        return _only(document, "helm-syntax", message, error.at)
    except TooMuch:
        return _only(document, "too-large", "This template renders to more than SGLint reads.", 0)
    return _read_rendered(document, Rendered.of(document.path, fragments))


def without_printed(reading: Reading, sources: Sources) -> Reading:
    """A values file's reading without the launches that the chart's templates start: those are theirs."""
    document = reading.document
    folder = PurePath(document.path).parent
    if not reading.launches or sources.text(str(folder / "Chart.yaml")) is None:
        return reading
    printed = set(_printed_words(document, sources, folder))
    kept = tuple(launch for launch in reading.launches if not any(word.span in printed for word in launch.words))
    return replace(reading, launches=kept)


def _printed_words(document: Document, sources: Sources, folder: PurePath) -> Iterator[Span]:
    """Places in the values file whose words a template prints."""
    templates = folder / "templates"
    for name in sources.names(str(templates)):
        path = str(templates / name)
        text = sources.text(path) if name.endswith((".yaml", ".yml")) else None
        if text is None or "{{" not in text:
            continue
        for launch in read(Document(path, text, "yaml"), sources, folder).launches:
            yield from (word.span for word in launch.words if word.path == document.path)


def _chart(template: Template, sources: Sources, folder: PurePath) -> Chart:
    chart = Chart(_yaml(sources, folder / "values.yaml", ".Values"), _yaml(sources, folder / "Chart.yaml", ".Chart"))
    for path in _helper_paths(sources, folder):
        text = template.text if path == template.path else sources.text(path)
        if text is None:
            continue
        try:
            helper = Template(path, text, helm_syntax.parse(text))
        except TemplateError:
            continue
        for name, nodes in helm_syntax.defined(helper.nodes).items():
            chart.named[name] = (helper, nodes)
    for name, nodes in helm_syntax.defined(template.nodes).items():
        chart.named[name] = (template, nodes)
    return chart


def _helper_paths(sources: Sources, folder: PurePath) -> list[str]:
    templates = folder / "templates"
    listed = [name for name in sources.names(str(templates)) if name.endswith(".tpl")]
    return [str(templates / name) for name in (listed or HELPERS)]


def _yaml(sources: Sources, path: PurePath, name: str) -> Node | None:
    text = sources.text(str(path))
    if text is None:
        return None
    composed = yaml_documents.compose(text)
    if composed.root is None or composed.root.id != "mapping":
        return None
    tree = Tree(text, 0, composed.root, path=str(path))
    return Node(tree, Item(composed.root), str(path), name)


def _read_rendered(document: Document, rendered: Rendered) -> Reading:
    text = Document(document.path, rendered.text, "yaml")
    directives = read_directives(text)
    launches: list[Launch] = []
    others: list[NotLaunch] = []
    problems: list[Problem] = [replace(one, span=rendered.place(one.span).span) for one in directives.problems]
    for chunk in yaml_documents.chunks(rendered.text):
        if not may_hold_launch(chunk.text):
            continue
        composed = yaml_documents.compose(chunk.text)
        if composed.error is not None:
            at = min(chunk.base + composed.at, max(0, len(rendered.text) - 1))
            problems.append(_unread(composed.error, rendered.place(Span(at, at + 1)).span))
            continue
        reader = DocumentReader(text, directives, Notation("helm-template", text=lambda env: script(env)))
        tree = Tree(chunk.text, chunk.base, composed.root)
        try:
            if composed.root is not None:
                reader.walk(tree, tree.top)
        except AliasBomb:
            problems.append(_unread("its aliases multiply beyond reason", Span(0, 0)))
        launches += [in_files(launch, rendered) for launch in reader.found.launches]
        others += [_other(one, rendered) for one in reader.found.others]
    ignores = tuple(replace(one, place=rendered.place(one.place.span)) for one in directives.ignores)
    return Reading(document, tuple(launches), tuple(others), tuple(problems), ignores)


def _other(other: NotLaunch, rendered: Rendered) -> NotLaunch:
    return replace(other, span=rendered.place(other.span).span)


def _unread(reason: str, span: Span) -> Problem:
    message = f"What this template renders to with the chart's own values does not parse: {reason}."
    return Problem("SGL001", "yaml-syntax", "info", message, span)


def _only(document: Document, name: str, message: str, at: int) -> Reading:
    problem = Problem("SGL001", name, "warning", message, Span(at, min(at + 2, len(document.text))))
    return Reading(document, problems=(problem,))
