"""Variables of an image's build: ``ARG`` and ``ENV``, and what stands for them in other instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..launch.model import EnvVar, Place
from ..text import Mapped, Span

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|((?:[^\s\\]|\\.)*))")


def arguments_of(argument: Mapped) -> Iterator[tuple[str, Mapped | None]]:
    """Names and defaults of an ``ARG``."""
    text = argument.text
    at = 0
    while found := re.compile(r"\s*([A-Za-z_]\w*)").match(text, at):
        assignment = _ASSIGNMENT.match(text, found.start(1))
        yield found[1], _value(argument, assignment) if assignment else None
        at = assignment.end() if assignment else found.end()


_USE = re.compile(
    r"\\.|\$(?:(?P<bare>[A-Za-z_]\w*)|\{(?P<name>[A-Za-z_]\w*)(?:(?P<sign>:?[-+])(?P<other>[^}]*))?\})", re.DOTALL
)


def filled(written: Mapped, values: Mapping[str, Mapped | None]) -> Mapped:
    """The text with variables of the build filled in; one that is not known stays as it is written."""
    parts: list[Mapped] = []
    at = 0
    for use in _USE.finditer(written.text):
        found = _replacement(written, use, values)
        if found is not None:
            parts += [written.slice(at, use.start()), found]
            at = use.end()
    if not at:
        return written
    parts.append(written.slice(at))
    return Mapped.join(parts, anchor=written.anchor)


def _replacement(written: Mapped, use: re.Match[str], values: Mapping[str, Mapped | None]) -> Mapped | None:
    name = use["bare"] or use["name"]
    if name is None:
        return None
    value = values.get(name)
    other = written.slice(*use.span("other")) if use["sign"] else None
    if use["sign"] in ("-", ":-"):
        # As with a shell's default: what is set from outside is nobody's to know.
        return other if value is None or (use["sign"] == ":-" and not value.text) else value
    if use["sign"] is None or value is None:
        return value
    return other if value.text or use["sign"] == "+" else written.slice(use.start(), use.start())


def placed(text: str, place: Span) -> Mapped:
    """The text of a variable at its place."""
    return Mapped.identity(text, place.start) if place.end - place.start == len(text) else Mapped.whole(text, place)


def variables_of(argument: Mapped, values: Mapping[str, Mapped | None]) -> Iterator[EnvVar]:
    """The variables of an ``ENV``, under what is known before it."""
    text = argument.text
    if not re.match(r"[A-Za-z_]\w*=", text):
        name, _, value = text.partition(" ")
        start = len(text) - len(value.lstrip())
        yield _variable(name, argument.slice(start, start + len(value.strip())), values)
        return
    for found in _ASSIGNMENT.finditer(text):
        yield _variable(found[1], _value(argument, found), values, literal=found[3] is not None)


def _variable(name: str, written: Mapped, values: Mapping[str, Mapped | None], *, literal: bool = False) -> EnvVar:
    """One variable; its value is not known where that has another in it that is not. ``literal``: in single quotes."""
    place = Place(written.span())
    if literal:
        return EnvVar(name, written.text, place)
    own = filled(written, values)
    if _has_variable(own):
        return EnvVar(name, None, place)
    escaped = "\\" in own.text
    text = re.sub(r"\\(.)", r"\1", own.text) if escaped else own.text
    return EnvVar(name, text, place, None if escaped or own is written else own)


def _has_variable(value: Mapped) -> bool:
    return any(use["bare"] or use["name"] for use in _USE.finditer(value.text))


def _value(argument: Mapped, found: re.Match[str]) -> Mapped:
    group = next((number for number in (2, 3, 4) if found[number] is not None), 4)
    return argument.slice(*found.span(group))
