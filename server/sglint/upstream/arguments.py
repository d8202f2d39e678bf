"""One ``add_argument`` call as a flag of the catalogue."""

from __future__ import annotations

import ast
import re
from typing import Any

from ..catalogue import Flag, Nargs
from ..catalogue.store import dest_of
from .static import Evaluator
from .values import ClassValue, FunctionValue, Opaque, Symbol, is_known, name_of, plain

_DEPRECATED = re.compile(
    r"^\W*(?:note:\s*)?(?:\S+ is )?deprecated|\(deprecated|^this (?:flag|argument) is deprecated", re.I
)
_REPLACED = re.compile(
    r"(?:use|set|replaced by|renamed to|alias (?:for|of))\s+['\"`]?(--[a-z0-9][\w-]*(?:=[\w-]+)?)", re.I
)
_NO_VALUE = frozenset(["store_true", "store_false", "store_const", "append_const", "count", "help", "version"])
_PLAIN_ACTIONS = _NO_VALUE | {"store", "append", "extend"}
_TYPES = {"json.loads": "json", "orjson.loads": "json", "None": "str"}


def flag_of_call(
    names: list[str], keywords: dict[str, Any], evaluator: Evaluator, place: str, group: str | None
) -> Flag:
    """The flag that ``add_argument(*names, **keywords)`` declares. ``place`` is ``file:symbol`` below sglang/."""
    action, custom = _action(keywords.get("action"), evaluator)
    nargs = _nargs(keywords, action, custom, evaluator)
    names = _with_negations(names) if action == "boolean_optional" else names
    choices, choices_open = _choices(keywords.get("choices"), evaluator)
    default, computed = _default(keywords, action, custom)
    help_text = keywords.get("help")
    help_text = help_text if isinstance(help_text, str) else ""
    deprecated = bool(custom and custom.name.startswith("Deprecated")) or bool(_DEPRECATED.search(help_text))
    return Flag(
        names=tuple(names),
        dest=keywords.get("dest") or dest_of(names),
        action=action,
        action_class=custom.name if custom else None,
        type="" if nargs == 0 else _type(keywords.get("type")),
        nargs=nargs,
        choices=choices,
        choices_open=choices_open,
        default=default,
        default_computed=computed,
        const=_const(keywords, action),
        required=keywords.get("required") is True,
        deprecated=deprecated,
        replacement=_replacement(keywords.get("new_flag"), help_text) if deprecated else None,
        keys=_json_keys(keywords.get("type")),
        refusal=help_text[:60] if action == "refuse" else _refusal(keywords.get("error_message")),
        group=group,
        source=place,
    )


def _action(value: Any, evaluator: Evaluator) -> tuple[str, ClassValue | None]:
    """Our name of an action, and its class when the release defines it."""
    if value is None:
        return "store", None
    if isinstance(value, str):
        return (value if value in _PLAIN_ACTIONS else "store"), None
    if isinstance(value, Symbol):
        return ("boolean_optional" if value.name.endswith("BooleanOptionalAction") else value.name), None
    if isinstance(value, ClassValue):
        return _custom(evaluator, value), value
    return name_of(value), None


def _custom(evaluator: Evaluator, cls: ClassValue) -> str:
    """What a release's own action does with its value, told by what its ``__call__`` stores."""
    call = evaluator.class_attribute(cls, "__call__")
    stored = _stored(call.node) if isinstance(call, FunctionValue) else None
    if stored is None:
        return "refuse" if isinstance(call, FunctionValue) and _always_stops(call.node) else "ignore"
    if isinstance(stored, ast.Constant):
        return f"store_{str(stored.value).lower()}" if isinstance(stored.value, bool) else "store_const"
    if isinstance(stored, ast.Attribute) and isinstance(stored.value, ast.Name) and stored.value.id == "self":
        return "store_const"
    if isinstance(stored, ast.Name) and stored.id == "values":
        return "store"
    source = ast.unparse(call.node) if isinstance(call, FunctionValue) else ""
    if isinstance(stored, ast.Dict) and ".split('=', 1)" in source:
        return "named_paths"
    return "adapters" if "json.loads" in source else "custom"


def _stored(node: ast.AST) -> ast.expr | None:
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "setattr":
            return call.args[2]
    return None


def _always_stops(node: ast.AST) -> bool:
    body = node.body if isinstance(node, ast.FunctionDef) else []
    return any(isinstance(part, ast.Raise) or _is_error(part) for part in body)


def _is_error(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "error"


def _nargs(keywords: dict[str, Any], action: str, custom: ClassValue | None, evaluator: Evaluator) -> Nargs:
    if "nargs" in keywords:
        value: Nargs = keywords["nargs"]
        return value
    if custom is not None:
        init = evaluator.class_attribute(custom, "__init__")
        forced: Nargs = _parameter_default(init, "nargs") if isinstance(init, FunctionValue) else None
        return forced
    return 0 if action in _NO_VALUE or action == "boolean_optional" else None


def _parameter_default(function: FunctionValue, name: str) -> Any:
    """The constant that a constructor gives a parameter, as its default or in its call of the base class."""
    parameters = function.node.args
    named = [parameter.arg for parameter in (*parameters.posonlyargs, *parameters.args)]
    for parameter, default in zip(named[::-1], parameters.defaults[::-1], strict=False):
        if parameter == name and isinstance(default, ast.Constant):
            return default.value
    for call in ast.walk(function.node):
        for keyword in call.keywords if isinstance(call, ast.Call) else ():
            if keyword.arg == name and isinstance(keyword.value, ast.Constant):
                return keyword.value.value
    return None


def _with_negations(names: list[str]) -> list[str]:
    return [form for name in names for form in (name, f"--no-{name[2:]}") if name.startswith("--")]


def _choices(value: Any, evaluator: Evaluator) -> tuple[tuple[Any, ...] | None, bool]:
    """The accepted values, None where they cannot all be told, and whether plug-ins may add to them."""
    if value is None:
        return None, False
    if not isinstance(value, (list, tuple, set, frozenset, dict)):
        return None, True
    items = list(value) if isinstance(value, (list, tuple, dict)) else plain(value)
    if not all(is_known(item) for item in items):
        return None, True
    return tuple(plain(item) for item in items), evaluator.is_extensible(value)


def _default(keywords: dict[str, Any], action: str, custom: ClassValue | None) -> tuple[Any, str | None]:
    if "default" not in keywords:
        quiet = {"store_true": False, "store_false": True}
        return (quiet.get(action) if custom is None or action == "store_true" else None), None
    value = keywords["default"]
    if value == Symbol("argparse.SUPPRESS"):
        return None, "argparse.SUPPRESS"
    return (plain(value), None) if is_known(value) else (None, name_of(value))


def _const(keywords: dict[str, Any], action: str) -> Any:
    value = keywords.get("const_value", keywords.get("const"))
    return plain(value) if is_known(value) and action not in ("store_true", "store_false") else None


def _type(value: Any) -> str:
    if value is None:
        return "str"
    name = name_of(value)
    return _TYPES.get(name, name.rsplit(".", 1)[-1])


def _json_keys(value: Any) -> dict[str, list[str]] | None:
    """The keys that a converter of JSON allows, where its module says so in ``ALLOWED_KEYS_PER_PHASE``."""
    if not isinstance(value, FunctionValue) or "ALLOWED_KEYS_PER_PHASE" not in ast.unparse(value.node):
        return None
    keys = value.scope.lookup("ALLOWED_KEYS_PER_PHASE")
    return plain(keys) if isinstance(keys, dict) and is_known(keys) else None


def _replacement(new_flag: Any, help_text: str) -> str | None:
    if isinstance(new_flag, str):
        return new_flag
    match = _REPLACED.search(help_text)
    return match[1] if match else None


def _refusal(message: Any) -> str | None:
    """The beginning of the message with which a retired flag stops the launch (at most 60 characters)."""
    if isinstance(message, str):
        return message[:60]
    return "" if isinstance(message, Opaque) else None
