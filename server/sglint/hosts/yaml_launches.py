"""Launches found in YAML, with the evidence that stands around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..launch.model import (
    CannotEdit,
    Change,
    Definition,
    Directives,
    Dropped,
    Editor,
    EnvVar,
    Launch,
    NotLaunch,
    Place,
    SetImageTag,
    SetValue,
    Word,
)
from ..records import dataclass, replace
from ..text import Document, Edit, Span
from .directives import DirectiveSet
from .edit_words import FILLED, changed_words, filled_in
from .embedding import Embedding, Encode
from .evidence import VISIBLE
from .expansion import Expand, Expanded, as_written
from .origins import Origin
from .scopes import Scope
from .surroundings import Surroundings, surroundings


@dataclass(frozen=True)
class Around:
    """Where a launch stands. ``first`` is the node with which it begins (its container, its list's key)."""

    document: Document
    directives: DirectiveSet
    scope: Scope
    host: str
    first: Any
    environment: Mapping[str, EnvVar] | None = None
    image: Expand = as_written

    def line(self, offset: int) -> int:
        return self.document.lines.line_of(offset)

    @property
    def first_line(self) -> int:
        start = self.first.start_mark.index
        return self.line(self.scope.tree.place(start, start).start)

    def evidence(self) -> Surroundings:
        return surroundings(self.scope, self.environment, self.image)


class YamlEditor:
    """Edits of a launch whose words are written as YAML; what does them is loaded when it is asked."""

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        from . import edit_yaml

        return edit_yaml.edits(launch, changes)


def launch_of_words(
    around: Around,
    launcher: str,
    launcher_span: Span | None,
    words: Sequence[Word],
    env: Sequence[EnvVar] = (),
    dropped: Sequence[Dropped] = (),
) -> Launch:
    """A launch whose words are written as YAML."""
    spans = [word.span for word in words if word.path is None]
    if launcher_span is not None:
        spans.append(launcher_span)
    start = min(span.start for span in spans)
    span = Span(start, max(span.end for span in spans))
    directives = around.directives.at(around.first_line, max(around.first_line, around.line(span.end)))
    found = around.evidence()
    variables = {**found.environment, **{variable.name: variable for variable in env}}
    return Launch(
        around.host,
        launcher,
        span,
        launcher_span,
        tuple(words),
        YamlEditor(),
        tuple(variables.values()),
        found.image,
        directives,
        directives.release or found.release,
        directives.gpu or found.gpu,
        directives.gpu_count or found.gpu_count,
        found.role,
        found.container,
        structure=found.path,
        dropped=tuple(dropped),
        memory_limit=found.memory_limit,
        unexpanded=_unexpanded(found) if around.host in ("kubernetes", "compose") else (),
    )


def _unexpanded(found: Surroundings) -> tuple[EnvVar, ...]:
    """Variables that no tool fills in before the manifest is applied: the container itself gives them values."""
    return tuple(
        variable
        for variable in found.environment.values()
        if variable.value is not None and "$" not in variable.value and variable.place is not None
    )


def launches_of_script(
    around: Around, embedding: Embedding, expand: Expand, parameters: Sequence[Word] = (), *, mounted: bool = False
) -> tuple[tuple[Launch, ...], tuple[NotLaunch, ...]]:
    """The launches of a shell script inside YAML, with the evidence around it.

    ``mounted``: the script stands in another object than the container ``around``.
    """
    from . import shell

    found = around.evidence()
    expanded = expand(embedding.mapped)
    origins = tuple(
        Origin(piece.start, piece.end, (piece.definition,)) for piece in expanded.pieces if piece.definition
    )
    inner = embedding
    if expanded.pieces:
        inner = replace(embedding, mapped=expanded.mapped, encode=_written_through(embedding, expanded))
    reading = shell.read_script(inner, host=around.host, env=found.environment, origins=origins, parameters=parameters)
    last = around.first_line if mounted else around.line(embedding.mapped.span().start)
    header = around.directives.at(around.first_line, last)
    items = {word.span: word for word in parameters}
    launches = (_with_items(launch, items) for launch in reading.launches)
    filled = _filled(around, embedding, expanded)
    inside = (_inside(around, launch, found, header, filled) for launch in launches)
    return tuple(replace(launch, mounted=mounted) for launch in inside), reading.not_launches


def _filled(around: Around, embedding: Embedding, expanded: Expanded) -> tuple[tuple[Span, str], ...]:
    """Where a workflow's tool fills values into a script, and what is written there."""
    if around.scope.tree.language is None:
        return ()
    places = [(piece.written_from, piece.written_to) for piece in expanded.pieces]
    written = ((embedding.mapped.span(*place), embedding.text[slice(*place)]) for place in places)
    return tuple((place, text) for place, text in written if FILLED.fullmatch(text))


def _with_items(launch: Launch, items: Mapping[Span, Word]) -> Launch:
    """A script's launch whose words may be items beside the script, which are edited as such."""
    if not any(word.span in items for word in launch.words):
        return launch
    words = (replace(word, handle=items[word.span].handle) if word.span in items else word for word in launch.words)
    return replace(launch, words=tuple(words))


@dataclass(frozen=True)
class _ScriptEditor:
    """Edits of a script's launch whose image is named by the YAML around the script.

    has_image
        whether the script names the image itself.
    filled
        where a tool fills values in, and the references to them.
    """

    script: Editor
    has_image: bool
    filled: tuple[tuple[Span, str], ...] = ()

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        from .edit_yaml import image_tag_edit

        tags = [] if self.has_image else [change for change in changes if isinstance(change, SetImageTag)]
        for change in changes:
            self._refuse_filled(change)
        items = [change for change in changes if _is_of_items(change)]
        rest = [change for change in changes if change not in items and change not in tags]
        edits = [image_tag_edit(launch, change.tag) for change in tags]
        edits += self.script.edits(launch, rest) if rest else ()
        return tuple(sorted((*edits, *(YamlEditor().edits(launch, items) if items else ()))))

    def _refuse_filled(self, change: Change) -> None:
        """Raises CannotEdit for a value that is set elsewhere for all that use it."""
        for place in _value_places(change):
            for filled, reference in self.filled:
                if place.start < filled.end and filled.start < place.end:
                    raise CannotEdit(filled_in(reference))


def _value_places(change: Change) -> list[Span]:
    """Where the value stands that a change sets."""
    if not isinstance(change, SetValue):
        return []
    flag, *values = change.words
    equals = (flag.text or flag.known_prefix).find("=")
    return [value.span for value in values] or ([flag.span_of(equals + 1)] if equals > 0 else [])


def _is_of_items(change: Change) -> bool:
    """Whether a change is one of words that stand as items beside the script. Raises CannotEdit for both at once."""
    from .yaml_words import ListSlot

    words = changed_words(change)
    of_items = [isinstance(word.handle, ListSlot) for word in words]
    if any(of_items) and not all(of_items):
        raise CannotEdit("the option stands partly in the script and partly beside it")
    return bool(words) and all(of_items)


def _written_through(embedding: Embedding, expanded: Expanded) -> Encode:
    return lambda text, offset: embedding.encode(text, expanded.before(offset))


def _inside(
    around: Around,
    launch: Launch,
    found: Surroundings,
    header: Directives,
    filled: tuple[tuple[Span, str], ...],
) -> Launch:
    """A launch of a script with what its container says; the nearest evidence wins."""
    first = around.line(launch.span.start)
    directives = _nearest(around.directives.at(first, around.line(launch.span.end)), header)
    variables = {**found.environment, **{variable.name: variable for variable in launch.env}}
    # Which GPUs the script leaves visible is not known, so neither is how many of the container's.
    is_narrowed = any(one.name in VISIBLE and one.value is None for one in launch.env)
    far = {name: place for name, one in found.environment.items() if (place := one.place) and place.path is not None}
    return replace(
        launch,
        words=tuple(_defined_there(word, far) for word in launch.words) if far else launch.words,
        editor=_ScriptEditor(launch.editor, launch.image is not None, filled),
        env=tuple(variables.values()),
        image=launch.image or found.image,
        directives=directives,
        release=directives.release or launch.release or found.release,
        gpu=directives.gpu or launch.gpu or found.gpu,
        gpu_count=directives.gpu_count or launch.gpu_count or (None if is_narrowed else found.gpu_count),
        memory_limit=found.memory_limit,
        role=launch.role or found.role,
        container=found.container,
        structure=found.path,
    )


def _defined_there(word: Word, far: Mapping[str, Place]) -> Word:
    """A word whose variables may be written in other files, whose paths the script does not know."""

    def there(one: Definition) -> Definition:
        place = far.get(one.name)
        return replace(one, place=place) if place is not None and place.span == one.place.span else one

    return replace(word, defined_at=tuple(map(there, word.defined_at))) if word.defined_at else word


def _nearest(near: Directives, far: Directives) -> Directives:
    return Directives(
        near.release or far.release,
        near.gpu or far.gpu,
        near.model or far.model,
        near.draft or far.draft,
        tuple(dict.fromkeys((*near.ignores, *far.ignores))),
        near.gpu_count or far.gpu_count,
    )
