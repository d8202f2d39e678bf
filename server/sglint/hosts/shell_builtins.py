"""Builtin commands that change variables or end something, and where releases are told by commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from ..launch.model import EnvVar, Evidence, Place, Word
from ..text import Mapped, Span
from . import evidence
from . import shell_operators as operators
from .origins import HOLE
from .shell_assign import MAX_PARAMETERS, calculate
from .shell_script import Script
from .shell_values import Item, Piece, State, Variable, certain, unknown

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
        state.positional = _shifted(state.positional, argv[1].text if len(argv) > 1 else "1")
    elif name in ("exit", "return"):
        state.dead = name
    elif name in ("break", "continue"):
        state.dead = "loop"
    elif name == "exec" and len(argv) > 1:
        state.dead = "exit"
    elif name == "let" and all(word.text is not None for word in argv):
        for word in argv[1:]:
            calculate(word.text or "", state, word.span)
    elif name in _READERS:
        for word in argv[1:]:
            variable = re.match(r"[A-Za-z_]\w*", word.text or "")
            if variable:
                _forget(state, variable.group(), word)
    elif name == "printf" and len(argv) > 2 and argv[1].text == "-v":
        _print_into(argv, state)


def _set(argv: Sequence[Word], items: Sequence[Item], state: State) -> None:
    index = 1
    while index < len(argv):
        text = argv[index].text or ""
        if text in ("--", "-"):
            state.positional = _bounded(items[index + 1 :])
            return
        if not text.startswith(("-", "+")):
            state.positional = _bounded(items[index:])
            return
        if text.startswith("-") and "a" in text:
            state.export_all = True
        index += 2 if text.endswith("o") else 1


def _bounded(items: Sequence[Item]) -> tuple[Item, ...] | None:
    """Parameters that double in a loop are nobody's arguments."""
    return tuple(items) if len(items) <= MAX_PARAMETERS else None


def _shifted(positional: tuple[Item, ...] | None, count: str | None) -> tuple[Item, ...] | None:
    if positional is None or count is None or not count.isdecimal() or not certain(positional):
        return None
    # Bash shifts nothing when asked for more than there is.
    return positional[int(count) :] if int(count) <= len(positional) else positional


def _print_into(argv: Sequence[Word], state: State) -> None:
    """``printf -v NAME format ...``"""
    name = argv[2].text
    words = [word.text for word in argv[3:] if word.text is not None and word.presence == "yes"]
    text = operators.printed(["printf", *words]) if words and len(words) == len(argv) - 3 else None
    if name is None or text is None or not name.isidentifier():
        _forget(state, (name or "").partition("[")[0], argv[2])
        return
    place = argv[3].span.hull(argv[-1].span)
    state.set(name, Variable((Piece(text, Mapped.whole(text, place)),) if text else (), None, False, place))


def _forget(state: State, name: str, word: Word) -> None:
    state.set(name, Variable((unknown(Mapped.whole(HOLE, word.span), many=True),), None, False, word.span))


def exported(state: State) -> tuple[EnvVar, ...]:
    """The variables a command's process gets from the script."""
    return tuple(
        EnvVar(name, variable.text, Place(variable.place) if variable.place is not None else None)
        for name, variable in state.variables.items()
        if variable.exported and variable.items is None
    )


def variable_of(variable: EnvVar) -> Variable:
    """The variable a process has from its environment."""
    span = variable.place.span if variable.place is not None else Span(0, 0)
    if variable.value is None:
        return Variable((unknown(Mapped.whole(HOLE, span), many=True),), None, True, span)
    mapped = variable.mapped
    if mapped is None:
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
