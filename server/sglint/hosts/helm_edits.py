"""Edits of a rendered template, brought to the files of the chart that have the text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import PurePath

from ..launch.model import CannotEdit, Change, Editor, Launch, SetImageTag, SetValue
from ..records import replace
from ..text import Edit, Mapped, Span
from .edit_words import changed_words
from .edit_yaml import extent_of, image_tag_edit, refuse_shared
from .helm_places import Rendered, origins
from .helm_values import Fragment
from .yaml_write import written_value

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ITEMS = re.compile(r"(?:[ \t]*- [^\n]*\n)+")
"""Whole lines that add items to a list."""

_NEEDS_QUOTES = re.compile(r"[\"'\\\n]")
_PLAIN = re.compile(r"[A-Za-z0-9_./@=][A-Za-z0-9_./@=-]*")
"""Texts that YAML takes for what they are with and without quotes."""


def edits(inner: Editor, rendered: Rendered, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
    """The edits of ``inner``, which are of the rendered text, as edits of the files. Raises CannotEdit."""
    rest = [change for change in changes if not isinstance(change, SetImageTag)]
    if any(isinstance(change, SetValue) and "\n" in change.value for change in rest):
        raise CannotEdit("a line break cannot be written into a template")
    found = [image_tag_edit(launch, change.tag) for change in changes if isinstance(change, SetImageTag)]
    for edit in inner.edits(launch, rest) if rest else ():
        # An edit with a path is one of a values file, whose lists keep their own editing keys.
        found.append(edit if edit.path is not None else _line_edit(rendered, edit))
    _refuse_shared(launch, rest, found)
    return tuple(found)


def _refuse_shared(launch: Launch, changes: Sequence[Change], edits: Sequence[Edit]) -> None:
    """A value that other words have too cannot be set for one of them. Raises CannotEdit."""
    about = {(word.path, word.span) for change in changes for word in changed_words(change)}
    for word in launch.words if about else ():
        for one in word.defined_at if (word.path, word.span) not in about else ():
            if any((edit.path, edit.span.touches(one.place.span)) == (one.place.path, True) for edit in edits):
                raise CannotEdit("the value is used for other words too")


def written_edit(rendered: Rendered, start: int, end: int, text: str, *, is_structure: bool = False) -> Edit:
    """An edit of the rendered text as one of the file it was written in; of a value, where the values file has it.

    An action goes only as a whole. ``is_structure``: ``text`` are lines of YAML, not the text of a value.
    Raises CannotEdit where a template puts the text together otherwise.
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
    is_one = pieces[-1].home is not None and all(piece.home == pieces[-1].home for piece in pieces)
    if not text and not is_one and any(_is_of_key(piece) for piece in pieces):
        raise CannotEdit("the word is the value of a key, which would be left without one")
    if is_one and not is_structure:
        return _into_scalar(rendered, pieces[-1], Span(at, runs[-1].stop), text)
    return Edit(Span(at, runs[-1].stop), text, None if path == rendered.path else path)


def _refuse_literals(pieces: Sequence[Fragment], text: str) -> None:
    """A constant of an action cannot go, and keeps its kind and its quotes. Raises CannotEdit."""
    written = [origin for piece in pieces for origin in (origins(piece) if piece.origin else (piece,))]
    kinds = {piece.literal for piece in written if piece.literal is not None}
    is_wrong = not text or re.search(r'["\\`\n]', text) or ("number" in kinds and not _NUMBER.fullmatch(text))
    if kinds and is_wrong:
        raise CannotEdit("an action of the template writes this text")


def _value_edit(rendered: Rendered, pieces: Sequence[Fragment], start: int, end: int, text: str) -> Edit | None:
    """An edit of what one action prints, where that is a text of a values file and the new one needs no quotes."""
    if len(pieces) != 1 or not pieces[0].origin or not rendered.is_all_of_action(start, end):
        return None
    written = origins(pieces[0])
    runs = written[0].mapped.runs if len(written) == 1 else ()
    if len(runs) != 1 or not runs[0].exact or written[0].text != pieces[0].text or not _PLAIN.fullmatch(text):
        return None
    if written[0].home is not None:
        return _into_scalar(rendered, written[0], Span(runs[0].start, runs[0].stop), text)
    path = written[0].path
    return Edit(Span(runs[0].start, runs[0].stop), text, None if path == rendered.path else path)


def _is_of_key(piece: Fragment) -> bool:
    """Whether a text is the value of a key: of a chart's values, or of a patch that puts it into a list."""
    around = piece.home[1].parent if piece.home is not None else None
    return around is not None and around.id == "mapping"


def _into_scalar(rendered: Rendered, piece: Fragment, span: Span, text: str) -> Edit:
    """An edit of a stretch of a values file's scalar, written as its style wants it. Raises CannotEdit."""
    assert piece.home is not None
    tree, item = piece.home
    if PurePath(piece.path).name == "Chart.yaml":
        raise CannotEdit("the value says what the chart itself is")
    if item.alias is not None:
        raise CannotEdit(f"the value comes through the alias `*{item.alias.name}`, which other places may share")
    refuse_shared(tree.text, item.node)
    embedding = tree.embedding(item)
    first, last = (_offset_in(embedding.mapped, at) for at in span)
    if first is None or last is None:
        raise CannotEdit("the values file writes this text in another way than it is printed")
    if (first, last) != (0, len(embedding.text)):
        if first == last and not embedding.text.lstrip().startswith("-"):
            raise CannotEdit("a value that is no list of words stands behind the last word")
        edit = embedding.edit(first, last, text)
    elif _NEEDS_QUOTES.search(text):
        raise CannotEdit("the template quotes this value in its own way")
    else:
        edit = tree.edit(*extent_of(tree, item), written_value(text, item, as_text=False))
    return replace(edit, path=None if piece.path == rendered.path else piece.path)


def _offset_in(mapped: Mapped, at: int) -> int | None:
    """The offset in a decoded text of what stands at ``at`` of its source; None where that is within an escape."""
    return next((run.at + at - run.start for run in mapped.runs if run.exact and run.start <= at <= run.stop), None)


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
    if any(_is_of_key(piece) for piece in rendered.pieces(end - 1, end)):
        raise CannotEdit("the last word is the value of a key, behind which no other word can stand")
    dash = begin + len(line) - len(line.lstrip())
    if rendered.pieces(dash, dash + 1)[0].path != rendered.pieces(end - 1, end)[0].path:
        raise CannotEdit("the template makes these words of a map or a list")
    _refuse_literals(rendered.pieces(end - 1, end), "")
    return written_edit(rendered, end, end, items, is_structure=True)
