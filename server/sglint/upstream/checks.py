"""The inventory of checks: every place in a release where a launch can be refused on the way to a running server."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from ..records import dataclass
from .source import ReleaseSource

HEAD = 60
AREAS = (
    "srt/server_args",
    "srt/arg_groups/",
    "srt/utils/server_args_config_parser.py",
    "srt/configs/model_config.py",
    "srt/mem_cache/",
    "srt/model_executor/",
    "srt/speculative/",
    "srt/disaggregation/",
)
"""Where launches are refused, as beginnings of paths below ``sglang/``."""

Kind = Literal["raise", "assert", "error"]


@dataclass(frozen=True, order=True)
class Check:
    """One refusal. ``file`` is below ``sglang/``, ``symbol`` the function it stands in (``Class.method``).

    ``kind``: ``raise`` of ``exception``, an ``assert``, or a call of a parser's ``error``. ``head`` is the constant
    beginning of its message, at most 60 characters; empty where the message begins with a value.
    """

    file: str
    symbol: str
    kind: Kind
    exception: str
    head: str


@dataclass(frozen=True)
class CheckDiff:
    """Checks that went and came; ``moved`` are pairs of the same refusal at another place."""

    gone: tuple[Check, ...]
    new: tuple[Check, ...]
    moved: tuple[tuple[Check, Check], ...]


def read_checks(source: ReleaseSource | str | Path, areas: Sequence[str] = AREAS) -> tuple[Check, ...]:
    """All checks of a release, by file and in source order. Raises ``NotARelease``."""
    release = source if isinstance(source, ReleaseSource) else ReleaseSource(source)
    found: list[Check] = []
    for name in sorted(release.files):
        file = name.removeprefix("sglang/")
        if name.startswith("sglang/") and file.startswith(tuple(areas)):
            tree = release.tree(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
            found += _checks(tree, file, ()) if tree else ()
    return tuple(found)


def diff_checks(before: Sequence[Check], after: Sequence[Check]) -> CheckDiff:
    """Compare two inventories; a check is the same when its place, kind and message agree."""
    gone = list((Counter(before) - Counter(after)).elements())
    new = list((Counter(after) - Counter(before)).elements())
    moved = []
    for check in list(gone):
        twin = next((other for other in new if check.head and _message(other) == _message(check)), None)
        if twin is not None:
            gone.remove(check)
            new.remove(twin)
            moved.append((check, twin))
    return CheckDiff(tuple(sorted(gone)), tuple(sorted(new)), tuple(moved))


def _message(check: Check) -> tuple[str, str]:
    return check.exception, check.head


def _checks(node: ast.AST, file: str, path: tuple[str, ...]) -> Iterator[Check]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield from _checks(child, file, (*path, child.name))
            continue
        if path:
            yield from _check(child, file, ".".join(path))
        yield from _checks(child, file, path)


def _check(node: ast.AST, file: str, symbol: str) -> Iterator[Check]:
    if isinstance(node, ast.Assert):
        yield Check(file, symbol, "assert", "AssertionError", _head(node.msg))
    elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        name = ast.unparse(node.exc.func)
        yield Check(file, symbol, "raise", name, _head(node.exc.args[0] if node.exc.args else None))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "error":
        owner = ast.unparse(node.func.value)
        if owner.endswith("parser"):
            yield Check(file, symbol, "error", "SystemExit", _head(node.args[0] if node.args else None))


def _head(message: ast.expr | None) -> str:
    if isinstance(message, ast.Constant) and isinstance(message.value, str):
        return message.value[:HEAD]
    if isinstance(message, ast.JoinedStr):
        first = message.values[0] if message.values else None
        return _head(first) if isinstance(first, ast.Constant) else ""
    if isinstance(message, ast.BinOp) and isinstance(message.op, ast.Add):
        return _head(message.left)
    if isinstance(message, ast.Call) and isinstance(message.func, ast.Attribute) and message.func.attr == "format":
        return _head(message.func.value).split("{")[0]
    return ""
