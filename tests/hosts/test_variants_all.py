"""Every case in other encodings, with other line ends, a byte order mark, tabs and wide characters: the same launches.

Places are those of the case, moved by what was inserted before them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from sglint.cli.discovery import Candidate
from sglint.cli.loading import Loaded, load
from sglint.launch import Evidence, Launch, Place
from sglint.text import Span
from sglint.text.document import language_of

from .test_edit_all_cases import NAMES, files_of, launches

Insertions = list[tuple[int, str]]
WIDE = "😀"


def _line_ends(text: str) -> Insertions:
    return [(found.start(), "\r") for found in re.finditer("\n", text)]


def _mark(text: str) -> Insertions:
    return [(0, "\ufeff")]


def _above(line: str) -> Callable[[str], Insertions]:
    """A comment above everything but the line that says what runs a script."""
    return lambda text: [(text.find("\n") + 1 if text.startswith("#!") else 0, line)]


def _paths(text: str) -> Insertions:
    return [(found.end(), WIDE) for found in re.finditer(r"/m/(?=[a-z])", text)]


VARIANTS: dict[str, Callable[[str], Insertions]] = {
    "crlf": _line_ends,
    "bom": _mark,
    "emoji": _above(f"# {WIDE} ü\n"),
    "tabs": _above("#\tx\t\n"),
    "emoji in paths": _paths,
}


class Moved:
    """A text with insertions, and where its offsets went."""

    def __init__(self, text: str, insertions: Insertions) -> None:
        parts, at = [], 0
        for offset, inserted in insertions:
            parts += [text[at:offset], inserted]
            at = offset
        self.text = "".join((*parts, text[at:]))
        self._offsets = [offset for offset, _ in insertions]
        self._before = [0, *accumulate(len(inserted) for _, inserted in insertions)]

    def span(self, span: Span) -> Span:
        """What is inserted at an end of a span does not belong to it."""
        start = span.start + self._before[bisect_right(self._offsets, span.start)]
        end = span.end + self._before[bisect_left(self._offsets, span.end)]
        return Span(start, max(start, end))


def plain(files: Mapping[str, str]) -> dict[str, str]:
    return {path: text.removeprefix("\ufeff").replace("\r\n", "\n") for path, text in files.items()}


def without_wide(text: str) -> str:
    return text.replace(WIDE, "").replace("\r\n", "\n")


def signature(
    files: Mapping[str, str], place: Callable[[str, Span], Span], text: Callable[[str], str]
) -> Iterator[object]:
    """Words, evidence and variables of all launches with their places."""

    def at(home: str, span: Span | None, path: str | None = None) -> object:
        return None if span is None else (path or home, place(path or home, span))

    def where(home: str, found: Place | None) -> object:
        return None if found is None else at(home, found.span, found.path)

    def said(value: Any) -> Any:
        return text(value) if isinstance(value, str) else value

    def evidence(home: str, found: Evidence | None) -> object:
        return None if found is None else (said(found.value), found.source, where(home, found.place))

    def launch(home: str, one: Launch) -> object:
        words = [
            (
                (said(word.text), word.presence, word.many, word.with_defaults, at(home, word.span, word.path)),
                [(definition.name, where(home, definition.place)) for definition in word.defined_at],
            )
            for word in one.words
        ]
        variables = [(item.name, said(item.value), where(home, item.place)) for item in one.env]
        found = [evidence(home, item) for item in (one.release, one.gpu, one.gpu_count)]
        return one.host, one.launcher, at(home, one.launcher_span), words, variables, found

    return (launch(home, one) for home, one in launches(files))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", NAMES)
def test_a_variant_of_a_case_has_the_same_launches_in_moved_places(name: str, variant: str) -> None:
    files = plain(files_of(name))
    moved = {path: Moved(text, VARIANTS[variant](text)) for path, text in files.items()}
    changed = {path: one.text for path, one in moved.items()}
    expected = list(signature(files, lambda path, span: moved[path].span(span), without_wide))
    found = list(signature(changed, lambda path, span: span, without_wide))
    assert found == expected


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_every_case_in_a_wide_encoding_is_the_same_text(encoding: str, tmp_path: Path) -> None:
    for name in NAMES:
        for path, text in plain(files_of(name)).items():
            language = language_of(path)
            if language is None:
                continue
            file = tmp_path / Path(path).name
            file.write_bytes(("\ufeff" + text).encode(encoding))
            loaded = load(Candidate(str(file), language, True))
            assert isinstance(loaded, Loaded)
            assert loaded.document.text == text
            assert loaded.encode(text) == file.read_bytes()
