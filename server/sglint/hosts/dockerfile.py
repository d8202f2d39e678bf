"""The Dockerfile host: what a container of the last stage starts.

``ENTRYPOINT`` and ``CMD`` in exec form are one argv, in which variables are not expanded; a shell form is a script,
and an entry point in shell form ignores ``CMD``. Earlier stages and overridden instructions start nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..launch.model import Change, Directives, EnvVar, Evidence, Image, Launch, NotLaunch, Place, Reading, Word
from ..records import dataclass, field, replace
from ..text import Document, Edit, Mapped, Sources, Span
from . import evidence
from .directives import DirectiveSet, read_directives
from .embedding import Embedding
from .json_words import json_words
from .programs import mentions_launcher, recognise
from .shell import read_script

_HEREDOC = re.compile(r"<<-?(['\"]?)([A-Za-z_]\w*)\1")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|((?:[^\s\\]|\\.)*))")


@dataclass(frozen=True)
class Instruction:
    """``name`` in capitals; ``argument`` without comment lines; ``bodies``: its here-documents."""

    name: str
    argument: Mapped
    bodies: tuple[Mapped, ...] = ()


@dataclass
class Stage:
    """One build stage. ``image`` with the evidence of the release in it."""

    image: Image | None = None
    release: Evidence | None = None
    env: dict[str, EnvVar] = field(default_factory=dict)
    entrypoint: Instruction | None = None
    command: Instruction | None = None
    files: dict[str, Mapped] = field(default_factory=dict)


def read(document: Document, sources: Sources) -> Reading:
    """The launches of the container that the last stage describes."""
    directives = read_directives(document)
    stage, unused = _last_stage(document)
    launches: tuple[Launch, ...] = ()
    others: tuple[NotLaunch, ...] = ()
    if stage is not None:
        launches, others = _launches(document, stage, directives)
    mentions = [_mention(item.argument) for item in unused]
    others += tuple(NotLaunch("overridden", span) for span in mentions if span is not None)
    return Reading(document, launches, others, directives.problems, directives.ignores)


def instructions(text: str) -> Iterator[Instruction]:
    """The instructions of a Dockerfile, continuation lines joined as a shell would and comment lines left out."""
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]*\n|[^\n]+$", text)]
    index = 0
    while index < len(lines):
        start, end = lines[index]
        head = re.compile(r"\ufeff?[ \t]*([A-Za-z]+)[ \t]+").match(text, start, end)
        index += 1
        if not head or text[start:end].lstrip().startswith("#"):
            continue
        parts = [Mapped.identity(text[head.end() : end], head.end())]
        continued = _continues(text[start:end])
        while continued and index < len(lines):
            start, end = lines[index]
            index += 1
            line = text[start:end]
            if line.strip() and not line.lstrip().startswith("#"):
                parts.append(Mapped.identity(line, start))
                continued = _continues(line)
        argument = Mapped.join(parts)
        argument = argument.slice(0, len(argument.text.rstrip("\r\n")))
        bodies = []
        for heredoc in _HEREDOC.finditer(argument.text):
            first = index
            while index < len(lines) and text[slice(*lines[index])].strip() != heredoc[2]:
                index += 1
            begin = lines[first][0] if first < len(lines) else len(text)
            stop = lines[index][0] if index < len(lines) else len(text)
            bodies.append(Mapped.identity(text[begin:stop], begin))
            index += 1
        yield Instruction(head[1].upper(), argument, tuple(bodies))


def _continues(line: str) -> bool:
    return line.rstrip("\r\n \t").endswith("\\")


def _last_stage(document: Document) -> tuple[Stage | None, list[Instruction]]:
    stage: Stage | None = None
    unused: list[Instruction] = []
    arguments: dict[str, Mapped] = {}
    for item in instructions(document.text):
        if item.name == "ARG":
            found = _ASSIGNMENT.match(item.argument.text)
            if found and stage is None:
                arguments[found[1]] = _value(item.argument, found)
        elif item.name == "FROM":
            if stage is not None:
                unused += [entry for entry in (stage.entrypoint, stage.command) if entry is not None]
            stage = _from(item.argument, arguments)
        elif stage is not None:
            _follow(item, stage, unused)
    return stage, unused


def _from(argument: Mapped, arguments: dict[str, Mapped]) -> Stage:
    reference = re.compile(r"(?:--\S+\s+)*(\S+)").match(argument.text)
    if not reference:
        return Stage()
    written = argument.slice(*reference.span(1))
    parts: list[Mapped] = []
    at = 0
    source = "FROM"
    for variable in re.finditer(r"\$\{?(\w+)(?::-([^}]*))?\}?", written.text):
        default = arguments.get(variable[1])
        if default is None:
            break
        parts += [written.slice(at, variable.start()), default]
        at = variable.end()
        source = "ARG default"
    parts.append(written.slice(at))
    image = evidence.image_of(Mapped.join(parts))
    return Stage(image, evidence.release_of_image(image, source))


def _follow(item: Instruction, stage: Stage, unused: list[Instruction]) -> None:
    if item.name == "ENV":
        for variable in _variables(item.argument):
            stage.env[variable.name] = variable
    elif item.name == "RUN" and stage.release is None:
        stage.release = evidence.release_of_requirement(item.argument)
    elif item.name in ("COPY", "ADD") and item.bodies:
        stage.files[item.argument.text.split()[-1]] = item.bodies[0]
    elif item.name == "ENTRYPOINT":
        unused += [stage.entrypoint] if stage.entrypoint else []
        stage.entrypoint = item
    elif item.name == "CMD":
        unused += [stage.command] if stage.command else []
        stage.command = item


def _variables(argument: Mapped) -> Iterator[EnvVar]:
    text = argument.text
    if not re.match(r"[A-Za-z_]\w*=", text):
        name, _, value = text.partition(" ")
        start = len(text) - len(value.lstrip())
        yield EnvVar(name, value.strip(), Place(argument.span(start, start + len(value.strip()))))
        return
    for found in _ASSIGNMENT.finditer(text):
        written = _value(argument, found)
        yield EnvVar(found[1], re.sub(r"\\(.)", r"\1", written.text), Place(written.span()))


def _value(argument: Mapped, found: re.Match[str]) -> Mapped:
    group = next((number for number in (2, 3, 4) if found[number] is not None), 4)
    return argument.slice(*found.span(group))


def _launches(
    document: Document, stage: Stage, directives: DirectiveSet
) -> tuple[tuple[Launch, ...], tuple[NotLaunch, ...]]:
    entry, command = stage.entrypoint, stage.command
    first = entry or command
    if first is None:
        return (), ()
    words = json_words(first.argument)
    if words is None:
        ignored = _ignored(command) if entry is not None else ()
        launches, others = _script(document, Embedding(first.argument), stage, directives)
        return launches, others + ignored
    more = json_words(command.argument) if entry is not None and command is not None else None
    return _argv(document, (words, more) if more else (words,), stage, directives)


def _argv(
    document: Document, lists: tuple[tuple[Word, ...], ...], stage: Stage, directives: DirectiveSet
) -> tuple[tuple[Launch, ...], tuple[NotLaunch, ...]]:
    words = tuple(word for one in lists for word in one)
    program = recognise(words)
    if program is None:
        return (), ()
    if program.kind == "shell" and len(program.script) == 1 and isinstance(program.script[0].handle, Embedding):
        return _script(document, program.script[0].handle, stage, directives)
    if program.kind == "file" and program.script[0].text in stage.files:
        return _script(document, Embedding(stage.files[program.script[0].text]), stage, directives)
    if program.kind != "server":
        mention = next((word.span for word in words if word.text and mentions_launcher(word.text)), None)
        return (), (NotLaunch(program.name, mention),) if mention else ()
    spans = [word.span for word in program.words] + ([program.span] if program.span else [])
    span = Span(min(item.start for item in spans), max(item.end for item in spans))
    launch = Launch(
        "dockerfile",
        program.name,
        span,
        program.span,
        program.words,
        _ExecEditor(lists),
        (*stage.env.values(), *program.env),
    )
    said = directives.at(document.lines.line_of(words[0].span.start), document.lines.line_of(span.start))
    return (_with_surroundings(launch, stage, said),), ()


@dataclass(frozen=True)
class _ExecEditor:
    """Edits of exec forms; what does them is loaded when it is asked."""

    lists: tuple[tuple[Word, ...], ...]

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        from .edit_json import JsonEditor

        return JsonEditor(self.lists).edits(launch, changes)


def _script(
    document: Document, embedding: Embedding, stage: Stage, directives: DirectiveSet
) -> tuple[tuple[Launch, ...], tuple[NotLaunch, ...]]:
    lines = document.lines
    reading = read_script(
        embedding,
        host="dockerfile",
        env=stage.env,
        directives=lambda first, last: directives.at(lines.line_of(first), lines.line_of(last)),
    )
    found = tuple(_with_surroundings(launch, stage, launch.directives) for launch in reading.launches)
    return found, reading.not_launches


def _with_surroundings(launch: Launch, stage: Stage, said: Directives) -> Launch:
    visible = next((item for item in launch.env if item.name == "CUDA_VISIBLE_DEVICES" and item.value), None)
    count = None
    if visible is not None and visible.value is not None and visible.place is not None:
        count = evidence.visible_devices(Mapped.whole(visible.value, visible.place.span))
    return replace(
        launch,
        image=launch.image or stage.image,
        directives=said,
        release=said.release or launch.release or stage.release,
        gpu=said.gpu or launch.gpu,
        gpu_count=said.gpu_count or launch.gpu_count or count,
    )


def _ignored(command: Instruction | None) -> tuple[NotLaunch, ...]:
    words = json_words(command.argument) if command is not None else None
    return (NotLaunch("ignored CMD", words[0].span),) if words else ()


def _mention(argument: Mapped) -> Span | None:
    found = mentions_launcher(argument.text)
    return argument.span(*found) if found else None
