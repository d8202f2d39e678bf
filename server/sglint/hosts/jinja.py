"""Jinja templates of shell scripts (``start.sh.j2``): expressions are not known, tags decide what may be there.

Source: the documentation of Jinja's syntax. A line that holds nothing but tags or comments is taken out, as Ansible's
templates and ``trim_blocks`` do.
"""

from __future__ import annotations

import re

from ..launch.model import Reading
from ..text import Document, Mapped, Sources, Span
from .directives import read_directives
from .embedding import Stretches
from .origins import UNKNOWN, Origin
from .shell import read_script
from .shell_sources import Surrounding

_TAGS = r"(?:\{%.*?%\}|\{#.*?#\})"
_PIECE = re.compile(
    rf"(?P<lines>^[ \t]*(?:{_TAGS}[ \t]*)+(?:\r?\n|\Z))|(?P<tag>{_TAGS})|(?P<value>\{{\{{.*?\}}\}})|(?P<end>\r\n?)",
    re.DOTALL | re.MULTILINE,
)
_NAME = re.compile(r"\{%[-+]?\s*(\w+)")
_OPENS = frozenset(("if", "for"))
_CLOSES = frozenset(("endif", "endfor"))


def read(document: Document, sources: Sources) -> Reading:
    """The launches of a script that a template makes."""
    directives = read_directives(document)
    ending = "\r\n" if "\r\n" in document.text else "\n"
    mapped, origins = _script(document.text)
    reading = read_script(
        _Template(mapped, lambda text, offset: text.replace("\n", ending)),
        host="shell",
        origins=origins,
        directives=lambda first, last: directives.at(document.lines.line_of(first), document.lines.line_of(last)),
        around=Surrounding(document.path, sources),
    )
    problems = (*reading.problems, *directives.problems)
    return Reading(document, reading.launches, reading.not_launches, problems, directives.ignores)


class _Template(Stretches):
    """A script with tags between its lines."""

    between = "a template's tag stands in between"


def _script(text: str) -> tuple[Mapped, tuple[Origin, ...]]:
    """The script without tags, its lines ending in LF, and the stretches of it that tags decide about."""
    parts: list[Mapped] = []
    origins: list[Origin] = []
    length = depth = at = 0

    def put(part: Mapped) -> None:
        nonlocal length
        if part.text:
            parts.append(part)
            origins.extend([Origin(length, length + len(part.text), maybe=True)] if depth else [])
            length += len(part.text)

    for piece in _PIECE.finditer(text):
        put(Mapped.identity(text[at : piece.start()], at))
        at = piece.end()
        if piece.lastgroup in ("value", "end"):
            put(Mapped.whole(UNKNOWN if piece.lastgroup == "value" else "\n", Span(*piece.span())))
        else:
            names = _NAME.findall(piece[0])
            depth = max(0, depth + sum((name in _OPENS) - (name in _CLOSES) for name in names))
    put(Mapped.identity(text[at:], at))
    return Mapped.join(parts), tuple(origins)
