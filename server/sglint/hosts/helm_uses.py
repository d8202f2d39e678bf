"""Which values a chart's templates use, told from their text alone: no value is looked up, every branch is followed.

``with`` and ``range`` move the dot, variables and ``dict`` carry values on, and a named template is followed from
every place that includes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..records import dataclass, field
from ..text import Span
from .helm_render import Template
from .helm_syntax import Block, Call, Expression, Literal, Member, Output, Path, defined
from .helm_syntax import Node as Syntax

ANY = "*"
"""Stands in a path for any key of a map or item of a list: what a loop goes over."""

MAX_WALKS = 400
_HANDED_ON = frozenset(("default", "required", "deepCopy", "coalesce", "or", "tpl", "toString", "int", "quote"))


@dataclass(frozen=True)
class Use:
    """A place in the template at ``file`` that uses the value at ``path`` (below ``.Values``).

    ``whole``: the value is printed or handed to a function, with all that is in it.
    """

    file: str
    span: Span
    path: tuple[str, ...]
    whole: bool


@dataclass(frozen=True)
class Named:
    """A place that names a template: its ``define``, or an ``include``."""

    file: str
    span: Span
    name: str
    defines: bool


@dataclass(frozen=True)
class Bound:
    """A place where a variable gets a value (``declares``) or is used, in one file."""

    file: str
    span: Span
    name: str
    declares: bool


Symbol = tuple[str, ...] | Mapping[str, "Symbol"] | None
"""A path from the top of a chart's data, a map that a template makes, or what is not followed."""


@dataclass
class Uses:
    """What the templates of one chart use and name."""

    values: set[Use] = field(default_factory=set)
    names: set[Named] = field(default_factory=set)
    variables: set[Bound] = field(default_factory=set)


@dataclass(frozen=True)
class _Frame:
    template: Template
    dot: Symbol
    variables: dict[str, Symbol]


def uses_of(templates: Sequence[Template]) -> Uses:
    """What ``templates`` of one chart use: all its files, those with named templates only included."""
    walker = _Walker(templates)
    walker.run()
    return walker.found


class _Walker:
    def __init__(self, templates: Sequence[Template]) -> None:
        self.templates = templates
        self.found = Uses()
        self._named = {
            name: (template, body) for template in templates for name, body in defined(template.nodes).items()
        }
        self._walked: set[tuple[str, str]] = set()

    def run(self) -> None:
        for template in self.templates:
            self._walk(template.nodes, _Frame(template, (), {"$": ()}))
        walked = {name for name, _ in self._walked}
        for name in self._named.keys() - walked:
            self._enter(name, ())

    def _enter(self, name: str, dot: Symbol) -> None:
        """Follow an include; the same data is followed once."""
        if name in self._named and (name, repr(dot)) not in self._walked and len(self._walked) < MAX_WALKS:
            self._walked.add((name, repr(dot)))
            template, body = self._named[name]
            self._walk(body, _Frame(template, dot, {"$": dot}))

    def _walk(self, nodes: Sequence[Syntax], frame: _Frame) -> None:
        for node in nodes:
            if isinstance(node, Output):
                value = self._value(node.expression, frame, whole=node.variable is None)
                if node.variable is not None:
                    self._bind(node.variable, node.span, value, frame)
            elif isinstance(node, Block):
                self._block(node, frame)

    def _bind(self, name: str, action: Span, value: Symbol, frame: _Frame) -> None:
        frame.variables[name] = value
        at = frame.template.text.find(name, *action)
        self._add_variable(name, at, frame, declares=True)

    def _add_variable(self, name: str, at: int, frame: _Frame, *, declares: bool) -> None:
        if at >= 0 and name != "$":
            span = Span(at, at + len(name))
            self.found.variables.add(Bound(frame.template.path, span, name, declares))

    def _block(self, block: Block, frame: _Frame) -> None:
        if block.kind == "define":
            self._define(block, frame)
            return
        for branch in block.branches:
            inner = _Frame(frame.template, frame.dot, dict(frame.variables))
            if branch.condition is not None and block.kind != "block":
                value = self._value(branch.condition, frame, whole=len(block.variables) == 2)
                if block.kind == "range":
                    value = (*value, ANY) if isinstance(value, tuple) else None
                if block.kind in ("with", "range"):
                    inner = _Frame(frame.template, value, inner.variables)
                    self._bind_all(block, value, inner)
            self._walk(branch.body, inner)

    def _bind_all(self, block: Block, value: Symbol, frame: _Frame) -> None:
        for name, symbol in zip(reversed(block.variables), (value, None), strict=False):
            self._bind(name, block.span, symbol, frame)

    def _define(self, block: Block, frame: _Frame) -> None:
        literal = block.branches[0].condition
        if block.name is not None and isinstance(literal, Literal):
            self.found.names.add(Named(frame.template.path, literal.span, block.name, True))

    # expressions -------------------------------------------------------------------------------------------

    def _value(self, expression: Expression, frame: _Frame, *, whole: bool) -> Symbol:
        if isinstance(expression, Path):
            return self._path(expression, frame, whole=whole)
        if isinstance(expression, Member):
            value = self._value(expression.of, frame, whole=False)
            for name in expression.fields:
                value = _field(value, name)
            self._use(value, expression.span, frame, whole=whole)
            return value
        if not isinstance(expression, Call):
            return None
        if expression.name in ("include", "template"):
            self._include(expression, frame)
            return None
        if expression.name in ("index", "get", "dig") and expression.operands:
            return self._index(expression, frame, whole=whole)
        is_dict = expression.name == "dict"
        operands = [self._value(operand, frame, whole=not is_dict) for operand in expression.operands]
        if is_dict:
            keys = [key.value if isinstance(key, Literal) else None for key in expression.operands[::2]]
            return {str(key): value for key, value in zip(keys, operands[1::2], strict=False) if key is not None}
        return operands[-1] if expression.name in _HANDED_ON and operands else None

    def _include(self, call: Call, frame: _Frame) -> None:
        name = call.operands[0] if call.operands else None
        dot = self._value(call.operands[1], frame, whole=False) if len(call.operands) > 1 else None
        if isinstance(name, Literal) and isinstance(name.value, str):
            self.found.names.add(Named(frame.template.path, name.span, name.value, False))
            self._enter(name.value, dot)

    def _index(self, call: Call, frame: _Frame, *, whole: bool) -> Symbol:
        first, *keys = call.operands
        value = self._value(first, frame, whole=False)
        for number, key in enumerate(keys):
            if not isinstance(key, Literal) or not isinstance(key.value, str):
                return None
            value = _field(value, ANY if key.value.isdecimal() else key.value)
            self._use(value, key.span, frame, whole=whole and number == len(keys) - 1)
        return value

    def _path(self, path: Path, frame: _Frame, *, whole: bool) -> Symbol:
        at = path.span.start
        if path.root == ".":
            value = frame.dot
        else:
            value = frame.variables.get(path.root)
            self._add_variable(path.root, at, frame, declares=False)
            at += len(path.root)
        if not path.fields:
            self._use(value, path.span, frame, whole=whole)
        for number, name in enumerate(path.fields):
            value = _field(value, name)
            at += 1
            span = Span(at, at + len(name))
            self._use(value, span, frame, whole=whole and number == len(path.fields) - 1)
            at += len(name)
        return value

    def _use(self, value: Symbol, span: Span, frame: _Frame, *, whole: bool) -> None:
        if isinstance(value, tuple) and len(value) > 1 and value[0] == "Values":
            self.found.values.add(Use(frame.template.path, span, value[1:], whole))


def _field(value: Symbol, name: str) -> Symbol:
    if isinstance(value, tuple):
        return (*value, name)
    return value.get(name) if value is not None else None


def matches(path: Sequence[str], used: Sequence[str]) -> bool:
    """Whether two paths of one length may be the same value."""
    return len(path) == len(used) and all(ANY in pair or pair[0] == pair[1] for pair in zip(path, used, strict=True))


def users(uses: Uses, path: Sequence[str]) -> Iterator[Use]:
    """The places that use the value at ``path``, a part of it, or as a whole what it is a part of.

    Of the fields of one expression the first such one.
    """
    taken: set[tuple[str, int]] = set()
    for use in sorted(uses.values, key=lambda use: (use.file, use.span)):
        length = min(len(path), len(use.path))
        if matches(path[:length], use.path[:length]) and (len(use.path) >= len(path) or use.whole):
            if (use.file, use.span.start - 1) not in taken:
                yield use
            taken.add((use.file, use.span.end))
