"""From the text a chart's template renders to back to the files it was written in."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Literal

from ..launch.model import (
    CannotEdit,
    Change,
    Definition,
    Directives,
    Editor,
    EnvVar,
    Evidence,
    Image,
    Launch,
    Place,
    SetImageTag,
    Word,
)
from ..records import dataclass, replace
from ..text import Edit, Mapped, Run, Span
from . import helm_values
from .edit_words import changed_words
from .edit_yaml import image_tag_edit
from .helm_values import Doubts, Fragment, Rich
from .origins import HOLE, UNKNOWN

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ITEMS = re.compile(r"(?:[ \t]*- [^\n]*\n)+")
"""Whole lines that add items to a list."""

_PLAIN = re.compile(r"[A-Za-z0-9_./@=][A-Za-z0-9_./@=-]*")
"""Texts that YAML takes for what they are with and without quotes."""


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
        pieces = [origin for piece in self.pieces(*span) for origin in (_origins(piece) if piece.origin else (piece,))]
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


def _origins(piece: Fragment) -> Sequence[Fragment]:
    """The pieces a text (or the stretch of it at hand) was made of, as they were defined."""
    whole = "".join(part.text for part in piece.origin)
    start = whole.rfind(piece.text)
    return helm_values.part(Rich(piece.origin), start, start + len(piece.text)).fragments if start >= 0 else (piece,)


def written_edit(rendered: Rendered, start: int, end: int, text: str) -> Edit:
    """An edit of the rendered text as one of the file it was written in; of a value, where the values file has it.

    An action goes only as a whole. Raises CannotEdit where a template puts the text together otherwise.
    """
    pieces = rendered.pieces(max(0, start - (start == end)), end)
    _refuse_literals(pieces, text)
    value = _value_edit(rendered, pieces, start, end, text)
    if value is not None:
        return value
    runs = [run for piece in pieces for run in piece.mapped.runs]
    paths = {piece.path for piece in pieces}
    whole = all(run.exact for run in runs) or (not text and rendered.has_whole_actions(start, end))
    joined = whole and all(before.stop == after.start for before, after in itertools.pairwise(runs))
    if len(paths) != 1 or not joined or not runs:
        raise CannotEdit("the template puts this text together")
    path = paths.pop()
    at = runs[-1].stop if start == end else runs[0].start
    return Edit(Span(at, runs[-1].stop), text, None if path == rendered.path else path)


def _refuse_literals(pieces: Sequence[Fragment], text: str) -> None:
    """A constant of an action cannot go, and keeps its kind and its quotes. Raises CannotEdit."""
    written = [origin for piece in pieces for origin in (_origins(piece) if piece.origin else (piece,))]
    kinds = {piece.literal for piece in written if piece.literal is not None}
    is_wrong = not text or re.search(r'["\\`\n]', text) or ("number" in kinds and not _NUMBER.fullmatch(text))
    if kinds and is_wrong:
        raise CannotEdit("an action of the template writes this text")


def _value_edit(rendered: Rendered, pieces: Sequence[Fragment], start: int, end: int, text: str) -> Edit | None:
    """An edit of what one action prints, where that is a text of a values file and the new one needs no quotes."""
    if len(pieces) != 1 or not pieces[0].origin or not rendered.has_whole_actions(start, end):
        return None
    origins = _origins(pieces[0])
    runs = origins[0].mapped.runs if len(origins) == 1 else ()
    if len(runs) != 1 or not runs[0].exact or origins[0].text != pieces[0].text or not _PLAIN.fullmatch(text):
        return None
    path = origins[0].path
    return Edit(Span(runs[0].start, runs[0].stop), text, None if path == rendered.path else path)


def _line_edit(rendered: Rendered, edit: Edit) -> Edit:
    """As :func:`written_edit`; whole lines may go with the line end before them when that is where they stand."""
    start, end = edit.span
    if start == end and _ITEMS.fullmatch(edit.text):
        return _items_edit(rendered, start, edit.text)
    try:
        return written_edit(rendered, start, end, edit.text)
    except CannotEdit:
        if edit.text or start == 0 or rendered.text[start - 1] != "\n" or rendered.text[end - 1] != "\n":
            raise
        return written_edit(rendered, start - 1, end - 1, "")


def _items_edit(rendered: Rendered, at: int, text: str) -> Edit:
    """New items of a list, behind the one that stands before them, as far to the right as that is in its file."""
    end = len(rendered.text[:at].rstrip())
    begin = rendered.text.rfind("\n", 0, end) + 1
    line = rendered.text[begin:end]
    if not line.lstrip().startswith("- "):
        return written_edit(rendered, at, at, text)
    lead = rendered.pieces(begin, begin + len(line) - len(line.lstrip())) if line[:1] == " " else []
    indent = "".join(piece.text for piece in lead if all(run.exact for run in piece.mapped.runs))
    items = "".join(f"\n{indent}{item.strip()}" for item in text.strip().split("\n"))
    dash = begin + len(line) - len(line.lstrip())
    if rendered.pieces(dash, dash + 1)[0].path != rendered.pieces(end - 1, end)[0].path:
        raise CannotEdit("the template makes these words of a map or a list")
    _refuse_literals(rendered.pieces(end - 1, end), "")
    return written_edit(rendered, end, end, items)


@dataclass(frozen=True)
class _FileEditor:
    """Edits of a launch in a rendered template, brought to the files it was written in."""

    inner: Editor
    rendered: Rendered

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        rest = [change for change in changes if not isinstance(change, SetImageTag)]
        found = [image_tag_edit(launch, change.tag) for change in changes if isinstance(change, SetImageTag)]
        for edit in self.inner.edits(launch, rest) if rest else ():
            # An edit with a path is one of a values file, whose lists keep their own editing keys.
            found.append(edit if edit.path is not None else _line_edit(self.rendered, edit))
        self._refuse_shared(launch, rest, found)
        return tuple(found)

    def _refuse_shared(self, launch: Launch, changes: Sequence[Change], edits: Sequence[Edit]) -> None:
        """A value that other words have too cannot be set for one of them. Raises CannotEdit."""
        about = {(word.path, word.span) for change in changes for word in changed_words(change)}
        for word in launch.words if about else ():
            for one in word.defined_at if (word.path, word.span) not in about else ():
                if any((edit.path, edit.span.touches(one.place.span)) == (one.place.path, True) for edit in edits):
                    raise CannotEdit("the value is used for other words too")


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
