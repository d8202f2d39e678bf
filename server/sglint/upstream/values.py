"""What a static reading of Python source can know about a value.

Plain Python values stand for themselves; the classes here stand for things that are only referred to.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ..records import dataclass, field

if TYPE_CHECKING:
    from .static import Scope


@dataclass(frozen=True)
class Opaque:
    """A value that needs the program to run; ``text`` is the expression that computes it."""

    text: str


@dataclass(frozen=True)
class Symbol:
    """Something outside the release, by dotted name (``argparse.BooleanOptionalAction``, ``builtins.int``)."""

    name: str


@dataclass(frozen=True)
class ModuleValue:
    name: str


@dataclass(frozen=True, eq=False)
class ClassValue:
    """A class of the release and the scope its body is read in."""

    node: ast.ClassDef
    scope: Scope

    @property
    def name(self) -> str:
        return self.node.name


@dataclass(frozen=True, eq=False)
class FunctionValue:
    node: ast.FunctionDef | ast.Lambda
    scope: Scope

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "lambda"


@dataclass(frozen=True)
class Member:
    """A member of an enumeration."""

    name: str
    value: Any


@dataclass(frozen=True)
class Generic:
    """A subscripted or united type: ``Optional[int]``, ``str | None``."""

    base: str
    args: tuple[Any, ...]


@dataclass(frozen=True)
class Constructed:
    """The result of calling a class or something outside the release."""

    callee: Any
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


def name_of(value: Any) -> str:
    """How a converter, action or computation is named in the catalogue."""
    if isinstance(value, Symbol):
        return value.name.removeprefix("builtins.")
    if isinstance(value, (ClassValue, FunctionValue)):
        return value.name
    if isinstance(value, Opaque):
        return value.text
    if isinstance(value, Constructed):
        return f"{name_of(value.callee)}()"
    return repr(value)


def is_known(value: Any) -> bool:
    """Whether a value, with everything inside it, is a plain Python value (members of enumerations count)."""
    if isinstance(value, (str, int, float, bool, type(None), Member)):
        return True
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(is_known(item) for item in value)
    if isinstance(value, dict):
        return all(is_known(item) for pair in value.items() for item in pair)
    return False


def plain(value: Any) -> Any:
    """A known value as the parser would hold it, members by their values; sets become sorted lists."""
    if isinstance(value, Member):
        return plain(value.value)
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    return value
