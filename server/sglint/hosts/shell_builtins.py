"""Builtin commands that change variables or end something, and where releases are told by commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..launch.model import EnvVar, Evidence, Place, Word
from ..text import Mapped, Span
from . import evidence
from .origins import HOLE
from .shell_script import Script
from .shell_values import Item, Piece, State, Variable, unknown

BUILTINS = frozenset(
    "set shift read unset exit return break continue source . trap eval "
    "mapfile readarray getopts printf exec let".split()
)
_INSTALLERS = frozenset(("pip", "pip3", "uv", "poetry", "conda", "mamba"))
_READERS = frozenset(("read", "mapfile", "readarray", "getopts", "let"))


def carry_out(argv: Sequence[Word], items: Sequence[Item], state: State) -> None:
    """What a builtin does to the state; other commands do nothing to it."""
    name = argv[0].text if argv else None
    if name == "set":
        _set(argv, items, state)
    elif name == "shift":
        state.positional = None
    elif name in ("exit", "return"):
        state.dead = name
    elif name in ("break", "continue"):
        state.dead = "loop"
    elif name == "exec" and len(argv) > 1:
        state.dead = "exit"
    elif name in _READERS:
        for word in argv[1:]:
            variable = re.match(r"[A-Za-z_]\w*", word.text or "")
            if variable:
                _forget(state, variable.group(), word)
    elif name == "printf" and len(argv) > 2 and argv[1].text == "-v":
        _forget(state, argv[2].text or "", argv[2])


def _set(argv: Sequence[Word], items: Sequence[Item], state: State) -> None:
    index = 1
    while index < len(argv):
        text = argv[index].text or ""
        if text in ("--", "-"):
            state.positional = tuple(items[index + 1 :])
            return
        if not text.startswith(("-", "+")):
            state.positional = tuple(items[index:])
            return
        if text.startswith("-") and "a" in text:
            state.export_all = True
        index += 2 if text.endswith("o") else 1


def _forget(state: State, name: str, word: Word) -> None:
    state.set(name, Variable((unknown(Mapped.whole(HOLE, word.span), many=True),), None, False, word.span))


def exported(state: State) -> tuple[EnvVar, ...]:
    """The variables a command's process gets from the script."""
    return tuple(
        EnvVar(name, variable.text, Place(variable.place) if variable.place is not None else None)
        for name, variable in state.variables.items()
        if variable.exported
    )


def variable_of(variable: EnvVar) -> Variable:
    """The variable a process has from its environment."""
    span = variable.place.span if variable.place is not None else Span(0, 0)
    if variable.value is None:
        return Variable((unknown(Mapped.whole(HOLE, span), many=True),), None, True, span)
    exact = span.end - span.start == len(variable.value)
    mapped = Mapped.identity(variable.value, span.start) if exact else Mapped.whole(variable.value, span)
    return Variable((Piece(variable.value, mapped),), None, True, span)


def release_told(argv: Sequence[Word]) -> Evidence | None:
    """The release that an install or checkout command names."""
    texts = [word.text or "" for word in argv]
    name = texts[0].rpartition("/")[2] if texts else ""
    if name in _INSTALLERS or texts[1:3] == ["-m", "pip"]:
        read: Callable[[Mapped, str | None], Evidence | None] = evidence.release_of_requirement
    elif name == "git" and not {"checkout", "switch", "clone"}.isdisjoint(texts):
        read = evidence.release_of_git_tag
    else:
        return None
    for word in argv[1:]:
        found = read(evidence.mapped_of(word), word.path) if word.text else None
        if found is not None:
            return found
    return None


def place_of(script: Script, node: Any) -> Span:
    """Where a tree node stands in the document."""
    return script.span(node.start_byte, node.end_byte)
