"""The flags of a release, read from its argument declarations.

Two notations are understood, alone or mixed: ``parser.add_argument`` calls (all releases) and annotated fields
that the release's ``add_cli_args_from_dataclass`` turns into such calls (0.5.13 on; one class, or one class per
namespace with a positional field order).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..catalogue import Flag, FlagTable
from ..records import dataclass
from .arguments import flag_of_call
from .fields import field_calls, record_fields
from .source import ReleaseSource
from .static import Evaluator
from .values import ClassValue, Constructed, FunctionValue, Opaque, name_of

SERVER_ARGS = "sglang.srt.server_args"
MAX_HELPERS = 8


@dataclass(frozen=True)
class ParserValue:
    """The parser, or a group of it, inside the function that declares the arguments."""

    group: str | None = None


class UnreadableRelease(ValueError):
    """The release declares its arguments in a way that is not understood; the message says what was found."""


def read_flags(source: ReleaseSource | str | Path) -> FlagTable:
    """All flags of a release's server parser, in declaration order, ``--help`` first.

    Raises :class:`UnreadableRelease`, or ``NotARelease`` for a path that holds no release.
    """
    release = source if isinstance(source, ReleaseSource) else ReleaseSource(source)
    reader = _Reader(Evaluator(release))
    flags = (Flag(("-h", "--help"), "help", action="help", type="", nargs=0), *reader.flags())
    return FlagTable(release.release, flags)


class _Reader:
    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.scope = evaluator.module(SERVER_ARGS)
        owner = self.scope.lookup("ServerArgs")
        if not isinstance(owner, ClassValue):
            raise UnreadableRelease(f"{SERVER_ARGS} has no class ServerArgs")
        self.owner = owner

    def flags(self) -> Iterator[Flag]:
        declare = self.evaluator.class_attribute(self.owner, "add_cli_args")
        if not isinstance(declare, FunctionValue):
            raise UnreadableRelease("ServerArgs has no add_cli_args")
        yield from self._of_function(declare, (ParserValue(),), f"{self.owner.name}.add_cli_args", 0)

    def _of_function(self, function: FunctionValue, args: tuple[Any, ...], symbol: str, depth: int) -> Iterator[Flag]:
        assert isinstance(function.node, ast.FunctionDef)
        scope = function.scope.child()
        self.evaluator.bind_arguments(function, args, {}, scope)
        place = f"{scope.file}:{symbol}"
        for node in self.evaluator.steps(function.node.body, scope):
            call = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
            if not isinstance(call, ast.Call):
                self.evaluator.execute(node, scope)
                continue
            owner = self.evaluator.value(call.func.value, scope) if isinstance(call.func, ast.Attribute) else None
            if isinstance(call.func, ast.Attribute) and isinstance(owner, ParserValue):
                if call.func.attr == "add_argument":
                    yield flag_of_call(*self._arguments(call, scope), self.evaluator, place, owner.group)
                elif isinstance(node, ast.Assign):
                    title = self.evaluator.value(call.args[0], scope) if call.args else None
                    for target in node.targets:
                        assert isinstance(target, ast.Name)
                        scope.names[target.id] = ParserValue(title if isinstance(title, str) else None)
                continue
            given = tuple(self.evaluator.value(arg, scope) for arg in call.args)
            if any(isinstance(value, ParserValue) for value in given):
                yield from self._of_helper(self.evaluator.value(call.func, scope), given, depth)
            else:
                self.evaluator.execute(node, scope)

    def _of_helper(self, callee: Any, given: tuple[Any, ...], depth: int) -> Iterator[Flag]:
        """Flags that a function adds which was handed the parser."""
        if not isinstance(callee, FunctionValue) or depth >= MAX_HELPERS:
            raise UnreadableRelease(f"the parser is handed to {name_of(callee)}, which cannot be followed")
        if callee.name == "add_cli_args_from_dataclass":
            for names, keywords, place, group in field_calls(self.evaluator, self.scope, self.owner):
                yield flag_of_call(names, keywords, self.evaluator, place, group)
        else:
            yield from self._of_function(callee, given, callee.name, depth + 1)

    def _arguments(self, call: ast.Call, scope: Any) -> tuple[list[str], dict[str, Any]]:
        names = [self.evaluator.value(arg, scope) for arg in call.args]
        keywords: dict[str, Any] = {}
        for keyword in call.keywords:
            value = self.evaluator.value(keyword.value, scope)
            keywords.update(value if keyword.arg is None else {keyword.arg: value})
        if isinstance(keywords.get("default"), (Constructed, Opaque)):
            keywords["default"] = self._declared_default(call, keywords["default"])
        unknown = [name for name in names if not isinstance(name, str)]
        if unknown or not names:
            raise UnreadableRelease(f"an argument has a name that is computed: {ast.unparse(call)[:80]}")
        return names, keywords

    def _declared_default(self, call: ast.Call, computed: Any) -> Any:
        """The field's own default where the release asks its record for it (``_declared_default(name)``, 0.5.20 on)."""
        node = next(keyword.value for keyword in call.keywords if keyword.arg == "default")
        if not (isinstance(node, ast.Call) and ast.unparse(node.func) == "_declared_default"):
            return computed
        asked = ast.literal_eval(node.args[0])
        fields = record_fields(self.evaluator, self.scope, self.owner)
        return next((default for _, name, _, default in fields if name == asked), computed)
