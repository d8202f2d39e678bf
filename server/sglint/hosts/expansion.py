"""Variables that somebody expands before the process starts: the kubelet's ``$(NAME)`` and template actions.

An expansion keeps, for every decoded character, the place it was written: the use site for what a variable gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..launch.model import Definition, EnvVar
from ..patterns import lazy
from ..records import dataclass
from ..text import Mapped
from .origins import UNKNOWN

_KUBELET = lazy(r"\$\$|\$\(([^()\s]+)\)")
REFERENCE = lazy(r"\$?\{\{.*?\}\}|\$\$|\$\(([^()\s]+)\)", re.DOTALL)
_TEMPLATE = lazy(r"\$?\{\{.*?\}\}|\$\{([A-Za-z_]\w*)\}", re.DOTALL)


@dataclass(frozen=True)
class Piece:
    """``[start, end)`` of an expanded text came from ``[written_from, written_to)`` of the text before.

    Not known when ``known`` is False.
    """

    start: int
    end: int
    written_from: int
    written_to: int
    known: bool
    definition: Definition | None = None


@dataclass(frozen=True)
class Expanded:
    """A text after expansion. Where a piece is not known, ``mapped`` holds what is written there."""

    mapped: Mapped
    pieces: tuple[Piece, ...] = ()

    @property
    def text(self) -> str | None:
        return self.mapped.text if all(piece.known for piece in self.pieces) else None

    def before(self, offset: int) -> int:
        """The offset in the text before expansion that ``offset`` comes from."""
        shift = 0
        for piece in self.pieces:
            if piece.end > offset:
                break
            shift = piece.written_to - piece.end
        return offset + shift

    def extent(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the text before expansion that ``[start, end)`` comes from, references taken whole."""
        return self._written(start, at_end=False), self._written(end, at_end=True)

    def _written(self, offset: int, *, at_end: bool) -> int:
        shift = 0
        for piece in self.pieces:
            if piece.start < offset < piece.end or (
                piece.start < piece.end and offset == (piece.end if at_end else piece.start)
            ):
                return piece.written_to if at_end else piece.written_from
            if piece.start >= offset if at_end else piece.start > offset:
                break
            shift = piece.written_to - piece.end
        return offset + shift

    @property
    def unknown(self) -> tuple[tuple[int, int], ...]:
        return tuple((piece.start, piece.end) for piece in self.pieces if not piece.known)

    @property
    def definitions(self) -> tuple[Definition, ...]:
        return tuple(piece.definition for piece in self.pieces if piece.definition)


@dataclass(frozen=True)
class Replacement:
    """New text for a match (None: not known) and where it was defined."""

    text: str | None
    definition: Definition | None = None


Expand = Callable[[Mapped], Expanded]

Fill = Callable[[str], "Replacement | None"]
"""What a tool puts for a reference of its own, brackets included; None for a text that is no reference of its."""


def as_written(mapped: Mapped) -> Expanded:
    """Nothing is expanded."""
    return Expanded(mapped)


def replaced(
    mapped: Mapped,
    pattern: re.Pattern[str],
    replace: Callable[[re.Match[str]], Replacement | None],
    unknown: str | None = None,
) -> Expanded:
    """``mapped`` with every match of ``pattern`` replaced; None leaves a match as it is.

    A text that is not known is given as ``unknown``, as it is written when that is None.
    """
    parts: list[Mapped] = []
    pieces: list[Piece] = []
    done = at = 0
    for match in pattern.finditer(mapped.text):
        new = replace(match)
        if new is None:
            continue
        parts.append(mapped.slice(done, match.start()))
        at += match.start() - done
        known = new.text is not None
        text = new.text if new.text is not None else match[0] if unknown is None else unknown
        as_it_stands = not known and unknown is None
        parts.append(mapped.slice(*match.span()) if as_it_stands else Mapped.whole(text, mapped.span(*match.span())))
        pieces.append(Piece(at, at + len(text), *match.span(), known, new.definition))
        at += len(text)
        done = match.end()
    if not parts:
        return Expanded(mapped)
    parts.append(mapped.slice(done))
    return Expanded(Mapped.join(parts, anchor=mapped.anchor), tuple(pieces))


def templates(mapped: Mapped, env: Mapping[str, EnvVar] = MappingProxyType({})) -> Expanded:
    """Template actions and ``${NAME}`` of tools that prepare a manifest are not known here.

    A name that the container itself declares is no such tool's: nobody expands that, and it stays as it is written.
    """
    if "{" not in mapped.text:
        return Expanded(mapped)

    def replace(match: re.Match[str]) -> Replacement | None:
        own = env.get(match[1]) if match[1] is not None else None
        return None if own is not None and own.value is not None and "$" not in own.value else Replacement(None)

    return replaced(mapped, _TEMPLATE, replace)


def kubelet(env: Mapping[str, EnvVar], fill: Fill | None = None) -> Expand:
    """Expansion of ``$(NAME)`` in an argument with a container's environment; ``$$`` is a dollar sign.

    The kubelet leaves a name that is not declared as it is. It is then most likely declared by somebody else (an
    operator, a webhook), so it is not known. ``fill`` answers for the tool that makes the container.
    """
    pattern = _KUBELET if fill is None else REFERENCE

    def replace(match: re.Match[str]) -> Replacement | None:
        own = fill(match[0]) if fill is not None else None
        return own or (None if match[0].endswith("}}") else _kubelet_value(match, env)) or Replacement(None)

    def expand(mapped: Mapped) -> Expanded:
        if "$" not in mapped.text and (fill is None or "{{" not in mapped.text):
            return templates(mapped)
        first = replaced(mapped, pattern, replace)
        return combined(first, templates(first.mapped, env))

    return expand


def script(env: Mapping[str, EnvVar] | None, fill: Fill | None = None) -> Expand:
    """Expansion of a script before its shell reads it: the kubelet's with ``env``, and template actions.

    What is not known stands as :data:`~sglint.hosts.origins.UNKNOWN`. ``fill`` as for :func:`kubelet`.
    """

    def replace(match: re.Match[str]) -> Replacement | None:
        own = fill(match[0]) if fill is not None else None
        if own is not None or match[0].endswith("}}"):
            return own or Replacement(None)
        if env is None:
            return None
        return _kubelet_value(match, env)

    def expand(mapped: Mapped) -> Expanded:
        if "$" not in mapped.text and "{{" not in mapped.text:
            return Expanded(mapped)
        return replaced(mapped, REFERENCE, replace, UNKNOWN)

    return expand


def image_reference(fill: Fill) -> Expand:
    """Expansion of an image reference by ``fill``; what is not known stays as it is written."""

    def replace(match: re.Match[str]) -> Replacement | None:
        found = fill(match[0])
        return found if found is not None and found.text is not None else None

    return lambda mapped: replaced(mapped, REFERENCE, replace)


def _kubelet_value(match: re.Match[str], env: Mapping[str, EnvVar]) -> Replacement | None:
    """What the kubelet puts for a reference; None when the name is not declared."""
    if match[1] is None:
        return Replacement("$")
    variable = env.get(match[1])
    if variable is None:
        return None
    if variable.value is None or variable.place is None:
        return Replacement(variable.value)
    return Replacement(variable.value, Definition(variable.name, variable.place))


def combined(first: Expanded, second: Expanded) -> Expanded:
    """Pieces of two expansions of one text; ``second`` leaves texts as long as they were."""
    inside = [piece for piece in second.pieces if not any(_overlap(piece, known) for known in first.pieces)]
    pieces = sorted((*first.pieces, *inside), key=lambda piece: piece.start)
    return Expanded(first.mapped, tuple(pieces))


def _overlap(one: Piece, other: Piece) -> bool:
    return one.start < other.end and other.start < one.end


def expanded_env(variables: Mapping[str, tuple[Mapped | None, EnvVar]], fill: Fill | None = None) -> dict[str, EnvVar]:
    """A container's environment in order, each value expanded with the variables before it."""
    known: dict[str, EnvVar] = {}

    def replace(match: re.Match[str]) -> Replacement | None:
        own = fill(match[0]) if fill is not None else None
        if own is not None or match[0].endswith("}}"):
            return own or Replacement(None)
        return _kubelet_value(match, known)

    for name, (mapped, variable) in variables.items():
        if mapped is not None and ("$" in mapped.text or "{{" in mapped.text):
            variable = EnvVar(name, replaced(mapped, REFERENCE, replace).text, variable.place)
        known[name] = variable
    return known
