"""Questions about Python statements that need no evaluation."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def flattened(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Module statements, those of both branches of ``if`` and of what ``try`` tries included."""
    for node in body:
        if isinstance(node, ast.If):
            yield from flattened(node.body)
            yield from flattened(node.orelse)
        elif isinstance(node, ast.Try):
            yield from flattened([*node.body, *node.orelse])
        else:
            yield node


def bound_names(node: ast.stmt) -> list[str]:
    """Names that a statement binds or changes in place (``NAMES.extend(...)``)."""
    if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    if isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        return [node.target.id] if isinstance(node.target, ast.Name) else []
    if isinstance(node, ast.Assign):
        return [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        owner = node.value.func.value
        return [owner.id] if isinstance(owner, ast.Name) and node.value.func.attr in ("extend", "append") else []
    return []


def absolute_module(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """Dotted name of the module that a ``from`` import in ``module`` reads."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, *([node.module] if node.module else [])])


def extended_names(tree: ast.Module) -> frozenset[str]:
    """Module lists that others may extend: through a function ``add_...``, or a name for the list's own method."""
    found: set[str] = set()
    for node in tree.body:
        is_adder = isinstance(node, ast.FunctionDef) and node.name.startswith("add_")
        if is_adder or (isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute)):
            found |= {
                part.value.id
                for part in ast.walk(node)
                if isinstance(part, ast.Attribute)
                and part.attr in ("extend", "append")
                and isinstance(part.value, ast.Name)
            }
    return frozenset(found)
