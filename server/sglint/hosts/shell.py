"""The shell host: launches in shell scripts, and in scripts that other notations hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..launch.model import (
    Directives,
    EnvVar,
    Evidence,
    Image,
    Launch,
    NotLaunch,
    Place,
    Problem,
    Reading,
    Word,
)
from ..records import dataclass
from ..text import Document, Mapped, Sources, Span
from . import evidence
from .directives import read_directives
from .edit_shell import ShellEditor
from .embedding import Embedding
from .origins import Origin
from .shell_arity import settle
from .shell_builtins import variable_of
from .shell_commands import Commands
from .shell_common import common_env, common_words
from .shell_found import Findings, Found
from .shell_parts import relevant_statements, statements_of
from .shell_script import Script, line_feeds
from .shell_sources import Surrounding
from .shell_values import Item, Piece, State, unknown
from .shell_walk import Walker

_SBATCH = re.compile(r"^#SBATCH[ \t]+(--gres|--gpus-per-node|--constraint|-C)(?:[= \t]+)(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class ScriptReading:
    """What one script starts. Places are those of the document around it."""

    launches: tuple[Launch, ...]
    not_launches: tuple[NotLaunch, ...] = ()
    problems: tuple[Problem, ...] = ()


def read(document: Document, sources: Sources) -> Reading:
    """The launches of a shell script file, with what its comments and commands say about release and hardware."""
    directives = read_directives(document)
    embedding = Embedding(Mapped.identity(document.text))
    reading = read_script(
        embedding,
        host="shell",
        directives=lambda first, last: directives.at(document.lines.line_of(first), document.lines.line_of(last)),
        around=Surrounding(document.path, sources),
    )
    return Reading(
        document,
        reading.launches,
        reading.not_launches,
        (*reading.problems, *directives.problems),
        directives.ignores,
    )


def read_script(
    embedding: Embedding,
    *,
    host: str,
    env: Mapping[str, EnvVar] | None = None,
    origins: Sequence[Origin] = (),
    parameters: Sequence[Word] = (),
    directives: Callable[[int, int], Directives] = lambda first, last: Directives(),
    around: Surrounding | None = None,
) -> ScriptReading:
    """The launches of the script text of ``embedding``.

    env
        variables the script's process starts with.
    origins
        stretches of the text that variables of the notation around gave, in order.
    parameters
        words behind a ``-c`` script; ``$0`` is the first.
    directives
        what comments say for a launch that begins between two document offsets.
    around
        the files beside the script; without it nothing outside is read.
    """
    variables = {name: variable_of(variable) for name, variable in (env or {}).items()}
    found = _found(embedding, origins, State(variables, _positional(parameters)), around)
    batch = _batch(embedding)
    launches = [
        _launch(ways, host, found, batch, directives) for _, ways in sorted(found.launches.items(), key=lambda e: e[0])
    ]
    taken = {launch.launcher_span for launch in launches}
    others = tuple(sorted((item for item in found.not_launches.values() if item.span not in taken), key=_start))
    return ScriptReading(tuple(launches), others, tuple(found.problems))


def _positional(parameters: Sequence[Word]) -> tuple[Item, ...] | None:
    """What a script gets as ``$1``, ``$2`` ...; None where their number is not known."""
    if not parameters or any(word.many or word.presence == "maybe" for word in parameters):
        return None
    # Each is one word, as quotes would make it in a script.
    return tuple(Item(tuple(piece._replace(quoted=True) for piece in _pieces(word))) for word in parameters[1:])


def _pieces(word: Word) -> tuple[Piece, ...]:
    """A word as what is known of it and what is not, in order."""
    if word.mapped is None:
        return (unknown(Mapped.whole("?", word.span)),)
    found: list[Piece] = []
    at = 0
    for start, end in (*word.unknown, (len(word.mapped.text), len(word.mapped.text))):
        found += [Piece(word.mapped.text[at:start], word.mapped.slice(at, start))] if at < start else []
        found += [unknown(word.mapped.slice(start, end))] if start < end else []
        at = end
    return tuple(found) or (Piece("", word.mapped),)


def _found(embedding: Embedding, origins: Sequence[Origin], state: State, around: Surrounding | None) -> Findings:
    found = Findings(around)
    if origins:
        plain = line_feeds(embedding)
        script = Script(plain, tuple(origins) if plain is embedding else ())
        Walker(Commands(found)).run(statements_of(script), state.copy())
    else:
        Walker(Commands(found)).run(relevant_statements(embedding, found.launchers), state.copy())
        if found.sourced and around is not None:
            # The other file may name what nothing in this one does.
            around.again()
            found = Findings(around)
            every = relevant_statements(embedding, found.launchers, all_of_them=True)
            Walker(Commands(found)).run(every, state.copy())
    found.finish()
    return found


def _start(item: NotLaunch) -> Span:
    return item.span


@dataclass(frozen=True)
class _Batch:
    """GPU kind and count that the lines of a batch script ask for."""

    gpu: Evidence | None = None
    count: Evidence | None = None


def _batch(embedding: Embedding) -> _Batch:
    gpu: Evidence | None = None
    count: Evidence | None = None
    if "#SBATCH" in embedding.text:
        script = Script(line_feeds(embedding))
        for line in _SBATCH.finditer(script.text):
            option = "--constraint" if line[1] == "-C" else line[1]
            kind, number = evidence.slurm_gpus(option, script.mapped(*line.span(2)))
            gpu, count = gpu or kind, count or number
    return _Batch(gpu, count)


def _launch(
    ways: Sequence[Found],
    host: str,
    found: Findings,
    batch: _Batch,
    directives: Callable[[int, int], Directives],
) -> Launch:
    first = ways[0]
    program = first.program
    words = common_words([way.program.words for way in ways])
    env = common_env([way.env for way in ways])
    span = first.span
    end = program.span.start if program.span is not None else span.start
    said = directives(min(first.outer, span.start), max(end, span.start))
    carriers = (program, *reversed(first.around))
    carrier = next((item for item in carriers if item.image is not None), None)
    image = _image(carrier.image) if carrier is not None and carrier.image is not None else None
    release = said.release or _release(carrier, image, found, span)
    return Launch(
        host=host,
        launcher=program.name,
        span=span,
        launcher_span=program.span,
        words=settle(words, release.value if release is not None else None),
        editor=ShellEditor(first.script, *first.command, carrier.image if carrier is not None else None),
        env=env,
        image=image,
        directives=said,
        release=release,
        gpu=said.gpu or _first(item.gpu for item in carriers) or batch.gpu,
        gpu_count=said.gpu_count
        or evidence.visible_in(env)
        or _first(item.gpu_count for item in carriers)
        or batch.count,
    )


def _first(values: Any) -> Evidence | None:
    return next((value for value in values if value is not None), None)


def _image(word: Word) -> Image | None:
    if word.text:
        return evidence.image_of(_written(word), word.path)
    # With a tag that is not known, such as `$TAG`, as long as it is sure to be one.
    colon = word.known_prefix.rfind(":")
    if word.mapped is None or colon < 0 or "/" in word.mapped.text[colon:]:
        return None
    mapped, place = word.mapped, Place(word.mapped.span(), word.path)
    return Image(mapped.text, place, mapped.text[colon + 1 :], Place(mapped.span(colon + 1), word.path))


def _written(word: Word) -> Mapped:
    """The text of a word placed where it is written, not where a variable is used."""
    item = word.handle
    if isinstance(item, Item) and all(piece.known for piece in item.pieces):
        return Mapped.join(piece.mapped for piece in item.pieces)
    return evidence.mapped_of(word)


def _release(carrier: Any, image: Image | None, found: Findings, span: Span) -> Evidence | None:
    if carrier is not None:
        if image is None or carrier.image is None:
            return None
        if not carrier.image_file:
            return evidence.release_of_image(image)
        named = evidence.release_of_image(image, "container image")
        return named or evidence.release_of_image_file(_written(carrier.image), carrier.image.path)
    before = [item for item in found.releases if item.place is not None and item.place.span.start < span.start]
    return before[-1] if before else found.releases[0] if found.releases else None
