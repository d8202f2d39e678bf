"""The systemd host: ``ExecStart=`` of service units.

systemd splits the line itself: quotes and C-like escapes, a word that is ``$NAME`` as the words of its text,
``${NAME}`` within one, ``$$`` for a dollar, ``%i`` and other specifiers filled in when the unit starts. Comment lines
inside a continued line are dropped. The variables of a unit hold for all of its lines, wherever they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..launch.model import Change, Definition, EnvVar, Launch, NotLaunch, Place, Reading, Word
from ..records import dataclass, replace
from ..text import Document, Edit, Mapped, Sources, Span
from . import evidence
from .directives import DirectiveSet, read_directives
from .edit_words import FixedEditor
from .embedding import Embedding
from .origins import UNKNOWN
from .program_words import Program
from .programs import mentions_launcher, recognise
from .shell import read_script

_KEY = re.compile(r"\ufeff?[ \t]*([A-Za-z]+)[ \t]*=[ \t]*")
_PREFIX = re.compile(r"[-@:+!|]*")
_TOKEN = re.compile(
    r"(?P<blank>[ \t\r\n]+|\\\r?\n)|(?P<quote>[\"'])|\\(?P<escape>.)|(?P<dollar>\$\$)|(?P<percent>%%)"
    r"|\$\{(?P<braced>\w+)\}|\$(?P<bare>\w+)|(?P<specifier>%[A-Za-z])|(?P<plain>[^\s\"'\\$%]+|.)",
    re.DOTALL,
)
_VALUE_WORD = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^\s'\"\\]|['\"\\])+", re.DOTALL)
_VALUE_PART = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)|([^'\"\\]+|.)", re.DOTALL)
"""Words of a variable that is split, and the pieces of one without their quotes."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "s": " "}


def read(document: Document, sources: Sources) -> Reading:
    """The launches of a unit's ``ExecStart`` lines."""
    directives = read_directives(document)
    lines = list(settings(document.text))
    env = _environment(lines)
    launches: list[Launch] = []
    others: list[NotLaunch] = []
    for key, value in lines:
        if key == "ExecStart":
            if not value.text.strip():
                # An empty line takes back those before it.
                others += [NotLaunch("overridden", launch.launcher_span or launch.span) for launch in launches]
                launches = []
            found, rest = _started(document, value, env, directives)
            launches += found
            others += rest
        elif key.startswith("Exec") and (mention := mentions_launcher(value.text)) is not None:
            others.append(NotLaunch(key, value.span(*mention)))
    return Reading(document, tuple(launches), tuple(others), directives.problems, directives.ignores)


def _environment(lines: Iterable[tuple[str, Mapped]]) -> dict[str, EnvVar]:
    """The variables that a unit sets for what it starts."""
    env: dict[str, EnvVar] = {}
    for key, value in lines:
        if key != "Environment":
            continue
        if not value.text.strip():
            env.clear()
        for word in words_of(value, None):
            name, equals, text = (word.text or "").partition("=")
            if equals and word.mapped is not None:
                mapped = word.mapped.slice(len(name) + 1)
                place = Place(mapped.span() if text else word.span)
                env[name] = EnvVar(name, text, place, mapped if text else None)
    return env


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


def words_of(value: Mapped, env: Mapping[str, EnvVar] | None) -> list[Word]:
    """The words of a command line as systemd makes them; without ``env`` a dollar is one like any other sign."""
    reader = _Words(value, env)
    reader.run()
    return reader.words


class _Words:
    def __init__(self, value: Mapped, env: Mapping[str, EnvVar] | None) -> None:
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
        tokens = list(_TOKEN.finditer(self.value.text))
        for index, token in enumerate(tokens):
            here = self.value.slice(*token.span())
            if token["blank"] and not self.quote:
                self.close()
            elif token["quote"] and (not self.quote or self.quote == token["quote"]):
                self.quote = "" if self.quote else token["quote"]
                self.started = self.started or not self._ends_split(tokens, index)
                self.anchor = here.span().end if self.quote else self.anchor
            elif self.env is not None and token["bare"] and not self.parts and self._alone(tokens, index):
                self._split(token["bare"], here)
                self.started = False
            else:
                self._part(token, here)
        self.close()

    def _alone(self, tokens: Sequence[re.Match[str]], index: int) -> bool:
        """Whether a variable is a whole word, in quotes or not."""
        after = index + 1
        if self.quote and after < len(tokens) and tokens[after]["quote"] == self.quote:
            after += 1
        elif self.quote:
            return False
        return after >= len(tokens) or tokens[after]["blank"] is not None

    def _ends_split(self, tokens: Sequence[re.Match[str]], index: int) -> bool:
        """Whether a quote closes a word that was split."""
        return not self.quote and index > 0 and bool(tokens[index - 1]["bare"]) and not self.parts

    def _part(self, token: re.Match[str], here: Mapped) -> None:
        self.started = True
        name = token["braced"] if self.env is not None else None
        if name or token["specifier"]:
            variable = self.env.get(name) if name and self.env is not None else None
            if variable is not None and variable.value is not None and variable.place is not None:
                self.names.append(Definition(variable.name, variable.place))
                here = Mapped.whole(variable.value, here.span())
            else:
                self.unknown.append((self.length, self.length + len(here.text)))
        elif token["escape"]:
            here = Mapped.whole(_ESCAPES.get(token["escape"], token["escape"]), here.span())
        elif (token["dollar"] and self.env is not None) or token["percent"]:
            here = Mapped.whole(here.text[0], here.span())
        self.parts.append(here)
        self.length += len(here.text)

    def _split(self, name: str, here: Mapped) -> None:
        """A variable as a whole word: the words of its text, or any number of words when it is not known."""
        variable = self.env.get(name) if self.env is not None else None
        if variable is None or variable.value is None or variable.place is None:
            self.words.append(Word(None, here.span(), here, many=True, unknown=((0, len(here.text)),)))
            return
        text = variable.mapped or Mapped.whole(variable.value, variable.place.span)
        for found in _VALUE_WORD.finditer(text.text):
            parts = [
                text.slice(found.start() + part.start(group), found.start() + part.end(group))
                for part in _VALUE_PART.finditer(found[0])
                for group in (part.lastindex or 0,)
            ]
            mapped = Mapped.join(parts, anchor=text.slice(*found.span()).anchor)
            span = mapped.span() if mapped.text else Span(mapped.anchor, mapped.anchor)
            self.words.append(Word(mapped.text, span, mapped, used_at=Place(here.span())))

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
    signs = prefix[0] if prefix else ""
    line = value.slice(len(signs))
    words = words_of(line, None if ":" in signs else env)
    if "@" in signs:
        # What the program is told to be called.
        del words[1:2]
    launches: list[Launch] = []
    others: list[NotLaunch] = []
    for command in _commands(words, document.text):
        found, rest = _command(document, line, command, env, directives)
        launches += found
        others += rest
    return launches, others


def _commands(words: Sequence[Word], text: str) -> Iterator[Sequence[Word]]:
    """The commands that a semicolon between blanks parts, unless it is escaped or quoted."""
    start = 0
    for index, word in enumerate(words):
        if word.text == ";" and text[word.span.start - 1 : word.span.end].strip() == ";":
            yield words[start:index]
            start = index + 1
    yield words[start:]


def _command(
    document: Document, line: Mapped, words: Sequence[Word], env: dict[str, EnvVar], directives: DirectiveSet
) -> tuple[list[Launch], list[NotLaunch]]:
    program = recognise(words)
    lines = document.lines
    if program is None:
        return [], []
    if program.kind == "shell" and len(program.script) == 1:
        script = program.script[0]
        if script.mapped is None:
            return [], []
        embedding = _embedded(script, document.text)
        inside = {} if program.fresh_env else env
        reading = read_script(
            embedding or Embedding(_masked(script)),
            host="systemd",
            env={**inside, **{variable.name: variable for variable in program.env}},
            directives=lambda first, last: directives.at(lines.line_of(first), lines.line_of(last)),
        )
        fixed = FixedEditor("a script that is not in one pair of quotes is not rewritten")
        launches = reading.launches if embedding else [replace(launch, editor=fixed) for launch in reading.launches]
        return [_in_container(launch, program, env) for launch in launches], list(reading.not_launches)
    if program.kind != "server":
        mention = next((word.span_of(*at) for word in words if (at := mentions_launcher(word.text or ""))), None)
        return [], [NotLaunch(program.name, mention)] if mention else []
    spans = [word.span for word in words if word.used_at is None]
    span = spans[0].hull(spans[-1])
    said = directives.at(lines.line_of(line.span().start), lines.line_of(span.start))
    variables = (*(() if program.fresh_env else env.values()), *program.env)
    launch = Launch(
        "systemd",
        program.name,
        span,
        program.span,
        program.words,
        _UnitEditor(document.text),
        variables,
        directives=said,
        release=said.release,
        gpu=said.gpu,
        gpu_count=said.gpu_count or evidence.visible_in(variables),
    )
    return [_in_container(launch, program, env)], []


def _in_container(launch: Launch, program: Program, env: Mapping[str, EnvVar]) -> Launch:
    """The launch with what the container says that it runs in."""
    word = program.image
    if word is None or word.text is None or launch.image is not None:
        return launch
    variable = env.get(word.defined_at[0].name) if word.defined_at else None
    if variable is not None and variable.value == word.text and variable.mapped is not None:
        image = evidence.image_of(variable.mapped)
    else:
        image = evidence.image_of(evidence.mapped_of(word))
        if word.defined_at:
            # The tag is put together from variables and stands nowhere.
            image = replace(image, tag_place=None)
    return replace(
        launch,
        image=image,
        release=launch.release or evidence.release_of_image(image),
        gpu_count=launch.gpu_count or program.gpu_count,
    )


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
