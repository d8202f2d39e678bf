"""The same script with other line ends, a byte order mark, wide characters or tabs is read the same, places shifted."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import pytest

from sglint import hosts
from sglint.launch import Evidence, Launch, Place, Reading, Word
from sglint.text import Document, Sources, Span

from .extraction import Case, cases

LANGUAGES = {"shell": "shell", "slurm": "shell", "dockerfile": "dockerfile", "systemd": "systemd"}
CASES = cases(*LANGUAGES)
WIDE = "😀"

Insertions = list[tuple[int, str]]


def _line_ends(text: str) -> Insertions:
    return [] if "\r" in text else [(found.start(), "\r") for found in re.finditer("\n", text)]


def _mark(text: str) -> Insertions:
    return [] if text.startswith("\ufeff") else [(0, "\ufeff")]


def _line_above(text: str) -> Insertions:
    start = text.find("\n") + 1 if text.startswith("#!") else 0
    return [(start, f"# {WIDE} \u2028 ü\n")]


def _paths(text: str) -> Insertions:
    return [(found.end() - 1, WIDE) for found in re.finditer(r"/m/", text)]


def _tabs(text: str) -> Insertions:
    return [(found.end(), "\t \t") for found in re.finditer(r"\\\n", text) if text[found.end() :][:1] in (" ", "\t")]


VARIANTS: list[Callable[[str], Insertions]] = [_line_ends, _mark, _line_above, _paths, _tabs]


def _signature(reading: Reading, place: Callable[[Span], Span], text: Callable[[str], str]) -> list[Any]:
    def at(span: Span | None) -> Span | None:
        return None if span is None else place(span)

    def said(value: Any) -> Any:
        return text(value) if isinstance(value, str) else value

    def where(found: Place | None) -> Span | None:
        return None if found is None else at(found.span)

    def word(item: Word) -> Any:
        names = [(name.name, where(name.place)) for name in item.defined_at]
        return said(item.text), item.presence, item.many, at(item.span), names, where(item.used_at)

    def evidence(found: Evidence | None) -> Any:
        return None if found is None else (said(found.value), found.source, where(found.place))

    def launch(item: Launch) -> Any:
        env = [(variable.name, said(variable.value), where(variable.place)) for variable in item.env]
        told = [evidence(found) for found in (item.release, item.gpu, item.gpu_count)]
        return item.host, item.launcher, at(item.launcher_span), [word(entry) for entry in item.words], env, told

    others = [(other.program, at(other.span)) for other in reading.not_launches]
    return [*map(launch, reading.launches), others, [(item.code, at(item.span)) for item in reading.problems]]


def _read(case: Case, text: str) -> Reading:
    return hosts.read(Document(case.path.name, text, LANGUAGES[case.expected["kind"]]), Sources.none())


@pytest.mark.parametrize("vary", VARIANTS, ids=lambda vary: vary.__name__.strip("_"))
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_variant_of_a_case_is_read_the_same(case: Case, vary: Callable[[str], Insertions]) -> None:
    insertions = vary(case.text)
    starts = [start for start, _ in insertions]
    text = case.text
    for start, more in reversed(insertions):
        text = text[:start] + more + text[start:]

    def moved(offset: int, *, end: bool) -> int:
        # What is inserted right where a span begins goes before it, right where it ends behind it.
        count = bisect_left(starts, offset + (0 if end else 1))
        return offset + sum(len(more) for _, more in insertions[:count])

    def place(span: Span) -> Span:
        return Span(moved(span.start, end=False), moved(span.end, end=span.end > span.start))

    def said(value: str) -> str:
        return value.replace("/m/", f"/m{WIDE}/") if vary is _paths else value

    expected = _signature(_read(case, case.text), place, said)
    assert _signature(_read(case, text), lambda span: span, lambda value: value) == expected


def test_columns_behind_a_wide_character_count_utf_16_units() -> None:
    text = f"X='{WIDE}{WIDE}' sglang serve --model-path '{WIDE}' --tp 2\n"
    document = Document("a.sh", text, "shell")
    (launch,) = hosts.read(document, Sources.none()).launches
    first, _ = document.lines.range(launch.words[2].span)
    assert (first.line, first.character) == (0, len(text[: text.index("--tp")].encode("utf-16-le")) // 2)
