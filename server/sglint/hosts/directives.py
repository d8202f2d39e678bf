"""``# sglint:`` comments: settings for one launch or a file, and ignored rules.

``# sglint: release=0.5.18 gpu=h200x8 model=... draft=...`` and ``# sglint: ignore[SGL101, SGL102] reason`` hold for
the launch whose first line they are on or directly above; after the word ``file`` they hold for the whole file.
YAML and shell share the comment sign, and a script inside a YAML block is part of the YAML text, so the
directives of a document are read once from its own lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..launch.model import Directives, Evidence, Ignore, Place, Problem
from ..models.hardware import split_count
from ..patterns import lazy
from ..records import dataclass
from ..text import Document, Span

KEYS = ("release", "gpu", "model", "draft")
_MARK = "sglint:"
_COMMENT = lazy(r"(?:^|(?<=[\s\ufeff]))#[ \t]*sglint:[ \t]*", re.MULTILINE)
_IGNORE = lazy(r"ignore(?:[ \t]*\[([^\]\r\n]*)\])?(?=[ \t\r\n]|$)")
_SETTING = lazy(r"([A-Za-z_-]+)=(\S*)")
_TOKEN = lazy(r"\S+")


@dataclass(frozen=True)
class Directive:
    """One ``# sglint:`` comment. ``line`` is zero-based; ``whole_file`` when the word ``file`` leads it."""

    line: int
    span: Span
    whole_file: bool
    alone: bool
    settings: tuple[tuple[str, str, Span], ...] = ()
    ignores: tuple[Ignore, ...] = ()


@dataclass(frozen=True)
class DirectiveSet:
    """All directives of a document, and what is wrong with some of them."""

    directives: tuple[Directive, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def ignores(self) -> tuple[Ignore, ...]:
        """Ignores that hold for the whole file."""
        return tuple(ignore for item in self.directives if item.whole_file for ignore in item.ignores)

    def at(self, first: int, last: int | None = None) -> Directives:
        """The directives of a launch whose beginning takes lines ``first`` to ``last`` (zero-based).

        A directive counts on these lines and in the unbroken run of directive comments directly above ``first``;
        settings for the whole file fill what is left open.
        """
        lines = {item.line for item in self.directives if item.alone}
        top = first
        while top - 1 in lines:
            top -= 1
        last = first if last is None else last
        near = [item for item in self.directives if not item.whole_file and top <= item.line <= last]
        whole = [item for item in self.directives if item.whole_file]
        return _directives(near, whole)


def read_directives(document: Document) -> DirectiveSet:
    """The directives in the comments of ``document``."""
    text = document.text
    if _MARK not in text:
        return DirectiveSet()
    found: list[Directive] = []
    problems: list[Problem] = []
    for comment in _comments(text):
        line = document.lines.line_of(comment.start())
        around = document.lines.line_span(line)
        alone = not text[around.start : comment.start()].strip()
        directive, wrong = _read(text, comment, line, around.end, alone)
        found.append(directive)
        problems += wrong
    return DirectiveSet(tuple(found), tuple(problems))


def _comments(text: str) -> Iterator[re.Match[str]]:
    """The beginnings of directives. A long text is searched near the mark only."""
    end = 0
    while (mark := text.find(_MARK, end)) >= 0:
        start = text.rfind("\n", 0, mark) + 1
        end = text.find("\n", mark)
        end = len(text) if end < 0 else end
        yield from _COMMENT.finditer(text, start, end)


def _read(text: str, comment: re.Match[str], line: int, end: int, alone: bool) -> tuple[Directive, list[Problem]]:
    at, whole_file = comment.end(), False
    lead = re.compile(r"file(?=\s)[ \t]*").match(text, at, end)
    if lead:
        at, whole_file = lead.end(), True
    settings: list[tuple[str, str, Span]] = []
    ignores: list[Ignore] = []
    problems: list[Problem] = []
    span = Span(comment.start(), max(comment.end(), len(text[:end].rstrip())))
    while token := _TOKEN.search(text, at, end):
        ignore = _IGNORE.match(text, token.start(), end)
        if ignore:
            codes = tuple(code for code in re.split(r"[\s,]+", ignore[1] or "") if code)
            # What follows an ignore is its reason, to the end of the comment.
            reason = text[ignore.end() : end].strip()
            ignores.append(Ignore(codes, Place(Span(*ignore.span())), reason))
            if ignore[1] is not None and not codes:
                problems.append(_problem("Name the codes to ignore, as in ignore[SGL101]", Span(*ignore.span())))
            break
        setting = _SETTING.fullmatch(token.group())
        if setting and setting[1] in KEYS and setting[2]:
            start = token.start() + setting.start(2)
            settings.append((setting[1], setting[2], Span(start, token.end())))
        else:
            message = f"`{token.group()}` is no sglint directive; known are {', '.join(f'{key}=' for key in KEYS)}"
            problems.append(_problem(f"{message}, ignore[...] and file", Span(*token.span())))
        at = token.end()
    return Directive(line, span, whole_file, alone, tuple(settings), tuple(ignores)), problems


def _problem(message: str, span: Span) -> Problem:
    return Problem("SGL005", "bad-directive", "warning", message, span)


def _directives(near: Iterable[Directive], whole: Iterable[Directive]) -> Directives:
    values: dict[str, Evidence] = {}
    for item in (*whole, *near):
        for key, value, span in item.settings:
            values.update(_evidence(key, value, span))
    ignores = tuple(ignore for item in near for ignore in item.ignores)
    return Directives(
        release=values.get("release"),
        gpu=values.get("gpu"),
        model=values.get("model"),
        draft=values.get("draft"),
        ignores=ignores,
        gpu_count=values.get("gpu_count"),
    )


def _evidence(key: str, value: str, span: Span) -> dict[str, Evidence]:
    if key == "release":
        return {key: Evidence(value.removeprefix("v"), "directive", Place(span))}
    if key != "gpu":
        return {key: Evidence(value, "directive", Place(span))}
    # `rtx5090` is no five thousand of anything, which only the list of GPUs can tell.
    name, number = split_count(value)
    at = span.start + value.index(name)
    found = {key: Evidence(name.lower(), "directive", Place(Span(at, at + len(name))))}
    if number is not None:
        digits = str(number)
        start = span.start if at > span.start else span.end - len(digits)
        found["gpu_count"] = Evidence(number, "directive", Place(Span(start, start + len(digits))))
    return found
