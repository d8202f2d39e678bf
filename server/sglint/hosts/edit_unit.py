"""Edits of a unit's ``Exec`` line: words with their quotes, the blanks and line continuations before them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..launch.model import AddOption, CannotEdit, Change, Launch, RemoveOption, RenameFlag, SetValue, Word
from ..records import dataclass
from ..text import Edit, Span
from .edit_yaml import image_tag_edit

_BEFORE = re.compile(r"(?:[ \t]|\\\r?\n)+\Z")
_PLAIN = re.compile(r"[\w./:=@,+-]+")
_LAYOUT = re.compile(r"\\\r?\n[ \t]*\Z")


@dataclass(frozen=True)
class UnitEditor:
    """Edits of the line in ``text`` whose words are ``words``."""

    text: str
    words: tuple[Word, ...]

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        found: list[Edit] = []
        for change in changes:
            if isinstance(change, RemoveOption):
                found += [self._removed(word) for word in change.words]
            elif isinstance(change, SetValue):
                found += self._set(change.words, change.value)
            elif isinstance(change, RenameFlag):
                start = change.word.span.start
                name = change.word.known_prefix.partition("=")[0]
                if self.text[start : start + len(name)] != name:
                    raise CannotEdit("the flag comes from a variable")
                found.append(Edit(Span(start, start + len(name)), change.flag))
            elif isinstance(change, AddOption):
                found.append(self._added(change, launch))
            elif launch.image is None:
                raise CannotEdit("the line names no image")
            else:
                found.append(image_tag_edit(launch, change.tag))
        return tuple(sorted(found))

    def _extent(self, word: Word) -> Span:
        if word.used_at is not None or word.path is not None:
            raise CannotEdit("the word comes from a variable; change it where that is set")
        start, end = word.span
        if start and end < len(self.text) and self.text[start - 1] == self.text[end] and self.text[end] in "\"'":
            return Span(start - 1, end + 1)
        return word.span

    def _removed(self, word: Word) -> Edit:
        start, end = self._extent(word)
        before = _BEFORE.search(self.text[:start])
        return Edit(Span(before.start() if before else start, end), "")

    def _set(self, words: Sequence[Word], value: str) -> list[Edit]:
        if len(words) > 1:
            more = [self._removed(word) for word in words[2:]]
            if words[1].defined_at:
                raise CannotEdit("the value comes from a variable; change it where that is set")
            return [Edit(self._extent(words[1]), _quoted(value)), *more]
        flag, sign, _ = words[0].known_prefix.partition("=")
        extent = self._extent(words[0])
        if not sign:
            return [Edit(Span(extent.end, extent.end), f" {_quoted(value)}")]
        if words[0].defined_at:
            raise CannotEdit("the value comes from a variable; change it where that is set")
        return [Edit(extent, _quoted(f"{flag}={value}"))]

    def _added(self, change: AddOption, launch: Launch) -> Edit:
        extent = self._extent(self.words[-1]) if self.words else launch.launcher_span
        if extent is None:
            raise CannotEdit("the line has no word to write it behind")
        before = [self._extent(word).start for word in self.words if word.known_prefix.startswith("-")]
        layout = _LAYOUT.search(self.text[: before[-1]]) if before else None
        text = "" if change.value is None else f" {_quoted(change.value)}"
        lead = " " + layout[0] if layout else " "
        return Edit(Span(extent.end, extent.end), f"{lead}{change.flag}{text}")


def _quoted(text: str) -> str:
    """A word that systemd reads as ``text``."""
    text = text.replace("%", "%%").replace("$", "$$")
    if _PLAIN.fullmatch(text.replace("%", "").replace("$", "") or "-"):
        return text if text else '""'
    if "\n" in text:
        raise CannotEdit("a line of a unit holds no line end")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
