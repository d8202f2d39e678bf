"""Templates of a Helm chart: rendered with the chart's own values, then read like any manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from types import MappingProxyType

from ..launch.model import EnvVar, Launch, NotLaunch, Place, Problem, Reading, Word
from ..records import replace
from ..text import Document, Sources, Span
from . import helm_chart, helm_syntax, yaml_documents
from .directives import read_directives
from .gate import may_hold_launch
from .helm_places import Rendered, in_files
from .helm_render import Chart, Renderer, Template, TooMuch
from .helm_syntax import TemplateError
from .references import language_of
from .yaml_reader import AliasBomb, DocumentReader, Notation
from .yaml_tree import Tree


def read(document: Document, sources: Sources, folder: PurePath) -> Reading:
    """The launches of a template of the chart in ``folder``."""
    try:
        rendered = [_rendered(document, chart, document.path) for chart in helm_chart.load(folder, sources)]
    except TemplateError as error:
        message = f"This template does not parse: {error}. Launches in it are not checked."
        return _only(document, "helm-syntax", message, error.at)
    except TooMuch:
        return _only(document, "too-large", "This template renders to more than SGLint reads.", 0)
    return _together([read_rendered(document, one) for one in rendered])


def _together(readings: Sequence[Reading]) -> Reading:
    """What a chart starts that the one around it uses several times; the same words are told once."""
    launches: list[Launch] = []
    for reading in readings:
        known = [_argv(launch) for launch in launches]
        launches += [launch for launch in reading.launches if _argv(launch) not in known]
    return replace(readings[0], launches=tuple(launches))


def _argv(launch: Launch) -> tuple[object, ...]:
    return launch.span, *((word.text, word.presence, word.span) for word in launch.words)


def with_printed(reading: Reading, sources: Sources, folder: PurePath) -> Reading:
    """A values file's reading with the launches that the chart's templates print with it.

    Words that a template prints start no server by themselves. A launch that the chart prints without overriding
    values is left to its template where that is read in its own right (``sources.linted``).
    """
    document = reading.document
    own = PurePath(document.path) == folder / "values.yaml"
    printed: list[Launch] = []
    places: list[Span] = []
    for path, chart in _printers(document.path, sources, folder):
        for launch in _printed(document, path, chart, sources):
            places += [place.span for place in _words_of(launch) if place.path is None]
            if not (own and path in sources.linted):
                printed.append(launch)
    kept = (launch for launch in reading.launches if not _is_among(launch, places))
    return replace(reading, launches=(*kept, *printed))


def _is_among(launch: Launch, places: Sequence[Span]) -> bool:
    return any(place.contains(word.span) for word in launch.words for place in places)


def _words_of(launch: Launch) -> Iterator[Place]:
    """Where the words of a launch stand and where their values are defined."""
    return (place for word in launch.words for place in (Place(word.span, word.path), *_defined(word)))


def _printers(values: str, sources: Sources, folder: PurePath) -> Iterator[tuple[str, Chart]]:
    """Templates that may start a server, with their charts; a chart is loaded once."""
    charts: dict[PurePath, tuple[Chart, ...]] = {}
    for path in helm_chart.templates(folder, sources):
        text = sources.text(path) or ""
        if "{{" not in text or not (may_hold_launch(text) or helm_chart.takes_part(Document(path, text, ""), sources)):
            continue
        of = helm_chart.chart_of_template(path, sources)
        if of is not None:
            if of not in charts:
                charts[of] = helm_chart.load(of, sources, values)
            yield from ((path, chart) for chart in charts[of])


def _printed(document: Document, path: str, chart: Chart, sources: Sources) -> Iterator[Launch]:
    """The launches of the template at ``path`` as seen from a values file, in which a part of them stands."""
    template = Document(path, sources.text(path) or "", "yaml")
    try:
        rendered = _rendered(template, chart, document.path)
    except (TemplateError, TooMuch):
        return
    for launch in read_rendered(document, rendered).launches:
        if _stands_in(launch):
            yield replace(launch, printed_by=path)


def _stands_in(launch: Launch) -> bool:
    """Whether the document read has a word of the launch, a value of one, or its release."""
    evidence = (launch.release, launch.gpu, launch.gpu_count)
    places = [one.place for one in evidence if one is not None and one.place is not None]
    return any(place.path is None for place in (*_words_of(launch), *places))


def _defined(word: Word) -> Iterator[Place]:
    return (definition.place for definition in word.defined_at)


def _rendered(document: Document, chart: Chart, home: str) -> Rendered:
    """A template printed with its chart's values, with places as seen from ``home``. Raises TemplateError, TooMuch."""
    template = Template(document.path, document.text, helm_syntax.parse(document.text))
    own = {name: (template, nodes) for name, nodes in helm_syntax.defined(template.nodes).items()}
    chart = replace(chart, named={**chart.named, **own})
    return Rendered.of(home, document.path, Renderer(chart).render(template))


HELM = Notation("helm-template")


def read_rendered(
    document: Document,
    rendered: Rendered,
    notation: Notation = HELM,
    config_maps: Mapping[str, Mapping[str, EnvVar]] = MappingProxyType({}),
) -> Reading:
    """The launches of a rendered text with their places in the files it was written in.

    ``config_maps``: those that are built beside it, with the paths of their files.
    """
    text = Document(document.path, rendered.text, "yaml")
    directives = read_directives(text)
    launches: list[Launch] = []
    others: list[NotLaunch] = []
    problems: list[Problem] = [replace(one, span=rendered.here(one.span)) for one in directives.problems]
    for chunk in yaml_documents.chunks(rendered.text):
        if not may_hold_launch(chunk.text):
            continue
        composed = yaml_documents.compose(chunk.text)
        if composed.error is not None:
            at = min(chunk.base + composed.at, max(0, len(rendered.text) - 1))
            problems.append(_unread(composed.error, rendered.here(Span(at, at + 1))))
            continue
        reader = DocumentReader(text, directives, notation)
        tree = Tree(chunk.text, chunk.base, composed.root, config_maps=config_maps)
        if composed.root is not None:
            tree.language = language_of(tree, document.path)
        try:
            if composed.root is not None:
                reader.walk(tree, tree.top)
        except AliasBomb:
            problems.append(_unread("its aliases multiply beyond reason", Span(0, 0)))
        launches += [in_files(launch, rendered) for launch in reader.found.told_once()]
        others += [_other(one, rendered) for one in reader.found.others]
    ignores = tuple(replace(one, place=rendered.place(one.place.span)) for one in directives.ignores)
    return Reading(document, tuple(launches), tuple(others), tuple(problems), ignores)


def _other(other: NotLaunch, rendered: Rendered) -> NotLaunch:
    return replace(other, span=rendered.here(other.span))


def _unread(reason: str, span: Span) -> Problem:
    message = f"What this template renders to with the chart's own values does not parse: {reason}."
    return Problem("SGL001", "yaml-syntax", "info", message, span)


def _only(document: Document, name: str, message: str, at: int) -> Reading:
    problem = Problem("SGL001", name, "warning", message, Span(at, min(at + 2, len(document.text))))
    return Reading(document, problems=(problem,))
