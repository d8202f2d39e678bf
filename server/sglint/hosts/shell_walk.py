"""The statements of a script, walked in the order they run, with the variables known at each point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .shell_assign import MAX_PARAMETERS, calculate, changed_names
from .shell_conditions import negated, of_command, tested
from .shell_declare import assign, declare, forget, unset
from .shell_expand import Expander
from .shell_fields import split, unsplit
from .shell_flow import forget_assigned, run_case, run_for, run_if, run_list, run_loop
from .shell_inert import KINDS, is_inert
from .shell_loops import Assigned
from .shell_merge import merge
from .shell_piped import READERS, Functions, printed
from .shell_values import Item, State, Variable

if TYPE_CHECKING:
    from .shell_commands import Commands
    from .shell_script import Script

Node = Any
"""A tree-sitter node; the library's own stubs are not precise enough to be of use."""

_SUBSTITUTIONS = ("command_substitution", "process_substitution")
_REDIRECTS = ("file_redirect", "herestring_redirect", "heredoc_redirect")


class Walker:
    """Walks statements. ``commands`` decides what a simple command does.

    ``script`` is the text in which the statement that is being walked stands; ``frames`` are the variables that the
    functions being run keep to themselves, as they were before, and ``returned`` the states in which these may have
    returned; ``typed`` are names with attributes, ``aliased`` those that other names stand for.
    """

    def __init__(self, commands: Commands, functions: Functions | None = None) -> None:
        """``functions`` are those of the script around that this one may call."""
        self.script: Script
        self.commands = commands
        self.functions: dict[str, tuple[Script, Node]] = dict(functions or {})
        self.exported: set[str] = set(self.functions)
        self.called: set[str] = set()
        self.assigned = Assigned(self.functions)
        self._own: list[str] = []
        self.turning = 0
        self.frames: list[dict[str, Variable | None]] = []
        self.returned: list[list[State]] = []
        self.typed: set[str] = set()
        self.aliased: set[str] = set()
        self._redirects_of: dict[int, tuple[Node, ...]] = {}
        self._kinds: dict[str, Callable[[Walker, Node, State], bool | None]] = {
            "command": Walker._command,
            "redirected_statement": Walker._redirected,
            "variable_assignment": Walker._assignment,
            "declaration_command": declare,
            "unset_command": unset,
            "list": run_list,
            "negated_command": Walker._negated,
            "pipeline": Walker._pipeline,
            "subshell": Walker._subshell,
            "if_statement": run_if,
            "case_statement": run_case,
            "for_statement": run_for,
            "c_style_for_statement": run_loop,
            "while_statement": run_loop,
            "function_definition": Walker._function,
            "comment": Walker._comment,
            "test_command": Walker._test,
            "compound_statement": Walker._compound,
            "ERROR": Walker._broken,
        }

    def run(self, statements: Iterable[tuple[Script, Node]], state: State) -> None:
        """Walk the statements of a whole script, then the functions nobody called."""
        self.sequence(statements, state)
        for name in list(self._own):
            if name not in self.called:
                self.call(name, state.copy())

    def sequence(self, statements: Iterable[tuple[Script, Node]], state: State) -> None:
        """Walk the statements of a whole script. Those behind an ``exit`` are there for somebody, too."""
        for script, node in statements:
            self.script = script
            self.statement(node, state)
            state.dead = ""

    def text(self, node: Node) -> str:
        return self.script.text[node.start_byte : node.end_byte]

    def block(self, nodes: Sequence[Node], state: State) -> None:
        for index, node in enumerate(nodes):
            if state.dead:
                self.unreached(nodes[index:], state)
                return
            if node.is_named:
                self.statement(node, state)

    def unreached(self, nodes: Sequence[Node], state: State) -> None:
        """Walk what is surely not run, for the launches that stand there."""
        with self.commands.found.unreached():
            self.block(nodes, state.copy())

    def statement(self, node: Node, state: State) -> None:
        if node.type not in KINDS or not is_inert(self.text(node), self._acting()):
            self.tried(node, state)

    def tried(self, node: Node, state: State) -> bool | None:
        """Walk a statement; whether it succeeds, or None where that is not known."""
        if not self.commands.deeper(self.script, node):
            return None
        try:
            kind = self._kinds.get(node.type)
            if kind is not None:
                return kind(self, node, state)
            self.block(node.children, state)
            return None
        finally:
            self.commands.back()

    def _acting(self) -> set[str]:
        """Words behind which there is more than an ordinary program."""
        found = self.commands.found
        return {*self.functions, *found.files, *found.launchers}

    def call(self, name: str, state: State, parameters: tuple[Item, ...] | None = None) -> None:
        """Run a function's body; without a call to be seen its parameters are not known."""
        script, body = self.functions[name]
        self.called.add(name)
        if parameters is not None and len(parameters) > MAX_PARAMETERS:
            parameters = None
        if not self.commands.spend():
            return
        outer, self.script = self.script, script
        with self.commands.found.called(name) as followed:
            if followed:
                self._body(body, state, parameters)
            else:
                forget_assigned(self, body, state)
        self.script = outer

    def _body(self, body: Node, state: State, parameters: tuple[Item, ...] | None) -> None:
        """Walk a function's body with these parameters."""
        self.frames.append({})
        self.returned.append([])
        before = state.copy()
        positional, state.positional = state.positional, parameters
        lists, state.ways = state.ways, ()
        self.statement(body, state)
        ways = self.returned.pop()
        if ways:
            ends = [*ways, state] if state.dead in ("", "return") else ways
            for end in ends:
                end.dead, end.positional = "", None
            state.take(merge(before, ends, exhaustive=True))
        state.positional, state.ways = positional, lists
        for local, known in self.frames.pop().items():
            if known is None:
                state.variables.pop(local, None)
            else:
                state.variables[local] = known
        if state.dead == "return":
            state.dead = ""

    def items(self, nodes: Sequence[Node], state: State, *, inner: bool = False) -> list[Item]:
        """The words of a command or array from its nodes; nodes with nothing but a continuation between them
        are one word. ``inner``: they stay within the script."""
        expander = Expander(self.script, state)
        found: list[Item] = []
        index = 0
        while index < len(nodes):
            start, end = self._with_escaped_blanks(nodes[index].start_byte), nodes[index].end_byte
            index += 1
            while index < len(nodes) and not self.script.text[end : nodes[index].start_byte].replace("\\\n", ""):
                end = nodes[index].end_byte
                index += 1
            for item in expander.item(start, end, inner=inner):
                found += split(item) if state.splits_at_blanks else unsplit(item)
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

    def _command(self, node: Node, state: State, redirects: Sequence[Node] = ()) -> bool | None:
        self.substitutions(node, state)
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
                assign(self, assignment, state)
            assignments = []
        for redirect in redirects:
            words += _behind_target(redirect) if redirect.type == "file_redirect" else ()
            words += redirect.children_by_field_name("argument") if redirect.type == "heredoc_redirect" else ()
        outcome = (
            None
            if self.functions and words and self.text(words[0]) in self.functions
            else of_command(self, node, state)
        )
        self.commands.run(self, node, assignments, words, redirects, state)
        return outcome

    def _ends_line(self, before: Node, after: Node) -> bool:
        return "\n" in self.script.text[before.end_byte : after.start_byte].replace("\\\n", "")

    def _redirected(self, node: Node, state: State) -> None:
        redirects = [child for child in node.children if child.type in _REDIRECTS]
        body = [child for child in node.children if child.type not in _REDIRECTS]
        for redirect in list(redirects):
            self.substitutions(redirect, state)
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
                self.commands.given, given = printed(self, node, state), self.commands.given
                self._behind_heredoc(redirect, state)
                self.commands.given = given

    def _behind_heredoc(self, node: Node, state: State) -> None:
        """Commands on the line of ``<<EOF`` behind it."""
        for child in node.children:
            if child.type == "pipeline":
                self.statement(child, state.copy())
            elif child.type in ("command", "list", "redirected_statement"):
                self.statement(child, state)

    def substitutions(self, node: Node, state: State) -> None:
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
            forget(self, name, node, state)

    def _test(self, node: Node, state: State) -> bool | None:
        self.substitutions(node, state)
        return tested(self, node, state)

    def _negated(self, node: Node, state: State) -> bool | None:
        found: bool | None = None
        for child in node.children:
            if child.is_named:
                found = self.tried(child, state)
        return negated(found)

    def _compound(self, node: Node, state: State) -> bool | None:
        """``{ ...; }``, or an arithmetic command ``(( ... ))``."""
        if not node.children or node.children[0].type != "((":
            self.block(node.children, state)
            return None
        self.substitutions(node, state)
        outcome = tested(self, node, state)
        place = self.script.span(node.start_byte, node.end_byte)
        calculate(self.text(node).removeprefix("((").removesuffix("))"), state, place)
        return outcome

    def _broken(self, node: Node, state: State) -> None:
        """What the parser cannot place may be under any condition."""
        inside = state.copy()
        self.block(node.children, inside)
        state.take(merge(state, [inside], exhaustive=False))

    def _comment(self, node: Node, state: State) -> None:
        self.commands.comment(self.script, node.start_byte, self.text(node))

    def _assignment(self, node: Node, state: State) -> None:
        self.substitutions(node, state)
        assign(self, node, state)

    def _pipeline(self, node: Node, state: State) -> None:
        given = self.commands.given
        may_read = READERS.search(self.text(node)) is not None
        for child in node.children:
            if child.is_named:
                said = printed(self, child, state) if may_read else None
                self.statement(child, state.copy())
                self.commands.given = said
        self.commands.given = given

    def _subshell(self, node: Node, state: State) -> None:
        self.block(node.children, state.copy())

    def _function(self, node: Node, state: State) -> None:
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is not None and body is not None:
            self.functions[self.text(name)] = (self.script, body)
            self._own.append(self.text(name))


def _behind_target(redirect: Node) -> list[Node]:
    """Words of the command that the parser takes for more targets of a redirection, as far as it is sure of them."""
    end = next((child.start_byte for child in redirect.children if child.type == "ERROR"), redirect.end_byte)
    return [word for word in redirect.children_by_field_name("destination")[1:] if word.start_byte < end]


def _last_command(node: Node) -> Node:
    while node.type in ("list", "negated_command") and node.children:
        node = node.children[-1]
    return node
