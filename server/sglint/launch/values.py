"""The value that an option stores, and what a release refuses about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..catalogue import Flag
from ..text import Span
from .convert import NotConvertible, UnknownConversion, convert, parse_json
from .model import Word
from .options import ParseProblem
from .tokens import Token

HEAD = 60
_CONSTANTS = frozenset(["store_true", "store_false", "store_const", "boolean_optional", "ignore", "refuse"])


def head_of(message: str) -> str:
    return message[:HEAD]


def of_argument(flag: Flag, message: str) -> str:
    """How the parser introduces what it has to say about an option."""
    return f"argument {'/'.join(flag.names)}: {message}"


class ValueReader:
    """Converts and checks values; ``problems`` collects what the release refuses, in its parser's order."""

    def __init__(self) -> None:
        self.problems: list[ParseProblem] = []

    def read(self, token: Token, flag: Flag, given: list[tuple[Word, str | None, int]]) -> tuple[Any, bool]:
        """The value the option stores, and whether it is known. Reports what cannot be converted."""
        if flag.nargs == 0:
            return self._constant(token, flag)
        single = flag.nargs is None or flag.nargs == "?"
        if single and not given:
            return flag.const, True
        values: list[Any] = []
        known = True
        for word, text, start in given:
            value, good = (None, False) if text is None else self._converted(flag, word, text, start)
            values.append(value)
            known = known and good
        if known:
            pairs = zip(values, given, strict=True)
            chosen = [self._is_choice(flag, value, word, start) for value, (word, _, start) in pairs]
            known = all(chosen)
        if flag.action == "custom":
            return None, False
        if known and flag.action == "adapters":
            adapters = [self._is_adapter(flag, word, text, start) for word, text, start in given]
            known = all(adapters)
            values = [_adapter(value) for value in values] if known else values
        if known and flag.action == "named_paths":
            return _named_paths(values), True
        if flag.action in _CONSTANTS:
            return self._constant(token, flag) if known else (None, False)
        return (values[0] if single else values) if known else None, known

    def _constant(self, token: Token, flag: Flag) -> tuple[Any, bool]:
        flag_span = token.word.span_of(0, token.given)
        if flag.refusal is not None or flag.action == "refuse":
            self.problems.append(
                ParseProblem(
                    "retired",
                    flag_span,
                    token.word,
                    flag,
                    flag.refusal or "",
                    f"`{token.name}` is retired in this release and ends the launch",
                    (flag.replacement,) if flag.replacement else (),
                    token.word.presence == "yes",
                )
            )
        if flag.action == "help":
            detail = f"`{token.name}` prints the options and ends; no server starts"
            self.refuse("help", flag_span, token.word, flag, "", detail)
        if flag.action == "boolean_optional":
            return not (token.name or "").startswith("--no-"), True
        constants = {"store_true": True, "store_false": False, "store_const": flag.const}
        return constants.get(flag.action, flag.default), True

    def _converted(self, flag: Flag, word: Word, text: str, start: int) -> tuple[Any, bool]:
        try:
            return convert(flag, text), True
        except UnknownConversion:
            return None, False
        except NotConvertible as error:
            kind = "type" if error.at is None else "json"
            span = word.span_of(start) if error.at is None else _json_span(word, start, text, error.at)
            detail = f"`{text}` is no valid value of `{flag.names[0]}`" if error.at is None else _json_detail(text)
            self.refuse(kind, span, word, flag, of_argument(flag, error.message), detail)
            return None, False

    def _is_choice(self, flag: Flag, value: Any, word: Word, start: int) -> bool:
        if flag.choices is None or value in flag.choices:
            return True
        shown = ", ".join(map(repr, flag.choices))
        message = of_argument(flag, f"invalid choice: {value!r} (choose from {shown})")
        candidates = tuple(str(choice) for choice in flag.choices)
        detail = f"`{value}` is not among the values of `{flag.names[0]}`"
        self.refuse("choice", word.span_of(start), word, flag, message, detail, candidates)
        return False

    def _is_adapter(self, flag: Flag, word: Word, text: str | None, start: int) -> bool:
        """A LoRA adapter: ``NAME=PATH``, ``PATH``, or a JSON object with ``lora_name`` and ``lora_path``."""
        stripped = (text or "").strip()
        if not (stripped.startswith("{") and stripped.endswith("}")):
            return True
        try:
            value = parse_json(stripped)
        except NotConvertible as error:
            span = _json_span(word, start, text or "", error.at or 0)
            self.refuse("json", span, word, flag, error.message, _json_detail(text or ""))
            return False
        if {"lora_name", "lora_path"} <= set(value):
            return True
        message = f"{stripped!r} looks like a JSON str, but it does not contain 'lora_name'"
        self.refuse("json", word.span_of(start), word, flag, message, "an adapter needs `lora_name` and `lora_path`")
        return False

    def refuse(
        self,
        kind: str,
        span: Span,
        word: Word,
        flag: Flag,
        message: str,
        detail: str,
        candidates: tuple[str, ...] = (),
    ) -> None:
        """Note that the release ends with ``message`` here; ``span`` is the offending part of ``word``."""
        fatal = word.presence == "yes"
        self.problems.append(ParseProblem(kind, span, word, flag, head_of(message), detail, candidates, fatal))


def _named_paths(words: Sequence[str]) -> dict[str, str]:
    """``NAME=PATH`` words, a lone ``PATH`` naming itself (0.4.0 to 0.5.1, LoRAPathAction)."""
    pairs = (word.split("=", 1) for word in words)
    return {pair[0]: pair[-1] for pair in pairs}


def _adapter(value: Any) -> Any:
    stripped = value.strip()
    return parse_json(stripped) if stripped.startswith("{") and stripped.endswith("}") else stripped


def _json_span(word: Word, start: int, text: str, at: int) -> Span:
    """The character at which reading JSON stopped; the last one when it ended too early."""
    at = max(0, min(at, len(text) - 1))
    return word.span_of(start + at, start + at + 1) if text else word.span_of(start)


def _json_detail(text: str) -> str:
    try:
        parse_json(text.strip())
    except NotConvertible as error:
        return f"this is no JSON: {error.message}"
    return "this JSON is not of the form that the option needs"
