"""What parameter expansions make of a known text: cutting, replacing, changing case, taking a part.

A pattern is what the shell reads as one: ``*``, ``?`` and sets outside quotes. What depends on the locale or on
options of the shell is not followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

CUTS = ("%%", "%", "##", "#")
CASES = ("^^", "^", ",,", ",")
REPLACEMENTS = ("//", "/#", "/%", "/")
_MAX_TEXT = 400


class Sign(NamedTuple):
    """One element of a pattern: ``star``, or a character out of ``chars`` (every one when ``negated`` and none)."""

    star: bool = False
    chars: str = ""
    negated: bool = False

    def takes(self, char: str) -> bool:
        return (char in self.chars) != self.negated


def pattern(pieces: Sequence[tuple[str, bool]]) -> list[Sign] | None:
    """The pattern of pieces ``(text, quoted)``; None for one that is not followed."""
    signs: list[Sign] = []
    for text, quoted in pieces:
        if quoted:
            signs += [Sign(chars=char) for char in text]
            continue
        at = 0
        while at < len(text):
            char = text[at]
            at += 1
            if char == "[":
                close = text.find("]", at + 1)
                inner = text[at:close]
                if close < 0 or "-" in inner.strip("-") or "[" in inner:
                    return None
                negated = inner[:1] in ("!", "^")
                signs.append(Sign(chars=inner[1:] if negated else inner, negated=negated))
                at = close + 1
            elif char in "*?+@!" and text.startswith("(", at):
                return None
            elif char == "*":
                signs.append(Sign(star=True))
            else:
                signs.append(Sign(negated=True) if char == "?" else Sign(chars=char))
    return signs


def ends(signs: Sequence[Sign], text: str) -> list[int]:
    """The lengths of all beginnings of ``text`` that the pattern matches, in order."""
    reached = _closed({0}, signs)
    found = [0] if len(signs) in reached else []
    for at, char in enumerate(text, 1):
        step = {index for index in reached if index < len(signs) and signs[index].star}
        step |= {
            index + 1 for index in reached if index < len(signs) and not signs[index].star and signs[index].takes(char)
        }
        reached = _closed(step, signs)
        if not reached:
            break
        if len(signs) in reached:
            found.append(at)
    return found


def fits(signs: Sequence[Sign], text: str) -> bool | None:
    """Whether the pattern matches the whole of ``text``; None for a text too long to try."""
    return None if len(text) > _MAX_TEXT else len(text) in ends(signs, text)


def _closed(reached: set[int], signs: Sequence[Sign]) -> set[int]:
    """With the positions behind stars, which may stand for nothing."""
    todo = list(reached)
    while todo:
        index = todo.pop()
        if index < len(signs) and signs[index].star and index + 1 not in reached:
            reached.add(index + 1)
            todo.append(index + 1)
    return reached


def cut(operator: str, text: str, signs: Sequence[Sign]) -> str | None:
    """``${X#p}``, ``${X##p}``, ``${X%p}``, ``${X%%p}``; None for a text too long to try."""
    if len(text) > _MAX_TEXT:
        return None
    from_end = operator[0] == "%"
    lengths = ends(signs[::-1], text[::-1]) if from_end else ends(signs, text)
    if not lengths:
        return text
    length = lengths[-1] if len(operator) == 2 else lengths[0]
    return text[: len(text) - length] if from_end else text[length:]


def replaced(operator: str, text: str, signs: Sequence[Sign], by: str) -> str | None:
    """``${X/p/by}`` with ``//`` for every match, ``/#`` and ``/%`` at an end; None where bash may differ."""
    # `&` in a replacement means the match in some versions and itself in others.
    if not signs or "&" in by or len(text) > _MAX_TEXT:
        return None
    if operator == "/%":
        lengths = ends(signs[::-1], text[::-1])
        return text[: len(text) - lengths[-1]] + by if lengths else text
    parts: list[str] = []
    at = 0
    while at < len(text):
        lengths = ends(signs, text[at:])
        if lengths and lengths[-1]:
            parts.append(by)
            at += lengths[-1]
            if operator != "//":
                break
        elif operator == "/#":
            break
        else:
            parts.append(text[at])
            at += 1
    return "".join(parts) + text[at:]


def recased(operator: str, text: str) -> str | None:
    """``${X^}``, ``${X^^}``, ``${X,}``, ``${X,,}``; None outside ASCII, where the locale decides."""
    if not text.isascii():
        return None
    change = str.upper if operator[0] == "^" else str.lower
    return change(text) if len(operator) == 2 else change(text[:1]) + text[1:]


def part(text: str, offset: int, length: int | None) -> str | None:
    """``${X:offset:length}``; None where bash refuses."""
    start = offset if offset >= 0 else len(text) + offset
    if start < 0 or start > len(text):
        return ""
    end = len(text) if length is None else start + length if length >= 0 else len(text) + length
    return None if end < start else text[start:end]


def printed(words: Sequence[str]) -> str | None:
    """What ``echo`` and ``printf`` print for plain words; None for formats that are not followed."""
    name, *rest = words or ("",)
    if name == "echo":
        if any("\\" in word for word in rest):
            return None
        plain = rest[1:] if rest[:1] == ["-n"] else rest
        return None if any(word.startswith("-") for word in plain[:1]) else " ".join(plain)
    if name != "printf" or not rest:
        return None
    layout, *values = rest
    layout = layout.replace("\\n", "\n")
    if "\\" in layout or layout.startswith("-"):
        return None
    slots = layout.count("%s")
    if layout.count("%") != slots or len(values) > slots or (values and not slots):
        return None
    for value in (*values, *[""] * (slots - len(values))):
        if "%" in value:
            return None
        layout = layout.replace("%s", value, 1)
    return layout
