"""Compose's own interpolation: ``$NAME``, ``${NAME:-default}``, ``${NAME:?error}``, ``${NAME:+text}`` and ``$$``.

Source: the Compose specification, "Interpolation". What a ``.env`` file beside the compose file sets is used; any
other variable comes from the caller's environment, so that only a default says what runs without it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..launch.model import Definition, EnvVar, Place
from ..patterns import lazy
from ..records import dataclass
from ..text import Mapped
from .expansion import Expand, Expanded, Piece
from .origins import HOLE, UNKNOWN

_NAME = lazy(r"[A-Za-z_]\w*")
_OPERATOR = lazy(r":?[-?+]")
_DOTENV = lazy(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*?)[ \t]*$", re.MULTILINE)
MAX_NESTING = 20


def dotenv(text: str, path: str) -> dict[str, EnvVar]:
    """The variables of a ``.env`` file."""
    found: dict[str, EnvVar] = {}
    for line in _DOTENV.finditer(text):
        value = Mapped.identity(line[2], line.start(2))
        if len(value.text) > 1 and value.text[0] == value.text[-1] and value.text[0] in "'\"":
            value = value.slice(1, len(value.text) - 1)
        if "$" not in value.text:
            found[line[1]] = EnvVar(line[1], value.text, Place(value.span(), path))
    return found


def interpolation(known: Mapping[str, EnvVar], *, in_text: bool) -> Expand:
    """Interpolation with the variables of ``known``.

    ``in_text``: the result is split into words or read by a shell, so that what is not known stands as
    :data:`UNKNOWN` or :data:`HOLE`; else it stands as it is written.
    """

    def expand(mapped: Mapped) -> Expanded:
        if "$" not in mapped.text:
            return Expanded(mapped)
        builder = _Builder(mapped, known, in_text)
        builder.run(0, len(mapped.text), 0)
        return Expanded(Mapped.join(builder.parts, anchor=mapped.anchor), tuple(builder.pieces))

    return expand


@dataclass(frozen=True)
class _Reference:
    """``${NAME<operator>rest}`` at ``[start, end)``; ``rest`` are the offsets of the text behind the operator."""

    start: int
    end: int
    name: str
    operator: str = ""
    rest: tuple[int, int] = (0, 0)


class _Builder:
    def __init__(self, mapped: Mapped, known: Mapping[str, EnvVar], in_text: bool) -> None:
        self.mapped = mapped
        self.known = known
        self.in_text = in_text
        self.parts: list[Mapped] = []
        self.pieces: list[Piece] = []
        self.at = 0

    def run(self, start: int, end: int, depth: int) -> None:
        text = self.mapped.text
        while (dollar := text.find("$", start, end)) >= 0:
            self._keep(start, dollar)
            if text.startswith("$$", dollar):
                self._put("$", dollar, dollar + 2, known=True)
                start = dollar + 2
                continue
            reference = _reference(text, dollar, end) if depth < MAX_NESTING else None
            if reference is None:
                self._keep(dollar, dollar + 1)
                start = dollar + 1
                continue
            self._reference(reference, depth)
            start = reference.end
        self._keep(start, end)

    def _reference(self, reference: _Reference, depth: int) -> None:
        variable = self.known.get(reference.name)
        if variable is not None and variable.value is not None and variable.place is not None:
            definition = Definition(variable.name, variable.place)
            self._put(variable.value, reference.start, reference.end, known=True, definition=definition)
            return
        default = self.mapped.text[slice(*reference.rest)]
        if reference.operator.endswith("-") and default:
            self._default(reference, default, depth)
        elif reference.operator.endswith(("-", "+")):
            self._unknown(reference, HOLE)
        else:
            self._unknown(reference, UNKNOWN)

    def _default(self, reference: _Reference, default: str, depth: int) -> None:
        if "$" in default or re.search(r"\s", default) or default.startswith("--"):
            # Words of their own: they stand where the default is written.
            self._skip(reference.start, reference.rest[0])
            self.run(*reference.rest, depth + 1)
            self._skip(reference.rest[1], reference.end)
            return
        definition = Definition(reference.name, Place(self.mapped.span(*reference.rest)))
        self._put(default, reference.start, reference.end, known=True, definition=definition)

    def _unknown(self, reference: _Reference, mark: str) -> None:
        written = self.mapped.text[reference.start : reference.end]
        self._put(mark if self.in_text else written, reference.start, reference.end, known=False)

    def _keep(self, start: int, end: int) -> None:
        if start < end:
            self.parts.append(self.mapped.slice(start, end))
            self.at += end - start

    def _skip(self, start: int, end: int) -> None:
        """The signs around a default give no text."""
        self.pieces.append(Piece(self.at, self.at, start, end, True))

    def _put(self, text: str, start: int, end: int, *, known: bool, definition: Definition | None = None) -> None:
        as_written = text == self.mapped.text[start:end]
        span = self.mapped.span(start, end)
        self.parts.append(self.mapped.slice(start, end) if as_written else Mapped.whole(text, span))
        self.pieces.append(Piece(self.at, self.at + len(text), start, end, known, definition))
        self.at += len(text)


def _reference(text: str, dollar: int, end: int) -> _Reference | None:
    if not text.startswith("{", dollar + 1):
        name = _NAME.match(text, dollar + 1, end)
        return _Reference(dollar, name.end(), name[0]) if name else None
    name = _NAME.match(text, dollar + 2, end)
    close = _closing(text, dollar + 2, end)
    if name is None or close is None:
        return None
    operator = _OPERATOR.match(text, name.end(), close)
    rest = (operator.end() if operator else close, close)
    return _Reference(dollar, close + 1, name[0], operator[0] if operator else "", rest)


def _closing(text: str, at: int, end: int) -> int | None:
    """The brace that closes the reference whose inside begins at ``at``."""
    depth = 1
    while at < end:
        if text.startswith("${", at):
            depth += 1
            at += 1
        elif text[at] == "}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return None
