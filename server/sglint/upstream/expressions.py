"""The value of one Python expression, without running the program it stands in."""

from __future__ import annotations

import ast
import builtins
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .values import ClassValue, Constructed, FunctionValue, Generic, Member, ModuleValue, Opaque, Symbol, is_known

if TYPE_CHECKING:
    from .static import Scope

_OPERATORS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}
_CALLS: Mapping[str, Callable[..., Any]] = {
    name: getattr(builtins, name)
    for name in ("list", "tuple", "set", "frozenset", "dict", "sorted", "len", "str", "int", "float", "range", "min")
}
_METHODS = frozenset(["lower", "upper", "strip", "replace", "split", "join", "get", "copy"]) | frozenset(
    ["keys", "values", "items", "union", "difference", "add", "append", "extend"]
)
_CONSTANTS = {"sys.maxsize": 2**63 - 1}
_TYPES = (Symbol, ClassValue, Generic)
MAX_DEPTH = 40


class Expressions(ABC):
    """Evaluates expressions; what names, functions and classes are is left to the subclass."""

    def __init__(self) -> None:
        self.depth = 0

    @abstractmethod
    def imported(self, module: str, name: str) -> Any:
        """What ``from module import name`` binds."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None: ...

    @abstractmethod
    def call_function(self, function: FunctionValue, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any: ...

    @abstractmethod
    def class_attribute(self, owner: ClassValue, name: str) -> Any: ...

    @abstractmethod
    def iterate(self, value: Any) -> list[Any] | None: ...

    def value(self, node: ast.expr, scope: Scope) -> Any:
        """The value of an expression; :class:`Opaque` where the program would have to run."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None or self.depth > MAX_DEPTH:
            return Opaque(ast.unparse(node))
        self.depth += 1
        try:
            return method(node, scope)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError):
            return Opaque(ast.unparse(node))
        finally:
            self.depth -= 1

    def _constant(self, node: ast.Constant, scope: Scope) -> Any:
        return node.value

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        return scope.lookup(node.id)

    def _list(self, node: ast.List, scope: Scope) -> Any:
        return self._items(node.elts, scope)

    def _tuple(self, node: ast.Tuple, scope: Scope) -> Any:
        return tuple(self._items(node.elts, scope))

    def _set(self, node: ast.Set, scope: Scope) -> Any:
        return set(self._items(node.elts, scope))

    def _items(self, nodes: list[ast.expr], scope: Scope) -> list[Any]:
        items: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                spread = self.iterate(self.value(node.value, scope))
                items += [Opaque(ast.unparse(node))] if spread is None else spread
            else:
                items.append(self.value(node, scope))
        return items

    def _dict(self, node: ast.Dict, scope: Scope) -> Any:
        table: dict[Any, Any] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            value = self.value(item, scope)
            if key is None:
                table.update(value)
            else:
                table[self.value(key, scope)] = value
        return table

    def _joinedstr(self, node: ast.JoinedStr, scope: Scope) -> Any:
        parts = []
        for part in node.values:
            value = self.value(part.value if isinstance(part, ast.FormattedValue) else part, scope)
            if not is_known(value):
                return Opaque(ast.unparse(node))
            parts.append(str(value))
        return "".join(parts)

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> Any:
        value = self.value(node.operand, scope)
        if not is_known(value):
            return Opaque(ast.unparse(node))
        return (not value) if isinstance(node.op, ast.Not) else -value

    def _binop(self, node: ast.BinOp, scope: Scope) -> Any:
        return self.binary(node.op, self.value(node.left, scope), self.value(node.right, scope), node)

    def binary(self, op: ast.operator, left: Any, right: Any, node: ast.AST) -> Any:
        if isinstance(op, ast.BitOr):
            if isinstance(left, (set, dict)):
                return operator.or_(left, right)
            if isinstance(left, _TYPES) or isinstance(right, _TYPES):
                return Generic("typing.Union", (left, right))
        apply = _OPERATORS.get(type(op))
        if apply is None or isinstance(left, Opaque) or isinstance(right, Opaque):
            return Opaque(ast.unparse(node))
        return apply(left, right)

    def _boolop(self, node: ast.BoolOp, scope: Scope) -> Any:
        value: Any = None
        for operand in node.values:
            value = self.value(operand, scope)
            if not is_known(value):
                return Opaque(ast.unparse(node))
            if bool(value) == isinstance(node.op, ast.Or):
                return value
        return value

    def _compare(self, node: ast.Compare, scope: Scope) -> Any:
        left, right = self.value(node.left, scope), self.value(node.comparators[0], scope)
        if len(node.ops) > 1 or not (is_known(left) and is_known(right)):
            return Opaque(ast.unparse(node))
        return _OPERATORS[type(node.ops[0])](left, right)

    def _ifexp(self, node: ast.IfExp, scope: Scope) -> Any:
        test = self.value(node.test, scope)
        return self.value(node.body if is_known(test) and test else node.orelse, scope)

    def _lambda(self, node: ast.Lambda, scope: Scope) -> Any:
        return FunctionValue(node, scope)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        base, index = self.value(node.value, scope), self.value(node.slice, scope)
        if isinstance(base, (Symbol, ClassValue)):
            name = base.name
            return Generic(name, index if isinstance(index, tuple) else (index,))
        return base[index]

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        return self.attribute(self.value(node.value, scope), node.attr, node)

    def attribute(self, base: Any, name: str, node: ast.AST) -> Any:
        if isinstance(base, Symbol):
            full = f"{base.name}.{name}"
            return _CONSTANTS.get(full, Symbol(full))
        if isinstance(base, ModuleValue):
            return self.imported(base.name, name)
        if isinstance(base, ClassValue):
            return self.class_attribute(base, name)
        if isinstance(base, Member):
            return {"name": base.name, "value": base.value}[name]
        return Opaque(ast.unparse(node))

    def _call(self, node: ast.Call, scope: Scope) -> Any:
        args = tuple(self._items(node.args, scope))
        kwargs: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self.value(keyword.value, scope)
            kwargs.update(value if keyword.arg is None else {keyword.arg: value})
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            owner = self.value(node.func.value, scope)
            if isinstance(owner, (str, list, tuple, dict, set, frozenset)):
                return getattr(owner, node.func.attr)(*args, **kwargs)
        callee = self.value(node.func, scope)
        if isinstance(callee, FunctionValue):
            return self.call_function(callee, args, kwargs)
        if isinstance(callee, ClassValue):
            return Constructed(callee, args, kwargs)
        if isinstance(callee, Symbol):
            return self._call_symbol(callee, args, kwargs, node)
        return Opaque(ast.unparse(node))

    def _call_symbol(self, callee: Symbol, args: tuple[Any, ...], kwargs: dict[str, Any], node: ast.Call) -> Any:
        call = _CALLS.get(callee.name.removeprefix("builtins."))
        if call is None or not callee.name.startswith("builtins."):
            return Constructed(callee, args, kwargs)
        given = [self.iterate(value) if isinstance(value, ClassValue) else value for value in args]
        if any(isinstance(value, (Opaque, Constructed, Symbol)) or value is None for value in given):
            return Opaque(ast.unparse(node))
        return call(*given, **kwargs)

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp, scope: Scope) -> Any:
        source = self.iterate(self.value(node.generators[0].iter, scope))
        if source is None or len(node.generators) > 1:
            return Opaque(ast.unparse(node))
        inner, items = scope.child(), []
        for item in source:
            self.assign(node.generators[0].target, item, inner)
            tests = [self.value(test, inner) for test in node.generators[0].ifs]
            if all(is_known(test) and test for test in tests):
                items.append(self.value(node.elt, inner))
        return items

    _generatorexp = _listcomp
