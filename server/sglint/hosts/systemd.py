"""The systemd host: ``ExecStart=`` of service units.

systemd splits the line itself: quotes and C-like escapes, ``$NAME`` alone as words, ``${NAME}`` within one, ``$$`` for
a dollar, ``%i`` and other specifiers filled in when the unit starts. Comment lines inside a continued line are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..launch.model import Change, Definition, EnvVar, Launch, NotLaunch, Place, Reading, Word
from ..records import dataclass, replace
from ..text import Document, Edit, Mapped, Sources, Span
from . import evidence
from .directives import DirectiveSet, read_directives
from .edit_words import FixedEditor
from .embedding import Embedding
from .origins import UNKNOWN
from .programs import mentions_launcher, recognise
from .shell import read_script

_KEY = re.compile(r"\ufeff?[ \t]*([A-Za-z]+)[ \t]*=[ \t]*")
_PREFIX = re.compile(r"[-@:+!|]*")
_TOKEN = re.compile(
    r"(?P<blank>[ \t\r\n]+|\\\r?\n)|(?P<quote>[\"'])|\\(?P<escape>.)|(?P<dollar>\$\$)|(?P<percent>%%)"
    r"|\$\{(?P<braced>\w+)\}|\$(?P<bare>\w+)|(?P<specifier>%[A-Za-z])|(?P<plain>[^\s\"'\\$%]+|.)",
    re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "s": " "}


def read(document: Document, sources: Sources) -> Reading:
    """The launches of a unit's ``ExecStart`` lines."""
    directives = read_directives(document)
    env: dict[str, EnvVar] = {}
    launches: list[Launch] = []
    others: list[NotLaunch] = []
    for key, value in settings(document.text):
        if key == "Environment":
            for word in words_of(value, {}):
                name, equals, text = (word.text or "").partition("=")
                if equals and word.mapped is not None:
                    place = Place(word.mapped.span(len(name) + 1) if text else word.span)
                    env[name] = EnvVar(name, text, place)
        elif key == "ExecStart":
            found, rest = _started(document, value, env, directives)
            launches += found
            others += rest
        elif key.startswith("Exec") and (mention := mentions_launcher(value.text)) is not None:
            others.append(NotLaunch(key, value.span(*mention)))
    return Reading(document, tuple(launches), tuple(others), directives.problems, directives.ignores)


def settings(text: str) -> Iterator[tuple[str, Mapped]]:
    """Keys and values of a unit file, continued lines joined and comment lines left out."""
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]*\n|[^\n]+$", text)]
    index = 0
    while index < len(lines):
        start, end = lines[index]
        index += 1
        key = _KEY.match(text, start, end)
        if not key or _is_comment(text[start:end]):
            continue
        parts = [Mapped.identity(text[key.end() : end], key.end())]
        while parts[-1].text.rstrip("\r\n").endswith("\\") and index < len(lines):
            while index < len(lines) and _is_comment(text[slice(*lines[index])]):
                index += 1
            if index < len(lines):
                start, end = lines[index]
                parts.append(Mapped.identity(text[start:end], start))
                index += 1
        yield key[1], Mapped.join(parts)


def _is_comment(line: str) -> bool:
    return line.lstrip()[:1] in ("#", ";")


def words_of(value: Mapped, env: dict[str, EnvVar]) -> list[Word]:
    """The words of a command line as systemd makes them."""
    reader = _Words(value, env)
    reader.run()
    return reader.words


class _Words:
    def __init__(self, value: Mapped, env: dict[str, EnvVar]) -> None:
        self.value = value
        self.env = env
        self.words: list[Word] = []
        self.parts: list[Mapped] = []
        self.length = 0
        self.names: list[Definition] = []
        self.unknown: list[tuple[int, int]] = []
        self.quote = ""
        self.started = False
        self.anchor = 0

    def run(self) -> None:
        for token in _TOKEN.finditer(self.value.text):
            here = self.value.slice(*token.span())
            if token["blank"] and not self.quote:
                self.close()
            elif token["quote"] and (not self.quote or self.quote == token["quote"]):
                self.quote = "" if self.quote else token["quote"]
                self.started = True
                self.anchor = here.span().end if self.quote else self.anchor
            elif token["bare"] and not self.quote and not self.started and self._alone(token.end()):
                self._split(token["bare"], here)
            else:
                self._part(token, here)
        self.close()

    def _alone(self, end: int) -> bool:
        return end >= len(self.value.text) or self.value.text[end] in " \t\r\n\\"

    def _part(self, token: re.Match[str], here: Mapped) -> None:
        self.started = True
        name = token["braced"] or token["bare"]
        if name or token["specifier"]:
            variable = self.env.get(name) if name else None
            if variable is not None and variable.value is not None and variable.place is not None:
                self.names.append(Definition(variable.name, variable.place))
                here = Mapped.whole(variable.value, here.span())
            else:
                self.unknown.append((self.length, self.length + len(here.text)))
        elif token["escape"]:
            here = Mapped.whole(_ESCAPES.get(token["escape"], token["escape"]), here.span())
        elif token["dollar"] or token["percent"]:
            here = Mapped.whole(here.text[0], here.span())
        self.parts.append(here)
        self.length += len(here.text)

    def _split(self, name: str, here: Mapped) -> None:
        """``$NAME`` alone: its text split at blanks, or any number of words when it is not known."""
        variable = self.env.get(name)
        if variable is None or variable.value is None or variable.place is None:
            self.words.append(Word(None, here.span(), here, many=True, unknown=((0, len(here.text)),)))
            return
        start = variable.place.span.start
        for word in re.finditer(r"\S+", variable.value):
            mapped = Mapped.identity(word.group(), start + word.start())
            self.words.append(Word(word.group(), mapped.span(), mapped, used_at=Place(here.span())))

    def close(self) -> None:
        if self.started:
            mapped = Mapped.join(self.parts, anchor=self.anchor)
            known = not self.unknown
            span = mapped.span() if mapped.text else Span(mapped.anchor, mapped.anchor)
            self.words.append(
                Word(
                    mapped.text if known else None,
                    span,
                    mapped,
                    defined_at=tuple(self.names),
                    unknown=tuple(self.unknown),
                )
            )
        self.parts, self.names, self.unknown, self.started, self.length = [], [], [], False, 0


def _started(
    document: Document, value: Mapped, env: dict[str, EnvVar], directives: DirectiveSet
) -> tuple[list[Launch], list[NotLaunch]]:
    prefix = _PREFIX.match(value.text)
    line = value.slice(prefix.end() if prefix else 0)
    program = recognise(words_of(line, env))
    lines = document.lines
    if program is None:
        return [], []
    if program.kind == "shell" and len(program.script) == 1:
        script = program.script[0]
        if script.mapped is None:
            return [], []
        embedding = _embedded(script, document.text)
        reading = read_script(
            embedding or Embedding(_masked(script)),
            host="systemd",
            env=env,
            directives=lambda first, last: directives.at(lines.line_of(first), lines.line_of(last)),
        )
        fixed = FixedEditor("a script that is not in one pair of quotes is not rewritten")
        launches = reading.launches if embedding else [replace(launch, editor=fixed) for launch in reading.launches]
        return list(launches), list(reading.not_launches)
    if program.kind != "server":
        mention = mentions_launcher(line.text)
        return [], [NotLaunch(program.name, line.span(*mention))] if mention else []
    span = line.span(0, len(line.text.rstrip()))
    said = directives.at(lines.line_of(value.span().start), lines.line_of(span.start))
    visible = env.get("CUDA_VISIBLE_DEVICES")
    count = None
    if visible is not None and visible.value and visible.place is not None:
        count = evidence.visible_devices(Mapped.whole(visible.value, visible.place.span))
    launch = Launch(
        "systemd",
        program.name,
        span,
        program.span,
        program.words,
        _UnitEditor(document.text),
        (*env.values(), *program.env),
        directives=said,
        release=said.release,
        gpu=said.gpu,
        gpu_count=said.gpu_count or count,
    )
    return [launch], []


@dataclass(frozen=True)
class _UnitEditor:
    """Edits of a unit's line; what does them is loaded when it is asked."""

    text: str

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        from .edit_unit import UnitEditor

        return UnitEditor(self.text, launch.words).edits(launch, changes)


def _masked(word: Word) -> Mapped:
    """The script with what is not known replaced by the sign for that."""
    assert word.mapped is not None
    parts: list[Mapped] = []
    at = 0
    for start, end in word.unknown:
        parts += [word.mapped.slice(at, start), Mapped.whole(UNKNOWN, word.mapped.span(start, end))]
        at = end
    parts.append(word.mapped.slice(at))
    return Mapped.join(parts)


def _embedded(script: Word, text: str) -> Embedding | None:
    """The script as new text can be written into it; None unless it stands in one pair of quotes."""
    start, end = script.span
    quote = text[start - 1 : start]
    if script.used_at is not None or quote not in ("'", '"') or text[end : end + 1] != quote:
        return None
    if re.search(rf"(?<!\\)(?:\\\\)*{quote}", text[start:end]):
        return None

    def sign(found: re.Match[str]) -> str:
        if found[0] in ("%", "$"):
            return found[0] * 2
        return "\\n" if found[0] == "\n" else "\\" + found[0]

    def encode(new: str, offset: int) -> str:
        # A backslash at the end of a line goes on being one: systemd joins such lines as well.
        return re.sub(rf"\\\n|[\\%$\n{quote}]", lambda found: found[0] if found[0] == "\\\n" else sign(found), new)

    return Embedding(_masked(script), encode)
