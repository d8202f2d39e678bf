"""Static evaluation of Python expressions of a release: constants, lists, enumerations, simple functions.

Nothing of the release runs. A branch whose condition cannot be known is not taken: the parser of a release in
its default surroundings is what is read.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from typing import Any

from .expressions import MAX_DEPTH, Expressions
from .source import ReleaseSource
from .syntax import absolute_module, bound_names, extended_names, flattened
from .values import ClassValue, FunctionValue, Member, ModuleValue, Opaque, Symbol, is_known


class Scope:
    """Names visible in a module or a function. Module names are evaluated when they are first asked for."""

    def __init__(self, evaluator: Evaluator, module: str, parent: Scope | None = None) -> None:
        self.evaluator = evaluator
        self.module = module
        self.parent = parent
        self.names: dict[str, Any] = {}

    @property
    def file(self) -> str:
        """Path of the module's file below ``sglang/``."""
        return (self.evaluator.source.file_of(self.module) or self.module).removeprefix("sglang/")

    def child(self) -> Scope:
        return Scope(self.evaluator, self.module, self)

    def lookup(self, name: str) -> Any:
        if name in self.names:
            return self.names[name]
        if self.parent is not None:
            return self.parent.lookup(name)
        self.names[name] = Opaque(name)
        self.names[name] = self.evaluator.bind(self, name)
        return self.names[name]


class Evaluator(Expressions):
    """Names, statements, functions and classes of one release, over its expressions."""

    def __init__(self, source: ReleaseSource) -> None:
        self.source = source
        self._modules: dict[str, Scope] = {}
        self._bindings: dict[str, dict[str, list[ast.stmt]]] = {}
        self._extended: dict[str, frozenset[str]] = {}
        super().__init__()

    def module(self, name: str) -> Scope:
        if name not in self._modules:
            self._modules[name] = Scope(self, name)
        return self._modules[name]

    def is_extensible(self, choices: Any) -> bool:
        """Whether the release hands plug-ins a function that adds to this very list (``add_..._choices``)."""
        return any(
            scope.names.get(name) is choices
            for scope in self._modules.values()
            for name in self._extended_names(scope.module)
        )

    def _extended_names(self, module: str) -> frozenset[str]:
        if module not in self._extended:
            tree = self.source.tree(module)
            self._extended[module] = extended_names(tree) if tree else frozenset()
        return self._extended[module]

    # names ---------------------------------------------------------------------------------------------------

    def bind(self, scope: Scope, name: str) -> Any:
        """The value of a module-level name after the module has run."""
        statements = self._statements(scope.module).get(name, [])
        definitions = [node for node in statements if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
        if definitions:
            return self._definition(definitions[-1], scope)
        if not statements:
            return self._from_star_imports(scope, name)
        local = scope.child()
        for node in statements:
            self.execute(node, local)
        return local.names.get(name, Opaque(name))

    def _from_star_imports(self, scope: Scope, name: str) -> Any:
        if hasattr(builtins, name):
            return Symbol(f"builtins.{name}")
        for node in self._statements(scope.module).get("*", []):
            assert isinstance(node, ast.ImportFrom)
            module = absolute_module(node, scope.module, self._is_package(scope.module))
            value = self.module(module).lookup(name) if self.source.file_of(module) else Opaque(name)
            if value != Opaque(name):
                return value
        return Opaque(name)

    def _is_package(self, module: str) -> bool:
        return (self.source.file_of(module) or "").endswith("/__init__.py")

    def _statements(self, module: str) -> dict[str, list[ast.stmt]]:
        if module not in self._bindings:
            table: dict[str, list[ast.stmt]] = {}
            tree = self.source.tree(module)
            for node in flattened(tree.body if tree else []):
                for name in bound_names(node):
                    table.setdefault(name, []).append(node)
            self._bindings[module] = table
        return self._bindings[module]

    @staticmethod
    def _definition(node: ast.stmt, scope: Scope) -> Any:
        return ClassValue(node, scope) if isinstance(node, ast.ClassDef) else FunctionValue(node, scope)  # type: ignore[arg-type]

    def imported(self, module: str, name: str) -> Any:
        if self.source.file_of(f"{module}.{name}"):
            return ModuleValue(f"{module}.{name}")
        if self.source.file_of(module):
            return self.module(module).lookup(name)
        return Symbol(f"{module}.{name}")

    # statements ----------------------------------------------------------------------------------------------

    def execute(self, node: ast.stmt, scope: Scope) -> Any:
        """Run one simple statement for its bindings. Returns what a ``return`` yields, else None."""
        if isinstance(node, ast.Assign):
            value = self.value(node.value, scope)
            for target in node.targets:
                self.assign(target, value, scope)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            old, new = scope.lookup(node.target.id), self.value(node.value, scope)
            scope.names[node.target.id] = self.binary(node.op, old, new, node)
        elif isinstance(node, ast.ImportFrom):
            module = absolute_module(node, scope.module, self._is_package(scope.module))
            for alias in node.names:
                scope.names[alias.asname or alias.name] = self.imported(module, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.split(".")[0]
                known = self.source.file_of(name)
                scope.names[alias.asname or name] = ModuleValue(name) if known else Symbol(name)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            scope.names[node.name] = self._definition(node, scope)
        elif isinstance(node, ast.Expr):
            self.value(node.value, scope)
        return None

    def assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = list(value) if isinstance(value, (list, tuple)) and len(value) == len(target.elts) else None
            for index, part in enumerate(target.elts):
                self.assign(part, parts[index] if parts else Opaque(ast.unparse(part)), scope)

    def call_function(self, function: FunctionValue, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What a simple function returns; Opaque when that cannot be told."""
        if self.depth > MAX_DEPTH:
            return Opaque(f"{function.name}()")
        scope = function.scope.child()
        self.bind_arguments(function, args, kwargs, scope)
        self.depth += 1
        try:
            if isinstance(function.node, ast.Lambda):
                return self.value(function.node.body, scope)
            for done in self._run(function.node.body, scope):
                return done[0]
        finally:
            self.depth -= 1
        return None

    def bind_arguments(
        self, function: FunctionValue, args: tuple[Any, ...], kwargs: Mapping[str, Any], scope: Scope
    ) -> None:
        parameters = function.node.args
        names = [parameter.arg for parameter in (*parameters.posonlyargs, *parameters.args)]
        for name, default in zip(names[::-1], parameters.defaults[::-1], strict=False):
            scope.names[name] = self.value(default, function.scope)
        for parameter, keyword_default in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True):
            if keyword_default is not None:
                scope.names[parameter.arg] = self.value(keyword_default, function.scope)
        scope.names.update(zip(names, args, strict=False))
        scope.names.update(kwargs)

    def _run(self, body: list[ast.stmt], scope: Scope) -> Iterator[tuple[Any]]:
        for node in self.steps(body, scope):
            if isinstance(node, ast.Return):
                yield (None if node.value is None else self.value(node.value, scope),)
                return
            self.execute(node, scope)

    def steps(self, body: list[ast.stmt], scope: Scope) -> Iterator[ast.stmt]:
        """The simple statements of a body in the order they run, branches and loops resolved."""
        for node in body:
            if isinstance(node, ast.If):
                test = self.value(node.test, scope)
                taken = node.body if is_known(test) and test else node.orelse
                yield from self.steps(taken, scope)
            elif isinstance(node, ast.For):
                for item in self.iterate(self.value(node.iter, scope)) or ():
                    self.assign(node.target, item, scope)
                    yield from self.steps(node.body, scope)
            elif isinstance(node, (ast.With, ast.Try)):
                yield from self.steps(node.body, scope)
            else:
                yield node

    # classes -------------------------------------------------------------------------------------------------

    def class_attribute(self, owner: ClassValue, name: str) -> Any:
        """A class-level name, own or inherited; members of enumerations as :class:`Member`."""
        scope = self._class_scope(owner)
        if name in scope.names:
            value = scope.names[name]
            simple = not isinstance(value, (FunctionValue, ClassValue)) and not name.startswith("_")
            return Member(name, value) if simple and self.is_enum(owner) else value
        for base in self.bases(owner):
            if isinstance(base, ClassValue):
                value = self.class_attribute(base, name)
                if not isinstance(value, Opaque):
                    return value
        return Opaque(f"{owner.name}.{name}")

    def _class_scope(self, owner: ClassValue) -> Scope:
        scope = owner.scope.child()
        for node in owner.node.body:
            self.execute(node, scope)
        return scope

    def bases(self, owner: ClassValue) -> list[Any]:
        return [self.value(base, owner.scope) for base in owner.node.bases]

    def is_enum(self, owner: ClassValue) -> bool:
        return any(
            base.name.startswith("enum.") if isinstance(base, Symbol) else self.is_enum(base)
            for base in self.bases(owner)
            if isinstance(base, (Symbol, ClassValue))
        )

    def iterate(self, value: Any) -> list[Any] | None:
        """Items of a known collection or enumeration; None when it cannot be told."""
        if isinstance(value, ClassValue) and self.is_enum(value):
            names = [name for node in value.node.body for name in bound_names(node)]
            members = [self.class_attribute(value, name) for name in names]
            return [member for member in members if isinstance(member, Member)]
        if isinstance(value, (list, tuple, set, frozenset, dict, range, type({}.keys()), type({}.items()))):
            return list(value)
        return None
