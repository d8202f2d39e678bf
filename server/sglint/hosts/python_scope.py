"""Names of a module, a function or a class, and what they stand for at a point of the program."""

from __future__ import annotations

from ..records import dataclass, field
from .python_values import Value, merged, unknown_at

ENVIRONMENT = "os.environ"
"""The name under which the variables of this process are kept."""


@dataclass
class Scope:
    """Names on the way through a body.

    again
        names that were given a value more than once: what a function called later finds there is not known.
    over
        the rest of the body is not reached on this way (``return``, ``raise``).
    turns
        ways that went on with the next turn of the loop around, or left it.
    """

    around: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)
    again: set[str] = field(default_factory=set)
    over: bool = False
    turns: list[Scope] = field(default_factory=list)

    def get(self, name: str) -> Value | None:
        """What the name stands for; None where nothing here gives it a value."""
        found = self.names.get(name)
        if found is not None:
            return found
        outer = self.around
        while outer is not None:
            found = outer.names.get(name)
            if found is not None:
                return unknown_at(found) if name in outer.again else found
            outer = outer.around
        return None

    def set(self, name: str, value: Value) -> None:
        """Give the name a value by an assignment."""
        if name in self.names:
            self.again.add(name)
        self.names[name] = value

    def grow(self, name: str, value: Value) -> None:
        """The name's value changed in place."""
        self.names[name] = value

    def branch(self) -> Scope:
        """This scope on one of several ways."""
        return Scope(self.around, dict(self.names), set(self.again), self.over, self.turns)

    def join(self, *ways: Scope) -> None:
        """Go on behind ``ways``, of which one was taken."""
        open_ways = [way for way in ways if not way.over]
        for way in ways:
            self.again |= way.again
        if not open_ways:
            self.over = True
            return
        first, *others = open_ways
        names = dict(first.names)
        for other in others:
            for name, value in other.names.items():
                mine = names.get(name)
                if mine is not value:
                    names[name] = value if mine is None else merged(mine, value)
        self.names = names
