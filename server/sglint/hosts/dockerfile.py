"""The Dockerfile host: what a container of the last stage starts.

``ENTRYPOINT`` and ``CMD`` in exec form are one argv, in which variables are not expanded; a shell form is a script,
and an entry point in shell form ignores ``CMD``. A stage that is made from another has what that one sets. Earlier
stages and overridden instructions start nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from ..launch.model import (
    Change,
    Directives,
    Editor,
    EnvVar,
    Evidence,
    Image,
    Launch,
    NotLaunch,
    Reading,
    SetImageTag,
    Word,
)
from ..records import dataclass, field, replace
from ..text import Document, Edit, Mapped, Sources, Span
from . import evidence
from .directives import DirectiveSet, read_directives
from .docker_variables import arguments_of, filled, placed, variables_of
from .edit_words import FixedEditor
from .embedding import Embedding
from .json_words import json_words
from .program_words import Program
from .programs import mentions_launcher, recognise
from .shell import read_script

_HEREDOC = re.compile(r"<<-?(['\"]?)([A-Za-z_]\w*)\1")


@dataclass(frozen=True)
class Instruction:
    """``name`` in capitals; ``argument`` without comment lines; ``bodies``: its here-documents."""

    name: str
    argument: Mapped
    bodies: tuple[Mapped, ...] = ()


@dataclass
class Stage:
    """One build stage. ``image`` with the evidence of the release in it; ``command_set``: by a ``CMD`` of its own.

    ``arguments``: those of the build that are known here, and those that only who builds knows (None).
    """

    image: Image | None = None
    release: Evidence | None = None
    env: dict[str, EnvVar] = field(default_factory=dict)
    entrypoint: Instruction | None = None
    command: Instruction | None = None
    command_set: bool = False
    files: dict[str, Mapped] = field(default_factory=dict)
    arguments: dict[str, Mapped | None] = field(default_factory=dict)

    def child(self) -> Stage:
        """A stage made from this one."""
        return Stage(self.image, self.release, dict(self.env), self.entrypoint, self.command, files=dict(self.files))


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
    """The last stage, and the instructions for start-up that have no say in it."""
    stage: Stage | None = None
    starters: list[Instruction] = []
    arguments: dict[str, Mapped | None] = {}
    named: dict[str, Stage] = {}
    for item in instructions(document.text):
        if item.name == "ARG":
            own = arguments if stage is None else stage.arguments
            for name, value in arguments_of(item.argument):
                own[name] = arguments.get(name) if value is None else filled(value, own)
        elif item.name == "FROM":
            stage, alias = _from(item.argument, arguments, named)
            if alias:
                named[alias.lower()] = stage
        elif stage is not None:
            starters += [item] if item.name in ("ENTRYPOINT", "CMD") else []
            _follow(item, stage)
    kept = (stage.entrypoint, stage.command) if stage is not None else ()
    return stage, [item for item in starters if item not in kept]


def _from(
    argument: Mapped, arguments: Mapping[str, Mapped | None], named: Mapping[str, Stage]
) -> tuple[Stage, str | None]:
    """The stage that a ``FROM`` begins, and its name."""
    reference = re.compile(r"(?:--\S+\s+)*(\S+)(?:\s+[Aa][Ss]\s+(\S+))?").match(argument.text)
    if not reference:
        return Stage(), None
    written = filled(argument.slice(*reference.span(1)), arguments)
    before = named.get(written.text.lower())
    if before is not None:
        return before.child(), reference[2]
    source = "FROM" if written.text == reference[1] else "ARG default"
    image = evidence.image_of(written)
    return Stage(image, evidence.release_of_image(image, source)), reference[2]


def _known(stage: Stage) -> dict[str, Mapped | None]:
    """What stands for a variable in an instruction: those of the environment win over the arguments of the build."""
    found = dict(stage.arguments)
    for name, variable in stage.env.items():
        place = variable.place.span if variable.place is not None else Span(0, 0)
        found[name] = None if variable.value is None else variable.mapped or placed(variable.value, place)
    return found


def _follow(item: Instruction, stage: Stage) -> None:
    if item.name == "ENV":
        values = _known(stage)
        for variable in variables_of(item.argument, values):
            stage.env[variable.name] = variable
    elif item.name == "RUN":
        stage.release = _installed(filled(item.argument, _known(stage))) or stage.release
        written = re.search(r">>?\s*[\"']?([^\s\"';|&<>]+)", item.argument.text) if item.bodies else None
        if written:
            stage.files[_file_name(written[1])] = item.bodies[0]
    elif item.name in ("COPY", "ADD") and item.bodies:
        stage.files[_file_name(item.argument.text.split()[-1])] = item.bodies[0]
    elif item.name == "ENTRYPOINT":
        stage.entrypoint = item
        if not stage.command_set:
            # An inherited command belongs to the entry point it was written for.
            stage.command = None
    elif item.name == "CMD":
        stage.command, stage.command_set = item, True


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


_GIT = re.compile(r"\bgit\b[^;&|\n]*?\s(?:-b|--branch|checkout|switch)[ =]+[\"']?([\w.]+)")


def _installed(line: Mapped) -> Evidence | None:
    """The release that a build step installs."""
    if "sglang" not in line.text:
        return None
    found = evidence.release_of_requirement(line)
    for checkout in () if found is not None else _GIT.finditer(line.text):
        found = found or evidence.release_of_git_tag(line.slice(*checkout.span(1)))
    return found


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
    more = _behind(command) if entry is not None and command is not None else ()
    return _argv(document, (words, more) if more else (words,), stage, directives)


def _behind(command: Instruction) -> tuple[Word, ...]:
    """The words that a ``CMD`` adds to an entry point in exec form: in shell form, those of a shell."""
    words = json_words(command.argument)
    if words is not None:
        return words
    start = command.argument.span(0, 0)
    script = Word(command.argument.text, command.argument.span(), command.argument, handle=Embedding(command.argument))
    return (*(Word(text, start, Mapped.whole(text, start)) for text in ("/bin/sh", "-c")), script)


def _argv(
    document: Document, lists: tuple[tuple[Word, ...], ...], stage: Stage, directives: DirectiveSet
) -> tuple[tuple[Launch, ...], tuple[NotLaunch, ...]]:
    words = tuple(word for one in lists for word in one)
    program = recognise(words)
    if program is None:
        return (), ()
    if program.kind == "shell" and len(program.script) == 1 and isinstance(program.script[0].handle, Embedding):
        return _script(document, program.script[0].handle, stage, directives)
    file = _file_of(program, words)
    if file is not None and _file_name(file.text or "") in stage.files:
        embedding = Embedding(stage.files[_file_name(file.text or "")])
        # Without a command, who runs the image gives the words.
        parameters = (file, *program.words) if program.words else ()
        return _script(document, embedding, stage, directives, parameters)
    if program.kind != "server":
        mention = next((word.span for word in words if word.text and mentions_launcher(word.text)), None)
        return (), (NotLaunch(program.name, mention),) if mention else ()
    spans = [word.span for word in program.words] + ([program.span] if program.span else [])
    span = Span(min(item.start for item in spans), max(item.end for item in spans))
    are_exec = all(word.handle is not None for word in words)
    launch = Launch(
        "dockerfile",
        program.name,
        span,
        program.span,
        program.words,
        _ExecEditor(lists) if are_exec else FixedEditor("the options stand in a command of their own"),
        (*stage.env.values(), *program.env),
    )
    said = directives.at(document.lines.line_of(words[0].span.start), document.lines.line_of(span.start))
    return (_with_surroundings(launch, stage, said),), ()


def _file_of(program: Program, words: Sequence[Word]) -> Word | None:
    """The script that is run, if it is none that a shell has as its text."""
    if program.kind == "file":
        return program.script[0]
    if program.kind == "other" and program.span is not None:
        return next((word for word in words if word.span == program.span), None)
    return None


@dataclass(frozen=True)
class _ExecEditor:
    """Edits of exec forms; what does them is loaded when it is asked."""

    lists: tuple[tuple[Word, ...], ...]

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        from .edit_json import JsonEditor

        return JsonEditor(self.lists).edits(launch, changes)


def _script(
    document: Document,
    embedding: Embedding,
    stage: Stage,
    directives: DirectiveSet,
    parameters: Sequence[Word] = (),
) -> tuple[tuple[Launch, ...], tuple[NotLaunch, ...]]:
    lines = document.lines
    reading = read_script(
        embedding,
        host="dockerfile",
        env=stage.env,
        parameters=parameters,
        directives=lambda first, last: directives.at(lines.line_of(first), lines.line_of(last)),
    )
    launches = (
        launch if launch.image is not None else replace(launch, editor=_ScriptEditor(launch.editor))
        for launch in reading.launches
    )
    return tuple(_with_surroundings(launch, stage, launch.directives) for launch in launches), reading.not_launches


@dataclass(frozen=True)
class _ScriptEditor:
    """Edits of a script whose image the stage names."""

    script: Editor

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        from .edit_yaml import image_tag_edit

        rest = [change for change in changes if not isinstance(change, SetImageTag)]
        tags = [image_tag_edit(launch, change.tag) for change in changes if isinstance(change, SetImageTag)]
        return tuple(sorted((*tags, *(self.script.edits(launch, rest) if rest else ()))))


def _with_surroundings(launch: Launch, stage: Stage, said: Directives) -> Launch:
    return replace(
        launch,
        image=launch.image or stage.image,
        directives=said,
        release=said.release or launch.release or stage.release,
        gpu=said.gpu or launch.gpu,
        gpu_count=said.gpu_count or launch.gpu_count or evidence.visible_in(launch.env),
    )


def _ignored(command: Instruction | None) -> tuple[NotLaunch, ...]:
    words = json_words(command.argument) if command is not None else None
    return (NotLaunch("ignored CMD", words[0].span),) if words else ()


def _mention(argument: Mapped) -> Span | None:
    found = mentions_launcher(argument.text)
    return argument.span(*found) if found else None
