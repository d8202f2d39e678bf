"""Makefiles and justfiles: the recipe of each target is a script, or one for each line in a Makefile.

Read only. ``$(NAME)`` and ``{{name}}`` are filled in from plain assignments of the same file, else unknown; ``$$``
is a dollar for the shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..launch.model import Launch, NotLaunch, Reading
from ..records import replace
from ..text import Document, Mapped, Sources
from .directives import read_directives
from .edit_words import FixedEditor
from .embedding import Embedding
from .gate import may_hold_launch
from .origins import UNKNOWN
from .shell import read_script

_MAKE_SET = re.compile(
    r"^(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*(?:::?|\?)?=[ \t]*([^\r\n]*?)[ \t]*\r?$", re.MULTILINE
)
_JUST_SET = re.compile(
    r"^(?:export[ \t]+)?([A-Za-z_][\w-]*)[ \t]*:=[ \t]*([\"'])([^\"'\r\n]*)\2[ \t]*\r?$", re.MULTILINE
)
_MAKE_USE = re.compile(r"\$(?:\$|\(([^()\s]*)\)|\{([^{}\s]*)\}|\([^()]*(?:\([^()]*\)[^()]*)*\)|[@<^*?%+A-Za-z])")
_JUST_USE = re.compile(r"\{\{[ \t]*([\w-]*)[^}\n]*\}\}")
_EDIT = FixedEditor("the recipe of a target is not rewritten")


def read(document: Document, sources: Sources) -> Reading:
    """The launches in the recipes of a Makefile, or of a justfile by its name."""
    directives = read_directives(document)
    lines = document.lines
    just = document.language == "justfile"
    launches: list[Launch] = []
    others: list[NotLaunch] = []
    values = _values(document.text, just=just)
    for recipe in _just_recipes(document.text) if just else _make_recipes(document.text):
        if not may_hold_launch(recipe.text) and "$" not in recipe.text and "{{" not in recipe.text:
            continue
        reading = read_script(
            Embedding(_filled(recipe, values, just=just)),
            host="shell",
            directives=lambda first, last: directives.at(lines.line_of(first), lines.line_of(last)),
        )
        launches += [replace(launch, editor=_EDIT) for launch in reading.launches]
        others += reading.not_launches
    return Reading(document, tuple(launches), tuple(others), directives.problems, directives.ignores)


def _make_recipes(text: str) -> Iterator[Mapped]:
    """The commands of a Makefile: a line that begins with a tab, with the lines that continue it."""
    for line in re.finditer(r"^\t[ \t]*[@+-]*[ \t]*((?:[^\\\n]|\\\r?\n|\\.)*)", text, re.MULTILINE | re.DOTALL):
        parts: list[Mapped] = []
        at = line.start(1)
        # Make takes the tab that begins a continuation line away.
        for tab in re.finditer(r"(?<=\n)\t", line[1]):
            parts.append(Mapped.identity(text[at : line.start(1) + tab.start()], at))
            at = line.start(1) + tab.end()
        parts.append(Mapped.identity(text[at : line.end(1)], at))
        yield Mapped.join(parts)


def _just_recipes(text: str) -> Iterator[Mapped]:
    """The indented lines below each recipe's head, without the signs that keep just from printing them."""
    for block in re.finditer(r"^[@\w][^\n]*:(?!=)[^\n]*\n((?:[ \t]+[^\n]*(?:\n|\Z)|[ \t\r]*\n)+)", text, re.MULTILINE):
        parts: list[Mapped] = []
        for line in re.finditer(r"[ \t]*[@-]*([^\n]*\n?)", block[1]):
            start = block.start(1) + line.start(1)
            parts.append(Mapped.identity(line[1], start))
        yield Mapped.join(parts)


def _values(text: str, *, just: bool) -> dict[str, Mapped | None]:
    """What plain assignments give to names; None for names that are set more than once."""
    found: dict[str, Mapped | None] = {}
    for match in (_JUST_SET if just else _MAKE_SET).finditer(text):
        group = 3 if just else 2
        value = Mapped.identity(match[group], match.start(group))
        found[match[1]] = None if match[1] in found or "$" in value.text or "#" in value.text else value
    return found


def _filled(recipe: Mapped, values: dict[str, Mapped | None], *, just: bool) -> Mapped:
    parts: list[Mapped] = []
    at = 0
    for use in (_JUST_USE if just else _MAKE_USE).finditer(recipe.text):
        place = recipe.span(*use.span())
        name = use[1] if just else use[1] or use[2]
        value = values.get(name or "")
        parts.append(recipe.slice(at, use.start()))
        if use.group() == "$$":
            parts.append(Mapped.whole("$", place))
        else:
            parts.append(Mapped.whole(UNKNOWN if value is None else value.text, place))
        at = use.end()
    parts.append(recipe.slice(at))
    return Mapped.join(parts, anchor=recipe.anchor)
