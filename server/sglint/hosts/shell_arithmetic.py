"""Integer arithmetic of the shell, for expressions whose operands are all known."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..records import dataclass, field

Lookup = Callable[[str], "int | None"]
"""The value of a variable as a number; None when it is not known."""

_TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|\d+)(?![\w#])|(?P<name>[A-Za-z_]\w*)|(?P<sign>\*\*|<<|>>|[<>=!]=|&&|\|\|"
    r"|[-+*/%<>!~&|^()?:]))(?P<rest>=|\+|-)?",
    re.ASCII,
)
_LEVELS = (("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<=", ">=", "<", ">"), ("<<", ">>"), ("+", "-"))
_FACTORS = ("*", "/", "%")
_LIMIT = 2**63
_MAX_LENGTH = 200
_MAX_OPEN = 30


class _NotKnown(Exception):
    """An operand, an operator or a size that is not followed."""


def evaluate(text: str, lookup: Lookup) -> int | None:
    """The value of ``text``; None when it is not known, or when the expression assigns something."""
    if len(text) > _MAX_LENGTH:
        return None
    try:
        reader = _Reader(_tokens(text), lookup)
        value = reader.choice()
    except _NotKnown:
        return None
    return value if reader.at == len(reader.tokens) else None


def _tokens(text: str) -> list[str]:
    found: list[str] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            raise _NotKnown
        sign = token["number"] or token["name"] or token["sign"]
        end = token.start("rest") if token["rest"] else token.end()
        changes = token["rest"] == "=" and not text.startswith("==", end)
        if changes or text.startswith(("++", "--"), end) or text.startswith(("++", "--"), end - len(sign)):
            raise _NotKnown
        found.append(sign)
        at = end
    return found


@dataclass
class _Reader:
    tokens: list[str]
    lookup: Lookup
    at: int = 0
    _open: int = field(default=0)

    def choice(self) -> int:
        condition = self.level(0)
        if not self._take("?"):
            return condition
        first = self.choice()
        if not self._take(":"):
            raise _NotKnown
        second = self.choice()
        return first if condition else second

    def level(self, index: int) -> int:
        if index == len(_LEVELS):
            return self._factors()
        value = self.level(index + 1)
        while (sign := self._next(_LEVELS[index])) is not None:
            value = _applied(sign, value, self.level(index + 1))
        return value

    def _factors(self) -> int:
        value = self._power()
        while (sign := self._next(_FACTORS)) is not None:
            value = _applied(sign, value, self._power())
        return value

    def _power(self) -> int:
        value = self._unary()
        return _applied("**", value, self._power()) if self._take("**") else value

    def _unary(self) -> int:
        sign = self._next(("-", "+", "!", "~"))
        if sign is None:
            return self._operand()
        self._deeper()
        value = self._unary()
        self._open -= 1
        return {"-": -value, "+": value, "!": int(not value), "~": ~value}[sign]

    def _operand(self) -> int:
        if self._take("("):
            self._deeper()
            value = self.choice()
            self._open -= 1
            if not self._take(")"):
                raise _NotKnown
            return value
        token = self.tokens[self.at] if self.at < len(self.tokens) else ""
        self.at += 1
        found = number(token) if token[:1].isdigit() else self.lookup(token) if token[:1].isidentifier() else None
        if found is None:
            raise _NotKnown
        return found

    def _deeper(self) -> None:
        self._open += 1
        if self._open > _MAX_OPEN:
            raise _NotKnown

    def _next(self, signs: tuple[str, ...]) -> str | None:
        if self.at < len(self.tokens) and self.tokens[self.at] in signs:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def _take(self, sign: str) -> bool:
        return self._next((sign,)) is not None


def number(text: str) -> int | None:
    """A shell integer constant: decimal, ``0x`` or a leading zero for octal; None for anything else."""
    sign = -1 if text.startswith("-") else 1
    digits = text[1:] if sign < 0 else text
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,15}", digits):
        return sign * int(digits, 16)
    if re.fullmatch(r"0[0-7]{0,20}", digits):
        return sign * int(digits, 8)
    return sign * int(digits) if re.fullmatch(r"[1-9][0-9]{0,17}", digits, re.ASCII) else None


def _applied(sign: str, left: int, right: int) -> int:
    if sign in ("/", "%"):
        if right == 0:
            raise _NotKnown
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if sign == "/" else left - quotient * right
    if sign in ("**", "<<", ">>") and not 0 <= right < 63:
        raise _NotKnown
    value = _SIGNS[sign](left, right)
    if not -_LIMIT < value < _LIMIT:
        raise _NotKnown
    return value


_SIGNS: dict[str, Callable[[int, int], int]] = {
    "**": lambda left, right: left**right,
    "*": lambda left, right: left * right,
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "<<": lambda left, right: left << right,
    ">>": lambda left, right: left >> right,
    "<": lambda left, right: int(left < right),
    ">": lambda left, right: int(left > right),
    "<=": lambda left, right: int(left <= right),
    ">=": lambda left, right: int(left >= right),
    "==": lambda left, right: int(left == right),
    "!=": lambda left, right: int(left != right),
    "&": lambda left, right: left & right,
    "^": lambda left, right: left ^ right,
    "|": lambda left, right: left | right,
    "&&": lambda left, right: int(bool(left) and bool(right)),
    "||": lambda left, right: int(bool(left) or bool(right)),
}
