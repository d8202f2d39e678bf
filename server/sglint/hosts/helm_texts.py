"""Template functions of texts. Source: the documentation of Sprig's string functions and of Go's ``fmt``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from .helm_numbers import shortest
from .helm_values import NOT_KNOWN, Fragment, Rich, Truth, Value, indented, kind_of, quoted, structure, trimmed
from .helm_yaml import rich

Function = Callable[[Sequence[Value], str], Value]
MAX_INDENT = 200
MAX_TEXT = 20_000
_BLANK = " \t\r\n\f\v"
_SIMPLE_PATTERN = re.compile(r"(?:[\w \-./:^]|\\[.\-/]|\[\^?[\w \-./:]+\][+*]?|[+*$]$)*")
"""Regular expressions that mean the same to Go and to Python."""


def of_text(change: Callable[[Rich, str], Rich]) -> Function:
    """A function of one text."""

    def function(operands: Sequence[Value], path: str) -> Value:
        text = rich(operands[-1]) if operands else None
        return NOT_KNOWN if text is None else change(text, path)

    return function


def known(value: Value) -> str | None:
    """The text of a value; None when a part of it is not known."""
    if isinstance(value, Truth):
        return value.text
    text = rich(value)
    return text.text if text is not None and text.known else None


def number(value: Value) -> int | None:
    """A count or width; None when it is not known."""
    text = known(value)
    found = re.fullmatch(r"-?\d{1,6}", text) if text is not None else None
    return int(found[0]) if found else None


def _changed(change: Callable[..., str | None], kinds: str = "") -> Function:
    """A function of known texts and numbers (``n`` in ``kinds``), the last operand being the text that is changed.

    ``change`` gives None for what is not known.
    """

    def function(operands: Sequence[Value], path: str) -> Value:
        if len(operands) != len(kinds) + 1:
            return NOT_KNOWN
        text = rich(operands[-1])
        arguments = [
            number(operand) if kind == "n" else known(operand)
            for kind, operand in zip(kinds, operands[:-1], strict=True)
        ]
        if text is None or not text.known or None in arguments:
            return NOT_KNOWN
        after = change(*arguments, text.text)
        return NOT_KNOWN if after is None else text.put_together(after[:MAX_TEXT])

    return function


def _about(test: Callable[[str, str], bool]) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        first, text = (known(operands[0]), known(operands[1])) if len(operands) == 2 else (None, None)
        return Truth(None if first is None or text is None else test(first, text))

    return function


def _indent(operands: Sequence[Value], path: str) -> Value:
    if len(operands) < 2:
        return NOT_KNOWN
    width, text = number(operands[0]), rich(operands[-1])
    if width is None or text is None:
        return NOT_KNOWN
    width = min(max(width, 0), MAX_INDENT)
    return indented(text, width, path) if text.text else Rich((structure(" " * width, None, path),))


def _nindent(operands: Sequence[Value], path: str) -> Value:
    text = _indent(operands, path)
    if not isinstance(text, Rich):
        return text
    like = text.fragments[0] if text.fragments else None
    return Rich((structure("\n", like, path), *text.fragments))


def _printf(operands: Sequence[Value], path: str) -> Value:
    form = rich(operands[0]) if operands else None
    if form is None or len(form.fragments) != 1 or not form.known:
        return NOT_KNOWN
    pattern, values = form.fragments[0], list(operands[1:])
    found: list[Fragment] = []
    at = 0
    for verb in re.finditer(r"%([^a-zA-Z%]*[a-zA-Z%])", pattern.text):
        found += [pattern.cut(at, verb.start())] if at < verb.start() else []
        at = verb.end()
        if verb[1] == "%":
            found.append(pattern.cut(verb.start(), verb.start() + 1))
            continue
        text = _verb(verb[1], values.pop(0), path) if values else None
        if text is None:
            return NOT_KNOWN
        found += text.fragments
    found += [pattern.cut(at)] if at < len(pattern.text) else []
    return Rich(tuple(found)) if not values else NOT_KNOWN


def _verb(verb: str, value: Value, path: str) -> Rich | None:
    """A value as a verb of a format prints it; a kind that a verb is not for is said in its place."""
    text, kind = rich(value), kind_of(value)
    if text is None or kind is None:
        return None
    if verb == "v" or (verb == "s" and kind == "string"):
        return text
    if verb == "q" and kind == "string":
        return quoted(text, '"', path)
    if verb == "d" and kind in ("int", "int64"):
        return text
    if verb == "t" and kind == "bool":
        return text
    fixed = re.fullmatch(r"\.(\d)f", verb)
    if kind == "float64" and (verb == "g" or fixed):
        shown = shortest(float(text.text)) if fixed is None else f"{float(text.text):.{fixed[1]}f}"
        return text.put_together(shown)
    if verb in ("d", "s", "f") and kind in ("int", "int64", "float64", "bool", "string") and text.known:
        return text.put_together(f"%!{verb}({kind}={text.text})")
    return None


def _print(operands: Sequence[Value], path: str) -> Value:
    texts = [rich(operand) for operand in operands]
    pieces: list[Fragment] = []
    for place, text in enumerate(texts):
        if text is None:
            return NOT_KNOWN
        before = texts[place - 1] if place else None
        if before is not None and "string" not in (text.kind, before.kind):
            pieces.append(structure(" ", text.fragments[0], path))
        pieces += text.fragments
    return Rich(tuple(pieces))


def _to_string(operands: Sequence[Value], path: str) -> Value:
    text = rich(operands[-1]) if operands else None
    return NOT_KNOWN if text is None else Rich(text.fragments)


def _quote_with(mark: str) -> Function:
    def function(operands: Sequence[Value], path: str) -> Value:
        if len(operands) != 1:
            return NOT_KNOWN
        text = rich(operands[0])
        return NOT_KNOWN if text is None else quoted(Rich(text.fragments), mark, path)

    return function


def _kebab(text: str) -> str | None:
    """As ``kebabcase``: a dash between small and capital letters, before the last capital of several, for blanks."""
    if re.search(r"[\s_-]{2}|^[\s_-]|[\s_-]$", text):
        return None
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", text)
    return re.sub(r"[\s_-]+", "-", text).lower()


def _trunc(width: int, text: str) -> str | None:
    data = text.encode()
    if width < 0:
        return _decoded(data[width:] if len(data) + width > 0 else data)
    return _decoded(data[:width])


def _substr(start: int, end: int, text: str) -> str | None:
    data = text.encode()
    if start < 0:
        return _decoded(data[: max(end, 0)])
    return _decoded(data[start:] if end < 0 or end > len(data) else data[start:end])


def _decoded(data: bytes) -> str | None:
    """Text cut by bytes, as Go counts; None where a character is cut in two."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _regular(function: Callable[[re.Pattern[str], Sequence[str]], Value | None]) -> Function:
    def evaluated(operands: Sequence[Value], path: str) -> Value:
        texts = [known(operand) for operand in operands]
        if len(texts) < 2 or any(text is None for text in texts):
            return NOT_KNOWN
        pattern, *rest = [text for text in texts if text is not None]
        if not _SIMPLE_PATTERN.fullmatch(pattern) or any("$" in text for text in rest[1:]):
            return NOT_KNOWN
        return function(re.compile(pattern), rest) or NOT_KNOWN

    return evaluated


def _regex_replace(operands: Sequence[Value], path: str) -> Value:
    if len(operands) != 3:
        return NOT_KNOWN

    def replaced(pattern: re.Pattern[str], rest: Sequence[str]) -> Value | None:
        text = rich(operands[1])
        return text.put_together(pattern.sub(lambda match: rest[1], rest[0])) if text is not None else None

    return _regular(replaced)(operands, path)


TEXTS: dict[str, Function] = {
    "quote": _quote_with('"'),
    "squote": _quote_with("'"),
    "toString": _to_string,
    "trim": of_text(lambda text, path: trimmed(text)),
    "lower": _changed(str.lower),
    "upper": _changed(str.upper),
    "nospace": _changed(lambda text: re.sub(r"\s", "", text)),
    "kebabcase": _changed(_kebab),
    "trimSuffix": _changed(lambda end, text: text.removesuffix(end), "t"),
    "trimPrefix": _changed(lambda start, text: text.removeprefix(start), "t"),
    "trimAll": _changed(lambda signs, text: text.strip(signs), "t"),
    "replace": _changed(lambda before, after, text: text.replace(before, after), "tt"),
    "trunc": _changed(_trunc, "n"),
    "substr": _changed(_substr, "nn"),
    "repeat": _changed(lambda count, text: text * min(max(count, 0), 100), "n"),
    "contains": _about(lambda inner, text: inner in text),
    "hasPrefix": _about(lambda start, text: text.startswith(start)),
    "hasSuffix": _about(lambda end, text: text.endswith(end)),
    "regexMatch": _regular(lambda pattern, rest: Truth(pattern.search(rest[0]) is not None)),
    "regexReplaceAll": _regex_replace,
    "indent": _indent,
    "nindent": _nindent,
    "printf": _printf,
    "print": _print,
}
"""By name; each gets its operands and the template's path."""
