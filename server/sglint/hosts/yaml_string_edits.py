"""Edits of words inside one string of an argv: ``command: python3 -m sglang.launch_server --tp-size 2``."""

from __future__ import annotations

from ..launch.model import CannotEdit
from ..patterns import lazy
from ..text import Edit
from .yaml_layout import groups
from .yaml_strings import StringSlot

_GAP = lazy(r"(?:\s|\\\n)*")
_SAFE = lazy(r"[\w@%+=:,./-]+")


def split_quoted(text: str) -> str:
    """``text`` as one word of a string that is split at blanks. Raises CannotEdit."""
    if "$" in text:
        raise CannotEdit("a dollar sign would be read as a variable here")
    if _SAFE.fullmatch(text):
        return text
    if "'" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class StringEdits:
    """Changes of one string, gathered so that neighbouring words go together."""

    def __init__(self, slot: StringSlot) -> None:
        self.slot = slot
        self.text = slot.embedding.text
        self.words = slot.words
        self.removed: set[int] = set()
        self.replaced: dict[tuple[int, int], str] = {}
        self.added: list[str] = []

    def remove(self, slot: StringSlot) -> None:
        self.removed.add(slot.index)

    def set_word(self, slot: StringSlot, value: str) -> None:
        self.replaced[self.words[slot.index]] = split_quoted(value)

    def set_joined(self, slot: StringSlot, value: str) -> None:
        """The value behind ``=``; a bare flag gets one behind it."""
        start, end = self.words[slot.index]
        equals = self.text.find("=", start, end)
        if equals < 0:
            self.replaced[(end, end)] = " " + split_quoted(value)
        elif self.text[start] in "'\"":
            self.replaced[(start, end)] = split_quoted(self.text[start + 1 : equals + 1] + value)
        else:
            self.replaced[(equals + 1, end)] = split_quoted(value)

    def rename(self, slot: StringSlot, flag: str) -> None:
        start, end = self.words[slot.index]
        equals = self.text.find("=", start, end)
        start += self.text[start] in "'\""
        self.replaced[(start, end if equals < 0 else equals)] = flag

    def add(self, flag: str, value: str | None) -> None:
        self.added += [flag] if value is None else [flag, split_quoted(value)]

    def edits(self) -> list[Edit]:
        """Raises CannotEdit."""
        if len(self.removed) == len(self.words) and not self.added:
            raise CannotEdit("nothing would be left of this string")
        found = [(*extent, text) for extent, text in self.replaced.items()]
        found += [(*self._cut(first, last), "") for first, last in groups(self.removed)]
        if self.added:
            found.append(self._addition())
        return [self.slot.embedding.edit(*change) for change in found]

    def _cut(self, first: int, last: int) -> tuple[int, int]:
        """The words and the gap on one side; where both gaps hold something else, the words alone."""
        start, end = self.words[first][0], self.words[last][1]
        is_last = last + 1 == len(self.words)
        if not is_last and _GAP.fullmatch(self.text, end, self.words[last + 1][0]) and not self.added:
            return start, self.words[last + 1][0]
        if first and _GAP.fullmatch(self.text, self.words[first - 1][1], start):
            return self.words[first - 1][1], end
        if not is_last and _GAP.fullmatch(self.text, end, self.words[last + 1][0]):
            return start, self.words[last + 1][0]
        return start, end

    def _addition(self) -> tuple[int, int, str]:
        end = self.words[-1][1]
        if self.text[end:].lstrip().startswith("}"):
            raise CannotEdit("the last words stand in the default of a variable")
        gap = self.text[self.words[-2][1] : self.words[-1][0]] if len(self.words) > 1 else " "
        lead = gap if gap and "\n" in gap and _GAP.fullmatch(gap) else " "
        return end, end, lead + " ".join(self.added)
