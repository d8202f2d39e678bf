"""Makefiles and justfiles: the recipe of each target is a script, or one for each line in a Makefile.

``$(NAME)`` and ``{{name}}`` are filled in from plain assignments of the same file, else unknown; ``$$`` is a dollar for
the shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..launch.model import CannotEdit, Launch, NotLaunch, Reading
from ..records import dataclass
from ..text import Document, Edit, Mapped, Sources, Span
from .directives import read_directives
from .embedding import Embedding
from .gate import may_hold_launch
from .origins import UNKNOWN
from .shell import read_script

_MAKE_SET = re.compile(r"^(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*(?:::?|\?)?=[ \t]*([^\r\n]*)", re.MULTILINE)
_JUST_SET = re.compile(
    r"^(?:export[ \t]+)?([A-Za-z_][\w-]*)[ \t]*:=[ \t]*([\"'])([^\"'\r\n]*)\2[ \t]*\r?$", re.MULTILINE
)
_MAKE_USE = re.compile(r"\$(?:\$|\(([^()\s]*)\)|\{([^{}\s]*)\}|\([^()]*(?:\([^()]*\)[^()]*)*\)|[@<^*?%+A-Za-z])")
_JUST_USE = re.compile(r"\{\{[ \t]*([\w-]*)[^}\n]*\}\}")


@dataclass(frozen=True)
class _Recipe(Embedding):
    """A recipe's script; in ``filled`` stretches of it stands what a variable of the file gives."""

    filled: tuple[Span, ...] = ()

    def edit(self, start: int, end: int, text: str) -> Edit:
        """As for any embedding. Raises CannotEdit where new text would take the place of a variable."""
        if text and any(one.start < end and start < one.end for one in self.filled):
            raise CannotEdit("the value comes from a variable of the file; change it where that is set")
        return Embedding.edit(self, start, end, text)


def read(document: Document, sources: Sources) -> Reading:
    """The launches in the recipes of a Makefile, or of a justfile by its name."""
    directives = read_directives(document)
    lines = document.lines
    just = document.language == "justfile"
    launches: list[Launch] = []
    others: list[NotLaunch] = []
    values = _values(document.text, just=just)
    for recipe, indent in _just_recipes(document.text) if just else _make_recipes(document.text):
        if not may_hold_launch(recipe.text) and "$" not in recipe.text and "{{" not in recipe.text:
            continue
        reading = read_script(
            _embedded(recipe, indent, values, just=just),
            host="shell",
            directives=lambda first, last: directives.at(lines.line_of(first), lines.line_of(last)),
        )
        launches += reading.launches
        others += reading.not_launches
    return Reading(document, tuple(launches), tuple(others), directives.problems, directives.ignores)


def _make_recipes(text: str) -> Iterator[tuple[Mapped, str]]:
    """The commands of a Makefile, a line that begins with a tab with the lines that continue it; and that tab."""
    for line in re.finditer(r"^\t[ \t]*[@+-]*[ \t]*((?:[^\\\n]|\\\r?\n|\\.)*)", text, re.MULTILINE | re.DOTALL):
        parts: list[Mapped] = []
        at = line.start(1)
        # Make takes the tab that begins a continuation line away.
        for tab in re.finditer(r"\n\t", line[1]):
            parts.append(Mapped.identity(text[at : line.start(1) + tab.start()], at))
            at = line.start(1) + tab.end()
            parts.append(Mapped.whole("\n", Span(at - 2, at)))
        parts.append(Mapped.identity(text[at : line.end(1)], at))
        yield Mapped.join(parts), "\t"


def _just_recipes(text: str) -> Iterator[tuple[Mapped, str]]:
    """The indented lines below each recipe's head, without the signs that keep just from printing them; the indent."""
    for block in re.finditer(r"^[@\w][^\n]*:(?!=)[^\n]*\n((?:[ \t]+[^\n]*(?:\n|\Z)|[ \t\r]*\n)+)", text, re.MULTILINE):
        parts: list[Mapped] = []
        first = re.search(r"^([ \t]+)\S", block[1], re.MULTILINE)
        indent = first[1] if first else ""
        goes_on = False
        for line in re.finditer(r"([ \t]*)([^\n]*\n?)", block[1]):
            if not line[0]:
                continue
            start = min(len(indent), len(line[1])) if line[1].startswith(indent) else len(line[1])
            signs = re.compile(r"[ \t]*[@-]+").match(line[0], start)
            if signs and not goes_on:
                start = signs.end()
            parts.append(Mapped.identity(line[0][start:], block.start(1) + line.start() + start))
            goes_on = line[0].rstrip("\r\n").endswith("\\")
        yield Mapped.join(parts), indent


def _values(text: str, *, just: bool) -> dict[str, Mapped | None]:
    """What plain assignments give to names; None for names that are set more than once."""
    found: dict[str, Mapped | None] = {}
    for match in (_JUST_SET if just else _MAKE_SET).finditer(text):
        group = 3 if just else 2
        value = Mapped.identity(match[group].rstrip(" \t"), match.start(group))
        found[match[1]] = None if match[1] in found or "$" in value.text or "#" in value.text else value
    return found


def _embedded(recipe: Mapped, indent: str, values: dict[str, Mapped | None], *, just: bool) -> _Recipe:
    """The script of a recipe with the file's variables filled in."""
    parts: list[Mapped] = []
    filled: list[Span] = []
    at = length = 0

    def add(part: Mapped) -> None:
        nonlocal length
        parts.append(part)
        length += len(part.text)

    for use in (_JUST_USE if just else _MAKE_USE).finditer(recipe.text):
        place = recipe.span(*use.span())
        name = use[1] if just else use[1] or use[2]
        value = values.get(name or "")
        add(recipe.slice(at, use.start()))
        before = length
        if use.group() == "$$":
            add(Mapped.whole("$", place))
        else:
            add(Mapped.whole(UNKNOWN if value is None else value.text, place))
            filled.append(Span(before, length))
        at = use.end()
    add(recipe.slice(at))

    def encode(text: str, offset: int) -> str:
        own = text.replace("{{", "{{{{") if just else text.replace("$", "$$")
        return own.replace("\n", "\n" + indent)

    return _Recipe(Mapped.join(parts, anchor=recipe.anchor), encode, filled=tuple(filled))
