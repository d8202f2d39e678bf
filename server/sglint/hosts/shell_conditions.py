"""Conditions whose outcome a script's own text decides: ``true``, ``[ -n "$X" ]`` of a value that is set before.

A value that the caller of the script may change, because it rests on a default such as ``${X:-1}``, decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import shell_operators as operators
from .shell_computed import calculated, known
from .shell_expand import Expander
from .shell_fields import split
from .shell_values import State, certain
from .shell_words import decode, stretches

if TYPE_CHECKING:
    from .shell_walk import Walker

Node = Any
Stretch = tuple[int, int]

_ALWAYS = {"true": True, ":": True, "false": False}
_NUMBER = re.compile(r"[ \t]*([+-]?[0-9]{1,17})[ \t]*", re.ASCII)
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,16})", re.ASCII)
_GLOB = re.compile(r"[*?\[]")
_COMPARED = {
    "-eq": lambda left, right: left == right,
    "-ne": lambda left, right: left != right,
    "-lt": lambda left, right: left < right,
    "-le": lambda left, right: left <= right,
    "-gt": lambda left, right: left > right,
    "-ge": lambda left, right: left >= right,
}
_EQUAL = {"=": True, "==": True, "!=": False}
_MAX_TESTS = 20


def tested(walker: Walker, node: Node, state: State) -> bool | None:
    """Whether ``[ ... ]``, ``[[ ... ]]`` or ``(( ... ))`` succeeds; None where that is not known."""
    sign = node.children[0].type if node.children else ""
    closing = {"[": "]", "[[": "]]", "((": "))"}.get(sign)
    if closing is None or node.children[-1].type != closing:
        return None
    stretch = (node.start_byte + len(sign), node.end_byte - len(sign))
    expander = Expander(walker.script, state)
    if sign == "((":
        value = calculated(expander, stretch, 0, follow=True)
        found = None if value is None else bool(value)
    elif sign == "[":
        found = _of_words(_words(expander, stretches(walker.script.text, *stretch)))
    else:
        found = _Brackets(expander, stretch).outcome()
    return None if expander.assumed else found


def of_command(walker: Walker, node: Node, state: State) -> bool | None:
    """Whether a simple command succeeds; None where that is not known."""
    text = walker.text(node)
    if len(node.children) == 1:
        return _ALWAYS.get(text)
    if not text.startswith("test") or walker.text(node.children[0]) != "test":
        return None
    if any(child.type.endswith("redirect") for child in node.children):
        return None
    expander = Expander(walker.script, state)
    found = _of_words(_words(expander, [(child.start_byte, child.end_byte) for child in node.children[1:]]))
    return None if expander.assumed else found


def matches(walker: Walker, subject: Node, item: Node, state: State) -> bool | None:
    """Whether a branch of ``case`` takes the subject; None where that is not known."""
    close = next((child for child in item.children if child.type == ")"), None)
    if close is None:
        return None
    expander = Expander(walker.script, state)
    text = known(expander.pieces(subject.start_byte, subject.end_byte))
    text = None if expander.assumed else text
    expander.assumed = False
    start = item.start_byte + (1 if item.children[0].type == "(" else 0)
    found: bool | None = False
    for stretch in stretches(walker.script.text, start, close.start_byte, "| \t\n"):
        takes_all = walker.script.text[slice(*stretch)] == "*"
        found = either(found, takes_all or _like(expander, text, stretch))
    return found


def _like(expander: Expander, text: str | None, stretch: Stretch) -> bool | None:
    """Whether a text is as the pattern that ``stretch`` holds."""
    pieces = expander.pieces(*stretch)
    if text is None or known(pieces) is None:
        return None
    signs = operators.pattern([(piece.text, piece.quoted) for piece in pieces])
    return None if signs is None or expander.assumed else operators.fits(signs, text)


def _words(expander: Expander, written: Sequence[Stretch]) -> list[str] | None:
    """The words that ``[`` gets; None when one is not known."""
    found: list[str] = []
    for stretch in written:
        items = [word for item in expander.item(*stretch, inner=True) for word in split(item)]
        if not certain(items):
            return None
        for item in items:
            text = known(item.pieces)
            if text is None or any(not piece.quoted and _GLOB.search(piece.text) for piece in item.pieces):
                return None
            found.append(text)
    return found


def _of_words(words: Sequence[str] | None) -> bool | None:
    """The outcome of ``[`` and ``test``, for up to four words."""
    if words is None or len(words) > 4:
        return None
    if len(words) < 2:
        return bool(words and words[0])
    if len(words) == 3 and (words[1] in _COMPARED or words[1] in _EQUAL):
        return _compared(words[0], words[1], words[2], _NUMBER)
    if words[0] == "!":
        return negated(_of_words(words[1:]))
    if len(words) == 2 and words[0] in ("-n", "-z"):
        return bool(words[1]) is (words[0] == "-n")
    return None


def _compared(left: str, sign: str, right: str, number: re.Pattern[str]) -> bool | None:
    if sign in _EQUAL:
        return (left == right) is _EQUAL[sign]
    first, second = number.fullmatch(left), number.fullmatch(right)
    return _COMPARED[sign](int(first[0]), int(second[0])) if first and second else None


class _Brackets:
    """``[[ ... ]]``: words that are not split, patterns, and operators between them."""

    def __init__(self, expander: Expander, stretch: Stretch) -> None:
        self.expander = expander
        self.text = expander.script.text
        self.words = _tokens(self.text, *stretch)
        self.at = 0
        self.tests = 0

    def outcome(self) -> bool | None:
        found = self._any() if self.words is not None else None
        return found if self.words is not None and self.at == len(self.words) else None

    def _any(self) -> bool | None:
        found = self._all()
        while self._take("||"):
            found = either(found, self._all())
        return found

    def _all(self) -> bool | None:
        found = self._one()
        while self._take("&&"):
            found = both(found, self._one())
        return found

    def _one(self) -> bool | None:
        self.tests += 1
        if self.tests > _MAX_TESTS:
            return self._give_up()
        if self._take("!"):
            return negated(self._one())
        if self._take("("):
            found = self._any()
            return found if self._take(")") else self._give_up()
        return self._test()

    def _test(self) -> bool | None:
        left = self._next()
        if left is None or self._ends(left):
            return self._give_up()
        sign = self.text[slice(*left)]
        follows = self.words[self.at] if self.words and self.at < len(self.words) else None
        if follows is None or self._ends(follows):
            text = known(self.expander.pieces(*left))
            return None if text is None else bool(text)
        self.at += 1
        if re.fullmatch(r"-[a-zA-Z]", sign):
            text = known(self.expander.pieces(*follows))
            return None if text is None or sign not in ("-n", "-z") else bool(text) is (sign == "-n")
        right = self._next()
        return self._give_up() if right is None else self._binary(left, self.text[slice(*follows)], right)

    def _binary(self, left: Stretch, sign: str, right: Stretch) -> bool | None:
        text = known(self.expander.pieces(*left))
        if sign in _EQUAL:
            like = _like(self.expander, text, right)
            return like if _EQUAL[sign] else negated(like)
        other = known(self.expander.pieces(*right))
        if sign not in _COMPARED or text is None or other is None:
            return None
        return _compared(text, sign, other, _PLAIN_NUMBER)

    def _ends(self, stretch: Stretch) -> bool:
        return self.text[slice(*stretch)] in ("&&", "||", ")")

    def _next(self) -> Stretch | None:
        if self.words is None or self.at >= len(self.words):
            return None
        self.at += 1
        return self.words[self.at - 1]

    def _take(self, sign: str) -> bool:
        if self.words and self.at < len(self.words) and self.text[slice(*self.words[self.at])] == sign:
            self.at += 1
            return True
        return False

    def _give_up(self) -> bool | None:
        self.words = None
        return None


def _tokens(text: str, start: int, end: int) -> list[Stretch] | None:
    """The words and operators between ``[[`` and ``]]``; None where signs stand in words without blanks around."""
    found = stretches(text, start, end)
    for first, last in found:
        if text[first:last] in _SIGNS:
            continue
        for atom in decode(text, first, last):
            if atom.kind == "lit" and not atom.quote and _SIGN.search(atom.text):
                return None
    return found


_SIGNS = ("&&", "||", "(", ")", "!", "<", ">")
_SIGN = re.compile(r"[()<>|&;]")


def negated(value: bool | None) -> bool | None:
    """``not`` of a value that may not be known."""
    return None if value is None else not value


def both(left: bool | None, right: bool | None) -> bool | None:
    """``and`` of values that may not be known."""
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def either(left: bool | None, right: bool | None) -> bool | None:
    """``or`` of values that may not be known."""
    return negated(both(negated(left), negated(right)))
