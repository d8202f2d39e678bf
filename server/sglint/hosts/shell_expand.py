"""Expansion: the values that stretches of a script become."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..launch.model import Definition, Place
from ..text import Mapped, Span
from . import shell_computed as computed
from .origins import HOLE
from .shell_fields import is_loose, is_one
from .shell_script import Script
from .shell_values import MAX_CHARS, MAX_PIECES, Item, Piece, Raw, State, Use, Variable, unknown
from .shell_words import Atom, decode

_MAX_DEPTH = 30
_MAX_DEFINITIONS = 8
_ALL = ("@", "*")


class Expander:
    """Turns source stretches of one script into values, under a state that expansions may change (``:=``)."""

    def __init__(self, script: Script, state: State) -> None:
        self.script = script
        self.state = state
        self.in_word = False
        self.assumed = False
        """Whether something that was expanded rests on a default that the script's caller may override."""

    def pieces(self, start: int, end: int, mode: str = "", depth: int = 0) -> list[Piece]:
        """The value of ``[start, end)`` as one text: what an assignment or a here-document gets."""
        found: list[Piece] = []
        if depth > _MAX_DEPTH:
            return [unknown(self.script.mapped(start, end), many=True)]
        atoms = decode(self.script.text, start, end, mode)
        alone = len(atoms) == 1
        for atom in atoms:
            if atom.kind == "lit":
                found.append(self._literal(atom))
                continue
            before, self.assumed = self.assumed, False
            expanded = self._expanded(atom, depth, alone)
            found += [piece._replace(assumed=True) for piece in expanded] if self.assumed else expanded
            self.assumed = before or self.assumed
        if len(found) > MAX_PIECES or sum(len(piece.text) for piece in found) > MAX_CHARS:
            return [unknown(self.script.mapped(start, end), many=True)]
        return found

    def _expanded(self, atom: Atom, depth: int, alone: bool) -> list[Piece]:
        if atom.kind == "unknown":
            return [self.unknown(atom, many=atom.many)]
        if atom.kind == "arithmetic":
            return [computed.arithmetic(self, atom, depth)]
        if atom.kind == "command":
            return computed.command(self, atom, depth)
        return self._parameter(atom, depth, alone)

    def rests_on(self, value: Iterable[Piece]) -> None:
        """Take note of what an expansion is made from."""
        self.assumed = self.assumed or any(piece.assumed for piece in value)

    def known(self, start: int, end: int) -> str | None:
        """The text of ``[start, end)``; None when it is not known."""
        return computed.known(self.pieces(start, end))

    def item(self, start: int, end: int, *, inner: bool = False) -> list[Item]:
        """The words that the source word ``[start, end)`` becomes, unsplit variables not yet split.

        ``inner``: it goes to no program, so that arithmetic over variables may count.
        """
        node = Raw(self.script, start, end, "")
        self.in_word = not inner
        listed = self._list(start, end)
        if listed is not None:
            return listed
        return [Item(tuple(self.pieces(start, end)), False, node)]

    def _literal(self, atom: Atom) -> Piece:
        mapped = self.script.mapped(atom.start, atom.end)
        if mapped.text != atom.text:
            mapped = Mapped.whole(atom.text, mapped.span()) if atom.text else mapped
        raw = Raw(self.script, atom.start, atom.end, atom.quote)
        names = self.script.definitions(atom.start, atom.end)
        maybe = self.script.is_maybe(atom.start, atom.end)
        uses = (Use(mapped.span(), names, False, atom.text),) if names else ()
        return Piece(atom.text, mapped, uses, maybe=maybe, quoted=bool(atom.quote), raw=raw)

    def unknown(self, atom: Atom, *, many: bool = False) -> Piece:
        mapped = self.script.mapped(atom.start, atom.end)
        maybe = self.script.is_maybe(atom.start, atom.end)
        quoted = bool(atom.quote)
        raw = Raw(self.script, atom.start, atom.end, atom.quote)
        return Piece(mapped.text, mapped, (), False, many, maybe, quoted, raw=raw)

    def _parameter(self, atom: Atom, depth: int, alone: bool) -> list[Piece]:
        name = atom.name.partition("[")[0]
        if atom.operator == "other" or not (name[0].isalnum() or name[0] in "_#"):
            return self._unset(atom, depth, alone)
        variable = self.state.variable(name)
        self.assumed = variable is not None and variable.assumed
        if atom.operator == "length":
            return computed.length(self, atom, variable, depth)
        if atom.operator == "named":
            return computed.named(self, atom, variable)
        if atom.operator == "keys":
            return [self.unknown(atom, many=True)]
        if atom.operator in (":+", "+"):
            return self._alternate(atom, variable, depth)
        if variable is None:
            return self._unset(atom, depth, alone)
        if variable.absent:
            return self._absent(atom, depth, alone)
        scalar = computed.scalar_of(self, variable, atom, depth)
        if scalar is None:
            return [self.unknown(atom, many=True)]
        self.rests_on(scalar)
        if atom.operator in computed.OPERATORS:
            return computed.changed(self, atom, scalar, depth)
        if atom.operator[:1] == ":" and atom.argument and not "".join(piece.text for piece in scalar):
            return self._absent(atom, depth, alone) if variable.place is None else self._default(atom, depth, alone)
        return self.through(atom, name, scalar, default=False)

    def _alternate(self, atom: Atom, variable: Variable | None, depth: int) -> list[Piece]:
        """``${X:+word}``: the word where X is set, which only a variable of the script tells."""
        text = variable.text if variable is not None else None
        if variable is None or variable.scalar is None or text is None or atom.argument is None:
            return [self.unknown(atom, many=True)]
        self.rests_on(variable.scalar)
        if variable.absent or (not text and atom.operator == ":+"):
            return self.through(atom, "", (), default=True)
        value = self.pieces(*atom.argument, '"' if atom.quote == '"' else "", depth + 1)
        return self.through(atom, "", value, default=True)

    def _absent(self, atom: Atom, depth: int, alone: bool) -> list[Piece]:
        """A parameter that surely has no value: its default, or nothing."""
        if atom.operator in ("?", ":?"):
            return [self.unknown(atom)]
        if atom.operator in (":-", "-", ":=", "=") and atom.argument:
            value = self.pieces(*atom.argument, '"' if atom.quote == '"' else "", depth + 1)
            if value or "=" in atom.operator:
                return self._default(atom, depth, alone)
        return self.through(atom, atom.name, (), default=True)

    def _unset(self, atom: Atom, depth: int, alone: bool) -> list[Piece]:
        """A parameter the script gives no value to: its default, or unknown."""
        self.assumed = True
        return self._default(atom, depth, alone)

    def _default(self, atom: Atom, depth: int, alone: bool) -> list[Piece]:
        if atom.operator in (":-", "-", ":=", "=") and atom.argument:
            mode = '"' if atom.quote == '"' else ""
            value = tuple(self.pieces(*atom.argument, mode, depth + 1))
            if "=" in atom.operator:
                place = self.script.span(*atom.argument)
                self.state.set(atom.name, Variable(value, place=place, assumed=self.assumed))
            if not "".join(piece.text for piece in value) and not any(piece.quoted for piece in value):
                # An empty default that is all there is invites the caller to add words; beside other text it
                # stands for what runs when nobody sets it.
                return [self.unknown(atom, many=True)] if alone or not atom.quote else []
            return self.through(atom, atom.name, value, default=True)
        return [self.unknown(atom, many=atom.operator not in (":?", "?"))]

    def through(self, atom: Atom, name: str, value: Sequence[Piece], *, default: bool) -> list[Piece]:
        span = self.script.span(atom.start, atom.end)
        names = definitions(name, value, self.script.embedding.path)
        written = self.script.text[atom.start : atom.end]
        use = Use(span, names, default, "".join(piece.text for piece in value), written)
        quoted = bool(atom.quote)
        found: list[Piece] = []
        for piece in value:
            through = piece.through(use, quoted or (default and piece.quoted))
            if not piece.known:
                last = found[-1] if found else None
                if last is not None and not (last.known or last.gap or piece.gap) and last.maybe == piece.maybe:
                    found[-1] = last._replace(many=last.many or piece.many)
                    continue
                # What is not known is shown as it is written at the use.
                first = piece.first or piece.mapped.span()
                shown = Mapped.whole(written, span)
                through = through._replace(text=written, mapped=shown, uses=(), raw=None, first=first)
            found.append(through)
        if not found and quoted:
            # A quoted nothing is an empty word where it stands alone.
            found.append(Piece("", Mapped("", (), span.start), (use,), quoted=True))
        return found

    def _list(self, start: int, end: int) -> list[Item] | None:
        """The words of ``"$@"``, ``"${ARGS[@]}"`` or ``${ARGS[*]}`` standing alone; None for any other word."""
        atoms = decode(self.script.text, start, end)
        atoms = [atom for atom in atoms if atom.kind != "lit" or atom.text]
        if len(atoms) != 1 or atoms[0].kind != "var":
            return None
        atom = atoms[0]
        name, _, index = atom.name.partition("[")
        if atom.operator == "length":
            return None
        if name in _ALL and not index:
            items = self.state.positional
            if atom.operator:
                items = computed.sliced(self, atom, items, 1) if atom.operator == ":" else None
        elif index.rstrip("]") in _ALL:
            variable = self.state.variables.get(name)
            self.assumed = self.assumed or (variable is not None and variable.assumed)
            items = variable.items if variable is not None and atom.operator in ("", "+", ":+", ":") else None
            if variable is not None and variable.keys is not None and len(variable.keys) > 1:
                # Bash promises no order.
                items = None
            if items is not None and atom.operator == ":":
                items = computed.sliced(self, atom, items, 0)
            if variable is not None and atom.operator == "keys":
                items = computed.keys(self, atom, variable)
            if variable is not None and variable.items is None and variable.scalar is not None and not atom.operator:
                items = (Item(variable.scalar),)
        else:
            return None
        if atom.quote and "*" in (name, index.rstrip("]")) and items is not None:
            return None
        span = self.script.span(atom.start, atom.end)
        if items is None:
            return [Item((self.unknown(atom, many=True)._replace(quoted=False),))]
        for item in items:
            self.rests_on(item.pieces)
        use = Use(span, (), False, "\n\n")
        found = []
        for item in items:
            pieces = item.pieces
            if not pieces:
                continue
            if any(piece.text == HOLE for piece in pieces):
                found.append(Item((self.unknown(atom, many=True)._replace(quoted=False),), item.maybe))
                continue
            kept = bool(atom.quote)
            pieces = tuple(
                piece._replace(uses=(use, *piece.uses), quoted=kept and not is_loose(piece) and is_one(piece))
                for piece in pieces
            )
            found.append(item._replace(pieces=pieces))
        return found


def definitions(name: str, value: Sequence[Piece], path: str | None) -> tuple[Definition, ...]:
    """Where variable ``name`` got its text: the text as written, then what other variables gave to it."""
    spans: list[Span] = []
    deeper: dict[Definition, None] = {}
    last: Use | None = None
    for piece in value:
        if not piece.known:
            return ()
        uses = list(piece.uses)
        while uses and uses[0].default:
            uses.pop(0)
        if uses and uses[0] is not last and len(deeper) < _MAX_DEFINITIONS:
            deeper.update(dict.fromkeys(uses[0].names))
        last = uses[0] if uses else None
        spans.append(uses[0].span if uses else piece.mapped.span())
    if not spans:
        return ()
    hull = spans[0]
    for span in spans[1:]:
        hull = hull.hull(span)
    return (Definition(name, Place(hull, path)), *deeper)
