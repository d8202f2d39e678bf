"""Statements that decide which others run: lists, conditions, cases and loops.

What runs under a condition runs in a copy of the state; the copies are merged afterwards, so that what a branch only
adds becomes *maybe* and what branches set differently is not known. Where the script itself decides a condition the
branch it takes is all that counts, and the launches of the others are read as somebody would run them who changes
that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..text import Mapped, Span
from .origins import HOLE
from .shell_conditions import both, either, matches
from .shell_declare import forget
from .shell_loops import turns
from .shell_merge import merge
from .shell_values import Item, State, Variable, unknown

if TYPE_CHECKING:
    from .shell_walk import Walker

Node = Any

MAX_TURNING = 2
"""Loops inside one another that are followed turn by turn."""


def run_list(walker: Walker, node: Node, state: State) -> bool | None:
    """``a && b || c``: what follows ``&&`` runs in the state its left side leaves when it succeeds."""
    rest: list[tuple[str, Node]] = []
    while node.type == "list":
        parts = [child for child in node.children if child.is_named and child.type != "comment"]
        operators = [child.type for child in node.children if child.type in ("&&", "||")]
        if len(parts) < 2 or not operators:
            break
        rest += reversed(list(zip(operators, parts[1:], strict=False)))
        node = parts[0]
    if not rest:
        walker.block(node.children, state)
        return None
    found = walker.tried(node, state)
    success = state.copy()
    success.dead = state.dead
    for operator, part in reversed(rest):
        combined = both if operator == "&&" else either
        if found is not None:
            if found is (operator == "&&"):
                found = walker.tried(part, state)
            else:
                walker.unreached([part], state)
            success = state.copy()
            success.dead = state.dead
            continue
        inside = (success if operator == "&&" else state).copy()
        found = combined(found, walker.tried(part, inside))
        after = _merged(walker, state, [inside] if state.dead else [state, inside], exhaustive=True)
        success = inside if operator == "&&" else after.copy()
        state.take(after)
    return found


def _merged(walker: Walker, before: State, branches: list[State], *, exhaustive: bool) -> State:
    """The state behind a condition; those that leave the function there are kept for its end."""
    if walker.returned:
        walker.returned[-1] += [branch.copy() for branch in branches if branch.dead == "return"]
    return merge(before, branches, exhaustive=exhaustive)


class _Branches:
    """The branches of a condition, in order, as far as one of those before is not surely taken."""

    def __init__(self, walker: Walker, state: State) -> None:
        self.walker = walker
        self.state = state
        self.open: list[State] = []
        self.taken = False

    def add(self, nodes: list[Node], found: bool | None) -> None:
        """Walk a branch that is taken when the outcome ``found`` of its condition is true."""
        if self.taken or found is False:
            self.walker.unreached(nodes, self.state)
            return
        inside = self.state.copy()
        self.walker.block(nodes, inside)
        self.open.append(inside)
        self.taken = found is True

    def close(self) -> None:
        if self.open or self.taken:
            self.state.take(_merged(self.walker, self.state, self.open, exhaustive=self.taken))


def run_if(walker: Walker, node: Node, state: State) -> None:
    """``if``, ``elif``, ``else``."""
    branches = _Branches(walker, state)
    clauses = [node, *(child for child in node.children if child.type in ("elif_clause", "else_clause"))]
    for clause in clauses:
        if clause.type == "else_clause":
            branches.add(clause.children, True)
            continue
        found: bool | None = None
        body: list[Node] | None = None
        for child in clause.children:
            if child.type == "then":
                body = []
            elif child.is_named and child.type not in ("elif_clause", "else_clause"):
                if body is not None:
                    body.append(child)
                elif branches.taken:
                    walker.unreached([child], state)
                else:
                    found = walker.tried(child, state)
        if body is not None:
            branches.add(body, found)
    branches.close()


def run_case(walker: Walker, node: Node, state: State) -> None:
    """``case``; branches that run on into the next are taken for possible."""
    subject = node.child_by_field_name("value")
    items = [child for child in node.children if child.type == "case_item"]
    text = walker.script.text
    runs_on = any(";&" in text[item.end_byte - 3 : item.end_byte + 1] for item in items)
    branches = _Branches(walker, state)
    for item in items:
        close = next((index for index, child in enumerate(item.children) if child.type == ")"), None)
        if close is None:
            continue
        found = matches(walker, subject, item, state) if subject is not None else None
        body = [child for child in item.children[close + 1 :] if child.is_named]
        branches.add(body, None if runs_on else found)
        if runs_on:
            # The next branch may run behind this one.
            branches.close()
            branches = _Branches(walker, state)
    branches.close()


def run_for(walker: Walker, node: Node, state: State) -> None:
    """``for NAME in words``, turn by turn where all words are known."""
    variable = node.child_by_field_name("variable")
    body = node.child_by_field_name("body")
    values = node.children_by_field_name("value")
    name = walker.text(variable) if variable is not None else ""
    for value in values:
        walker.substitutions(value, state)
    items = walker.items(values, state) if values and walker.turning < MAX_TURNING else []
    found = turns(items, walker.text(body)) if body is not None and walker.text(node).startswith("for") else None
    if found is not None and body is not None:
        walker.turning += 1
        for item in found:
            state.set(name, Variable(item.pieces, None, False, _place(item)))
            walker.statement(body, state)
        walker.turning -= 1
        return
    before = state.copy()
    if variable is not None:
        place = walker.script.span(variable.start_byte, variable.end_byte)
        state.set(name, Variable((unknown(Mapped.whole(HOLE, place)),), None, False, place))
    _body(walker, node, state)
    if variable is not None:
        before.variables[name] = state.variables[name]
    state.take(_merged(walker, before, [state], exhaustive=False))


def run_loop(walker: Walker, node: Node, state: State) -> None:
    """``while``, ``until`` and ``for ((...))``: the body is walked once, with what it assigns unknown before."""
    before = state.copy()
    _body(walker, node, state)
    state.take(_merged(walker, before, [state], exhaustive=False))


def _body(walker: Walker, node: Node, state: State) -> None:
    forget_assigned(walker, node, state)
    for child in node.children:
        if child.is_named and child.type not in ("variable_name", "binary_expression", "postfix_expression"):
            if child.type in ("do_group", "compound_statement") or node.type == "while_statement":
                walker.statement(child, state)
            else:
                walker.substitutions(child, state)
    if state.dead == "loop":
        state.dead = ""


def forget_assigned(walker: Walker, node: Node, state: State) -> None:
    """What statements below ``node`` assign is not known, except how it began."""
    for name, (script, place) in walker.assigned.below(walker.script, node).items():
        if name == "@":
            state.positional = None
        else:
            forget(walker, name, place, state, script)


def _place(item: Item) -> Span | None:
    spans = [piece.uses[0].span if piece.uses else piece.mapped.span() for piece in item.pieces]
    return spans[0].hull(spans[-1]) if spans else None
