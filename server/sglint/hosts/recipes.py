"""Makefiles and justfiles: the lines of a recipe are scripts, or the recipe is one.

``$(NAME)`` and ``{{name}}`` are filled in from what the same file sets, else unknown; ``$$`` is a dollar for the shell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ..launch.model import CannotEdit, EnvVar, Launch, NotLaunch, Place, Reading, Word
from ..records import dataclass, replace
from ..text import Document, Edit, Mapped, Sources, Span
from . import justfiles, makefiles
from .directives import read_directives
from .embedding import Embedding, Encode
from .gate import may_hold_launch
from .origins import UNKNOWN
from .shell import read_script
from .shell_arity import settle_fields


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
    launches: list[Launch] = []
    others: list[NotLaunch] = []
    for script, env in _just(document.text) if document.language == "justfile" else _make(document.text):
        reading = read_script(
            script,
            host="shell",
            env=env,
            directives=lambda first, last: directives.at(lines.line_of(first), lines.line_of(last)),
        )
        launches += [replace(launch, words=_settled(launch, document.text)) for launch in reading.launches]
        others += reading.not_launches
    return Reading(document, tuple(launches), tuple(others), directives.problems, directives.ignores)


def _settled(launch: Launch, text: str) -> tuple[Word, ...]:
    """The words, with what is not known and stands alone and unquoted as any number of them."""
    release = str(launch.release.value) if launch.release is not None else None
    settled = settle_fields(launch.words, release)
    quoted = (text[word.span.start - 1 : word.span.start] in ("'", '"') for word in launch.words)
    return tuple(
        before if is_quoted else word for before, word, is_quoted in zip(launch.words, settled, quoted, strict=True)
    )


def _make(text: str) -> Iterator[tuple[_Recipe, Mapping[str, EnvVar]]]:
    file = makefiles.variables(text)
    known: dict[str, Mapped | None] = {}

    def value(name: str) -> Mapped | None:
        if name not in known:
            known[name] = makefiles.expanded(name, file.values)
        return known[name]

    def filled(use: re.Match[str], place: Span) -> Mapped | None:
        if use.group() == "$$":
            return Mapped.whole("$", place)
        found = value(use[1] or use[2] or "")
        return None if found is None else Mapped.whole(found.text.replace("$$", "$"), place)

    def encode(new: str, offset: int) -> str:
        return new.replace("$", "$$").replace("\n", "\n\t")

    exported = file.values if file.export_all else file.exported
    env = {name: _variable(name, value(name)) for name in file.values if name in exported}
    for script in makefiles.recipes(text, one_shell=file.one_shell):
        if may_hold_launch(script.text) or "$" in script.text:
            yield _embedded(script, makefiles.USE, filled, encode), env


def _just(text: str) -> Iterator[tuple[_Recipe, Mapping[str, EnvVar]]]:
    for recipe in justfiles.recipes(text):
        if not may_hold_launch(recipe.script.text) and "$" not in recipe.script.text and "{{" not in recipe.script.text:
            continue

        def filled(use: re.Match[str], place: Span, recipe: justfiles.Recipe = recipe) -> Mapped | None:
            if use["inside"] is None:
                return Mapped.whole("{{", place)
            return justfiles.used(use["inside"].strip(" \t"), recipe.values, place)

        def encode(new: str, offset: int, recipe: justfiles.Recipe = recipe) -> str:
            return new.replace("{{", "{{{{").replace("\n", "\n" + recipe.indent)

        env = {name: _variable(name, recipe.values[name]) for name in justfiles.names(recipe)}
        yield _embedded(recipe.script, justfiles.USE, filled, encode), env


def _variable(name: str, value: Mapped | None) -> EnvVar:
    place = Place(value.span()) if value is not None else None
    return EnvVar(name, value.text if value is not None else None, place, value)


def _embedded(
    script: Mapped, pattern: re.Pattern[str], filled: Callable[[re.Match[str], Span], Mapped | None], encode: Encode
) -> _Recipe:
    """The script with the file's variables filled in; what is not known is one sign."""
    parts: list[Mapped] = []
    places: list[Span] = []
    at = length = 0
    text = script.text
    for use in pattern.finditer(text):
        place = script.span(*use.span())
        found = filled(use, place)
        if found is None:
            found = Mapped.whole(UNKNOWN, place)
        parts += [script.slice(at, use.start()), found]
        length += use.start() - at
        if use.group() != "$$":
            places.append(Span(length, length + len(found.text)))
        length += len(found.text)
        at = use.end()
    parts.append(script.slice(at))
    return _Recipe(Mapped.join(parts, anchor=script.anchor), encode, filled=tuple(places))
