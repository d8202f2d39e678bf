"""Calls that start programs, and what they start: lists of words, strings for a shell, engines with keywords."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from ..launch.model import Dropped, EnvVar, NotLaunch, Place, Problem, Word
from ..records import dataclass, replace
from ..text import Mapped, Span
from . import python_methods
from .embedding import Embedding
from .gate import launchers
from .origins import Origin
from .program_words import Program
from .programs import mentions_launcher, recognise
from .python_expressions import Expressions
from .python_hardware import Gpus, gpus_of
from .python_keywords import FIRST_FIELD, words_of_keywords
from .python_methods import Arguments
from .python_scope import ENVIRONMENT, Scope
from .python_source import Source
from .python_values import (
    Choice,
    Constant,
    Entry,
    Item,
    Listing,
    Part,
    Table,
    Text,
    Value,
    joined,
    listing,
    script_of,
    span_of,
    table,
    text_of,
    word_of,
    words_of,
)

_ENGINE = re.compile(
    r"(?:(?:sglang|sgl)(?!\.multimodal_gen)(?:\.\w+)*\.)?ServerArgs|(?:sglang|sgl)(?:\.\w+)*\.(?:Engine|Runtime)"
)
_RUNS = re.compile(
    r"(?:^|_)(?:run|exec|execute|system|popen|spawn|launch|start|shell|sh|bash|cmd|command|call|output)(?:_|$)",
    re.IGNORECASE,
)
_QUIET = re.compile(
    r"(?:^|\.)(?:print|pprint|add_argument|ArgumentParser|info|debug|warning|warn|error|exception|critical|write"
    r"|markdown|fail|skip|assert\w+|isinstance|len|repr|\w*Error|\w*Exception)$"
)
_EXEC = re.compile(r"os\.(?:exec|spawn|posix_spawn)([vl])?p?e?")


@dataclass(frozen=True)
class Way:
    """One way to a launch that is written as words. ``first``: where its statement begins."""

    program: Program
    first: int
    env: tuple[EnvVar, ...] = ()
    image: Mapped | None = None
    dropped: tuple[Dropped, ...] = ()
    gpus: Gpus | None = None


@dataclass(frozen=True)
class ScriptText:
    """A string that a shell runs."""

    embedding: Embedding
    origins: tuple[Origin, ...]
    first: int
    env: tuple[EnvVar, ...] = ()
    parameters: tuple[Word, ...] = ()
    image: Mapped | None = None
    gpus: Gpus | None = None


class Calls:
    """What the calls of one program start. ``release_at`` tells the release that holds at an offset."""

    def __init__(self, source: Source, release_at: Callable[[int], str | None]) -> None:
        self.expressions = Expressions(source, self.called, self.left)
        self.release_at = release_at
        self.ways: dict[Span, list[Way]] = {}
        self.scripts: dict[Span, list[ScriptText]] = {}
        self.not_launches: list[NotLaunch] = []
        self.problems: list[Problem] = []
        self.quiet = 0
        self._rest: dict[Span, Listing] = {}
        self._gpus: Gpus | None = None
        self._resources: Gpus | None = None

    def limit(self, message: str, span: Span) -> None:
        if not any(problem.message == message for problem in self.problems):
            self.problems.append(Problem("SGL004", "reading-limit", "info", message, span))

    def enter(self, decorators: Sequence[ast.expr], scope: Scope) -> None:
        """The body below these decorators begins."""
        self._gpus = None
        self.quiet += 1
        for decorator in decorators:
            if isinstance(decorator, ast.Call):
                self._gpus = self._gpus or gpus_of(self.expressions.keywords(decorator, scope))
        self.quiet -= 1

    def left(self, value: Listing) -> None:
        """A list that may be a command line: it counts unless a call starts it in another state."""
        if self.quiet or not self._is_of_interest(value.items):
            return
        program = self._program(words_of(value))
        key = _key(program)
        if program is not None and key is not None and (program.words or program.script):
            known = self._rest.get(key)
            if known is None or len(known.items) < len(value.items):
                self._rest[key] = value

    def finish(self) -> None:
        """Count the lists that no call here starts: they are returned, or handed on."""
        for key, value in self._rest.items():
            if key not in self.ways and key not in self.scripts:
                self._start(value.items, value.first, ())

    def called(self, node: ast.Call, path: str, scope: Scope) -> Value:
        """What a call gives; what it starts is kept."""
        quiet = bool(_QUIET.search(path))
        self.quiet += quiet
        try:
            call = self._arguments(node, path, scope)
        finally:
            self.quiet -= quiet
        grown = self._grown(node, path, call, scope)
        found = grown or python_methods.result(path, call)
        if found is not None:
            return found
        if not quiet and not self.quiet:
            self._starts(node, path, call, scope)
        return call.unknown()

    def _arguments(self, node: ast.Call, path: str, scope: Scope) -> Arguments:
        expressions = self.expressions
        owner: Value | None = None
        if isinstance(node.func, ast.Attribute):
            name = expressions.path(node.func.value, scope)
            owner = scope.get(name) if name and not name.startswith(".") else None
            if owner is None and (not name or name.startswith(".")):
                owner = expressions.value(node.func.value, scope)
        elif not isinstance(node.func, ast.Name):
            expressions.value(node.func, scope)
        items = expressions.items(node.args, scope)
        keywords = expressions.keywords(node, scope)
        span = expressions.place(node)
        return Arguments(span, expressions.statement, owner, items, keywords, expressions.unknown(node).mapped)

    def _grown(self, node: ast.Call, path: str, call: Arguments, scope: Scope) -> Value | None:
        """Nothing, as methods give that change their list or dictionary in place; None for any other."""
        name, _, method = path.rpartition(".")
        if not name:
            return None
        after: Value | None = None
        if isinstance(call.owner, Listing):
            after = python_methods.grown(method, call.owner, call)
        elif method == "update" and (isinstance(call.owner, Table) or name == ENVIRONMENT):
            before = call.owner if isinstance(call.owner, Table) else table((), call.span)
            after = python_methods.updated(before, call)
        if after is None:
            return None
        scope.grow(name, after)
        return Constant(None, call.shown)

    def _starts(self, node: ast.Call, path: str, call: Arguments, scope: Scope) -> None:
        last = path.rpartition(".")[2]
        env = self._environment(call, scope)
        if _ENGINE.fullmatch(path):
            self._engine(node, call, env)
        elif last == "prepare_server_args":
            self._words_for(node, call.at(0), "launch_server", env)
        elif last == "popen_launch_server":
            self._tested(node, call, env)
        elif (executed := _EXEC.fullmatch(path)) is not None:
            given = call.at(1)
            items = given.items if executed[1] == "v" and isinstance(given, Listing) else call.items[1:]
            self._start(items, call.first, env)
        elif last in ("create_subprocess_exec", "execute_async") or self._is_program(call):
            self._start(call.items, call.first, env)
        else:
            self._resources = self._resources or gpus_of(call.keywords)
            self._run(last, call, env)

    def _is_program(self, call: Arguments) -> bool:
        """Whether the positional arguments are the words of a command themselves: ``sh("python", "-m", ...)``."""
        first = call.at(0)
        return (
            isinstance(first, Text) and len(call.items) > 2 and bool(re.fullmatch(r"python[\d.]*", first.known or ""))
        )

    def _run(self, last: str, call: Arguments, env: tuple[EnvVar, ...]) -> None:
        """A call of any other function: a list among its arguments, a string where its name says that it runs one."""
        keywords = call.keywords
        image = _image(call)
        given = [keywords.get(key) for key in ("entrypoint", "command", "args", "cmd", "run", "script")]
        lists = [value for value in given if isinstance(value, Listing)]
        if lists:
            self._start([item for value in lists for item in value.items], lists[0].first, env, image)
        for value in given:
            if isinstance(value, Text):
                self._script(value, call.first, env, image)
        first = call.at(0)
        if not _RUNS.search(last):
            return
        for option in first.options if isinstance(first, Choice) else (first,):
            if isinstance(option, Listing):
                self._start(option.items, option.first, env, image)
            elif isinstance(option, Text):
                self._script(option, call.first, env, image)

    def _environment(self, call: Arguments, scope: Scope) -> tuple[EnvVar, ...]:
        found: dict[str, EnvVar] = {}
        for value in (scope.get(ENVIRONMENT), call.keywords.get("env"), call.keywords.get("environment")):
            if isinstance(value, Table):
                found.update((entry.key, _variable(entry)) for entry in value.entries)
        return tuple(found.values())

    def _start(self, items: Sequence[Item], first: int, env: tuple[EnvVar, ...], image: Mapped | None = None) -> None:
        if not self._is_of_interest(items) and image is None:
            return
        words = tuple(word_of(item) for item in items)
        program = self._program(words, image)
        key = _key(program)
        if program is None or key is None:
            self._mention(program, words)
            return
        if program.kind == "server":
            self._way(key, Way(program, first, env, image, gpus=self._gpus))
            return
        embedding, origins = program.script[0].handle
        script = ScriptText(embedding, origins, first, (*env, *program.env), program.words, image, self._gpus)
        self.scripts.setdefault(key, []).append(script)

    def _program(self, words: Sequence[Word], image: Mapped | None = None) -> Program | None:
        if image is not None and words and (words[0].text or "").startswith("-"):
            place = Word(image.text, image.span(), image)
            before = Program("prefix", "", None, tuple(words), image=place)
            return _of_image(before)
        return recognise(words)

    def _way(self, key: Span, way: Way) -> None:
        ways = self.ways.setdefault(key, [])
        if len(ways) < MAX_WAYS:
            ways.append(replace(way, gpus=way.gpus or self._resources))

    def _mention(self, program: Program | None, words: Sequence[Word]) -> None:
        mention = next((word.span for word in words if word.text and mentions_launcher(word.text)), None)
        if program is not None and mention is not None and program.kind == "other":
            self.not_launches.append(NotLaunch(program.name, mention))

    def _script(self, text: Text, first: int, env: tuple[EnvVar, ...], image: Mapped | None) -> None:
        if not self._is_of_interest([Item(text)]):
            return
        embedding, origins = script_of(text)
        script = ScriptText(embedding, origins, first, env, (), image, self._gpus or self._resources)
        self.scripts.setdefault(span_of(text), []).append(script)

    def _engine(self, node: ast.Call, call: Arguments, env: tuple[EnvVar, ...]) -> None:
        span = self._function_span(node)
        entries = list(call.keywords.entries)
        first = call.at(0)
        if first is not None:
            written = Mapped.whole(FIRST_FIELD, Span(span_of(first).start, span_of(first).start))
            entries.insert(0, Entry(FIRST_FIELD, written, first))
        if any(entry.key == "server_args" for entry in entries):
            return
        keywords = table(entries, call.span, call.keywords.rest)
        words, dropped = words_of_keywords(keywords, self.release_at(call.first))
        program = Program("server", "engine", span, words)
        if any(not word.many for word in words):
            self._way(span, Way(program, call.first, env, dropped=dropped, gpus=self._gpus))

    def _words_for(self, node: ast.Call, given: Value | None, launcher: str, env: tuple[EnvVar, ...]) -> None:
        if isinstance(given, Listing) and given.items:
            span = self._function_span(node)
            program = Program("server", launcher, span, words_of(given))
            self._way(span, Way(program, self.expressions.statement, env, gpus=self._gpus))

    def _tested(self, node: ast.Call, call: Arguments, env: tuple[EnvVar, ...]) -> None:
        """The start of a server as SGLang's own tests write it: the model, a URL, more words."""
        model = call.at(0) or call.keywords.get("model")
        if model is None:
            return
        place = span_of(model).start
        flag = Text((Part(Mapped.whole("--model-path=", Span(place, place))),))
        more = call.keywords.get("other_args")
        rest = self.expressions.elements(more) if more is not None and not isinstance(more, Constant) else ()
        items = [Item(joined((flag, text_of(model)), place)), *rest]
        self._words_for(node, listing(items, call.span, call.first), "launch_server", env)

    def _function_span(self, node: ast.Call) -> Span:
        """The last name of the function that is called."""
        span = self.expressions.source.span(node.func)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return Span(max(span.start, span.end - len(name)), span.end) if name else span

    def _is_of_interest(self, items: Sequence[Item]) -> bool:
        """Whether words may start a server; most lists and strings of a program are not even looked at."""
        for item in items:
            if isinstance(item.value, Text):
                for part in item.value.parts:
                    text = part.mapped.text
                    if "sgl" in text or any(name in text for name in launchers()):
                        return True
        return False


MAX_WAYS = 50
"""Ways to one launch that are compared."""


def _key(program: Program | None) -> Span | None:
    """What tells a launch from others: the launcher's place, or that of a script."""
    if program is None:
        return None
    if program.kind == "server":
        return program.span or (program.words[0].span if program.words else None)
    if program.kind == "shell" and len(program.script) == 1 and isinstance(program.script[0].handle, tuple):
        return program.script[0].span
    return None


def _of_image(before: Program) -> Program | None:
    """Flags alone after an image: its own entry point takes them."""
    from .program_words import server
    from .programs import has_server_flags

    return server(before, "none", None, before.words) if has_server_flags(before.words) else None


def _image(call: Arguments) -> Mapped | None:
    """The container image that a call names."""
    for value in (call.keywords.get("image"), call.at(0)):
        known = value.known if isinstance(value, Text) else None
        if known and isinstance(value, Text) and "sglang" in known and re.fullmatch(r"[\w.:/@-]+", known):
            return Mapped.join(part.placed for part in value.parts)
    return None


def _variable(entry: Entry) -> EnvVar:
    known = text_of(entry.value).known if isinstance(entry.value, Text | Constant) else None
    return EnvVar(entry.key, None if entry.presence == "maybe" else known, Place(span_of(entry.value)))
