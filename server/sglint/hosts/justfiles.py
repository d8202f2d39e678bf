"""Justfiles: the scripts of their recipes, and what their variables and parameters are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..records import dataclass, field
from ..text import Mapped, Span

Values = Mapping[str, "Mapped | None"]
"""Variables by name; None for those whose value is not known."""

_SET = re.compile(r"^(?P<export>export[ \t]+)?(?P<name>[A-Za-z_][\w-]*)[ \t]*:=[ \t]*(?P<value>[^\r\n]*)", re.MULTILINE)
_SETTING = re.compile(r"^set[ \t]+(export|positional-arguments)\b(?![ \t]*:=[ \t]*false)", re.MULTILINE)
_RECIPE = re.compile(
    r"^(?P<head>@?[A-Za-z_][\w-]*(?:[ \t][^\n]*?|[ \t]*)):(?!=)[^\n]*\n(?P<body>(?:[ \t]+[^\n]*(?:\n|\Z)|[ \t\r]*\n)+)",
    re.MULTILINE,
)
_PARAMETER = re.compile(r"(?P<many>[*+]?)(?P<dollar>\$?)(?P<name>[A-Za-z_][\w-]*)(?P<default>[ \t]*=[ \t]*)?")
_TOKEN = re.compile(
    r"[ \t]+|(?P<sign>[+/])|(?P<raw>'''.*?'''|'[^'\n]*')|(?P<string>\"\"\".*?\"\"\"|\"(?:[^\"\\\n]|\\.)*\")"
    r"|env(?:_var_or_default)?\([ \t]*(?:'[^'\n]*'|\"[^\"\n]*\")[ \t]*,[ \t]*(?:'(?P<raw_default>[^'\n]*)'"
    r"|\"(?P<default>[^\"\\\n]*)\")[ \t]*\)|(?P<name>[A-Za-z_][\w-]*)(?![\w(-])",
    re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}

USE = re.compile(r"\{\{\{\{|\{\{(?P<inside>[^}\n]*)\}\}")
"""An expression that a recipe's line holds, or two braces that stand for themselves."""


@dataclass(frozen=True)
class Recipe:
    """``script`` without its ``indent``; ``values`` are its parameters and what the file sets, ``exported`` the names
    of those that its commands get as their environment."""

    script: Mapped
    indent: str
    values: Values = field(default_factory=dict)
    exported: frozenset[str] = frozenset()


def recipes(text: str) -> Iterator[Recipe]:
    """The scripts of a justfile's recipes: a recipe with an interpreter is one, else each of its lines is."""
    settings = {found[1] for found in _SETTING.finditer(text)}
    values: dict[str, Mapped | None] = {}
    exported: set[str] = set()
    for found in _SET.finditer(text):
        value, _ = evaluate(Mapped.identity(found["value"], found.start("value")), 0, values)
        values[found["name"]] = value
        if found["export"] or "export" in settings:
            exported.add(found["name"])
    for found in _RECIPE.finditer(text):
        own, handed = _parameters(Mapped.identity(found["head"], found.start("head")), values)
        known = {**values, **own}
        names = exported | handed | (own.keys() if "export" in settings else set())
        first = re.search(r"^([ \t]+)\S", found["body"], re.MULTILINE)
        indent = first[1] if first else ""
        interpreter = re.match(r"\s*#!([^\n]*)", found["body"])
        if interpreter and "sh" not in interpreter[1]:
            continue
        for script in _scripts(found["body"], found.start("body"), indent, whole=interpreter is not None):
            yield Recipe(script, indent, known, frozenset(names))


def _scripts(body: str, start: int, indent: str, *, whole: bool) -> Iterator[Mapped]:
    parts: list[Mapped] = []
    goes_on = False
    for line in re.finditer(r"([ \t]*)([^\n]*\n?)", body):
        if not line[0]:
            continue
        at = min(len(indent), len(line[1])) if line[1].startswith(indent) else len(line[1])
        signs = None if whole or goes_on else re.compile(r"[ \t]*[@-]+").match(line[0], at)
        at = signs.end() if signs else at
        parts.append(Mapped.identity(line[0][at:], start + line.start() + at))
        goes_on = line[0].rstrip("\r\n").endswith("\\")
        if not whole and not goes_on:
            yield Mapped.join(parts)
            parts = []
    if parts:
        yield Mapped.join(parts)


def _parameters(head: Mapped, values: Values) -> tuple[dict[str, Mapped | None], set[str]]:
    """The parameters of a recipe with their defaults, and the names of those that are exported."""
    found: dict[str, Mapped | None] = {}
    exported: set[str] = set()
    name = re.compile(r"@?[A-Za-z_][\w-]*[ \t]*").match(head.text)
    at = name.end() if name else 0
    while parameter := _PARAMETER.match(head.text, at):
        at = parameter.end()
        value: Mapped | None = None
        if parameter["default"] is not None:
            value, at = evaluate(head, at, {**values, **found}, alone=True)
        found[parameter["name"]] = None if parameter["many"] and not value else value
        exported |= {parameter["name"]} if parameter["dollar"] else set()
        blank = re.compile(r"[ \t]*").match(head.text, at)
        at = blank.end() if blank else at
    return found, exported


def evaluate(written: Mapped, start: int, values: Values, *, alone: bool = False) -> tuple[Mapped | None, int]:
    """The value of the expression from ``start`` on, None where it is not known, and where it ends.

    ``alone``: it ends with its first operand, as the default of a parameter does.
    """
    parts: list[Mapped] = []
    at = start
    known = True
    while at < len(written.text) and written.text[at] not in "#\r\n":
        token = _TOKEN.match(written.text, at)
        if token is None:
            skipped = re.compile(r"\([^()]*\)|\S").match(written.text, at)
            known, at = False, skipped.end() if skipped else len(written.text)
            continue
        if alone and (parts or not known) and not token.group().strip():
            break
        at = token.end()
        part = _operand(written, token, values)
        if token["sign"] == "/" or (part is None and token.group().strip() and not token["sign"]):
            known = False
        elif part is not None:
            parts.append(part)
    return (Mapped.join(parts, anchor=written.point(start)) if known and parts else None), at


def _operand(written: Mapped, token: re.Match[str], values: Values) -> Mapped | None:
    if token["name"]:
        return values.get(token["name"])
    for group in ("raw_default", "default"):
        if token[group] is not None:
            return written.slice(*token.span(group))
    if token["raw"] or token["string"]:
        group = "raw" if token["raw"] else "string"
        first, last = token.span(group)
        width = 3 if token[group][:3] in ("'''", '"""') and len(token[group]) >= 6 else 1
        inside = written.slice(first + width, last - width)
        return _unescaped(inside) if group == "string" else inside
    return None


def _unescaped(inside: Mapped) -> Mapped:
    if "\\" not in inside.text:
        return inside
    parts: list[Mapped] = []
    at = 0
    for escape in re.finditer(r"\\(.)", inside.text, re.DOTALL):
        text = _ESCAPES.get(escape[1], escape[1])
        parts += [inside.slice(at, escape.start()), Mapped.whole(text, inside.span(*escape.span()))]
        at = escape.end()
    return Mapped.join((*parts, inside.slice(at)))


def used(expression: str, values: Values, place: Span) -> Mapped | None:
    """What an expression in a recipe gives, at its place; None where that is not known."""
    value, _ = evaluate(Mapped.identity(expression), 0, values)
    return Mapped.whole(value.text, place) if value is not None else None


def names(recipe: Recipe) -> Sequence[str]:
    """Names of what the recipe's commands get as their environment, in order."""
    return [name for name in recipe.values if name in recipe.exported]
