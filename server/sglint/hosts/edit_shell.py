"""Changes of a launch as edits of the shell text it is written in.

Words are edited where they are written: in the command, in an array, or inside the quotes of a string variable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ..launch.model import (
    AddOption,
    CannotEdit,
    Change,
    Launch,
    RemoveOption,
    RenameFlag,
    SetImageTag,
    SetValue,
    Word,
)
from ..records import dataclass
from ..text import Edit, Span
from .shell_gaps import Region, cut, merged
from .shell_quotes import inside, quoted
from .shell_script import Script
from .shell_values import Item, Piece, Raw
from .shell_words import decode

_FROM_VARIABLE = "the value comes from a variable; change it where the variable is set"
_ASSEMBLED = "the word is put together from pieces that cannot be taken apart"


@dataclass(frozen=True)
class ShellEditor:
    """Edits the launch whose command takes ``[start, tail)`` of ``script``; ``tail`` ends its last word."""

    script: Script
    start: int
    tail: int
    image: Word | None = None

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Minimal edits for all changes together. Raises :class:`CannotEdit`."""
        removed: list[Region] = []
        found: list[Edit] = []
        added: list[AddOption] = []
        for change in changes:
            if isinstance(change, RemoveOption):
                removed += [_region(word) for word in change.words]
            elif isinstance(change, SetValue):
                found += self._set(change, removed)
            elif isinstance(change, RenameFlag):
                found.append(_rename(change))
            elif isinstance(change, AddOption):
                added.append(change)
            else:
                found.append(self._tag(change))
        for region in merged(removed):
            first, last = cut(region, keep_right=self._at_tail(region) and bool(added))
            found.append(_edit(region.script, first, last, ""))
        if added:
            found.append(self._add(launch, added))
        return tuple(sorted(dict.fromkeys(found)))

    def _at_tail(self, region: Region) -> bool:
        return region.script is self.script and region.end == self.tail

    def _add(self, launch: Launch, options: Sequence[AddOption]) -> Edit:
        at = self._end(launch)
        last = decode(self.script.text[self.start : at] + " ", 0, at - self.start + 1)[-1]
        follows = self.script.text[at:].lstrip(" \t")[:1] if at == self.tail else ""
        if last.kind != "lit" or last.quote or (follows and follows in "\"'`"):
            raise CannotEdit("a quote or bracket of this command is not closed")
        broken = re.findall(r"\\\n([ \t]*)", self.script.text[self.start : at])
        lead = " \\\n" + broken[-1] if broken else " "
        text = ""
        for option in options:
            text += lead + option.flag + ("" if option.value is None else " " + quoted(option.value))
        return _edit(self.script, at, at, text)

    def _end(self, launch: Launch) -> int:
        """Where a new option goes: behind the last word, or behind the last that is there for certain."""
        if not self.script.is_maybe(self.tail - 1, self.tail):
            return self.tail
        for word in reversed(launch.words):
            item = word.handle
            if word.presence == "yes" and isinstance(item, Item) and item.node and item.node.script is self.script:
                return item.node.end
        raise CannotEdit("a condition decides about every option here")

    def _set(self, change: SetValue, removed: list[Region]) -> list[Edit]:
        flag, *values = change.words
        equals = _equals(flag)
        if equals is not None:
            region = _region(flag)
            start, end, text = _joined_value(flag, equals, region, change.value)
            return [_edit(region.script, start, end, text)]
        if not values:
            region = _region(flag)
            return [_edit(region.script, region.end, region.end, " " + _written(change.value, region.quote))]
        _literal(values[0])
        region = _region(values[0])
        removed += [_region(word) for word in values[1:]]
        return [_edit(region.script, region.start, region.end, _written(change.value, region.quote))]

    def _tag(self, change: SetImageTag) -> Edit:
        word = self.image
        item = word.handle if word is not None else None
        if not isinstance(item, Item):
            raise CannotEdit("no image reference that can be changed stands in this command")
        text = "".join(piece.text for piece in item.pieces)
        if not all(piece.known for piece in item.pieces):
            raise CannotEdit(_FROM_VARIABLE)
        if "@" in text:
            raise CannotEdit("the image is pinned by its digest")
        colon = text.rfind(":")
        has_tag = colon >= 0 and "/" not in text[colon:]
        start = colon + 1 if has_tag else len(text)
        first, last = _raw_span(item.pieces, start, len(text))
        new = change.tag if has_tag else ":" + change.tag
        return _edit(first.script, first.start, last, inside(new, first.quote))


def _edit(script: Script, start: int, end: int, text: str) -> Edit:
    embedding = script.embedding
    if start == end > 0 and embedding.mapped.is_exact(start, end):
        # Behind the text before, in its quotes: what follows may come from elsewhere, or under a condition.
        place = embedding.mapped.span(start - 1, start).end
        if sum(run.start < place <= run.stop for run in embedding.mapped.runs) > 1:
            raise CannotEdit("what is written here is used more than once in the command")
        beside = start - 1
        if script.outer is not None and script.outer.is_at_use(beside):
            # The quotes of a variable's own text are not those of the place where it is used.
            beside = start
            if start >= len(script.text) or script.outer.is_at_use(beside):
                raise CannotEdit(_FROM_VARIABLE)
        return Edit(Span(place, place), embedding.encode(text, beside), embedding.path)
    if script.outer is not None and end > start:
        script.outer.check(start, end)
    return embedding.edit(start, end, text)


def _written(value: str, quote: str) -> str:
    """A value as one word in the command, or inside the quotes of a string that is split on use."""
    if not quote:
        return quoted(value)
    if not value or re.search(r"[\s*?\[]", value):
        raise CannotEdit("the words stand in a string that is split at blanks, which cannot hold this value")
    return inside(value, quote)


def _region(word: Word) -> Region:
    """Where the word is written. Raises CannotEdit."""
    item = word.handle
    if not isinstance(item, Item):
        raise CannotEdit("the word does not stand in this script")
    if item.node is not None:
        return Region(item.node.script, item.node.start, item.node.end)
    raws = [piece.raw for piece in item.pieces]
    first = raws[0] if raws else None
    if first is None or any(raw is None or raw.script is not first.script for raw in raws):
        raise CannotEdit(_ASSEMBLED)
    end = first.start
    for raw in raws:
        if raw is None or raw.start != end:
            raise CannotEdit(_ASSEMBLED)
        end = raw.end
    return Region(first.script, first.start, end, first.quote or " ")


def _literal(word: Word) -> None:
    """Raises CannotEdit when a variable gives the word."""
    item = word.handle
    if not isinstance(item, Item) or any(not piece.known or piece.raw is None for piece in item.pieces):
        raise CannotEdit(_FROM_VARIABLE)
    if item.node is not None and any(not _is_within(piece.raw, item.node) for piece in item.pieces):
        raise CannotEdit(_FROM_VARIABLE)


def _is_within(raw: Raw | None, node: Raw) -> bool:
    return raw is not None and raw.script is node.script and node.start <= raw.start and raw.end <= node.end


def _joined_value(word: Word, equals: Raw, region: Region, value: str) -> tuple[int, int, str]:
    """Start, end and new text of what holds the value of ``--flag=value``: in its quotes, or the whole word anew."""
    if region.quote or not equals.quote:
        return equals.start + 1, region.end, _written(value, region.quote)
    pieces = [piece for piece in word.handle.pieces if piece.raw is not None and piece.raw.end > equals.start]
    close = region.end - 1
    is_in_one = all(piece.raw.quote == equals.quote and piece.raw.end <= close for piece in pieces)
    gaps = any(before.raw.end != after.raw.start for before, after in pairwise(pieces))
    if is_in_one and not gaps and pieces[-1].raw.end == close and region.script.text[close] == equals.quote[-1]:
        return equals.start + 1, close, inside(value, equals.quote)
    flag = (word.text or "").partition("=")[0]
    return region.start, region.end, quoted(f"{flag}={value}")


def _equals(word: Word) -> Raw | None:
    """Where the ``=`` of ``--flag=value`` stands; None for a flag alone. Raises CannotEdit."""
    text = word.text if word.text is not None else word.known_prefix
    at = text.find("=")
    if at < 0:
        return None
    if word.text is None:
        raise CannotEdit(_FROM_VARIABLE)
    item = word.handle
    _literal(word)
    return _raw_span(item.pieces, at, at + 1)[0]


def _rename(change: RenameFlag) -> Edit:
    region = _region(change.word)
    item = change.word.handle
    text = change.word.text if change.word.text is not None else change.word.known_prefix
    end = text.find("=")
    first, last = _raw_span(item.pieces, 0, len(text) if end < 0 else end)
    # Quotes inside the flag go with it; quotes around the whole word stay.
    inner = region.script.text[first.start : last]
    new = inside(change.flag, first.quote)
    if end < 0 and region.quote == "" and inner != text:
        return _edit(region.script, region.start, region.end, quoted(change.flag))
    return _edit(first.script, first.start, last, new)


def _raw_span(pieces: Sequence[Piece], start: int, end: int) -> tuple[Raw, int]:
    """Where decoded ``[start, end)`` is written: its first character's place and its end. Raises CannotEdit."""
    at = 0
    first: Raw | None = None
    last = 0
    for piece in pieces:
        stop = at + len(piece.text)
        takes = at < end and stop > start if end > start else at < start <= stop
        if takes:
            raw = piece.raw
            if raw is None or (first is not None and raw.script is not first.script):
                raise CannotEdit(_ASSEMBLED)
            exact = raw.end - raw.start == len(piece.text)
            if not exact and (start > at or end < stop):
                raise CannotEdit(_ASSEMBLED)
            if first is None:
                first = raw._replace(start=raw.start + max(0, start - at))
            last = raw.start + min(len(piece.text), end - at) if exact else raw.end
        at = stop
    if first is None:
        raise CannotEdit(_ASSEMBLED)
    return first, last
