"""The statements of a script, walked in the order they run, with the variables known at each point.

A command under a condition runs in a copy of the state; after the condition the copies are merged, so that what a
branch only adds becomes *maybe* and what branches set differently is not known. Loop bodies are walked once, with
everything they assign unknown before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..records import replace
from ..text import Mapped, Span
from .origins import HOLE
from .shell_assign import MAX_PARAMETERS, array_of, calculate, changed_names, element, keyed, text_of, unclear_array
from .shell_expand import Expander, split
from .shell_inert import KINDS, is_inert
from .shell_loops import assigned, turns
from .shell_values import Item, State, Variable, merge, unknown

if TYPE_CHECKING:
    from .shell_commands import Commands
    from .shell_script import Script

Node = Any
"""A tree-sitter node; the library's own stubs are not precise enough to be of use."""

MAX_CALLS = 6
MAX_TURNING = 2
"""Loops inside one another that are followed turn by turn."""

_ENTRY = re.compile(r"\[([^\]]*)\]=")
_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_REDIRECTS = ("file_redirect", "herestring_redirect", "heredoc_redirect")


class Walker:
    """Walks one script. ``commands`` decides what a simple command does."""

    def __init__(self, script: Script, commands: Commands) -> None:
        self.script = script
        self.commands = commands
        self.functions: dict[str, Node] = {}
        self.called: set[str] = set()
        self._turning = 0
        self._frames: list[dict[str, Variable | None]] = []
        self._redirects_of: dict[int, tuple[Node, ...]] = {}
        self._kinds: dict[str, Callable[[Node, State], None]] = {
            "command": self._command,
            "redirected_statement": self._redirected,
            "variable_assignment": self._assignment,
            "declaration_command": self._declaration,
            "unset_command": self._unset,
            "list": self._list,
            "pipeline": self._pipeline,
            "subshell": self._subshell,
            "if_statement": self._if,
            "case_statement": self._case,
            "for_statement": self._for,
            "c_style_for_statement": self._loop,
            "while_statement": self._loop,
            "function_definition": self._function,
            "comment": self._comment,
            "test_command": self._quiet,
            "compound_statement": self._compound,
        }

    def run(self, root: Node, state: State) -> None:
        """Walk the whole script, then the functions nobody called."""
        self.block(root.children, state)
        for name, body in list(self.functions.items()):
            if name not in self.called:
                self.call(name, body, state.copy())

    def text(self, node: Node) -> str:
        return self.script.text[node.start_byte : node.end_byte]

    def block(self, nodes: Sequence[Node], state: State) -> None:
        for node in nodes:
            if node.is_named:
                self.statement(node, state)

    def statement(self, node: Node, state: State) -> None:
        if node.type in KINDS and is_inert(self.text(node), self._acting()):
            return
        if not self.commands.deeper(self.script, node):
            return
        try:
            kind = self._kinds.get(node.type)
            if kind is not None:
                kind(node, state)
            else:
                self.block(node.children, state)
        finally:
            self.commands.back()

    def _acting(self) -> set[str]:
        """Words behind which there is more than an ordinary program."""
        found = self.commands.found
        return {*self.functions, *found.files, *found.launchers}

    def call(self, name: str, body: Node, state: State, parameters: tuple[Item, ...] | None = None) -> None:
        """Run a function's body; without a call to be seen its parameters are not known."""
        self.called.add(name)
        if parameters is not None and len(parameters) > MAX_PARAMETERS:
            parameters = None
        if len(self._frames) >= MAX_CALLS or not self.commands.spend():
            return
        self._frames.append({})
        positional, state.positional = state.positional, parameters
        self.statement(body, state)
        state.positional = positional
        for local, before in self._frames.pop().items():
            if before is None:
                state.variables.pop(local, None)
            else:
                state.variables[local] = before
        if state.dead == "return":
            state.dead = ""

    def items(self, nodes: Sequence[Node], state: State) -> list[Item]:
        """The words of a command or array from its nodes; nodes with nothing but a continuation between them
        are one word."""
        expander = Expander(self.script, state)
        found: list[Item] = []
        index = 0
        while index < len(nodes):
            start, end = self._with_escaped_blanks(nodes[index].start_byte), nodes[index].end_byte
            index += 1
            while index < len(nodes) and not self.script.text[end : nodes[index].start_byte].replace("\\\n", ""):
                end = nodes[index].end_byte
                index += 1
            for item in expander.item(start, end):
                found += split(item)
        return found

    def _with_escaped_blanks(self, start: int) -> int:
        """Where a word begins, with the escaped blanks before it that the parser takes for a gap."""
        text = self.script.text
        while (
            start >= 2
            and text[start - 1] in " \t"
            and text[start - 2] == "\\"
            and not text.endswith("\\\\", 0, start - 1)
        ):
            start -= 2
        return start

    def _command(self, node: Node, state: State, redirects: Sequence[Node] = ()) -> None:
        self._substitutions(node, state)
        redirects = (*redirects, *self._redirects_of.pop(node.id, ()))
        assignments: list[Node] = []
        words: list[Node] = []
        for child in node.children:
            if child.type == "variable_assignment" and not words:
                assignments.append(child)
            elif child.type in _REDIRECTS:
                redirects = (*redirects, child)
            elif child.type != "ERROR":
                words.append(child)
        if len(assignments) > 1 and words and self._ends_line(assignments[-1], words[0]):
            # The parser reads `A=1 B=2` and the command on the next line as one.
            for assignment in assignments:
                self.assign(assignment, state)
            assignments = []
        for redirect in redirects:
            words += redirect.children_by_field_name("destination")[1:] if redirect.type == "file_redirect" else ()
            words += redirect.children_by_field_name("argument") if redirect.type == "heredoc_redirect" else ()
        self.commands.run(self, node, assignments, words, redirects, state)

    def _ends_line(self, before: Node, after: Node) -> bool:
        return "\n" in self.script.text[before.end_byte : after.start_byte].replace("\\\n", "")

    def _redirected(self, node: Node, state: State) -> None:
        redirects = [child for child in node.children if child.type in _REDIRECTS]
        body = [child for child in node.children if child.type not in _REDIRECTS]
        for redirect in list(redirects):
            self._substitutions(redirect, state)
            redirects += [child for child in redirect.children if child.type in _REDIRECTS]
        for child in body:
            if child.type == "command":
                self._command(child, state, tuple(redirects))
            elif child.type == "list" and redirects:
                # `a && b <<EOF`: the redirections belong to the last command.
                self._redirects_of[_last_command(child).id] = tuple(redirects)
                self.statement(child, state)
            elif child.is_named:
                self.statement(child, state)
        for redirect in redirects:
            if redirect.type == "heredoc_redirect":
                self._behind_heredoc(redirect, state)

    def _behind_heredoc(self, node: Node, state: State) -> None:
        """Commands on the line of ``<<EOF`` behind it."""
        for child in node.children:
            if child.type == "pipeline":
                self.statement(child, state.copy())
            elif child.type in ("command", "list", "redirected_statement"):
                self.statement(child, state)

    def _substitutions(self, node: Node, state: State) -> None:
        """Commands inside ``$(...)`` and ``<(...)`` run as well."""
        text = self.text(node)
        if "$(" not in text and "`" not in text and "<(" not in text and ">(" not in text:
            return
        stack = list(reversed(node.children))
        while stack:
            child = stack.pop()
            if child.type == "arithmetic_expansion":
                self._calculated(child, state)
            if child.type in _SUBSTITUTIONS:
                inside = state.copy()
                for part in child.children:
                    if part.is_named:
                        self.statement(part, inside)
            else:
                stack += reversed(child.children)

    def _calculated(self, node: Node, state: State) -> None:
        for name in changed_names(self.text(node)):
            self._forget(name, node, state)

    def _substitutions_of(self, nodes: Sequence[Node], state: State) -> None:
        for node in nodes:
            self._substitutions(node, state)

    def _quiet(self, node: Node, state: State) -> None:
        self._substitutions(node, state)

    def _compound(self, node: Node, state: State) -> None:
        """``{ ...; }``, or an arithmetic command ``(( ... ))``."""
        if node.children and node.children[0].type == "((":
            self._substitutions(node, state)
            place = self.script.span(node.start_byte, node.end_byte)
            calculate(self.text(node).removeprefix("((").removesuffix("))"), state, place)
        else:
            self.block(node.children, state)

    def _comment(self, node: Node, state: State) -> None:
        self.commands.comment(self.script, node.start_byte, self.text(node))

    def _assignment(self, node: Node, state: State) -> None:
        self._substitutions(node, state)
        self.assign(node, state)

    def assign(
        self, node: Node, state: State, *, exported: bool = False, into: State | None = None, keyed: bool = False
    ) -> None:
        """Carry out a ``variable_assignment``; the value is read under ``state`` and set in ``into``."""
        name_node = node.child_by_field_name("name")
        if name_node is None:
            return
        written = self.text(name_node)
        name = written.partition("[")[0]
        before = state.variables.get(name) if any(child.type == "+=" for child in node.children) else None
        value = node.child_by_field_name("value")
        if name != written:
            variable = self._element(node, name_node, state)
        elif keyed and value is not None and value.type == "array":
            variable = self._keyed(value, before, state)
        elif value is not None and value.type == "array":
            elements = [child for child in value.children if child.is_named and child.type != "comment"]
            place = self.script.span(value.start_byte, value.end_byte)
            variable = array_of(self.items(elements, state), before, place)
        else:
            start = value.start_byte if value is not None else node.end_byte
            pieces = tuple(Expander(self.script, state).pieces(start, node.end_byte))
            variable = text_of(pieces, before, self.script.span(start, start))
        (state if into is None else into).set(name, replace(variable, exported=exported))

    def _element(self, node: Node, name: Node, state: State) -> Variable:
        """``NAME[index]=value``."""
        place = self.script.span(node.start_byte, node.end_byte)
        written = self.text(name)
        known = state.variables.get(written.partition("[")[0])
        value = node.child_by_field_name("value")
        if any(child.type == "+=" for child in node.children) or (value is not None and value.type == "array"):
            return unclear_array(place)
        expander = Expander(self.script, state)
        index = expander.known(name.start_byte + written.index("[") + 1, name.end_byte - 1)
        start = value.start_byte if value is not None else node.end_byte
        return element(index, Item(tuple(expander.pieces(start, node.end_byte))), known, place)

    def _keyed(self, value: Node, before: Variable | None, state: State) -> Variable:
        """``([key]=value ...)`` of an associative array."""
        expander = Expander(self.script, state)
        entries: list[tuple[str, Item] | None] = []
        for node in value.children:
            if not node.is_named or node.type == "comment":
                continue
            entry = _ENTRY.match(self.script.text, node.start_byte, node.end_byte)
            key = expander.known(*entry.span(1)) if entry else None
            item = Item(tuple(expander.pieces(entry.end(), node.end_byte))) if entry else None
            entries.append((key, item) if key is not None and item is not None else None)
        return keyed(entries, before, self.script.span(value.start_byte, value.end_byte))

    def _declaration(self, node: Node, state: State) -> None:
        self._substitutions(node, state)
        word = self.text(node.children[0]) if node.children else ""
        options = "".join(self.text(child) for child in node.children[1:] if self.text(child).startswith("-"))
        exported = (word == "export" and "n" not in options) or "x" in options
        for child in node.children[1:]:
            if child.type == "variable_assignment":
                name_node = child.child_by_field_name("name")
                if name_node is not None and self._frames and word in ("local", "declare", "typeset"):
                    self._frames[-1].setdefault(self.text(name_node), state.variables.get(self.text(name_node)))
                self.assign(child, state, exported=exported, keyed="A" in options)
            elif child.type == "variable_name" and "A" in options:
                place = self.script.span(child.start_byte, child.end_byte)
                state.set(self.text(child), keyed((), None, place))
            elif child.type == "variable_name" and exported:
                name = self.text(child)
                known = state.variables.get(name)
                place = self.script.span(child.start_byte, child.end_byte)
                state.variables[name] = (
                    replace(known, exported=True)
                    if known is not None
                    else Variable((unknown(Mapped.whole(HOLE, place), many=True),), None, True, place)
                )

    def _unset(self, node: Node, state: State) -> None:
        for child in node.children:
            if child.type in ("variable_name", "word"):
                name = self.text(child)
                place = self.script.span(child.start_byte, child.end_byte)
                state.variables[name] = Variable((), None, False, place, absent=True)

    def _list(self, node: Node, state: State) -> None:
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
            self.block(node.children, state)
            return
        self.statement(node, state)
        success = state.copy()
        success.dead = state.dead
        for operator, part in reversed(rest):
            inside = (success if operator == "&&" else state).copy()
            self.statement(part, inside)
            after = merge(state, [inside] if state.dead else [state, inside], exhaustive=True)
            success = inside if operator == "&&" else after.copy()
            state.take(after)

    def _pipeline(self, node: Node, state: State) -> None:
        for child in node.children:
            if child.is_named:
                self.statement(child, state.copy())

    def _subshell(self, node: Node, state: State) -> None:
        self.block(node.children, state.copy())

    def _if(self, node: Node, state: State) -> None:
        branches: list[State] = []
        inside: State | None = None
        exhaustive = False
        for child in node.children:
            if child.type == "then":
                inside = state.copy()
                branches.append(inside)
            elif child.type == "elif_clause":
                inside = self._elif(child, state)
                branches.append(inside)
            elif child.type == "else_clause":
                exhaustive = True
                inside = state.copy()
                branches.append(inside)
                self.block(child.children, inside)
            elif child.is_named:
                self.statement(child, state if inside is None else inside)
        state.take(merge(state, branches, exhaustive=exhaustive))

    def _elif(self, node: Node, state: State) -> State:
        inside: State | None = None
        for child in node.children:
            if child.type == "then":
                inside = state.copy()
            elif child.is_named:
                self.statement(child, state if inside is None else inside)
        return inside if inside is not None else state.copy()

    def _case(self, node: Node, state: State) -> None:
        branches: list[State] = []
        exhaustive = False
        for item in node.children:
            if item.type != "case_item":
                continue
            inside = state.copy()
            branches.append(inside)
            behind = False
            for child in item.children:
                if child.type == ")":
                    head = self.script.text[item.start_byte : child.start_byte].strip(" (\t\n")
                    exhaustive = exhaustive or head == "*"
                    behind = True
                elif behind and child.is_named:
                    self.statement(child, inside)
        state.take(merge(state, branches, exhaustive=exhaustive))

    def _for(self, node: Node, state: State) -> None:
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        values = node.children_by_field_name("value")
        name = self.text(variable) if variable is not None else ""
        self._substitutions_of(values, state)
        items = self.items(values, state) if values and self._turning < MAX_TURNING else []
        found = turns(items, self.text(body)) if body is not None and self.text(node).startswith("for") else None
        if found is not None and body is not None:
            self._turning += 1
            for item in found:
                state.set(name, Variable(item.pieces, None, False, _place(item)))
                self.statement(body, state)
            self._turning -= 1
            return
        before = state.copy()
        if variable is not None:
            place = self.script.span(variable.start_byte, variable.end_byte)
            state.set(name, Variable((unknown(Mapped.whole(HOLE, place)),), None, False, place))
        self._body(node, state)
        if variable is not None:
            before.variables[name] = state.variables[name]
        state.take(merge(before, [state], exhaustive=False))

    def _loop(self, node: Node, state: State) -> None:
        before = state.copy()
        self._body(node, state)
        state.take(merge(before, [state], exhaustive=False))

    def _body(self, node: Node, state: State) -> None:
        self._forget_assigned(node, state)
        for child in node.children:
            if child.is_named and child.type not in ("variable_name", "binary_expression", "postfix_expression"):
                if child.type in ("do_group", "compound_statement") or node.type == "while_statement":
                    self.statement(child, state)
                else:
                    self._substitutions(child, state)
        if state.dead == "loop":
            state.dead = ""

    def _forget_assigned(self, node: Node, state: State) -> None:
        """What a loop's body assigns is not known when the body begins, except how it began."""
        for name, place in assigned(node, self.script.text, self.functions):
            if name == "@":
                state.positional = None
            else:
                self._forget(name, place, state)

    def _forget(self, name: str, node: Node, state: State) -> None:
        known = state.variables.get(name)
        place = self.script.span(node.start_byte, node.end_byte)
        if known is not None and known.items is not None:
            if known.items and known.items[-1].pieces and known.items[-1].pieces[0].text == HOLE:
                return
            hole = Item((unknown(Mapped.whole(HOLE, place), many=True),))
            state.variables[name] = replace(known, items=(*known.items, hole), keys=None)
        else:
            exported = known is not None and known.exported
            state.variables[name] = Variable((unknown(Mapped.whole(HOLE, place), many=True),), None, exported, place)

    def _function(self, node: Node, state: State) -> None:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is not None and body is not None:
            self.functions[self.text(name)] = body


def _place(item: Item) -> Span | None:
    spans = [piece.uses[0].span if piece.uses else piece.mapped.span() for piece in item.pieces]
    return spans[0].hull(spans[-1]) if spans else None


def _last_command(node: Node) -> Node:
    while node.type in ("list", "negated_command") and node.children:
        node = node.children[-1]
    return node
