"""Makefiles: the command lines of their recipes, and what their variables are when those run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..records import dataclass, field
from ..text import Mapped, Span

Values = Mapping[str, "Mapped | None"]
"""Variables by name; None for those whose value is not known."""

_MAX_DEPTH = 20
_MAX_CHARACTERS = 20_000

_NAME = r"[A-Za-z_][\w.-]*"
_SET = re.compile(
    rf"[ ]*(?P<words>(?:(?:export|override|unexport|private)[ \t]+)*)(?P<name>{_NAME})[ \t]*(?P<sign>\+|\?|!|:{{0,3}})="
    r"[ \t]*"
)
_SET_FOR_TARGET = re.compile(rf"[^\t#:=][^#:=\n]*:[ \t]*(?:export[ \t]+)?({_NAME})[ \t]*(?:\+|\?|!|:{{0,3}})=")
_EXPORT = re.compile(rf"[ ]*export((?:[ \t]+{_NAME})*)[ \t]*\r?\n?$")
_DEFINE = re.compile(rf"[ ]*(?:override[ \t]+)?define[ \t]+({_NAME})")
_CONDITION = re.compile(r"[ ]*if(?:n?eq|n?def)\b")
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*#.*", re.DOTALL)
_JOINT = re.compile(r"(?P<line>[ \t]*\\\r?\n[ \t]*)|\\#")
_AFTER_RULE = re.compile(r"[^\t\n#=][^=\n;#]*?:[^=\n;]*;[ \t]*[@+-]*[ \t]*((?:[^\\\n]|\\\r?\n|\\.)*)", re.DOTALL)
_LINE = re.compile(r"\t[ \t]*[@+-]*[ \t]*((?:[^\\\n]|\\\r?\n|\\.)*)", re.DOTALL)

USE = re.compile(r"\$(?:\$|\(([^()\s]*)\)|\{([^{}\s]*)\}|\([^()]*(?:\([^()]*\)[^()]*)*\)|[@<^*?%+A-Za-z])")
"""A dollar, a variable by its name in one of two groups, or something that is not followed."""


@dataclass
class Makefile:
    """``values`` as recipes see them; ``exported`` are names of those that commands get as their environment."""

    values: dict[str, Mapped | None] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    export_all: bool = False
    one_shell: bool = False


def variables(text: str) -> Makefile:
    """What the lines of a Makefile that are none of a recipe set."""
    found = Makefile()
    conditions = 0
    defined: str | None = None
    for line in _lines(text):
        word = line.text.split(maxsplit=1)[:1]
        if defined is not None:
            defined = None if word == ["endef"] else defined
        elif line.text.startswith("\t"):
            continue
        elif (word and word[0] in ("ifeq", "ifneq", "ifdef", "ifndef")) or line.text.lstrip().startswith(
            ("ifeq(", "ifneq(")
        ):
            conditions += 1
        elif word == ["endif"]:
            conditions = max(0, conditions - 1)
        elif word and word[0].startswith(".ONESHELL"):
            found.one_shell = True
        elif (define := _DEFINE.match(line.text)) is not None:
            defined = define[1]
            found.values[defined] = None
        else:
            _take(line, found, conditional=conditions > 0)
    return found


def _lines(text: str) -> Iterator[Mapped]:
    """Lines with those that continue them."""
    at = 0
    for line in re.finditer(r"(?:[^\\\n]|\\\r?\n|\\)*(?:\n|\Z)", text):
        if line.end() > at:
            yield Mapped.identity(line[0], line.start())
            at = line.end()


def _take(line: Mapped, found: Makefile, *, conditional: bool) -> None:
    setting = _SET.match(line.text)
    if setting is None:
        for_target = _SET_FOR_TARGET.match(line.text)
        exported = _EXPORT.match(line.text)
        if for_target is not None:
            found.values[for_target[1]] = None
        elif exported is not None:
            found.exported.update(exported[1].split())
            found.export_all = found.export_all or not exported[1].strip()
        return
    name, sign = setting["name"], setting["sign"]
    if "export" in setting["words"].split():
        found.exported.add(name)
    if sign == "?" and name in found.values:
        return
    value = _value(line.slice(setting.end()))
    before = found.values.get(name)
    if conditional or sign == "!":
        found.values[name] = None
    elif sign == "+" and name in found.values:
        place = Span(value.anchor, value.anchor)
        found.values[name] = Mapped.join((before, Mapped.whole(" ", place), value)) if before is not None else None
    else:
        found.values[name] = _expanded(value, found.values, 0, name) if sign.startswith(":") else value


def _value(written: Mapped) -> Mapped:
    """The text of a variable: without its comment, continued lines joined by a blank, ``\\#`` a sign."""
    comment = _COMMENT.search(written.text)
    written = written.slice(0, comment.start() if comment else len(written.text.rstrip("\r\n")))
    written = written.slice(0, len(written.text.rstrip(" \t")))
    parts: list[Mapped] = []
    at = 0
    for joint in _JOINT.finditer(written.text):
        parts.append(written.slice(at, joint.start()))
        parts.append(Mapped.whole(" " if joint["line"] else "#", written.span(*joint.span())))
        at = joint.end()
    return Mapped.join((*parts, written.slice(at)), anchor=written.anchor) if at else written


def expanded(name: str, values: Values) -> Mapped | None:
    """What ``$(name)`` gives; None where that is not known."""
    value = values.get(name)
    return _expanded(value, values, 0, name) if value is not None else None


def _expanded(value: Mapped, values: Values, depth: int, name: str) -> Mapped | None:
    if "$" not in value.text:
        return value
    parts: list[Mapped] = []
    at = length = 0
    for use in USE.finditer(value.text):
        inner = values.get(use[1] or use[2] or "")
        if use.group() != "$$" and (inner is None or depth >= _MAX_DEPTH):
            return None
        # Two dollars stay what they are until the recipe is run.
        filled = _expanded(inner, values, depth + 1, name) if inner is not None else value.slice(*use.span())
        if filled is None:
            return None
        parts += [value.slice(at, use.start()), filled]
        length += use.start() - at + len(filled.text)
        if length > _MAX_CHARACTERS:
            return None
        at = use.end()
    return Mapped.join((*parts, value.slice(at)), anchor=value.anchor)


def recipes(text: str, *, one_shell: bool) -> Iterator[Mapped]:
    """The scripts of a Makefile's recipes: each line, with those that continue it, or all lines of a recipe."""
    together: list[Mapped] = []
    at = 0
    for line in _lines(text):
        start = line.anchor
        found = _LINE.match(text, start) or _AFTER_RULE.match(text, start)
        if found is None:
            if together and line.text.strip():
                yield Mapped.join(together)
                together = []
            continue
        if start < at:
            continue
        at = found.end()
        script = _without_tabs(text, *found.span(1))
        if not one_shell:
            yield script
            continue
        if together:
            # Signs before a line that is not the first are the shell's.
            begin = start + 1 if text.startswith("\t", start) else found.start(1)
            script = _without_tabs(text, begin, found.end(1))
            together.append(Mapped.whole("\n", Span(begin - 1, begin)))
        together.append(script)
    if together:
        yield Mapped.join(together)


def _without_tabs(text: str, start: int, end: int) -> Mapped:
    """A stretch as the shell gets it: Make takes the tab that begins a continued line away."""
    parts: list[Mapped] = []
    at = start
    for tab in re.compile(r"\n\t").finditer(text, start, end):
        parts.append(Mapped.identity(text[at : tab.start()], at))
        at = tab.end()
        parts.append(Mapped.whole("\n", Span(at - 2, at)))
    parts.append(Mapped.identity(text[at:end], at))
    return Mapped.join(parts)
