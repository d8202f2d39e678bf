"""Statements that give variables their values: assignments, declarations, ``unset``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..records import replace
from ..text import Mapped
from .origins import HOLE, UNKNOWN
from .shell_assign import array_of, element, keyed, text_of, unclear_array
from .shell_expand import Expander
from .shell_values import Item, State, Variable, unknown

if TYPE_CHECKING:
    from .shell_script import Script
    from .shell_walk import Walker

Node = Any

_ENTRY = re.compile(r"\[([^\]]*)\]=")


def assign(
    walker: Walker,
    node: Node,
    state: State,
    *,
    exported: bool = False,
    into: State | None = None,
    associative: bool = False,
) -> None:
    """Carry out a ``variable_assignment``; the value is read under ``state`` and set in ``into``."""
    name_node = node.child_by_field_name("name")
    if name_node is None:
        return
    written = walker.text(name_node)
    name = written.partition("[")[0]
    forked = forking(walker.text(node), state, name)
    given = []
    for inside in ways_of(state, forked) if forked else ():
        _assign_one(walker, node, inside, written, exported=exported, into=None, associative=associative)
        given.append(inside.variables[name])
    _assign_one(walker, node, state, written, exported=exported, into=into, associative=associative)
    if given:
        target = (state if into is None else into).variables
        target[name] = replace(target[name], ways=tuple(given))


_USED = re.compile(r"\$\{?([A-Za-z_]\w*|[@*])", re.ASCII)


def forking(text: str, state: State, target: str = "") -> str | None:
    """The first variable used in ``text`` that has one of several command lines; ``target``: what it assigns."""
    if target and text.startswith(f"{target}+=") and state.ways_of(target):
        return target
    used = (found[1] for found in _USED.finditer(text)) if "$" in text else iter(())
    return next((name for name in used if state.ways_of(name)), None)


def ways_of(state: State, name: str) -> list[State]:
    """The state for each of the command lines that variable ``name`` may hold; no other variable forks there."""
    found = []
    for way in state.ways_of(name):
        inside = state.copy()
        inside.ways = ()
        inside.variables = {
            other: replace(value, ways=()) if value.ways else value for other, value in state.variables.items()
        }
        if name in "@*":
            inside.positional = way.items
        else:
            inside.variables[name] = way
        found.append(inside)
    return found


def _assign_one(
    walker: Walker,
    node: Node,
    state: State,
    written: str,
    *,
    exported: bool,
    into: State | None,
    associative: bool,
) -> None:
    name = written.partition("[")[0]
    name_node = node.child_by_field_name("name")
    before = state.variables.get(name) if any(child.type == "+=" for child in node.children) else None
    value = node.child_by_field_name("value")
    assumed = False
    if name != written:
        variable = _element(walker, node, name_node, state)
    elif associative and value is not None and value.type == "array":
        variable = _keyed(walker, value, before, state)
    elif value is not None and value.type == "array":
        elements = [child for child in value.children if child.is_named and child.type != "comment"]
        place = walker.script.span(value.start_byte, value.end_byte)
        variable = array_of(walker.items(elements, state), before, place)
    else:
        start = value.start_byte if value is not None else node.end_byte
        expander = Expander(walker.script, state)
        pieces = tuple(expander.pieces(start, node.end_byte))
        variable = text_of(pieces, before, walker.script.span(start, start))
        if value is not None and _is_handed(walker, value):
            # As a secret's, the value is nowhere in the file: what stands for it is its name.
            variable = replace(variable, place=walker.script.span(name_node.start_byte, name_node.end_byte))
        assumed = expander.assumed or (before is not None and before.assumed)
    if name in walker.aliased or (name in walker.typed and not (variable.text or "").isdecimal()):
        place = walker.script.span(node.start_byte, node.end_byte)
        variable = Variable((unknown(Mapped.whole(HOLE, place)),), None, False, place)
    (state if into is None else into).set(name, replace(variable, exported=exported, assumed=assumed))


def _is_handed(walker: Walker, value: Node) -> bool:
    """Whether a value is what a command prints, or what a notation around the script puts there, and nothing else."""
    if walker.text(value).strip("\"'") == UNKNOWN:
        return True
    inside = value.named_children if value.type == "string" else [value]
    return len(inside) == 1 and inside[0].type == "command_substitution"


def _element(walker: Walker, node: Node, name: Node, state: State) -> Variable:
    """``NAME[index]=value``."""
    place = walker.script.span(node.start_byte, node.end_byte)
    written = walker.text(name)
    known = state.variables.get(written.partition("[")[0])
    value = node.child_by_field_name("value")
    if any(child.type == "+=" for child in node.children) or (value is not None and value.type == "array"):
        return unclear_array(place)
    expander = Expander(walker.script, state)
    index = expander.known(name.start_byte + written.index("[") + 1, name.end_byte - 1)
    start = value.start_byte if value is not None else node.end_byte
    return element(index, Item(tuple(expander.pieces(start, node.end_byte))), known, place)


def _keyed(walker: Walker, value: Node, before: Variable | None, state: State) -> Variable:
    """``([key]=value ...)`` of an associative array."""
    expander = Expander(walker.script, state)
    entries: list[tuple[str, Item] | None] = []
    for node in value.children:
        if not node.is_named or node.type == "comment":
            continue
        entry = _ENTRY.match(walker.script.text, node.start_byte, node.end_byte)
        key = expander.known(*entry.span(1)) if entry else None
        item = Item(tuple(expander.pieces(entry.end(), node.end_byte))) if entry else None
        entries.append((key, item) if key is not None and item is not None else None)
    return keyed(entries, before, walker.script.span(value.start_byte, value.end_byte))


def declare(walker: Walker, node: Node, state: State) -> None:
    """``export``, ``local``, ``declare`` and their like."""
    walker.substitutions(node, state)
    word = walker.text(node.children[0]) if node.children else ""
    options = "".join(walker.text(child) for child in node.children[1:] if walker.text(child).startswith("-"))
    exported = (word == "export" and "n" not in options) or "x" in options
    if "f" in options or "F" in options:
        if exported:
            walker.exported.update(walker.text(child) for child in node.children[1:] if child.is_named)
        return
    local = bool(walker.frames) and word in ("local", "declare", "typeset") and "g" not in options
    for child in node.children[1:]:
        if child.type not in ("variable_assignment", "variable_name"):
            continue
        name_node = child.child_by_field_name("name") if child.type == "variable_assignment" else child
        name = walker.text(name_node).partition("[")[0] if name_node is not None else ""
        if local:
            walker.frames[-1].setdefault(name, state.variables.get(name))
        if _TYPES.search(options):
            walker.typed.add(name)
        if child.type == "variable_assignment":
            assign(walker, child, state, exported=exported, associative="A" in options)
        else:
            _name(walker, child, state, "A" in options, exported=exported, local=local)
        if word == "export" and "n" in options and name in state.variables:
            state.variables[name] = replace(state.variables[name], exported=False)
        if "n" in options and word != "export":
            _refer(walker, child, state)


_TYPES = re.compile(r"[ilun]")
"""Attributes that make something else of an assigned text."""


def _refer(walker: Walker, node: Node, state: State) -> None:
    """``declare -n NAME=OTHER``: what is assigned to NAME changes OTHER, whose value is followed no longer."""
    value = node.child_by_field_name("value") if node.type == "variable_assignment" else None
    other = Expander(walker.script, state).known(value.start_byte, value.end_byte) if value is not None else None
    for name in [other] if other else list(state.variables):
        walker.aliased.add(name)
        forget(walker, name, node, state)


def _name(walker: Walker, node: Node, state: State, keys: bool, *, exported: bool, local: bool) -> None:
    """A name without a value behind ``declare`` or the like."""
    name = walker.text(node)
    known = state.variables.get(name)
    place = walker.script.span(node.start_byte, node.end_byte)
    if keys:
        state.set(name, keyed((), None, place))
    elif exported:
        state.variables[name] = (
            replace(known, exported=True)
            if known is not None
            else Variable((unknown(Mapped.whole(HOLE, place), many=True),), None, True, place)
        )
    elif local:
        state.variables[name] = Variable((), None, known is not None and known.exported, place, absent=True)


def unset(walker: Walker, node: Node, state: State) -> None:
    """``unset NAME``, and ``unset NAME[index]``, after which not all of the array is known."""
    if any(walker.text(child) == "-f" for child in node.children):
        return
    for child in node.children[1:]:
        name, element, _ = walker.text(child).strip("'\"").partition("[")
        if element:
            state.variables[name] = unclear_array(walker.script.span(child.start_byte, child.end_byte))
        elif name.isidentifier():
            place = walker.script.span(child.start_byte, child.end_byte)
            state.variables[name] = Variable((), None, False, place, absent=True)


def forget(walker: Walker, name: str, node: Node, state: State, script: Script | None = None) -> None:
    """Make what ``node`` sets the variable to unknown, except how an array begins."""
    known = state.variables.get(name)
    place = (script or walker.script).span(node.start_byte, node.end_byte)
    if known is not None and known.items is not None:
        if known.items and known.items[-1].pieces and known.items[-1].pieces[0].text == HOLE:
            return
        hole = Item((unknown(Mapped.whole(HOLE, place), many=True),))
        state.variables[name] = replace(known, items=(*known.items, hole), keys=None)
    else:
        exported = known is not None and known.exported
        state.variables[name] = Variable((unknown(Mapped.whole(HOLE, place), many=True),), None, exported, place)
