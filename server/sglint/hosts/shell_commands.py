"""What the simple commands of a script do: builtins, scripts inside scripts, and launches."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from ..launch.model import EnvVar, Word
from ..records import dataclass, replace
from ..text import Mapped, Span
from .embedding import Embedding
from .program_words import Program
from .programs import SHELLS, mentions_launcher, recognise
from .shell_bodies import Body, body_of
from .shell_builtins import BUILTINS, carry_out, exported, place_of, release_told, variable_of
from .shell_declare import assign, forking, ways_of
from .shell_fields import word_of
from .shell_fill import FILLERS, filled
from .shell_found import Findings, Found
from .shell_inner import script_of
from .shell_merge import merge
from .shell_parts import statements_of
from .shell_piped import Functions, handed
from .shell_quotes import Outer
from .shell_script import Script, line_feeds
from .shell_sources import moved
from .shell_values import Item, State, Variable
from .shell_walk import Walker
from .wrappers import WRAPPERS

Node = Any

MAX_NESTING = 60
"""Statements inside statements, through all scripts: the depth of our own recursion hangs on it."""

MAX_SCRIPTS = 8
"""Scripts inside scripts, counted inward: ssh, docker, bash, and room for more."""

_MAX_BEFORE_FILE = 3
"""Words up to that of a file of the script's own making that is run: itself, behind ``sudo nohup``."""

_CARRIERS = re.compile(
    r"(?:.*/)?(?:pip3?|uv|git|docker|podman|nerdctl|srun|sbatch|apptainer|singularity|bash|sh|zsh|dash|ssh|tmux|sudo"
    r"|conda|mamba|poetry|python[\d.]*)$"
)
_NAMED = frozenset(("router", "bench", "vllm", "sgl_jax", "dynamo frontend", "dynamo", "mooncake"))
"""Programs that are worth naming as no launch even where their words name no launcher."""


@dataclass(frozen=True)
class Call:
    """A simple command: its node, the program it starts, its words and the offset behind the last of them."""

    node: Node
    program: Program
    argv: Sequence[Word]
    tail: int


class Commands:
    """Carries out the commands of one script for its walker."""

    def __init__(self, found: Findings, outer: int | None = None, level: int = 0, given: Body | None = None) -> None:
        """``given`` is what the script's standard input holds."""
        self.found = found
        self.outer = outer
        self.level = level
        self.given = given

    def spend(self) -> bool:
        """Whether more may be read: the work a script can ask for is bounded."""
        return self.found.spend()

    def deeper(self, script: Script, node: Node) -> bool:
        """Enter a statement; False, and nothing to leave again, where that is nested too deeply."""
        if self.found.nesting >= MAX_NESTING:
            self.found.limit("The script is nested too deeply here and is not read further.", place_of(script, node))
            return False
        self.found.nesting += 1
        return True

    def back(self) -> None:
        """Leave a statement."""
        self.found.nesting -= 1

    def comment(self, script: Script, start: int, text: str) -> None:
        mention = mentions_launcher(text)
        if mention is not None:
            self.found.not_launch("comment", script.span(start + mention[0], start + mention[1]))

    def run(
        self,
        walker: Walker,
        node: Node,
        assignments: Sequence[Node],
        words: Sequence[Node],
        redirects: Sequence[Node],
        state: State,
    ) -> None:
        """Carry out one simple command: for each command line of its own that a variable in it may hold."""
        forked = forking(walker.text(node), state)
        if forked is None:
            self._run(walker, node, assignments, words, redirects, state)
            return
        positional, parameters = state.positional, state.ways
        held = {name: variable for name, variable in state.variables.items() if variable.ways}
        ways = ways_of(state, forked)
        for inside in ways:
            self._run(walker, node, assignments, words, redirects, inside)
        state.take(merge(state, ways, exhaustive=True))
        for name, variable in held.items():
            if name == forked or state.variables.get(name) == replace(variable, ways=()):
                state.variables[name] = variable
        if forked in "@*" and (walker.text(words[0]) if words else "") not in ("set", "shift"):
            state.positional, state.ways = positional, parameters

    def _run(
        self,
        walker: Walker,
        node: Node,
        assignments: Sequence[Node],
        words: Sequence[Node],
        redirects: Sequence[Node],
        state: State,
    ) -> None:
        if not self.spend():
            return
        name = walker.text(words[0]) if words else ""
        if not words or name in walker.functions:
            for assignment in assignments:
                assign(walker, assignment, state)
            if words:
                parameters = tuple(walker.items(words[1:], state, inner=True))
                walker.call(name, state, parameters)
            return
        body = body_of(walker.script, redirects, state)
        if body is None and self.given is None and not self._is_of_interest(walker.text(node), name):
            return
        items = walker.items(words, state)
        path = walker.script.embedding.path
        argv = [word_of(item, path) for item in items]
        if argv and argv[0].text in FILLERS:
            items = filled(argv, items) or items
            argv = [word_of(item, path) for item in items]
        carry_out(argv, items, state)
        self._builtin_script(walker, argv, items, state)
        own = state.copy()
        for assignment in assignments:
            assign(walker, assignment, state, exported=True, into=own)
        program = recognise(argv)
        if body is not None and (program is None or program.kind != "stdin"):
            self.found.keep(replace(body, target=_written_by(argv) or body.target))
        elif body is None and self.given is not None and (target := _written_by(argv)) is not None:
            self.found.keep(replace(self.given, target=target))
        if program is not None:
            tail = _inner_end(program, argv, walker.script) or max(word.end_byte for word in words)
            self._started(walker, Call(node, program, argv, tail), body or self.given, own, state)
        else:
            any(self._file(word, own, argv[index + 1 :]) for index, word in enumerate(argv[:_MAX_BEFORE_FILE]))

    def _is_of_interest(self, text: str, name: str) -> bool:
        """Whether the words of a command are worth expanding; most commands of a script are not."""
        return (
            "sgl" in text
            or name in BUILTINS
            or any(launcher in text for launcher in self.found.launchers)
            or name in WRAPPERS
            or name[:1] in "\"'$"
            or "$" in name
            or ":=" in text
            or _CARRIERS.match(name) is not None
            or (bool(self.found.files) and not self.found.files.keys().isdisjoint(text.split()))
        )

    def _builtin_script(self, walker: Walker, argv: Sequence[Word], items: Sequence[Item], state: State) -> None:
        name = argv[0].text if argv else None
        if name == "trap" and len(items) > 1 and argv[1].text not in ("-", "", "-p", "-l"):
            self._inner(walker, items[1:2], state.copy(), None)
        elif name in ("source", ".") and len(argv) > 1 and not self._file(argv[1], state, argv[2:], sourced=True):
            self._sourced(argv[1], state)

    def _sourced(self, word: Word, state: State) -> None:
        """Take the variables that a file of the workspace sets; its launches are its own."""
        around = self.found.around
        text = around.enter(word) if around is not None and self.level < MAX_SCRIPTS else None
        if around is None or text is None:
            return
        before = dict(state.variables)
        script = Script(line_feeds(Embedding(Mapped.identity(text))))
        self.found.sourced = True
        Walker(Commands(Findings(around), None, self.level + 1)).sequence(statements_of(script), state)
        state.dead = ""
        around.leave()
        moved(state, before, word.span)

    def _started(self, walker: Walker, call: Call, body: Body | None, own: State, state: State) -> None:
        program = call.program
        if program.kind == "server":
            self._launch(walker.script, call, own)
        elif program.kind == "shell":
            items = [word.handle for word in program.script]
            inside = state if program.name == "eval" else self._environment(program, own)
            if program.name in SHELLS and not program.words:
                inside.positional = ()
            self._inner(walker, items, inside, program, body)
        elif program.kind == "stdin" and body is not None and program.name != "python":
            inside = self._environment(program, own)
            inside.positional = tuple(word.handle for word in program.words)
            self.found.read(body)
            walker.called.update(self._script(body.script, inside, program, None, handed(walker, program)))
        elif program.kind == "file":
            self._file(program.script[0], self._environment(program, own), program.words, program=program)
        elif program.kind == "other":
            self._other(program, call.argv, own)

    def _launch(self, script: Script, call: Call, own: State) -> None:
        program = call.program
        span = place_of(script, call.node)
        variables: dict[str, EnvVar] = {}
        if not program.fresh_env:
            variables.update((variable.name, variable) for variable in exported(own))
        variables.update((variable.name, variable) for variable in program.env)
        outer = span.start if self.outer is None else self.outer
        start = call.node.start_byte
        self.found.launch(Found(program, span, outer, tuple(variables.values()), script, (start, call.tail)))

    def _other(self, program: Program, argv: Sequence[Word], own: State) -> None:
        mention = _mention(argv)
        if program.name in _NAMED and program.span is not None:
            self.found.not_launch(program.name, program.span)
        elif mention is not None:
            self.found.not_launch(program.name, mention)
        self.found.installed(release_told(argv))
        runs_file = argv[0].text in ("srun", "nohup", "setsid")
        for index, word in enumerate(argv[:2] if runs_file else argv[:1]):
            self._file(word, self._environment(program, own), argv[index + 1 :])

    @staticmethod
    def _environment(program: Program, own: State) -> State:
        """What a new process sees of the variables."""
        state = State()
        if not program.fresh_env:
            # An array is never handed on, whatever the caller's environment holds under its name.
            state.variables = {
                name: Variable((), None, False, value.place, absent=True) if value.items is not None else value
                for name, value in own.variables.items()
                if value.exported or value.items is not None
            }
        for variable in program.env:
            state.variables[variable.name] = variable_of(variable)
        return state

    def _inner(
        self,
        walker: Walker,
        items: Sequence[Item | None],
        state: State,
        program: Program | None,
        body: Body | None = None,
    ) -> None:
        """Walk the script that words of a command make; ``body`` is what it reads."""
        known = [item for item in items if item is not None]
        if not known or len(known) < len(items):
            return
        pieces, mapped, origins = script_of(known)
        outer = Outer(tuple(pieces))
        embedding = Embedding(mapped, outer.encode, walker.script.embedding.path)
        script = Script(embedding, origins, outer)
        walker.called.update(self._script(script, state, program, body, handed(walker, program, known)))

    def _script(
        self,
        script: Script,
        state: State,
        program: Program | None,
        body: Body | None = None,
        functions: Functions | None = None,
    ) -> Collection[str]:
        """Walk a script; ``functions`` are those it may call besides its own. Returns which ones it called."""
        span = script.span(0, len(script.text))
        if self.level >= MAX_SCRIPTS:
            self.found.limit(f"Scripts inside scripts are read to a depth of {MAX_SCRIPTS}.", span)
            return ()
        outer = span.start if self.outer is None else self.outer
        inner = Walker(Commands(self.found, outer, self.level + 1, body), functions)
        with self.found.inside(program):
            inner.run(statements_of(script), state)
        return inner.called

    def _file(
        self,
        word: Word,
        state: State,
        parameters: Sequence[Word],
        *,
        sourced: bool = False,
        program: Program | None = None,
    ) -> bool:
        """Walk a script that this document wrote to a file, when the file is run; False when it wrote none."""
        script = self.found.run_file(_path(word))
        if script is not None:
            inside = state if sourced else state.copy()
            if parameters or not sourced:
                inside.positional = tuple(parameter.handle for parameter in parameters)
            self._script(script, inside, program)
        return script is not None


def _path(word: Word) -> str:
    """The name of a file as it is compared with others: where it is not known, as it is written."""
    return word.mapped.text if word.text is None and word.mapped is not None else word.text or ""


def _inner_end(program: Program, argv: Sequence[Word], script: Script) -> int | None:
    """Where the words end that ``find`` starts a program with, before its own sign for that."""
    if argv[0].text != "find" or not program.words:
        return None
    item = program.words[-1].handle
    return item.node.end if item.node is not None and item.node.script is script else None


def _written_by(argv: Sequence[Word]) -> str | None:
    """The file to which ``tee`` writes what it reads."""
    names = [_path(word) for word in argv if not word.known_prefix.startswith("-")]
    while names and names[0].rpartition("/")[2] in ("sudo", "doas"):
        del names[0]
    return names[1] if names[:1] == ["tee"] and len(names) > 1 else None


def _mention(argv: Sequence[Word]) -> Span | None:
    """Where the words of a command that starts no server name one."""
    for word in argv:
        found = mentions_launcher(word.text) if word.text else None
        if found is not None:
            return word.span_of(*found)
    return None
