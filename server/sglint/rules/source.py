"""One rule file: checked, with every mistake named by file, place and remedy, and made into plain data for a bundle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import toml
from ..catalogue.release import ReleaseRange
from ..patterns import lazy
from ..text import LineIndex, Span
from .findings import SEVERITIES
from .grammar import ConditionError, names, parse
from .model import STAGES

Data = dict[str, Any]
Check = Callable[[Any], str | None]

SAFETIES = ("safe", "changes-behaviour", "display-only")
EXPECTATIONS = ("finding", "clean", "unknown")
HEAD_LENGTH = 60

_CODE = lazy(r"[A-Z]{3,8}\d{3}")


class RuleError(ValueError):
    """A rule file that cannot be used. ``span`` is the place in its text."""

    def __init__(self, source: str, text: str, span: Span, message: str) -> None:
        line, column = LineIndex(text).position(span.start, "utf-32")
        super().__init__(f"{source}:{line + 1}:{column + 1}: {message}")
        self.source = source
        self.span = span
        self.message = message


class _Mistake(Exception):
    """A mistake at a key path, before the text is at hand."""

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.path = path


def compile_rule(text: str, source: str) -> tuple[Data, list[Data]]:
    """A rule file's text to (rule, examples), both JSON-like. Raises :class:`RuleError`."""
    try:
        raw = toml.parse(text)
    except toml.TomlError as error:
        raise RuleError(source, text, error.span, f"not TOML: {error}") from None
    try:
        _check_keys(raw, _RULE, ())
        rule = {key: value for key, value in raw.items() if key not in ("case", "fix", "example")}
        rule["topic"] = source.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]
        rule["source"] = source
        rule["case"] = [_case(case, ("case", index)) for index, case in enumerate(raw.get("case", ()))]
        rule["fix"] = [_fix(fix, ("fix", index)) for index, fix in enumerate(raw.get("fix", ()))]
        for index, example in enumerate(raw.get("example", ())):
            _check_keys(example, _EXAMPLE, ("example", index))
        if bool(rule["case"]) == ("problem" in rule):
            raise _Mistake(
                (), "a rule has either [[case]] tables or a `problem` of the command line; state one of them"
            )
        if rule["case"] and "stage" not in rule and rule["severity"] == "error":
            raise _Mistake(("severity",), f"an error strikes at a stage; add `stage`, one of {', '.join(STAGES)}")
    except _Mistake as mistake:
        raise RuleError(source, text, toml.span_of(text, mistake.path), str(mistake)) from None
    return rule, raw.get("example", [])


def _case(raw: Data, path: tuple[str | int, ...]) -> Data:
    _check_keys(raw, _CASE, path)
    return {**raw, "when": _condition(raw["when"], (*path, "when"))}


def _fix(raw: Data, path: tuple[str | int, ...]) -> Data:
    _check_keys(raw, _FIX, path)
    if raw["safety"] == "display-only":
        if "reason" not in raw:
            raise _Mistake((*path, "safety"), "a fix that is only shown needs a `reason`")
    elif not any(key in raw for key in ("remove", "remove_matching", "set", "release", "candidates")):
        raise _Mistake((*path, "title"), "the fix changes nothing; add remove, remove_matching, set or release")
    if "when" in raw:
        return {**raw, "when": _condition(raw["when"], (*path, "when"))}
    return raw


def _condition(text: str, path: tuple[str | int, ...]) -> list[Any]:
    try:
        tree = parse(text)
    except ConditionError as error:
        raise _Mistake(path, str(error)) from None
    if not names(tree):
        raise _Mistake(path, "the condition looks at no fact, so it holds always or never; name one")
    return tree


def _check_keys(raw: Data, keys: Mapping[str, tuple[bool, Check]], path: tuple[str | int, ...]) -> None:
    for key in raw:
        if key not in keys:
            raise _Mistake((*path, key), f"`{key}` is no key here; use one of {', '.join(sorted(keys))}")
    for key, (required, check) in keys.items():
        if key not in raw:
            if required:
                raise _Mistake(path, f"`{key}` is missing")
            continue
        remedy = check(raw[key])
        if remedy:
            raise _Mistake((*path, key), f"`{key}` {remedy}")


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else "must be a text that is not empty"


def _whole(value: Any) -> str | None:
    return None if isinstance(value, int) and not isinstance(value, bool) else "must be a whole number"


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _one_of(*allowed: str) -> Check:
    return lambda value: None if value in allowed else f"must be one of {', '.join(allowed)}"


def _texts(value: Any) -> str | None:
    fine = isinstance(value, list) and all(isinstance(item, str) and item for item in value)
    return None if fine else "must be a list of texts"


def _pairs(value: Any) -> str | None:
    fine = isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(item, str) for item in pair) for pair in value
    )
    return None if fine else 'must be a list of pairs ["--flag", "what it contributes"]'


def _code(value: Any) -> str | None:
    fine = isinstance(value, str) and _CODE.fullmatch(value)
    return None if fine else "must be capital letters and three digits, as SGL101; rules of your own take other letters"


def _range(value: Any) -> str | None:
    try:
        ReleaseRange.parse(value)
    except (TypeError, ValueError):
        return "must be bounds such as >=0.5.18,<0.5.20"
    return None


def _head(value: Any) -> str | None:
    if _text(value) or len(value) > HEAD_LENGTH:
        return f"must be the first words of upstream's message, at most {HEAD_LENGTH} characters"
    return None


def _assignments(value: Any) -> str | None:
    fine = isinstance(value, dict) and all(
        flag.startswith("--") and (isinstance(item, str) or item is True) for flag, item in value.items()
    )
    return None if fine else 'must map flags to texts, or to true for a bare flag: { "--attention-backend" = "triton" }'


def _anything(value: Any) -> str | None:
    return None


_RULE: Mapping[str, tuple[bool, Check]] = {
    "code": (True, _code),
    "name": (True, _text),
    "severity": (True, _one_of(*SEVERITIES)),
    "stage": (False, _one_of(*STAGES)),
    "check": (False, _text),
    "summary": (True, _text),
    "message": (True, _text),
    "explanation": (True, _text),
    "problem": (False, _text),
    "at": (False, _texts),
    "related": (False, _pairs),
    "arithmetic": (False, _flag),
    "case": (False, _anything),
    "fix": (False, _anything),
    "example": (False, _anything),
}
_CASE: Mapping[str, tuple[bool, Check]] = {
    "releases": (True, _range),
    "order": (True, _whole),
    "when": (True, _text),
    "head": (False, _head),
    "check": (False, _text),
    "stage": (False, _one_of(*STAGES)),
    "severity": (False, _one_of(*SEVERITIES)),
    "message": (False, _text),
    "evidence": (False, _texts),
}
_FIX: Mapping[str, tuple[bool, Check]] = {
    "title": (True, _text),
    "remove": (False, _texts),
    "remove_matching": (False, _texts),
    "set": (False, _assignments),
    "release": (False, _one_of("lowest-clean", "newest-clean")),
    "candidates": (False, _one_of("flag", "value")),
    "when": (False, _text),
    "safety": (True, _one_of(*SAFETIES)),
    "reason": (False, _text),
}
_EXAMPLE: Mapping[str, tuple[bool, Check]] = {
    "host": (True, _one_of("shell", "yaml")),
    "release": (False, _text),
    "gpu": (False, _text),
    "gpus": (False, _whole),
    "model": (False, _text),
    "draft": (False, _text),
    "text": (True, _text),
    "expect": (True, _one_of(*EXPECTATIONS)),
    "says": (False, _text),
    "note": (False, _text),
}
