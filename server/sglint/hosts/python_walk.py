"""Statements of a Python program in the order in which they run, each function once, behind what is around it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Protocol

from ..records import dataclass, field
from ..text import Mapped, Span
from .python_expressions import MAX_EXPRESSIONS, MAX_TURNS, MAX_TURNS_INSIDE, Expressions
from .python_scope import Scope
from .python_values import Choice, Constant, Item, Listing, Text, Unknown, Value, hole, listing, maybe, unknown_at

MAX_STATEMENTS = 60_000


class Finds(Protocol):
    """What is told of a program while it is walked."""

    quiet: int

    def left(self, value: Listing) -> None:
        """A list that may be a command line, as it is when its names go."""

    def limit(self, message: str, span: Span) -> None:
        """Something was not read."""

    def enter(self, decorators: Sequence[ast.expr], scope: Scope) -> None:
        """The body below these decorators begins."""


@dataclass
class _Body:
    """A function that is to be walked: ``fields`` are the attributes of its class."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    around: Scope
    owner: ast.ClassDef | None = None
    fields: dict[str, Value] = field(default_factory=dict)


class Walk:
    """One way through a module."""

    def __init__(self, expressions: Expressions, finds: Finds) -> None:
        self.expressions = expressions
        self.finds = finds
        self._later: list[_Body] = []
        self._spent = 0
        self._unrolled = 1
        self._owner: ast.ClassDef | None = None
        self._fields: dict[str, Value] = {}

    def module(self, module: ast.Module) -> None:
        """Walk the module, then its functions in the order of the text, then those inside them."""
        scope = Scope()
        self.block(module.body, scope)
        while self._later:
            waiting, self._later = self._later, []
            for body in waiting:
                self._function(body)
        self._forget(scope)
        if self.expressions.exhausted:
            self.finds.limit(f"Reading this file stopped after {MAX_EXPRESSIONS:,} expressions.", Span(0, 0))

    def block(self, statements: Iterable[ast.stmt], scope: Scope) -> None:
        for statement in statements:
            self._spent += 1
            if self._spent > MAX_STATEMENTS:
                self.finds.limit(f"Reading this file stopped after {MAX_STATEMENTS:,} statements.", Span(0, 0))
                return
            if scope.over:
                return
            span = self.expressions.source.span(statement)
            self.expressions.statement = span.start
            try:
                self._statement(statement, scope)
            except RecursionError:
                self.finds.limit("A statement here is nested too deeply to be read.", Span(span.start, span.start + 1))

    def _statement(self, node: ast.stmt, scope: Scope) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            self._assign(node, scope)
        elif isinstance(node, ast.Expr):
            self.expressions.value(node.value, scope)
        elif isinstance(node, ast.If):
            self._if(node, scope)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._for(node, scope)
        elif isinstance(node, ast.While):
            self.expressions.value(node.test, scope)
            self._loop(node.body, scope)
            self.block(node.orelse, scope)
        elif isinstance(node, ast.Return):
            self._return(node, scope)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._later.append(_Body(node, scope, self._owner, self._fields))
            scope.names.pop(node.name, None)
        elif isinstance(node, ast.ClassDef):
            self._class(node, scope)
        elif isinstance(node, ast.With | ast.AsyncWith):
            self._with(node, scope)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node, scope)
        else:
            self._other(node, scope)

    def _other(self, node: ast.stmt, scope: Scope) -> None:
        if isinstance(node, ast.Raise | ast.Assert):
            self._quietly(node, scope)
            scope.over = isinstance(node, ast.Raise)
        elif isinstance(node, ast.Continue | ast.Break):
            scope.turns.append(scope.branch())
            scope.over = True
        elif isinstance(node, ast.Match):
            self.expressions.value(node.subject, scope)
            self._branches([case.body for case in node.cases], scope, may_pass=True)
        elif hasattr(node, "handlers"):
            self._try(node, scope)

    def _quietly(self, node: ast.stmt, scope: Scope) -> None:
        self.finds.quiet += 1
        try:
            for child in ast.iter_child_nodes(node):
                self.expressions.visit(child, scope)
        finally:
            self.finds.quiet -= 1

    def _assign(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, scope: Scope) -> None:
        if node.value is None:
            return
        value = self.expressions.value(node.value, scope)
        if isinstance(node, ast.AugAssign):
            name = self.expressions.path(node.target, scope)
            before = scope.get(name)
            if before is None or not isinstance(node.op, ast.Add):
                self.expressions.forget(node.target, scope)
            else:
                scope.grow(name, self.expressions.sum(before, value, node))
            return
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            self.expressions.bind(target, value, scope)

    def _if(self, node: ast.If, scope: Scope) -> None:
        if _is_main(node.test):
            self.block(node.body, scope)
            return
        self.expressions.value(node.test, scope)
        said = self._truth(node.test, scope) if self._unrolled > 1 else None
        if said is not None:
            self.block(node.body if said else node.orelse, scope)
            return
        self._branches([node.body, node.orelse], scope, may_pass=False)

    def _branches(self, bodies: Sequence[Sequence[ast.stmt]], scope: Scope, *, may_pass: bool) -> None:
        ways = [scope.branch() for _ in bodies]
        for body, way in zip(bodies, ways, strict=True):
            self.block(body, way)
        scope.join(*ways, *((scope.branch(),) if may_pass else ()))

    def _truth(self, node: ast.expr, scope: Scope) -> bool | None:
        """What a condition on the element of a known list says; None when that is not known."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._truth(node.operand, scope)
            return None if inner is None else not inner
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left = _plain(self.expressions.value(node.left, scope))
            right = _plain(self.expressions.value(node.comparators[0], scope))
            if left is ... or right is ...:
                return None
            if isinstance(node.ops[0], ast.Is | ast.Eq):
                return type(left) is type(right) and left == right
            if isinstance(node.ops[0], ast.IsNot | ast.NotEq):
                return type(left) is not type(right) or left != right
            return None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            value = _plain(self.expressions.value(node.args[0], scope)) if len(node.args) == 2 else ...
            kind = {"bool": bool, "str": str, "int": int, "float": float}.get(getattr(node.args[-1], "id", ""))
            return None if value is ... or kind is None else isinstance(value, kind)
        value = _plain(self.expressions.value(node, scope)) if isinstance(node, ast.Name) else ...
        return None if value is ... else bool(value)

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        turns = self.expressions.elements(self.expressions.value(node.iter, scope))
        if len(turns) > MAX_TURNS or any(turn.many for turn in turns) or self._unrolled * len(turns) > MAX_TURNS_INSIDE:
            self.expressions.forget(node.target, scope)
            self._loop(node.body, scope)
        else:
            before, self._unrolled = self._unrolled, max(self._unrolled * len(turns), 2)
            for turn in turns:
                self._turn(node, turn, scope)
            self._unrolled = before
        self.block(node.orelse, scope)

    def _turn(self, node: ast.For | ast.AsyncFor, turn: Item, scope: Scope) -> None:
        way = scope.branch()
        way.turns = []
        again = set(way.again)
        self.expressions.bind(node.target, turn.value, way)
        self.block(node.body, way)
        way.again = again
        scope.join(way, *way.turns, *((scope.branch(),) if turn.presence == "maybe" else ()))

    def _loop(self, body: Sequence[ast.stmt], scope: Scope) -> None:
        """A body that runs any number of times: what it adds to a list is there any number of times."""
        way = scope.branch()
        way.turns = []
        self.block(body, way)
        way.join(way.branch(), *way.turns)
        for name, value in way.names.items():
            before = scope.names.get(name)
            if isinstance(before, Listing) and isinstance(value, Listing):
                way.names[name] = _repeated(before, value)
        way.over = False
        scope.join(scope.branch(), way)

    def _return(self, node: ast.Return, scope: Scope) -> None:
        if node.value is not None:
            value = self.expressions.value(node.value, scope)
            for option in value.options if isinstance(value, Choice) else (value,):
                if isinstance(option, Listing):
                    self.finds.left(option)
        scope.over = True

    def _with(self, node: ast.With | ast.AsyncWith, scope: Scope) -> None:
        for item in node.items:
            self.expressions.value(item.context_expr, scope)
            if item.optional_vars is not None:
                self.expressions.forget(item.optional_vars, scope)
        self.block(node.body, scope)

    def _try(self, node: ast.stmt, scope: Scope) -> None:
        """``try`` and ``try`` with groups of exceptions, which have the same parts."""
        before = scope.branch()
        self.block(getattr(node, "body", ()), scope)
        self.block(getattr(node, "orelse", ()), scope)
        ways = [scope.branch()]
        for handler in getattr(node, "handlers", ()):
            way = before.branch()
            self.block(handler.body, way)
            ways.append(way)
        scope.over = False
        scope.join(*ways)
        self.block(getattr(node, "finalbody", ()), scope)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            name = alias.asname or (alias.name if module else alias.name.partition(".")[0])
            path = f"{module}.{alias.name}" if module else alias.name if alias.asname else name
            scope.names[name] = Unknown(Mapped.whole(name, self.expressions.source.span(node)), path)

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        inner = Scope(scope)
        before = self._owner, self._fields
        self._owner, self._fields = node, {}
        fields = self._fields
        self.finds.enter(node.decorator_list, scope)
        self.block(node.body, inner)
        fields.update(inner.names)
        self._owner, self._fields = before
        self._forget(inner)

    def _function(self, body: _Body) -> None:
        scope = Scope(body.around)
        for name, value in body.fields.items():
            # A class that says nothing leaves it to those made from it.
            known = unknown_at(value) if _is_nothing(value) else value
            scope.names[f"self.{name}"] = scope.names[f"cls.{name}"] = known
        given = dict(scope.names)
        for argument in _arguments(body.node.args):
            span = self.expressions.source.span(argument)
            scope.names[argument.arg] = Unknown(Mapped.whole(argument.arg, span))
        self._owner, self._fields = None, {}
        above = body.owner.decorator_list if body.owner is not None else []
        self.finds.enter([*body.node.decorator_list, *above], scope)
        self.block(body.node.body, scope)
        for name, value in scope.names.items():
            owner, _, attribute = name.partition(".")
            if owner in ("self", "cls") and attribute and given.get(name) is not value:
                before = body.fields.get(attribute)
                body.fields[attribute] = value if before is None or _is_nothing(before) else unknown_at(value)
        self._forget(scope)

    def _forget(self, scope: Scope) -> None:
        for value in scope.names.values():
            for option in value.options if isinstance(value, Choice) else (value,):
                if isinstance(option, Listing):
                    self.finds.left(option)


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [*found, *(star for star in (arguments.vararg, arguments.kwarg) if star is not None)]


def _is_main(test: ast.expr) -> bool:
    """``__name__ == "__main__"``."""
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def _is_nothing(value: Value) -> bool:
    return (isinstance(value, Constant) and value.value is None) or (isinstance(value, Text) and not value.known)


def _plain(value: Value) -> object:
    """The Python value, an ellipsis when it is not known."""
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Text):
        known = value.known
        return ... if known is None else known
    return ...


def _repeated(before: Listing, after: Listing) -> Listing:
    count = len(before.items)
    if after.items[:count] != before.items:
        return after
    rest: list[Item] = []
    for item in after.items[count:]:
        span = _unknown_span(item)
        rest.append(maybe(item) if span is None else hole(Mapped.whole("...", span)))
    return listing((*before.items, *rest), after.span, after.first)


def _unknown_span(item: Item) -> Span | None:
    if isinstance(item.value, Unknown):
        return item.value.mapped.span()
    if isinstance(item.value, Text) and item.value.known is None and len(item.value.parts) == 1:
        return item.value.parts[0].placed.span()
    return None
