"""Edits of an argv written as JSON lists: the exec forms of a Dockerfile's instructions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ..launch.model import AddOption, CannotEdit, Change, Launch, RemoveOption, RenameFlag, SetValue, Word
from ..records import dataclass
from ..text import Edit, Span
from .edit_yaml import image_tag_edit
from .yaml_layout import groups


@dataclass(frozen=True)
class JsonEditor:
    """``lists`` are the words of each list, those before the server's own included."""

    lists: tuple[tuple[Word, ...], ...]

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        found: list[Edit] = []
        removed: list[Word] = []
        added: list[str] = []
        for change in changes:
            if isinstance(change, RemoveOption):
                removed += change.words
            elif isinstance(change, AddOption):
                added += [text for text in (change.flag, change.value) if text is not None]
            elif isinstance(change, RenameFlag):
                found.append(_written(_flag(change.word), change.flag))
            elif isinstance(change, SetValue):
                found += _set(change.words, change.value)
                removed += change.words[2:]
            else:
                found.append(image_tag_edit(launch, change.tag))
        gone = {word.span for word in removed}
        found += (edit for words in self.lists for edit in _without(words, gone))
        if added:
            if self.lists[-1][-1].span in gone:
                raise CannotEdit("the last word goes, behind which the new one would stand")
            found.append(_behind(self.lists[-1][-1], added))
        return tuple(sorted(found))


def _without(words: Sequence[Word], gone: set[Span]) -> Iterator[Edit]:
    """Items with their quotes, and the commas that part them from what stays."""
    last = len(words) - 1
    for first, end in groups([index for index, word in enumerate(words) if word.span in gone]):
        start, stop = words[first].span.start - 1, words[end].span.end + 1
        if end < last:
            stop = words[end + 1].span.start - 1
        elif first > 0:
            start = words[first - 1].span.end + 1
        yield Edit(Span(start, stop), "")


def _set(words: Sequence[Word], value: str) -> list[Edit]:
    flag = words[0]
    if len(words) > 1:
        return [_written(words[1].span, value)]
    end = _flag(flag).end
    return [_written(Span(end + 1, flag.span.end), value)] if end < flag.span.end else [_behind(flag, [value])]


def _behind(word: Word, texts: Sequence[str]) -> Edit:
    at = word.span.end + 1
    return Edit(Span(at, at), "".join(f", {json.dumps(text, ensure_ascii=False)}" for text in texts))


def _flag(word: Word) -> Span:
    """The flag of a word, without the value that it may be joined with."""
    return word.span_of(0, len(word.known_prefix.partition("=")[0]))


def _written(span: Span, text: str) -> Edit:
    return Edit(span, json.dumps(text, ensure_ascii=False)[1:-1])
