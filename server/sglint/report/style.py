"""How text reports look: colour or none, and how wide lines may be."""

from __future__ import annotations

from ..records import dataclass

DEFAULT_WIDTH = 100

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;34",
    "hint": "1;36",
    "good": "32",
    "strong": "1",
    "faint": "2",
    "gutter": "34",
    "related": "36",
}


@dataclass(frozen=True)
class Style:
    """``width`` is in terminal columns."""

    colour: bool = False
    width: int = DEFAULT_WIDTH

    def paint(self, text: str, role: str) -> str:
        """``text`` in the colour of ``role`` (a severity, ``strong``, ``faint``, ``gutter`` ...)."""
        return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if self.colour and text else text


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most ``width`` columns; line feeds of the text stay, runs of blanks do not."""
    from .columns import width_of

    lines: list[str] = []
    for paragraph in text.split("\n"):
        line, used = "", 0
        for word in paragraph.split():
            columns = width_of(word)
            if line and used + 1 + columns > width - len(indent):
                lines.append(indent + line)
                line, used = "", 0
            line, used = (f"{line} {word}", used + 1 + columns) if line else (word, columns)
        lines.append(indent + line if line else "")
    return lines
