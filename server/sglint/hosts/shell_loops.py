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


def assigned(script: Script, node: Node, functions: Functions) -> Iterator[tuple[str, Script, Node]]:
    """The variables that statements below ``node`` change, and where; ``positional`` is called ``@``."""
    stack = [(script, child) for child in node.children]
    entered: set[str] = set()
    while stack:
        script, child = stack.pop()
        text = script.text
        written = text[child.start_byte : child.end_byte]
        if child.type == "variable_assignment":
            name = child.child_by_field_name("name")
            if name is not None:
                yield text[name.start_byte : name.end_byte].partition("[")[0], script, child
        elif child.type == "unset_command":
            yield from ((name, script, child) for name in _NAME.findall(written))
        elif child.type == "command":
            if written.startswith(("set ", "shift")):
                yield "@", script, child
            if _SETTERS.match(written):
                yield from ((name, script, child) for name in dict.fromkeys(_NAME.findall(written)))
            called = written.split(maxsplit=1)[0] if written.strip() else ""
            if called in functions and called not in entered:
                entered.add(called)
                stack.append(functions[called])
        elif child.type == "for_statement":
            variable = child.child_by_field_name("variable")
            if variable is not None:
                yield text[variable.start_byte : variable.end_byte], script, child
        elif written.startswith(("((", "$((")) or child.type in ("postfix_expression", "unary_expression"):
            yield from ((name, script, child) for name in changed_names(written))
        stack += [(script, below) for below in child.children]
