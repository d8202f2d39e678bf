"""Conditions of rules: nodes that answer true, false or unknown about a launch, and say which facts decided.

A condition is built from the plain tree that :mod:`sglint.rules.grammar` makes of its text, so that a run pays
neither for parsing nor for the ``ast`` module. Logic is Kleene's: ``and`` with a false operand is false whatever
the others are, ``or`` with a true one true; everything else that touches an unknown fact is unknown.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..facts import Facts, Unknown

Truth = bool | Unknown
Look = Callable[[str], Any]
Tree = list[Any]


class Outcome(NamedTuple):
    """``truth`` and the names of the facts that decided it (of an unknown: those that are undecided)."""

    truth: Truth
    decided: tuple[str, ...]


class Node:
    """One part of a condition.

    Plain classes here: making data classes takes milliseconds of every start of the program.
    """

    __slots__ = ()

    def value(self, look: Look) -> Any:
        """Its value, or :class:`Unknown`."""
        raise NotImplementedError

    def names(self) -> tuple[str, ...]:
        """All facts it reads, in order, each once."""
        return tuple(dict.fromkeys(self._names()))

    def truth(self, look: Look) -> Truth:
        value = self.value(look)
        return value if isinstance(value, Unknown) else bool(value)

    def decided(self, look: Look) -> tuple[str, ...]:
        """Facts that make :meth:`truth` what it is; of an unknown only the undecided ones."""
        names = self.names()
        if isinstance(self.truth(look), Unknown):
            return tuple(name for name in names if isinstance(look(name), Unknown))
        return names

    def _names(self) -> Iterable[str]:
        return ()


class Constant(Node):
    __slots__ = ("literal",)

    def __init__(self, literal: Any) -> None:
        self.literal = literal

    def value(self, look: Look) -> Any:
        return self.literal


class Name(Node):
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def value(self, look: Look) -> Any:
        return look(self.name)

    def truth(self, look: Look) -> Truth:
        value = look(self.name)
        return value if value.__class__ is Unknown else bool(value)

    def _names(self) -> Iterable[str]:
        return (self.name,)


class Test(Name):
    """A fact compared with a constant, as most conditions begin."""

    __slots__ = ("compare", "constant")

    def __init__(self, name: str, compare: Callable[[Any, Any], bool], constant: Any) -> None:
        super().__init__(name)
        self.compare = compare
        self.constant = constant

    def value(self, look: Look) -> Any:
        value = look(self.name)
        return value if value.__class__ is Unknown else self.compare(value, self.constant)

    def truth(self, look: Look) -> Truth:
        value = look(self.name)
        return value if value.__class__ is Unknown else self.compare(value, self.constant)


class Operands(Node):
    """A node over several parts."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Node, ...]) -> None:
        self.parts = parts

    def known(self, look: Look) -> list[Any] | Unknown:
        """Values of the parts, or what is unknown among them."""
        values = []
        unknown: Unknown | None = None
        for part in self.parts:
            value = part.value(look)
            if isinstance(value, Unknown):
                unknown = value if unknown is None else unknown | value
            values.append(value)
        return values if unknown is None else unknown

    def _names(self) -> Iterable[str]:
        for part in self.parts:
            yield from part.names()


class Display(Operands):
    """``(a, b)`` or ``{a, b}``: both are tuples here, since members need not be hashable."""

    __slots__ = ()

    def value(self, look: Look) -> Any:
        values = self.known(look)
        return values if isinstance(values, Unknown) else tuple(values)


class Compare(Operands):
    """``a < b <= c``, with its operators."""

    __slots__ = ("operators",)

    def __init__(self, parts: tuple[Node, ...], operators: tuple[str, ...]) -> None:
        super().__init__(parts)
        self.operators = operators

    def value(self, look: Look) -> Any:
        values = self.known(look)
        if isinstance(values, Unknown):
            return values
        if len(values) == 2:
            return _COMPARE[self.operators[0]](values[0], values[1])
        pairs = zip(self.operators, values, values[1:], strict=False)
        return all(_COMPARE[name](left, right) for name, left, right in pairs)


class Call(Operands):
    """Arithmetic, and the helpers ``any_in``, ``all_in`` and ``switched_on``."""

    __slots__ = ("function",)

    def __init__(self, parts: tuple[Node, ...], function: str) -> None:
        super().__init__(parts)
        self.function = function

    def value(self, look: Look) -> Any:
        values = self.known(look)
        return values if isinstance(values, Unknown) else _CALLS[self.function](*values)


class Not(Node):
    __slots__ = ("part",)

    def __init__(self, part: Node) -> None:
        self.part = part

    def value(self, look: Look) -> Any:
        truth = self.part.truth(look)
        return truth if isinstance(truth, Unknown) else not truth

    def decided(self, look: Look) -> tuple[str, ...]:
        return self.part.decided(look)

    def _names(self) -> Iterable[str]:
        return self.part.names()


class Junction(Node):
    """``and`` (``stop`` False) and ``or`` (``stop`` True): the first part that equals ``stop`` settles it.

    Most are settled by their very first part, so the others are built when one was not.
    """

    __slots__ = ("_others", "_rest", "first", "stop")

    def __init__(self, trees: list[Tree], stop: bool) -> None:
        self.first = build(trees[0])
        self.stop = stop
        self._others = trees[1:]
        self._rest: tuple[Node, ...] = ()

    @property
    def rest(self) -> tuple[Node, ...]:
        if not self._rest:
            self._rest = _parts(self._others)
        return self._rest

    def truth(self, look: Look) -> Truth:
        # This does without the generator of `_truths`, for speed.
        truth = self.first.truth(look)
        if truth is self.stop:
            return truth
        unknown = truth if isinstance(truth, Unknown) else None
        for part in self.rest:
            try:
                truth = part.truth(look)
            except TypeError:
                if unknown is None:
                    raise
                continue
            if truth is self.stop:
                return truth
            if isinstance(truth, Unknown):
                unknown = truth if unknown is None else unknown | truth
        return (not self.stop) if unknown is None else unknown

    def value(self, look: Look) -> Truth:
        return self.truth(look)

    def decided(self, look: Look) -> tuple[str, ...]:
        settled = self.truth(look)
        names: dict[str, None] = {}
        for part, truth in self._truths(look):
            if settled is self.stop and truth is self.stop:
                return part.decided(look)
            if isinstance(truth, Unknown) or not isinstance(settled, Unknown):
                names.update(dict.fromkeys(part.decided(look)))
        return tuple(names)

    def _names(self) -> Iterable[str]:
        for part in (self.first, *self.rest):
            yield from part.names()

    def _truths(self, look: Look) -> Iterator[tuple[Node, Truth]]:
        """The parts with their truth, without those that fail behind an unknown guard.

        "x is not None and x > 3" guards its second part; a guard that is unknown cannot.
        """
        guarded = True
        for part in (self.first, *self.rest):
            try:
                truth = part.truth(look)
            except TypeError:
                if guarded:
                    raise
                continue
            guarded = guarded and not isinstance(truth, Unknown)
            yield part, truth


def build(tree: Tree) -> Node:
    """The condition of a tree ``[kind, ...]`` made by :func:`sglint.rules.grammar.parse`."""
    kind, *rest = tree
    if kind == "name":
        return Name(rest[0])
    if kind == "const":
        return Constant(rest[0])
    if kind == "not":
        return Not(build(rest[0]))
    if kind == "compare":
        return _comparison(rest[0], rest[1])
    if kind in ("and", "or"):
        return Junction(rest[0], kind == "or")
    parts = _parts(rest[0])
    if kind == "display":
        literals = tuple(part.literal for part in parts if isinstance(part, Constant))
        return Constant(literals) if len(literals) == len(parts) else Display(parts)
    return Call(parts, kind)


def _comparison(operators: list[str], trees: list[Tree]) -> Node:
    parts = _parts(trees)
    if len(parts) == 2 and type(parts[0]) is Name and isinstance(parts[1], Constant):
        return Test(parts[0].name, _COMPARE[operators[0]], parts[1].literal)
    return Compare(parts, tuple(operators))


def evaluate(node: Node, facts: Facts) -> Outcome:
    """Truth of a condition over the facts of a launch, and what decided it.

    Raises what comparing unlike things raises (TypeError): a mistake in the rule.
    """
    look = facts.look
    return Outcome(node.truth(look), node.decided(look))


def _parts(trees: Iterable[Tree]) -> tuple[Node, ...]:
    return tuple(build(tree) for tree in trees)


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _any_in(members: Any, allowed: Any) -> bool:
    return any(member in allowed for member in _as_tuple(members))


def _switched_on(value: Any) -> bool:
    """``EnvBool.parse`` (``srt/environ.py``); a value that is neither yes nor no leaves the variable off."""
    return str(value).lower() in ("true", "1", "yes", "y")


def _all_in(members: Any, allowed: Any) -> bool:
    return all(member in allowed for member in _as_tuple(members))


def _unless_zero(divide: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A user may write 0 where a release divides; what becomes of the launch then no condition says."""
    return lambda left, right: Unknown(("what a division by 0 comes to",)) if right == 0 else divide(left, right)


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda member, holder: member in holder,
    "not in": lambda member, holder: member not in holder,
    "is": lambda left, right: left is right,
    "is not": lambda left, right: left is not right,
}
_CALLS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": _unless_zero(operator.floordiv),
    "%": _unless_zero(operator.mod),
    "negative": operator.neg,
    "any_in": _any_in,
    "all_in": _all_in,
    "switched_on": _switched_on,
}
FUNCTIONS = {"any_in": 2, "all_in": 2, "switched_on": 1}
"""Helpers that conditions may call, and how many values each takes."""
