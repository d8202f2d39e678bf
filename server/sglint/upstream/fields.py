"""Annotated record fields as the ``add_argument`` calls that a release makes of them.

Source of the translation: releases 0.5.13 to 0.5.23, srt/arg_groups/arg_utils.py, add_cli_args_from_dataclass.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from .static import Evaluator, Scope
from .values import ClassValue, Constructed, FunctionValue, Generic, Opaque, Symbol

Call = tuple[list[str], dict[str, Any], str, str | None]
MISSING = Symbol("dataclasses.MISSING")
NONE = (None, Symbol("builtins.None"))


def field_calls(evaluator: Evaluator, module: Scope, owner: ClassValue) -> Iterator[Call]:
    """Names, keywords, source place and group of every command-line field, in the parser's order."""
    fields = record_fields(evaluator, module, owner)
    order = evaluator.value(ast.parse("POSITIONAL_FIELD_ORDER", mode="eval").body, _order_scope(evaluator, module))
    if isinstance(order, tuple) and fields and fields[0][0] is not owner:
        rank = {name: index for index, name in enumerate(order)}
        fields.sort(key=lambda field: rank.get(field[1], len(rank)))
    for cls, name, hint, default in fields:
        call = _call_of_field(name, hint, default)
        if call is not None:
            group = evaluator.class_attribute(cls, "_NS_PATH")
            place = f"{cls.scope.file}:{cls.name}"
            yield (*call, place, group if isinstance(group, str) else None)


def record_fields(evaluator: Evaluator, module: Scope, owner: ClassValue) -> list[tuple[ClassValue, str, Any, Any]]:
    """Class, name, annotation and default of every field; a field declared twice keeps its first place."""
    named: dict[str, tuple[ClassValue, str, Any, Any]] = {}
    for cls in _field_classes(evaluator, module, owner):
        for field in _own_fields(evaluator, cls):
            named[field[1]] = field
    return list(named.values())


def _order_scope(evaluator: Evaluator, module: Scope) -> Scope:
    name = "sglang.srt.arg_groups.field_order"
    return evaluator.module(name) if evaluator.source.file_of(name) else module


def _field_classes(evaluator: Evaluator, module: Scope, owner: ClassValue) -> list[ClassValue]:
    namespaces = module.lookup("_INPUT_NAMESPACES")
    if isinstance(namespaces, list) and all(isinstance(cls, ClassValue) for cls in namespaces):
        return namespaces
    bases = [base for base in evaluator.bases(owner) if isinstance(base, ClassValue)]
    return [*bases, owner]


def _own_fields(evaluator: Evaluator, cls: ClassValue) -> Iterator[tuple[ClassValue, str, Any, Any]]:
    scope = cls.scope.child()
    for node in cls.node.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            hint = evaluator.value(node.annotation, cls.scope)
            default = MISSING if node.value is None else evaluator.value(node.value, scope)
            scope.names[node.target.id] = default
            yield cls, node.target.id, hint, _default_of(evaluator, default)


def _default_of(evaluator: Evaluator, value: Any) -> Any:
    """The value behind ``field(default=...)`` and ``field(default_factory=...)``."""
    if not isinstance(value, Constructed) or not isinstance(value.callee, Symbol):
        return value
    if value.callee.name not in ("dataclasses.field", "msgspec.field"):
        return value
    if "default" in value.kwargs:
        return value.kwargs["default"]
    factory = value.kwargs.get("default_factory")
    if isinstance(factory, FunctionValue):
        return evaluator.call_function(factory, (), {})
    empty: dict[str, Any] = {"builtins.list": [], "builtins.dict": {}, "builtins.set": set()}
    return empty.get(factory.name, value) if isinstance(factory, Symbol) else value


def _call_of_field(name: str, hint: Any, default: Any) -> tuple[list[str], dict[str, Any]] | None:
    if not isinstance(hint, Generic) or hint.base.rsplit(".", 1)[-1] != "Annotated":
        return None
    raw, meta = hint.args[0], _meta(hint.args[1:])
    if meta is None or meta.get("no_cli"):
        return None
    flag = meta.get("cli_name") or "--" + name.replace("_", "-")
    keywords = {"dest": name, **_keywords(raw, meta, default)}
    if default is not MISSING and "default" not in keywords:
        keywords["default"] = default
    return [flag, *(meta.get("aliases") or [])], {**keywords, "help": meta.get("help", "")}


def _meta(annotations: tuple[Any, ...]) -> dict[str, Any] | None:
    for item in annotations:
        if isinstance(item, str):
            return {"help": item}
        if isinstance(item, Constructed) and isinstance(item.callee, ClassValue) and item.callee.name == "Arg":
            return dict(item.kwargs)
        if isinstance(item, Opaque):
            return {"help": ""}
    return None


def _keywords(raw: Any, meta: dict[str, Any], default: Any) -> dict[str, Any]:
    if meta.get("action") is not None:
        return {"action": meta["action"], **(meta.get("action_kwargs") or {})}
    inner = _unwrap_optional(raw)
    given = {key: meta[key] for key in ("choices", "const") if meta.get(key) is not None}
    parser = meta.get("type_parser")
    if isinstance(inner, Generic) and inner.base.endswith("Literal"):
        values = list(inner.args)
        kind = Symbol(f"builtins.{type(values[0]).__name__}") if values else None
        return {"type": parser or _scalar(kind), "choices": values, **given}
    if _is_list(inner) and parser is None:
        element = inner.args[0] if isinstance(inner, Generic) else Symbol("builtins.str")
        return {"type": _scalar(element), "nargs": meta.get("nargs") or "+", **given}
    if inner == Symbol("builtins.bool"):
        return {"action": "store_true"}
    if meta.get("nargs"):
        given["nargs"] = meta["nargs"]
    if meta.get("required") is True or (meta.get("required") is None and default is MISSING):
        given["required"] = True
    return {"type": parser or _scalar(inner), **given}


def _unwrap_optional(hint: Any) -> Any:
    if isinstance(hint, Generic) and hint.base.rsplit(".", 1)[-1] in ("Optional", "Union"):
        named = [part for part in hint.args if part not in NONE]
        return named[0] if len(named) == 1 else hint
    return hint


def _is_list(hint: Any) -> bool:
    """``list[X]``; the bare ``list`` has no origin and is a string to the release."""
    return isinstance(hint, Generic) and hint.base in ("typing.List", "builtins.list")


def _scalar(hint: Any) -> Symbol:
    known = {"builtins.int", "builtins.float"}
    return hint if isinstance(hint, Symbol) and hint.name in known else Symbol("builtins.str")
