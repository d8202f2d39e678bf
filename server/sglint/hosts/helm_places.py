"""From the text a chart's template renders to back to the files it was written in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Literal

from ..launch.model import (
    Change,
    Definition,
    Directives,
    Editor,
    EnvVar,
    Evidence,
    Image,
    Launch,
    Place,
    Word,
)
from ..records import dataclass, replace
from ..text import Edit, Mapped, Run, Span
from . import helm_values
from .helm_values import Doubts, Fragment, Rich
from .origins import HOLE, UNKNOWN


@dataclass(frozen=True)
class Rendered:
    """A rendered template. ``starts`` are the offsets of ``fragments`` in ``text``.

    ``template`` is its own path, ``path`` that of the file from which it is seen.
    """

    path: str
    template: str
    fragments: tuple[Fragment, ...]
    starts: tuple[int, ...]
    text: str

    @staticmethod
    def of(path: str, template: str, fragments: Iterable[Fragment]) -> Rendered:
        kept = tuple(fragment for fragment in fragments if fragment.text)
        starts, at = [], 0
        for fragment in kept:
            starts.append(at)
            at += len(fragment.text)
        return Rendered(path, template, kept, tuple(starts), "".join(fragment.text for fragment in kept))

    def pieces(self, start: int, end: int) -> list[Fragment]:
        """The fragments of ``[start, end)``, cut to it; for an empty stretch the one that stands there."""
        if start >= end:
            return self.pieces(start, start + 1)[:1] if start < len(self.text) else list(self.fragments[-1:])
        found: list[Fragment] = []
        index = max(0, bisect_right(self.starts, start) - 1)
        while index < len(self.fragments) and self.starts[index] < end:
            fragment, at = self.fragments[index], self.starts[index]
            found.append(fragment.cut(max(0, start - at), min(len(fragment.text), end - at)))
            index += 1
        return found

    def has_whole_actions(self, start: int, end: int) -> bool:
        """Whether no action's text goes beyond ``[start, end)``."""
        index = max(0, bisect_right(self.starts, start) - 1)
        while index < len(self.fragments) and self.starts[index] < end:
            fragment, at = self.fragments[index], self.starts[index]
            is_action = not all(run.exact for run in fragment.mapped.runs)
            if is_action and (at < start or at + len(fragment.text) > end):
                return False
            index += 1
        return start < end

    def is_all_of_action(self, start: int, end: int) -> bool:
        """Whether ``[start, end)`` is what one action prints, but for quotes that it puts around."""
        index = max(0, bisect_right(self.starts, start) - 1)
        fragment, at = self.fragments[index], self.starts[index]
        before, after = fragment.text[: start - at], fragment.text[end - at :]
        return start < end <= at + len(fragment.text) and before == after and before in ("", '"', "'")

    def place(self, span: Span) -> Place:
        """Where a stretch was written."""
        path, mapped = self._joined(self.pieces(*span))
        return self.at(mapped.span() if span.start < span.end else Span(mapped.anchor, mapped.anchor), path)

    def here(self, span: Span) -> Span:
        """Where a stretch stands in the file at hand; for one that another file has, where that is used here."""
        place = self.place(span)
        if place.path is None:
            return place.span
        used = (piece.used for piece in self.pieces(*span) if piece.used is not None)
        return next((one.span for one in used if one.path == self.path), Span(0, 0))

    def defined_place(self, span: Span) -> Place:
        """As :meth:`place`, but where variables were defined: what an edit would have to change."""
        pieces = [origin for piece in self.pieces(*span) for origin in (origins(piece) if piece.origin else (piece,))]
        path, mapped = self._joined(pieces)
        return self.at(mapped.span(), path)

    def word(self, word: Word) -> Word:
        """A word of the rendered text with its places in the files."""
        mapped = word.mapped if word.mapped is not None else Mapped.whole(word.text or HOLE, word.span)
        parts: list[Fragment] = []
        for run in mapped.runs:
            inside = self.pieces(run.start, run.stop) if run.stop > run.start else []
            text = mapped.text[run.at : run.at + run.length]
            if "".join(piece.text for piece in inside) == text:
                parts += inside
            elif inside:
                path, whole = self._joined(inside)
                parts.append(replace(inside[0], mapped=Mapped.whole(text, whole.span()), path=path))
        if not parts:
            place = self.place(word.span)
            return replace(word, span=place.span, path=place.path)
        path, own = self._joined(parts)
        # Marks in the rendered text are texts that nobody here knows.
        unknown = tuple((at, at + 1) for at, char in enumerate(own.text) if char in (UNKNOWN, HOLE)) or word.unknown
        used = next((piece.used for piece in parts if piece.used is not None), None)
        slot = next((piece.slot for piece in parts if piece.slot is not None), None)
        many = word.many or own.text.strip(HOLE) == ""
        return replace(
            word,
            text=None if unknown or many else word.text,
            span=own.span(),
            mapped=own if own.text and not many else None,
            unknown=() if many else unknown,
            many=many,
            defined_at=self._definitions(word, parts),
            used_at=self._used(word, used),
            path=None if path == self.path else path,
            handle=slot or word.handle,
            stated=word.stated or (_stated(parts) if own.text.startswith("--") else None),
        )

    def _definitions(self, word: Word, parts: Sequence[Fragment]) -> tuple[Definition, ...]:
        own = [
            replace(one, place=self.place(one.place.span)) if one.place.path is None else self._definition(one)
            for one in word.defined_at
        ]
        written = [self._definition(one) for piece in parts for one in piece.definitions]
        return tuple(dict.fromkeys((*own, *written)))

    def _definition(self, definition: Definition) -> Definition:
        place = definition.place
        return replace(definition, place=self.at(place.span, place.path or self.path))

    def _used(self, word: Word, used: Place | None) -> Place | None:
        if used is not None:
            return self.at(used.span, used.path or self.path)
        return self.place(word.used_at.span) if word.used_at is not None and word.used_at.path is None else word.used_at

    def doubts(self, span: Span) -> Doubts:
        """The conditions around a stretch; those of the part with the most of them."""
        return max((piece.doubts for piece in self.pieces(*span)), key=len, default=())

    def at(self, span: Span, path: str) -> Place:
        """A place in a file as seen from the one at hand."""
        return Place(span, None if path == self.path else path)

    def _joined(self, parts: Sequence[Fragment]) -> tuple[str, Mapped]:
        """The parts as one text of one file: that of a part with a place of its own, else the first part's.

        What comes from another file takes no room there.
        """
        if not parts:
            return self.path, Mapped("", ())
        path = next((part.path for part in parts if part.own and part.slot is not None), None)
        path = path or next((part.path for part in parts if part.own and part.path != self.template), parts[0].path)
        runs: list[Run] = []
        at = 0
        anchor = next(part.mapped.span().start for part in parts if part.path == path)
        for part in parts:
            if part.path == path:
                runs += [run._replace(at=run.at + at) for run in part.mapped.runs]
                anchor = part.mapped.span().end
            elif part.text:
                runs.append(Run(at, len(part.text), anchor, anchor, False))
            at += len(part.text)
        text = "".join(part.text for part in parts)
        return path, Mapped.join([Mapped(text, tuple(runs), anchor)], anchor=anchor)


def _stated(parts: Sequence[Fragment]) -> Span | None:
    """Where the ``true`` of a map's key stands that gives a whole flag."""
    return parts[-1].stated if parts[-1].text and "=" not in parts[-1].text else None


def origins(piece: Fragment) -> Sequence[Fragment]:
    """The pieces a text (or the stretch of it at hand) was made of, as they were defined."""
    whole = "".join(part.text for part in piece.origin)
    start = whole.rfind(piece.text)
    if start < 0:
        return (piece,)
    parts = helm_values.part(Rich(piece.origin), start, start + len(piece.text)).fragments
    return [one for part in parts for one in (origins(part) if part.origin else (part,))]


@dataclass(frozen=True)
class _FileEditor:
    """Edits of a launch in a rendered template; what brings them to the files is loaded when it is asked."""

    inner: Editor
    rendered: Rendered

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        from . import helm_edits

        return helm_edits.edits(self.inner, self.rendered, launch, changes)


def in_files(launch: Launch, rendered: Rendered) -> Launch:
    """A launch of the rendered text with all its places in the chart's files."""
    around = rendered.doubts(launch.launcher_span) if launch.launcher_span is not None else ()
    words = []
    for word in launch.words:
        found = rendered.word(word)
        doubts = tuple(doubt for doubt in rendered.doubts(word.span) if doubt not in around)
        words.append(replace(found, presence="maybe", with_defaults=_with_defaults(doubts)) if doubts else found)
    launcher = rendered.place(launch.launcher_span) if launch.launcher_span is not None else None
    return replace(
        launch,
        span=_span_here(rendered, launch.span),
        launcher_span=launcher.span if launcher is not None and launcher.path is None else None,
        launcher_there=launcher if launcher is not None and launcher.path is not None else None,
        words=tuple(words),
        merging=None,
        editor=_FileEditor(launch.editor, rendered),
        env=tuple(_env(variable, rendered) for variable in launch.env),
        image=_image(launch.image, rendered),
        directives=_directives(launch.directives, rendered),
        release=_evidence(launch.release, rendered),
        gpu=_evidence(launch.gpu, rendered),
        gpu_count=_evidence(launch.gpu_count, rendered),
        dropped=tuple(replace(one, place=rendered.place(one.place.span)) for one in launch.dropped),
        structure=launch.structure.replace(UNKNOWN, "*").replace(HOLE, "*") if launch.structure else None,
    )


def _with_defaults(doubts: Doubts) -> Literal["yes", "no"] | None:
    """Whether the chart's own values let a word through these conditions."""
    answers = {doubt.truth for doubt in doubts}
    if False in answers:
        return "no"
    return None if None in answers else "yes"


def _span_here(rendered: Rendered, span: Span) -> Span:
    """The part of a launch that the template itself has, else the action that prints it."""
    pieces = rendered.pieces(*span)
    spans = [piece.mapped.span() for piece in pieces if piece.path == rendered.path and piece.text.strip()]
    spans += [piece.used.span for piece in pieces if piece.used is not None and piece.used.path == rendered.path]
    if not spans:
        return Span(0, 0)
    return Span(min(one.start for one in spans), max(one.end for one in spans))


def _env(variable: EnvVar, rendered: Rendered) -> EnvVar:
    if variable.value is not None and (UNKNOWN in variable.value or HOLE in variable.value):
        variable = replace(variable, value=None)
    if variable.place is None:
        return variable
    place = variable.place
    here = rendered.place(place.span) if place.path is None else rendered.at(place.span, place.path)
    return replace(variable, place=here)


def _image(image: Image | None, rendered: Rendered) -> Image | None:
    if image is None or image.place.path is not None or UNKNOWN in image.text:
        return None
    tag = rendered.defined_place(image.tag_place.span) if image.tag_place is not None else None
    return replace(image, place=rendered.place(image.place.span), tag_place=tag)


def _evidence(evidence: Evidence | None, rendered: Rendered) -> Evidence | None:
    if evidence is None or evidence.place is None or evidence.place.path is not None:
        return evidence
    return replace(evidence, place=rendered.defined_place(evidence.place.span))


def _directives(directives: Directives, rendered: Rendered) -> Directives:
    return replace(
        directives,
        release=_evidence(directives.release, rendered),
        gpu=_evidence(directives.gpu, rendered),
        model=_evidence(directives.model, rendered),
        draft=_evidence(directives.draft, rendered),
        gpu_count=_evidence(directives.gpu_count, rendered),
        ignores=tuple(replace(one, place=rendered.place(one.place.span)) for one in directives.ignores),
    )
