"""Where in a document the cursor stands: in a flag, in a value, or where the next word of a launch would be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from .. import catalogue, hosts
from ..catalogue import Flag, FlagTable
from ..launch.model import Launch, Word
from ..launch.options import Option, Parsed
from ..lint.inputs import release_of
from ..lint.launches import parse_words
from ..records import dataclass
from ..settings import Settings
from ..text import Document, Sources, Span

_SHELL_GAP = re.compile(r"(?:[ \t]|\\\r?\n)+(?P<typed>-{0,2}[A-Za-z0-9-]*)")
_YAML_GAP = re.compile(
    r"""["']?[ \t]*(?:\#[^\n]*)?(?:\r?\n[ \t]*(?:\#[^\n]*)?)*"""
    r"""(?:\r?\n[ \t]*-[ \t]+|,[ \t]*)["']?(?P<typed>-{0,2}[A-Za-z0-9-]*)"""
)
"""Up to a next item of a list, in block or flow notation."""
_LOOSE = re.compile(r"(?<![\w-])(--?[A-Za-z0-9-]*)$")


@dataclass(frozen=True)
class Slot:
    """A place for a word of a launch.

    kind
        ``flag`` or ``value`` (of ``flag``).
    span, typed
        what a completion replaces, and the decoded text from its beginning to the cursor.
    table
        flags of the launch's release.
    parsed
        the launch's options; None where no launch can be read around the cursor.
    option
        the occurrence the cursor is in, if any.
    dashed
        whether flags are written with their dashes here; keys of a map are not.
    """

    kind: Literal["flag", "value"]
    span: Span
    typed: str
    table: FlagTable
    parsed: Parsed | None = None
    option: Option | None = None
    flag: Flag | None = None
    dashed: bool = True


def slots_at(document: Document, offset: int, settings: Settings, sources: Sources) -> Iterator[Slot]:
    """What may stand at ``offset``; two slots where both a further value and the next flag fit."""
    reading = hosts.read(document, sources, settings.launchers)
    for launch in reading.launches:
        word = _word_at(launch.words, document, offset)
        if word is not None:
            yield from _in_word(launch, word, offset, settings)
            return
    for launch in reading.launches:
        found = list(_after_word(launch, document, offset, settings))
        if found:
            yield from found
            return
    if not reading.launches and hosts.may_hold_launch(document.text):
        yield from _loose(document, offset, settings)


def _word_at(words: Sequence[Word], document: Document, offset: int) -> Word | None:
    here = Span(offset, offset)
    touched = [word for word in words if word.path in (None, document.path) and word.span.touches(here)]
    return next((word for word in touched if word.mapped is not None), None)


def _in_word(launch: Launch, word: Word, offset: int, settings: Settings) -> Iterator[Slot]:
    parsed, table = _parsed(launch, settings)
    text, at = word.known_prefix, _decoded(word, offset)
    if at > len(text):
        return
    option = next((option for option in parsed.options if word in option.words), None)
    name, equals, _ = text.partition("=")
    if text.startswith("-") and at <= len(name):
        span = word.span_of(0, len(name))
        dashed = span.end - span.start >= len(name)
        yield Slot("flag", span, text[:at], table, parsed, option, dashed=dashed)
    elif text.startswith("-") and equals:
        flag = option.flag if option else None
        span = word.span_of(len(name) + 1, len(text)) if len(text) > len(name) + 1 else Span(offset, offset)
        yield Slot("value", span, text[len(name) + 1 : at], table, parsed, option, flag)
    elif option is not None and option.flag is not None:
        yield Slot("value", word.span, text[:at], table, parsed, option, option.flag)
    elif option is None:
        key = _key_before(launch, word)
        flag = table.by_name.get(key.text or "") if key else None
        if flag is not None:
            yield Slot("value", word.span, text[:at], table, parsed, flag=flag)
        else:
            yield Slot("flag", word.span, text[:at], table, parsed)


def _key_before(launch: Launch, word: Word) -> Word | None:
    """The key whose value ``word`` is in a map of flags; keys are written without the dashes of their flags."""
    at = launch.words.index(word)
    before = launch.words[at - 1] if at else None
    if before is None or not (before.text or "").startswith("--"):
        return None
    return before if before.span.end - before.span.start == len(before.text or "") - 2 else None


def _after_word(launch: Launch, document: Document, offset: int, settings: Settings) -> Iterator[Slot]:
    own = [word for word in launch.words if word.path in (None, document.path) and word.span.end <= offset]
    if not own:
        return
    last = max(own, key=lambda word: word.span.end)
    gap = document.text[last.span.end : offset]
    pattern = _SHELL_GAP if document.language == "shell" else _YAML_GAP
    match = pattern.fullmatch(gap.removeprefix('"').removeprefix("'")) if len(gap) < 400 else None
    if match is None:
        return
    parsed, table = _parsed(launch, settings)
    typed = match["typed"]
    span = Span(offset - len(typed), offset)
    option = next((option for option in parsed.options if last in option.words), None)
    flag = option.flag if option else None
    if option is not None and flag is not None and not typed.startswith("-") and _takes_more(option, flag, last):
        yield Slot("value", span, typed, table, parsed, option, flag)
        if not option.raw:
            return
    yield Slot("flag", span, typed, table, parsed)


def _takes_more(option: Option, flag: Flag, last: Word) -> bool:
    if not flag.takes_value or "=" in (option.words[0].text or ""):
        return False
    return not option.raw or flag.nargs in ("*", "+")


def _loose(document: Document, offset: int, settings: Settings) -> Iterator[Slot]:
    """A half-typed flag in a text that cannot be read at the moment."""
    line = document.lines.line_span(document.lines.line_of(offset))
    match = _LOOSE.search(document.text[line.start : offset])
    if match is None:
        return
    release = settings.release or _tag_of(document.text) or catalogue.releases()[-1]
    table = catalogue.load(catalogue.nearest(release))
    yield Slot("flag", Span(offset - len(match[1]), offset), match[1], table)


def _tag_of(text: str) -> str | None:
    tags = set(re.findall(r"sglang:v(\d+\.\d+\.\d+(?:\.post\d+)?)", text))
    return tags.pop() if len(tags) == 1 else None


def _parsed(launch: Launch, settings: Settings) -> tuple[Parsed, FlagTable]:
    release = catalogue.nearest(str(release_of(launch, settings).value))
    return parse_words(launch, release, settings.known_flags), catalogue.load(release)


def _decoded(word: Word, offset: int) -> int:
    """Decoded offset in a word for a source offset in it."""
    assert word.mapped is not None
    for run in word.mapped.runs:
        if offset <= run.stop and (offset >= run.start or run.exact):
            return run.at + (max(0, offset - run.start) if run.exact else run.length)
    return len(word.mapped.text)
