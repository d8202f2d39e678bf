"""Converting a decoded value as a release's parser does: types, JSON, sizes with suffixes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..catalogue import Flag
from ..patterns import lazy


class NotConvertible(ValueError):
    """The release refuses this value. ``message`` is how its parser puts it, ``at`` the offset of a JSON error."""

    def __init__(self, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


class UnknownConversion(LookupError):
    """The catalogue names a converter that SGLint does not know; the value cannot be told."""


_SIZE = lazy(r"(\d+)(\.\d+)?(Ki|Mi|Gi|Ti|k|M|G|T)")
_FACTOR = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def convert(flag: Flag, text: str) -> Any:
    """The value of one word. Raises :class:`NotConvertible` or :class:`UnknownConversion`."""
    converter = _CONVERTERS.get(flag.type)
    if converter is None:
        raise UnknownConversion(flag.type)
    return converter(flag, text)


def _as_is(flag: Flag, text: str) -> str:
    return text


def _number(kind: Callable[[str], Any]) -> Callable[[Flag, str], Any]:
    def read(flag: Flag, text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            raise NotConvertible(f"invalid {kind.__name__} value: {text!r}") from None

    return read


def _bool(flag: Flag, text: str) -> bool:
    """``type=bool`` takes every non-empty word for true, ``false`` included."""
    return bool(text)


def _nullable(flag: Flag, text: str) -> str | None:
    return None if not text or text == "None" else text


def _size(flag: Flag, text: str) -> int:
    """Integers with SI or binary suffixes (0.5.23, srt/utils/common.py, human_readable_int)."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        try:
            return int(text.strip())
        except ValueError:
            raise NotConvertible(f"Invalid integer value: {text.strip()!r}. Use a plain integer, SI suff") from None
    whole, fraction, suffix = match.groups()
    if fraction and suffix.endswith("i"):
        raise NotConvertible(f"Decimals are not allowed with IEC suffixes like '{suffix}'. ")
    digits: str = (fraction or ".")[1:]
    scale: int = 10 ** len(digits)
    return int(whole + digits) * _FACTOR[suffix] // scale


def parse_json(text: str) -> Any:
    """Raises :class:`NotConvertible` with the offset of the error."""
    import json

    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise NotConvertible(
            f"{error.msg}: line {error.lineno} column {error.colno} (char {error.pos})", error.pos
        ) from None
    except RecursionError:
        raise NotConvertible("the value is nested too deeply", 0) from None


def _json(flag: Flag, text: str) -> Any:
    try:
        return parse_json(text)
    except NotConvertible as error:
        raise NotConvertible(f"invalid loads value: {text!r}", error.at) from None


def _json_list(flag: Flag, text: str) -> Any:
    """Any JSON value; the release reads it with a parser that knows no NaN and no Infinity."""
    try:
        value = parse_json(text)
        if _has_no_json_number(value):
            raise NotConvertible("", 0)
        return value
    except NotConvertible as error:
        raise NotConvertible(f"Invalid JSON list: {text}. Please provide a valid JSON list.", error.at) from None


def _has_no_json_number(value: Any) -> bool:
    if isinstance(value, float):
        return value != value or value in (float("inf"), float("-inf"))
    if isinstance(value, dict):
        return any(_has_no_json_number(item) for item in value.values())
    return isinstance(value, list) and any(_has_no_json_number(item) for item in value)


def _graph_config(flag: Flag, text: str) -> Any:
    """Phases and their settings (0.5.23, srt/model_executor/cuda_graph_config.py, parse_cuda_graph_config_arg)."""
    name = "--cuda-graph-config"
    try:
        phases = parse_json(text)
    except NotConvertible as error:
        raise NotConvertible(f"{name} must be JSON: {error.message}", error.at) from None
    if not isinstance(phases, dict):
        raise NotConvertible(f"{name} must be a JSON object, got {type(phases).__name__}")
    allowed: Mapping[str, list[str]] = flag.keys or {}
    for phase, settings in phases.items():
        if allowed and phase not in allowed:
            raise NotConvertible(f"{name}: unknown phase '{phase}', expected one of {tuple(allowed)}")
        if not isinstance(settings, dict):
            raise NotConvertible(f"{name}['{phase}'] must be a JSON object, got {type(settings).__name__}")
        if settings.get("backend") == "tc_piecewise" and not _has_piecewise(flag):
            raise NotConvertible("tc_piecewise was removed; select breakable, full, or disabled")
        for key in settings:
            if allowed and key not in allowed[phase]:
                known = tuple(allowed[phase])
                raise NotConvertible(f"{name}['{phase}']: unknown key '{key}', expected one of {known}")
    return phases


def _has_piecewise(flag: Flag) -> bool:
    """Releases that still have the backend also have its compiler setting."""
    return not flag.keys or any("tc_compiler" in keys for keys in flag.keys.values())


def _graph_backend(flag: Flag, text: str) -> str:
    if text == "tc_piecewise":
        raise NotConvertible("tc_piecewise was removed; select breakable, full, or disabled")
    return text


_CONVERTERS: Mapping[str, Callable[[Flag, str], Any]] = {
    "str": _as_is,
    "": _as_is,
    "int": _number(int),
    "float": _number(float),
    "bool": _bool,
    "json": _json,
    "json_list_type": _json_list,
    "nullable_str": _nullable,
    "human_readable_int": _size,
    "parse_cuda_graph_config_arg": _graph_config,
    "parse_cuda_graph_backend_arg": _graph_backend,
}
