"""The Python host: servers that programs start with ``subprocess``, with a shell, or as engines of their own.

Read only: words are gathered from lists, sums, names and functions, so that there is no one place to edit.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ..launch.model import Evidence, Image, Launch, NotLaunch, Problem, Reading
from ..records import replace
from ..text import Document, Mapped, Sources, Span
from . import evidence
from .directives import DirectiveSet, read_directives
from .edit_words import FixedEditor
from .gate import launchers
from .python_calls import Calls, ScriptText, Way
from .python_scope import Scope
from .python_source import MAX_CHARACTERS, Broken, Source
from .python_values import Text
from .python_walk import Walk
from .shell import read_script
from .shell_arity import settle_fields
from .shell_common import common_env, common_words
from .shell_sources import Surrounding

_MAY_START = re.compile(
    r"launch_server|sglang\W{1,8}serve|ServerArgs|prepare_server_args|\bEngine\(|\bRuntime\(|lmsysorg/sglang|--model-path"
)
_IMAGE = re.compile(r"[\w./-]*sglang[\w./-]*:[\w.-]+")
_EDIT = FixedEditor("Python code is only read: its words are put together by statements")


def read(document: Document, sources: Sources) -> Reading:
    """The launches of a Python program. What does not parse is one quiet note, never a fault of the program's."""
    if not _may_start(document.text):
        return Reading(document)
    if len(document.text) > MAX_CHARACTERS:
        return Reading(document, problems=(_note(f"it is longer than {MAX_CHARACTERS:,} characters", 0),))
    directives = read_directives(document)
    source = Source(document.text)
    module, broken = source.parse()
    problems = (*directives.problems, *(() if broken is None else (_note_of(broken),)))
    if module is None:
        return Reading(document, (), (), problems, directives.ignores)
    reader = _Reader(document, sources, directives)
    launches, others = reader.run(module, source)
    return Reading(document, launches, others, (*problems, *reader.problems), directives.ignores)


def _may_start(text: str) -> bool:
    return _MAY_START.search(text) is not None or any(name in text for name in launchers())


def _note_of(broken: Broken) -> Problem:
    return _note(broken.reason, broken.at)


def _note(reason: str, at: int) -> Problem:
    message = f"Launches in this file, or in a part of it, are not checked: {reason}."
    return Problem("SGL004", "reading-limit", "info", message, Span(at, at))


class _Reader:
    def __init__(self, document: Document, sources: Sources, directives: DirectiveSet) -> None:
        self.document = document
        self.sources = sources
        self.directives = directives
        self.problems: list[Problem] = []
        self.releases: list[Evidence] = []

    def run(self, module: ast.Module, source: Source) -> tuple[tuple[Launch, ...], tuple[NotLaunch, ...]]:
        calls = Calls(source, self._release_value)
        self.releases = sorted(_releases(module, calls), key=_start)
        Walk(calls.expressions, calls).module(module)
        calls.finish()
        launches: dict[Span, Launch] = {}
        others = list(calls.not_launches)
        for ways in calls.ways.values():
            launch = self._launch(ways)
            launches.setdefault(launch.launcher_span or launch.span, launch)
        for scripts in calls.scripts.values():
            self._read_scripts(scripts, launches, others)
        self.problems += calls.problems
        found = tuple(sorted(launches.values(), key=lambda launch: launch.launcher_span or launch.span))
        return found, tuple(other for other in dict.fromkeys(others) if other.span not in launches)

    def _launch(self, ways: Sequence[Way]) -> Launch:
        first = ways[0]
        program = first.program
        words = common_words([way.program.words for way in ways])
        spans = [word.span for word in words] + ([program.span] if program.span is not None else [])
        span = Span(min(s.start for s in spans), max(s.end for s in spans))
        carrier = program.image
        image = first.image if carrier is None else evidence.mapped_of(carrier)
        return self._with_surroundings(
            Launch(
                "python",
                program.name,
                span,
                program.span,
                words,
                _EDIT,
                (*common_env([way.env for way in ways]), *program.env),
                image=evidence.image_of(image) if image is not None and image.text else None,
                gpu=program.gpu,
                gpu_count=program.gpu_count,
                dropped=first.dropped,
            ),
            first,
        )

    def _read_scripts(
        self, scripts: Sequence[ScriptText], launches: dict[Span, Launch], others: list[NotLaunch]
    ) -> None:
        found: dict[Span, list[tuple[Launch, ScriptText]]] = {}
        for script in scripts:
            reading = read_script(
                script.embedding,
                host="python",
                env={variable.name: variable for variable in script.env},
                origins=script.origins,
                parameters=script.parameters,
                around=Surrounding(self.document.path, self.sources),
            )
            for launch in reading.launches:
                found.setdefault(launch.launcher_span or launch.span, []).append((launch, script))
            others += reading.not_launches
        for span, ways in found.items():
            launch, script = ways[0]
            words = settle_fields(
                common_words([way.words for way, _ in ways]),
                str(launch.release.value) if launch.release is not None else None,
            )
            plain = replace(launch, words=words, editor=_EDIT, image=launch.image or _image(script.image))
            launches.setdefault(span, self._with_surroundings(plain, script))

    def _with_surroundings(self, launch: Launch, way: Way | ScriptText) -> Launch:
        line = self.document.lines.line_of
        start = (launch.launcher_span or launch.span).start
        said = self.directives.at(min(line(way.first), line(start)), line(start))
        gpus = way.gpus
        release = said.release or evidence.release_of_image(launch.image) or launch.release or self._release(way.first)
        return replace(
            launch,
            directives=said,
            release=release,
            gpu=said.gpu or launch.gpu or (gpus.kind if gpus is not None else None),
            gpu_count=said.gpu_count
            or evidence.visible_in(launch.env)
            or launch.gpu_count
            or (gpus.count if gpus is not None else None),
        )

    def _release(self, at: int) -> Evidence | None:
        """The release that the nearest string before ``at`` names, else the first one of the file."""
        index = bisect_right([_start(item) for item in self.releases], at) - 1
        return self.releases[max(index, 0)] if self.releases else None

    def _release_value(self, at: int) -> str | None:
        said = self.directives.at(self.document.lines.line_of(at)).release
        found = said or self._release(at)
        return str(found.value) if found is not None else None


def _start(item: Evidence) -> int:
    return item.place.span.start if item.place is not None else 0


def _image(written: Mapped | None) -> Image | None:
    return evidence.image_of(written) if written is not None else None


def _releases(module: ast.Module, calls: Calls) -> Iterator[Evidence]:
    """Releases that strings of the program name: container images and pinned requirements."""
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "sglang" in node.value:
            value = calls.expressions.constant(node, Scope())
            if not isinstance(value, Text) or value.known is None:
                continue
            written = Mapped.join(part.placed for part in value.parts)
            named = evidence.release_of_requirement(written)
            for found in _IMAGE.finditer(written.text):
                named = named or evidence.release_of_image(evidence.image_of(written.slice(*found.span())))
            if named is not None:
                yield named
