"""Expansions whose value is computed from known text: arithmetic, printed text, lengths, cuts and parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..text import Mapped
from . import shell_operators as operators
from .shell_arithmetic import evaluate, number
from .shell_script import speaks_otherwise
from .shell_values import Item, Piece, Use, Variable, certain
from .shell_words import Atom, decode, stretches

if TYPE_CHECKING:
    from .shell_expand import Expander

OPERATORS = frozenset((*operators.CUTS, *operators.CASES, *operators.REPLACEMENTS, ":"))
_NOT_PLAIN = re.compile(r"[|;&<>()#\n{}*?\[~=]")


def arithmetic(expander: Expander, atom: Atom, depth: int) -> Piece:
    """``$((...))`` as a number, else unknown.

    In a command's own words an expression over variables counts as not known, by the extraction cases (062).
    """
    value = calculated(expander, atom.argument, depth)
    if value is None:
        return expander.unknown(atom)
    text = str(value)
    mapped = Mapped.whole(text, expander.script.span(atom.start, atom.end))
    return Piece(text, mapped, quoted=bool(atom.quote))


def calculated(expander: Expander, stretch: tuple[int, int] | None, depth: int, *, follow: bool = False) -> int | None:
    """The number that an arithmetic expression comes to; None where it is not known."""
    if stretch is None:
        return None
    follow = follow or not expander.in_word
    in_word, expander.in_word = expander.in_word, not follow
    pieces = expander.pieces(*stretch, '"', depth + 1)
    expander.in_word = in_word
    if any(not piece.known or piece.maybe or (piece.uses and not follow) for piece in pieces):
        return None
    text = "".join(piece.text for piece in pieces)

    def lookup(name: str) -> int | None:
        variable = expander.state.variables.get(name) if follow else None
        if variable is None or variable.scalar is None or variable.text is None:
            return None
        expander.rests_on(variable.scalar)
        expander.assumed = expander.assumed or variable.assumed
        return number(variable.text)

    return evaluate(text, lookup) if text.strip() else None


def command(expander: Expander, atom: Atom, depth: int) -> list[Piece]:
    """``$(echo ...)`` and ``$(printf ...)`` of known words; any other command's output is unknown."""
    words = _words(expander, atom.argument, depth)
    text = operators.printed(words) if words else None
    if expander.script.speaks_otherwise or speaks_otherwise(expander.script.text):
        text = None
    if text is None:
        return [expander.unknown(atom, many=True)]
    text = text.rstrip("\n")
    span = expander.script.span(atom.start, atom.end)
    if not text and not atom.quote:
        return []
    return [Piece(text, Mapped.whole(text, span), (Use(span, (), False, text),), quoted=bool(atom.quote))]


def _words(expander: Expander, stretch: tuple[int, int] | None, depth: int) -> list[str] | None:
    """The words of a simple command; None when one is not known."""
    from .shell_fields import split

    text = expander.script.text
    if stretch is None or not text[slice(*stretch)].lstrip().startswith(("echo", "printf")):
        return None
    for atom in decode(text, *stretch):
        if atom.kind == "lit" and not atom.quote and _NOT_PLAIN.search(atom.text):
            return None
    written = [Item(tuple(expander.pieces(*part, "", depth + 1))) for part in stretches(text, *stretch)]
    words = [word for item in written for word in split(item)]
    if not certain(words) or not all(piece.known for word in words for piece in word.pieces):
        return None
    return ["".join(piece.text for piece in word.pieces) for word in words]


def length(expander: Expander, atom: Atom, variable: Variable | None, depth: int) -> list[Piece]:
    """``${#X}`` in characters, ``${#A[@]}`` in elements."""
    index = atom.name.partition("[")[2].rstrip("]")
    found: int | None = None
    if variable is None:
        pass
    elif index in ("@", "*"):
        if variable.items is not None and certain(variable.items):
            found = len(variable.items)
            for item in variable.items:
                expander.rests_on(item.pieces)
    else:
        scalar = scalar_of(expander, variable, atom, depth)
        expander.rests_on(scalar or ())
        text = known(scalar)
        # Outside ASCII the locale decides what a character is.
        found = len(text) if text is not None and text.isascii() else None
    if found is None:
        return [expander.unknown(atom)]
    return [_derived(expander, str(found), atom)]


def named(expander: Expander, atom: Atom, variable: Variable | None) -> list[Piece]:
    """``${!X}``: the variable that X names."""
    name = variable.text if variable is not None else None
    expander.rests_on((variable.scalar if variable is not None else None) or ())
    target = expander.state.variables.get(name) if name else None
    if target is None or target.items is not None or target.scalar is None or target.absent:
        return [expander.unknown(atom, many=True)]
    expander.rests_on(target.scalar)
    return expander.through(atom, name or "", target.scalar, default=False)


def keys(expander: Expander, atom: Atom, variable: Variable) -> tuple[Item, ...] | None:
    """``${!A[@]}``: the numbers of an array's elements; bash promises no order of keys."""
    if variable.items is None or variable.keys is not None or not certain(variable.items):
        return None
    return tuple(Item((_derived(expander, str(number), atom),)) for number in range(len(variable.items)))


def scalar_of(expander: Expander, variable: Variable, atom: Atom, depth: int) -> tuple[Piece, ...] | None:
    """What the expansion of a variable or of one of its elements begins with; None when not known."""
    index = atom.name.partition("[")[2].rstrip("]")
    if variable.items is None:
        return variable.scalar if index in ("", "0", "@", "*") else None
    if index in ("@", "*"):
        if atom.operator in OPERATORS or (variable.keys is not None and len(variable.keys) > 1):
            return None
        if index == "*" and not expander.state.splits_at_blanks:
            return None
        return joined(variable.items)
    at = _index(expander, variable, atom, index, depth)
    if at is None or not -len(variable.items) <= at < len(variable.items):
        return None
    needed = variable.items[: at + 1] if at >= 0 else variable.items
    return variable.items[at].pieces if certain(needed) else None


def _index(expander: Expander, variable: Variable, atom: Atom, index: str, depth: int) -> int | None:
    if variable.keys is None and (not index or index.isdecimal()):
        return int(index or "0")
    start = expander.script.text.find("[", atom.start, atom.end) + 1
    stretch = (start, start + len(index))
    if variable.keys is None:
        return calculated(expander, stretch, depth, follow=True)
    key = known(expander.pieces(*stretch, "", depth + 1))
    return variable.keys.index(key) if key in variable.keys else None


def joined(items: Sequence[Item]) -> tuple[Piece, ...]:
    """The elements of an array as one text with blanks between."""
    pieces: list[Piece] = []
    for item in items:
        if pieces:
            pieces.append(Piece(" ", Mapped.whole(" ", pieces[-1].mapped.span()), maybe=item.maybe))
        pieces += [piece._replace(maybe=piece.maybe or item.maybe) for piece in item.pieces]
    return tuple(pieces)


def changed(expander: Expander, atom: Atom, scalar: Sequence[Piece], depth: int) -> list[Piece]:
    """``${X%p}``, ``${X/p/r}``, ``${X,,}``, ``${X:1:2}`` of a known text."""
    text = known(scalar)
    result = _changed(expander, atom, text, depth) if text is not None and atom.argument else None
    if result is None:
        return [expander.unknown(atom, many=True)]
    name = atom.name.partition("[")[0]
    hull = Mapped.join(piece.mapped for piece in scalar).span()
    value = (Piece(result, Mapped.whole(result, hull)),) if result else ()
    return expander.through(atom, name, value, default=False)


def _changed(expander: Expander, atom: Atom, text: str, depth: int) -> str | None:
    assert atom.argument is not None
    start, end = atom.argument
    if atom.operator in operators.CASES:
        return operators.recased(atom.operator, text) if start == end else None
    if atom.operator == ":":
        taken = _range(expander, atom, depth)
        return None if taken is None else operators.part(text, *taken)
    stop = end
    by: str | None = ""
    if atom.operator in operators.REPLACEMENTS:
        stop = _bar(expander.script.text, start, end)
        by = known(expander.pieces(stop + 1, end, "", depth + 1)) if stop < end else ""
    pieces = expander.pieces(start, stop, "", depth + 1)
    if by is None or known(pieces) is None:
        return None
    signs = operators.pattern([(piece.text, piece.quoted) for piece in pieces])
    if signs is None:
        return None
    if atom.operator in operators.CUTS:
        return operators.cut(atom.operator, text, signs)
    return operators.replaced(atom.operator, text, signs, by)


def _bar(text: str, start: int, end: int) -> int:
    """Where the slash between pattern and replacement stands; ``end`` without one."""
    for atom in decode(text, start, end):
        if atom.kind == "lit" and not atom.quote and "/" in atom.text:
            return atom.start + atom.text.index("/")
    return end


def _range(expander: Expander, atom: Atom, depth: int) -> tuple[int, int | None] | None:
    """Offset and length of ``${X:offset:length}``; None when one of them is not known."""
    assert atom.argument is not None
    start, end = atom.argument
    text = expander.script.text
    if "?" in text[start:end] or "${" in text[start:end]:
        return None
    colon = text.find(":", start, end)
    first = calculated(expander, (start, end if colon < 0 else colon), depth, follow=True)
    last = None if colon < 0 else calculated(expander, (colon + 1, end), depth, follow=True)
    return None if first is None or (colon >= 0 and last is None) else (first, last)


def sliced(expander: Expander, atom: Atom, items: tuple[Item, ...] | None, base: int) -> tuple[Item, ...] | None:
    """``${A[@]:offset:length}``; ``base`` is the number of the first element."""
    if items is None or not certain(items) or atom.argument is None:
        return None
    taken = _range(expander, atom, 0)
    if taken is None or taken[0] < base or (taken[1] or 0) < 0:
        return None
    first, last = taken
    found = items[first - base :]
    return found if last is None else found[:last]


def known(pieces: Sequence[Piece] | None) -> str | None:
    """The text of pieces; None when it is not known."""
    if pieces is None or any(not piece.known or piece.maybe or piece.gap for piece in pieces):
        return None
    return "".join(piece.text for piece in pieces)


def _derived(expander: Expander, text: str, atom: Atom) -> Piece:
    mapped = Mapped.whole(text, expander.script.span(atom.start, atom.end))
    return Piece(text, mapped, quoted=bool(atom.quote))
