"""YAML scalars as embedded text: what each decoded character was written as, and how to write new text there.

The decoding is our own, in step with libyaml's scanner, and held against the value libyaml gave: where the two
differ the scalar maps as a whole. Line breaks are those of YAML 1.1 that libyaml treats alike (LF, CRLF, CR).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ..launch.model import CannotEdit
from ..patterns import lazy
from ..records import dataclass
from ..text import Edit, Mapped, Run, Span
from .embedding import Embedding, Encode

_PROPERTIES = lazy(r"(?:(?:&[0-9A-Za-z_-]+|!\S*)(?:\s+#[^\r\n]*)*\s*)*")
_BREAK = lazy(r"\r\n|\n|\r")
_FOLD = lazy(r"[ \t]*(?:\r\n|\n|\r)[ \t\r\n]*")
_HEADER = lazy(r"[|>]([-+0-9]*)[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r|\Z)")
_CHUNK = lazy(r"[^\\\r\n \t]+|[ \t]+")
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}
_UNPRINTABLE = lazy(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_PLAIN_BAD = lazy(r"[\r\n\t]|: |:$| #|^#")
_FLOW_BAD = lazy(r"[,\[\]{}]")


class _Builder:
    """Collects decoded pieces with their source stretch."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.runs: list[Run] = []
        self.at = 0

    def exact(self, text: str, start: int) -> None:
        if not text:
            return
        last = self.runs[-1] if self.runs else None
        if last and last.exact and last.stop == start:
            self.runs[-1] = Run(last.at, last.length + len(text), last.start, start + len(text), True)
        else:
            self.runs.append(Run(self.at, len(text), start, start + len(text), True))
        self._grow(text)

    def piece(self, text: str, start: int, stop: int) -> None:
        if text:
            self.runs.append(Run(self.at, len(text), start, stop, False))
            self._grow(text)

    def breaks(self, decoded: str, start: int, stop: int, ends: list[int]) -> None:
        """Decoded line feeds (or one blank) of a stretch whose line breaks end at ``ends``; none for an empty one."""
        count = len(decoded)
        kept = ends[len(ends) - count :] if decoded != " " else ends[-1:]
        for number in range(count):
            last = number == count - 1
            end = stop if last else kept[number]
            self.piece(decoded[number], start, end)
            start = end

    def _grow(self, text: str) -> None:
        self.texts.append(text)
        self.at += len(text)


def scalar_start(text: str, start: int) -> int:
    """Offset of a scalar's own first character, behind anchor and tag."""
    if text[start : start + 1] not in ("&", "!"):
        return start
    match = _PROPERTIES.match(text, start)
    return match.end() if match else start


def inner(text: str, node: Any) -> tuple[int, int]:
    """Where a scalar stands without anchor, tag and quotes."""
    start, stop = scalar_start(text, node.start_mark.index), node.end_mark.index
    quote = 1 if node.style in ("'", '"') else 0
    return start + quote, stop - quote


def mapped(text: str, node: Any, base: int = 0) -> Mapped:
    """The decoded text of a scalar with its source map; see :func:`embedding`."""
    return _mapped(text, node, base)[0]


def embedding(text: str, node: Any, base: int = 0, *, in_flow: bool = False, path: str | None = None) -> Embedding:
    """The scalar ``node`` composed from ``text``, whose first character stands at ``base`` of the file ``path``."""
    found, known = _mapped(text, node, base)
    if not known:
        return Embedding(found, _refuse, path)
    start, stop = scalar_start(text, node.start_mark.index), node.end_mark.index
    encode = encoder(text, node.style, start, stop, in_flow=in_flow, value=node.value)
    if node.style != ">":
        return Embedding(found, encode, path)
    return Folded(found, encode, path, lambda edit: _check_folds(found, edit, text, start, stop, base))


def _anything(edit: Edit) -> None:
    """Every edit is right."""


@dataclass(frozen=True)
class Folded(Embedding):
    """A folded block, whose lines are joined unless they begin with a blank; ``check`` refuses to change that."""

    check: Callable[[Edit], None] = _anything

    def edit(self, start: int, end: int, text: str) -> Edit:
        """As for any embedding. Raises CannotEdit where lines around the edit would be joined in another way."""
        found = Embedding.edit(self, start, end, text)
        self.check(found)
        return found

    def within(self, inner: Mapped, encode: Encode) -> Embedding:
        both = Embedding.within(self, inner, encode)
        return Folded(both.mapped, both.encode, both.path, self.check)


def _check_folds(found: Mapped, edit: Edit, text: str, start: int, stop: int, base: int) -> None:
    first, last = edit.span.start - base, edit.span.end - base
    after = text[:first] + edit.text + text[last:]
    kept = [found.slice(run.at, run.at + run.length) for run in found.runs]
    before = "".join(_outside(part, edit.span, before=True) for part in kept)
    behind = "".join(_outside(part, edit.span, before=False) for part in kept)
    builder = _block(after, start, stop + len(after) - len(text), before + edit.text + behind)
    if builder is None or "".join(builder.texts) != before + edit.text + behind:
        raise CannotEdit("the lines of this folded YAML block would be joined in another way")


def _outside(part: Mapped, span: Span, *, before: bool) -> str:
    """What of one run of a decoded text stands before a stretch of the source, or behind it."""
    (run,) = part.runs
    if before:
        return part.text if run.stop <= span.start else part.text[: max(0, span.start - run.start)] * run.exact
    return part.text if run.start >= span.end else part.text[max(0, span.end - run.start) :] * run.exact


def _mapped(text: str, node: Any, base: int) -> tuple[Mapped, bool]:
    """The source map of a scalar, and whether every piece of it is accounted for."""
    inside, end = inner(text, node)
    value, style = node.value, node.style
    if inside + len(value) == end and text.startswith(value, inside):
        return Mapped.identity(value, inside + base), True
    start, stop = scalar_start(text, node.start_mark.index), node.end_mark.index
    builder = _DECODERS[style](text, start, stop, value) if start < stop else _Builder()
    if builder is None or "".join(builder.texts) != value:
        return Mapped.whole(value, Span(start + base, stop + base)), False
    runs = tuple(Run(at, length, first + base, last + base, exact) for at, length, first, last, exact in builder.runs)
    return Mapped(value, runs, inside + base), True


def _refuse(text: str, offset: int) -> str:
    raise CannotEdit("this YAML value is written in a way that cannot be edited piece by piece")


def encoder(text: str, style: str | None, start: int, stop: int, *, in_flow: bool, value: str) -> Any:
    """How new text is written into a scalar of ``style`` that stands at ``[start, stop)`` of ``text``."""
    if style in ("'", '"'):
        write = _encode_single if style == "'" else _encode_double
    elif not value:
        return _refuse
    elif style in ("|", ">"):
        write = _block_encoder(text, style, start, stop, value)
    else:

        def write(new: str, offset: int) -> str:
            return encode_plain(new, at_start=offset == 0, in_flow=in_flow)

    def encode(new: str, offset: int) -> str:
        if value[offset - 1 : offset + 1] == "\n\n":
            raise CannotEdit("the new text would stand on an empty line of a YAML value")
        return write(new, offset)

    return encode


def encode_plain(new: str, *, at_start: bool, in_flow: bool) -> str:
    if _PLAIN_BAD.search(new) or (in_flow and _FLOW_BAD.search(new)) or _UNPRINTABLE.search(new):
        raise CannotEdit("the new text needs quotes in YAML and stands inside an unquoted value")
    if at_start and new[:1] and new[0] in "-?:,[]{}#&*!|>'\"%@` " and not re.match(r"[-?:][^\s]", new):
        raise CannotEdit("the new text would begin an unquoted YAML value with a reserved character")
    return new


def _encode_single(new: str, offset: int) -> str:
    if _BREAK.search(new) or _UNPRINTABLE.search(new):
        raise CannotEdit("a line break cannot be written into a single-quoted YAML value")
    return new.replace("'", "''")


def _encode_double(new: str, offset: int) -> str:
    named = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    written = "".join(named.get(char, char) for char in new)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


def _block_encoder(text: str, style: str, start: int, stop: int, value: str) -> Any:
    found = _HEADER.match(text, start)
    indent = _block_indent(text, start, stop, value) if found else None
    line_end = _BREAK.search(text, start)

    def block(new: str, offset: int) -> str:
        if indent is None or line_end is None or _UNPRINTABLE.search(new) or "\r" in new:
            raise CannotEdit("this YAML block cannot take the new text")
        if value[offset - 1 : offset] in ("", "\n") and value[offset : offset + 1] in ("", "\n"):
            raise CannotEdit("the new text would stand on an empty line of a YAML block")
        if "\n" not in new:
            if offset == 0 and new[:1] in (" ", "\t"):
                raise CannotEdit("the new text would change the indentation of a YAML block")
            return new
        if style == ">":
            raise CannotEdit("a line break cannot be written into a folded YAML block")
        return new.replace("\n", line_end[0] + " " * indent)

    return block


def _plain(text: str, start: int, stop: int, value: str) -> _Builder:
    builder = _Builder()
    at = start
    while at < stop:
        fold = _FOLD.search(text, at, stop)
        if fold is None:
            builder.exact(text[at:stop], at)
            break
        builder.exact(text[at : fold.start()], at)
        _fold(builder, fold)
        at = fold.end()
    return builder


def _fold(builder: _Builder, fold: re.Match[str]) -> None:
    ends = [found.end() + fold.start() for found in _BREAK.finditer(fold[0])]
    builder.breaks(" " if len(ends) == 1 else "\n" * (len(ends) - 1), fold.start(), fold.end(), ends)


def _single(text: str, start: int, stop: int, value: str) -> _Builder:
    builder = _Builder()
    at, stop = start + 1, stop - 1
    token = re.compile(r"''|[ \t]*(?:\r\n|\n|\r)[ \t\r\n]*")
    while at < stop:
        found = token.search(text, at, stop)
        if found is None:
            builder.exact(text[at:stop], at)
            break
        builder.exact(text[at : found.start()], at)
        if found[0] == "''":
            builder.piece("'", found.start(), found.end())
        else:
            _fold(builder, found)
        at = found.end()
    return builder


def _double(text: str, start: int, stop: int, value: str) -> _Builder | None:
    builder = _Builder()
    at, stop = start + 1, stop - 1
    while at < stop:
        fold = _FOLD.match(text, at, stop)
        if fold:
            _fold(builder, fold)
            at = fold.end()
        elif text[at] == "\\":
            step = _escape(builder, text, at, stop)
            if step is None:
                return None
            at = step
        else:
            chunk = _CHUNK.match(text, at, stop)
            if chunk is None:
                return None
            builder.exact(chunk[0], at)
            at = chunk.end()
    return builder


def _escape(builder: _Builder, text: str, at: int, stop: int) -> int | None:
    """Decode the escape at ``at``; the offset behind it, None when it is none."""
    joined = _BREAK.match(text, at + 1, stop)
    if joined:
        blank = re.compile(r"[ \t]*\\([ \t])").match(text, joined.end(), stop)
        if blank:
            # As one piece: without the escape the blanks that follow would be taken for the line's indentation.
            builder.piece(blank[1], at, blank.end())
            return blank.end()
        gap = re.compile(r"[ \t\r\n]*").match(text, joined.end(), stop)
        end = gap.end() if gap else joined.end()
        ends = [found.end() + joined.end() for found in _BREAK.finditer(text[joined.end() : end])]
        builder.breaks("\n" * len(ends), at, end, ends)
        return end
    kind = text[at + 1 : at + 2]
    if kind in _HEX:
        end = at + 2 + _HEX[kind]
        builder.piece(chr(int(text[at + 2 : end], 16)), at, end)
        return end
    if kind not in _ESCAPES:
        return None
    builder.piece(_ESCAPES[kind], at, at + 2)
    return at + 2


def _block(text: str, start: int, stop: int, value: str) -> _Builder | None:
    header = _HEADER.match(text, start)
    if header is None:
        return None
    indent = _block_indent(text, start, stop, value)
    return None if indent is None else _block_at(text, header, stop, indent)


def _block_indent(text: str, start: int, stop: int, value: str) -> int | None:
    """Indentation of a block's content in columns. With an indicator it is what makes the decoding right."""
    header = _HEADER.match(text, start)
    if header is None:
        return None
    widest = 0
    for line in _BREAK.split(text[header.end() : stop]):
        widest = max(widest, len(line) - len(line.lstrip(" ")))
        if line.strip(" "):
            break
    if not re.search(r"\d", header[1]):
        return widest
    for indent in range(widest + 1):
        builder = _block_at(text, header, stop, indent)
        if "".join(builder.texts) == value:
            return indent
    return None


def _lines(text: str, start: int, stop: int) -> Iterable[tuple[int, int, int]]:
    """Start, end and end with line break of each line."""
    at = start
    while at < stop:
        found = _BREAK.search(text, at, stop)
        end, after = (found.start(), found.end()) if found else (stop, stop)
        yield at, end, after
        at = after


def _block_at(text: str, header: re.Match[str], stop: int, indent: int) -> _Builder:
    """A literal or folded block whose content is indented by ``indent``."""
    builder = _Builder()
    folded = header[0][0] == ">"
    line_end: int | None = None
    ends: list[int] = []
    was_blank = False
    at = header.end()
    for start, end, after in _lines(text, header.end(), stop):
        spaces = len(text[start:end]) - len(text[start:end].lstrip(" "))
        if spaces >= end - start and end - start <= indent:
            if after > end:
                ends.append(after)
            continue
        if spaces < indent:
            break
        content = start + indent
        is_blank = text[content] in " \t"
        kept = len(ends)
        if folded and line_end is not None and not was_blank and not is_blank:
            decoded = "\n" * (kept - 1) if kept > 1 else " "
        else:
            decoded = "\n" * kept
        builder.breaks(decoded, at if line_end is None else line_end, content, ends)
        builder.exact(text[content:end], content)
        line_end, was_blank = end, is_blank
        ends = [after] if after > end else []
    _chomp(builder, header[1], at if line_end is None else line_end, ends, seen=line_end is not None)
    return builder


def _chomp(builder: _Builder, indicators: str, start: int, ends: list[int], *, seen: bool) -> None:
    if "-" in indicators or not ends:
        return
    kept = ends if "+" in indicators else ends[:1] if seen else []
    if kept:
        builder.breaks("\n" * len(kept), start, kept[-1], kept)


_DECODERS = {None: _plain, "": _plain, "'": _single, '"': _double, "|": _block, ">": _block}
