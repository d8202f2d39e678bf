"""Python text as Python's own parser takes it, and where its nodes stand.

The parser counts columns in bytes of UTF-8 and knows no byte order mark; everything here counts characters of the
document. A file that is broken in one place, as it is while somebody types, keeps its other top-level statements.
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
from bisect import bisect_right
from itertools import pairwise

from ..records import dataclass
from ..text import Mapped, Span

MAX_CHARACTERS = 1_000_000
"""Longer sources are data: parsing takes a second and half a gigabyte for each million characters."""

_MAX_REPAIRS = 3
_LINE = re.compile(r"\r\n|\n|\r")
_BLOCK = re.compile(r"^(?=[^\s)\]}#])", re.MULTILINE)
_CHAIN = re.compile(r"[-+*/%@~.(\[]")
_MOST_LINKS = 20_000
"""Operators in one top-level statement beyond which parsers before 3.11 may run out of their stack."""


@dataclass(frozen=True)
class Broken:
    """Why a part of the text is not parsed, and where."""

    reason: str
    at: int


class Source:
    """The text of a document and the positions of nodes in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._base = 1 if text.startswith("\ufeff") else 0
        self._starts = [self._base, *(found.end() for found in _LINE.finditer(text, self._base))]
        self._ascii = text.isascii()

    def offset(self, line: int, column: int) -> int:
        """The character at a line, from one, and a column in bytes."""
        start = self._starts[min(line, len(self._starts)) - 1]
        if self._ascii:
            return min(start + column, len(self.text))
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        written = self.text[start:end].encode("utf-8", "surrogatepass")[:column]
        return start + len(written.decode("utf-8", "surrogatepass" if written else "strict"))

    def span(self, node: ast.AST) -> Span:
        """Where a node with a position stands."""
        start = self.offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        end = self.offset(getattr(node, "end_lineno", 1) or 1, getattr(node, "end_col_offset", 0) or 0)
        return Span(start, max(start, end))

    def written(self, span: Span) -> Mapped:
        """The source text of a span."""
        return Mapped.identity(self.text[span.start : span.end], span.start)

    def parse(self) -> tuple[ast.Module | None, Broken | None]:
        """The module, without what does not parse, and the first place that does not."""
        text = self.text[self._base :]
        broken: Broken | None = None
        for _ in range(_MAX_REPAIRS + 1):
            module, found = self._parsed(text)
            broken = broken or found
            if found is None or module is not None:
                return module, broken
            repaired = self._without_statement(text, found.at - self._base)
            if repaired is None:
                break
            text = repaired
        return None, broken

    def _parsed(self, text: str) -> tuple[ast.Module | None, Broken | None]:
        if sys.version_info < (3, 11) and _longest_chain(text) > _MOST_LINKS:
            return None, Broken("an expression in it has too many parts", self._base)
        try:
            with warnings.catch_warnings():
                # What Python would warn of is no business of ours, and is not to be on anybody's screen.
                warnings.simplefilter("ignore")
                return ast.parse(text), None
        except SyntaxError as error:
            line = max(error.lineno or 1, 1)
            return None, Broken(f"Python {_version()} does not parse line {line}", self._start(line))
        except (RecursionError, MemoryError):
            return None, Broken("it is nested too deeply", self._base)
        except ValueError:
            return None, Broken("it holds characters that no Python source may hold", self._base)

    def _start(self, line: int) -> int:
        return self._starts[min(line, len(self._starts)) - 1]

    @staticmethod
    def _without_statement(text: str, at: int) -> str | None:
        """The text with the top-level statement at ``at`` blanked out; None when nothing is to be gained."""
        starts = [found.start() for found in _BLOCK.finditer(text)]
        index = bisect_right(starts, at) - 1
        if index < 0:
            return None
        start, end = starts[index], starts[index + 1] if index + 1 < len(starts) else len(text)
        # Bytes are kept, so that columns behind stay what they are.
        blank = re.sub(r"[^\r\n]", lambda found: " " * len(found[0].encode("utf-8", "replace")), text[start:end])
        return None if text[start:end].isspace() else text[:start] + blank + text[end:]


def _version() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def _longest_chain(text: str) -> int:
    starts = [0, *(found.start() for found in _BLOCK.finditer(text)), len(text)]
    return max(sum(1 for _ in _CHAIN.finditer(text, *ends)) for ends in pairwise(starts))
