"""Loops: what their bodies change, and which of them can be followed turn by turn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .shell_assign import changed_names
from .shell_values import Item, certain

if TYPE_CHECKING:
    from .shell_script import Script

Node = Any
Functions = Mapping[str, "tuple[Script, Node]"]
"""Functions by name: the script they stand in, and their bodies."""

MAX_TURNS = 16
_LEAVES = re.compile(
    r"\b(?:break|continue|return|exit|exec|shift|source|read|getopts|mapfile|readarray)\b|^\s*\. ", re.M
)
_PATTERN = re.compile(r"[*?\[]")
_SETTERS = re.compile(r"(?:let|read|printf|getopts|mapfile|readarray|unset)\b")
_NAME = re.compile(r"[A-Za-z_]\w*")


def turns(values: Sequence[Item], body: str) -> Sequence[Item] | None:
    """The values a ``for`` loop runs through, one turn each; None where the loop is not followed.

    A body that may leave early or that hangs on input is walked once instead, with what it changes unknown.
    """
    if not values or len(values) > MAX_TURNS or not certain(values) or _LEAVES.search(body):
        return None
    for value in values:
        if any(not piece.known or (not piece.quoted and _PATTERN.search(piece.text)) for piece in value.pieces):
            return None
    return values


class Assigned:
    """What statements assign, kept by their nodes: loops and functions that are not followed ask again and again."""

    def __init__(self, functions: Functions) -> None:
        """``functions`` may grow and change while it is used."""
        self.functions = functions
        self._own: dict[tuple[Script, int], tuple[dict[str, Node], frozenset[str]]] = {}

    def below(self, script: Script, node: Node) -> dict[str, tuple[Script, Node]]:
        """The variables that statements below ``node`` change, and where; the positional ones are called ``@``."""
        found: dict[str, tuple[Script, Node]] = {}
        todo = [(script, node)]
        entered: set[str] = set()
        while todo:
            script, node = todo.pop()
            names, called = self._of(script, node)
            found.update((name, (script, place)) for name, place in names.items())
            for name in sorted(called & self.functions.keys() - entered):
                entered.add(name)
                todo.append(self.functions[name])
        return found

    def _of(self, script: Script, node: Node) -> tuple[dict[str, Node], frozenset[str]]:
        key = (script, node.id)
        known = self._own.get(key)
        if known is None:
            called: set[str] = set()
            known = self._own[key] = (dict(_assigned(script.text, node, called)), frozenset(called))
        return known


def _assigned(text: str, node: Node, called: set[str]) -> Iterator[tuple[str, Node]]:
    """Names that a statement itself changes; ``called`` gets the first words of its commands."""
    stack = list(node.children)
    while stack:
        child = stack.pop()
        written = text[child.start_byte : child.end_byte]
        if child.type == "variable_assignment":
            name = child.child_by_field_name("name")
            if name is not None:
                yield text[name.start_byte : name.end_byte].partition("[")[0], child
        elif child.type == "unset_command":
            yield from ((name, child) for name in _NAME.findall(written))
        elif child.type == "command":
            if written.startswith(("set ", "shift")):
                yield "@", child
            if _SETTERS.match(written):
                yield from ((name, child) for name in dict.fromkeys(_NAME.findall(written)))
            called.update(written.split(maxsplit=1)[:1])
        elif child.type == "for_statement":
            variable = child.child_by_field_name("variable")
            if variable is not None:
                yield text[variable.start_byte : variable.end_byte], child
        elif written.startswith(("((", "$((")) or child.type in ("postfix_expression", "unary_expression"):
            yield from ((name, child) for name in changed_names(written))
        stack += child.children
