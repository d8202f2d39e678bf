"""Text of a condition to the plain tree that rule bundles keep.

A condition is a Python expression of names, literals, tuples, sets, comparisons, ``and``, ``or``, ``not``,
``+ - * // %`` and the helpers ``any_in(values, allowed)``, ``all_in(values, allowed)`` and ``switched_on(value)``;
nothing else.
"""

from __future__ import annotations

import ast
from typing import Any

from .expr import FUNCTIONS, Tree

ROOTS = frozenset(("args", "given", "model", "draft", "gpu", "env", "resolved", "memory"))
"""First parts of fact names; ``release`` alone is a fact too."""

_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}


class ConditionError(ValueError):
    """The text is no condition; the message says what is not understood."""


def parse(text: str) -> Tree:
    """Raises :class:`ConditionError`."""
    try:
        tree = ast.parse(" ".join(text.split()), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConditionError(f"not an expression: {getattr(error, 'msg', None) or error}") from None
    return _tree(tree.body)


def names(tree: Tree) -> tuple[str, ...]:
    """All fact names in a tree."""
    if tree[0] == "name":
        return (tree[1],)
    if tree[0] == "const":
        return ()
    if tree[0] == "not":
        return names(tree[1])
    return tuple(dict.fromkeys(name for part in tree[-1] for name in names(part)))


def _tree(node: ast.expr) -> Tree:
    if isinstance(node, ast.Constant):
        if node.value is None or isinstance(node.value, bool | int | float | str):
            return ["const", node.value]
    elif isinstance(node, ast.Name | ast.Attribute):
        return ["name", _fact(node)]
    elif isinstance(node, ast.BoolOp):
        return ["and" if isinstance(node.op, ast.And) else "or", _trees(node.values)]
    elif isinstance(node, ast.UnaryOp):
        if isinstance(node.op, ast.Not):
            return ["not", _tree(node.operand)]
        if isinstance(node.op, ast.USub):
            return ["negative", [_tree(node.operand)]]
    elif isinstance(node, ast.Compare):
        return _comparison(node)
    elif isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        return [_ARITHMETIC[type(node.op)], _trees([node.left, node.right])]
    elif isinstance(node, ast.Tuple | ast.Set):
        return ["display", _trees(node.elts)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        wanted = FUNCTIONS[node.func.id]
        if len(node.args) != wanted or node.keywords:
            raise ConditionError(f"{node.func.id} takes {('one value', 'two values')[wanted - 1]}")
        return [node.func.id, _trees(node.args)]
    raise ConditionError(f"{ast.unparse(node)!r} is more than conditions can say; name it as a derived fact")


def _trees(nodes: list[ast.expr]) -> list[Any]:
    return [_tree(node) for node in nodes]


def _comparison(node: ast.Compare) -> Tree:
    operands = [node.left, *node.comparators]
    for operator, right in zip(node.ops, node.comparators, strict=True):
        is_none = isinstance(right, ast.Constant) and right.value is None
        if isinstance(operator, ast.Is | ast.IsNot) and not is_none:
            raise ConditionError("'is' is for None; compare other values with ==")
    return ["compare", [_COMPARE[type(operator)] for operator in node.ops], _trees(operands)]


def _fact(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        raise ConditionError(f"{ast.unparse(node)!r} is not the name of a fact")
    name = ".".join((node.id, *reversed(parts)))
    if name != "release" and (node.id not in ROOTS or not parts):
        raise ConditionError(f"{name!r} is not the name of a fact; names begin with {', '.join(sorted(ROOTS))}")
    return name
