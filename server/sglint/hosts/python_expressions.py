"""Expressions of a Python program, as far as they make command lines: strings, lists, dictionaries."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from ..text import Mapped, Span
from .python_scope import ENVIRONMENT, Scope
from .python_shown import MAX_SHOWN, placed, put_in, short, shown
from .python_source import Source
from .python_strings import Field, literal
from .python_values import (
    Choice,
    Constant,
    Entry,
    Item,
    Listing,
    Part,
    Table,
    Text,
    Unknown,
    Value,
    hole,
    joined,
    listing,
    maybe,
    merged,
    named,
    span_of,
    table,
    text_of,
)

MAX_EXPRESSIONS = 300_000
"""Expressions of one file whose values are made: loops and comprehensions in one another multiply them."""

MAX_TURNS = 20

MAX_TURNS_INSIDE = 60
"""Turns of loops, or of comprehensions, in one another that are followed one by one."""

Called = Callable[[ast.Call, str, Scope], Value]
"""What a call gives, by the dotted name of its function."""


class Expressions:
    """Values of the expressions of one source. ``called`` answers for calls; ``made`` is told of every list."""

    def __init__(self, source: Source, called: Called, made: Callable[[Listing], None]) -> None:
        self.source = source
        self.called = called
        self.made = made
        self.statement = 0
        self._field: Span | None = None
        self._spent = 0
        self._turns = 1

    @property
    def exhausted(self) -> bool:
        """Whether values were left unknown because there are too many."""
        return self._spent > MAX_EXPRESSIONS

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """The value of an expression. Raises RecursionError for one that is nested too deeply."""
        self._spent += 1
        if self.exhausted:
            return self.unknown(node)
        read = _READERS.get(type(node))
        if read is not None:
            return read(self, node, scope)
        for child in ast.iter_child_nodes(node):
            self.visit(child, scope)
        return self.unknown(node)

    def visit(self, node: ast.AST, scope: Scope) -> None:
        """Look for calls in a part of an expression whose value does not matter."""
        if isinstance(node, ast.expr):
            self.value(node, scope)
        elif isinstance(node, ast.comprehension):
            self.value(node.iter, scope)
            for condition in node.ifs:
                self.value(condition, scope)
        elif isinstance(node, ast.keyword | ast.FormattedValue):
            self.value(node.value, scope)

    def place(self, node: ast.AST) -> Span:
        return self._field or self.source.span(node)

    def unknown(self, node: ast.expr, path: str = "") -> Unknown:
        span = self.place(node)
        written = self.source.written(span)
        shown = written if len(written.text) <= MAX_SHOWN else Mapped.whole(written.text[:MAX_SHOWN], span)
        return Unknown(shown, path)

    def path(self, node: ast.expr, scope: Scope) -> str:
        """The dotted name of a function or a class, imports followed; empty where it is none."""
        tail: list[str] = []
        while isinstance(node, ast.Attribute):
            tail.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            found = scope.get(node.id)
            head = found.path if isinstance(found, Unknown) and found.path else node.id
        else:
            head = ""
        return ".".join([head, *reversed(tail)])

    def constant(self, node: ast.Constant, scope: Scope) -> Value:
        if not isinstance(node.value, str):
            span = self.place(node)
            written = self.source.text[span.start : span.end]
            return Constant(
                node.value, Mapped.whole(written[:MAX_SHOWN], span) if self._field else short(written, span)
            )
        if self._field is not None:
            return Text((Part(Mapped.whole(node.value, self._field)),), self._field.start)
        span = self.source.span(node)
        pieces = literal(self.source.text, span) or ()
        parts = tuple(Part(piece) for piece in pieces if isinstance(piece, Mapped) and piece.text)
        if "".join(part.mapped.text for part in parts) != node.value:
            parts = (Part(Mapped.whole(node.value, span)),)
        inside = next((piece.anchor for piece in pieces if isinstance(piece, Mapped)), span.start)
        return Text(parts, inside)

    def formatted(self, node: ast.JoinedStr, scope: Scope) -> Value:
        fields = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        span = self.source.span(node)
        pieces = literal(self.source.text, span) if self._field is None else None
        if pieces is None or sum(isinstance(piece, Field) for piece in pieces) != len(fields):
            for child in fields:
                self.visit(child, scope)
            return self.unknown(node)
        texts: list[Text] = []
        waiting = iter(fields)
        for piece in pieces:
            if isinstance(piece, Mapped):
                texts.append(Text((Part(piece),) if piece.text else (), piece.anchor))
                continue
            texts.append(self._replacement(next(waiting), piece, scope))
        return joined(texts, span.start)

    def _replacement(self, node: ast.FormattedValue, piece: Field, scope: Scope) -> Text:
        span = piece.written.span()
        before, self._field = self._field, span
        try:
            value = self.value(node.value, scope)
        finally:
            self._field = before
        if node.conversion != -1 or node.format_spec is not None or isinstance(value, Listing | Table | Choice):
            return Text((Part(piece.written, known=False),))
        return put_in(text_of(value), piece.written)

    def name(self, node: ast.Name, scope: Scope) -> Value:
        found = scope.get(node.id)
        if found is None:
            return self.unknown(node, node.id)
        return named(found, node.id, self.place(node))

    def attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        path = self.path(node, scope)
        if not path.startswith("."):
            found = scope.get(path)
            if found is not None:
                return named(found, path, self.place(node))
        if not path or path.startswith("."):
            self.value(node.value, scope)
        return self.unknown(node, path)

    def display(self, node: ast.List | ast.Tuple, scope: Scope) -> Value:
        span = self.place(node)
        found = listing(self.items(node.elts, scope), span, self.statement)
        if found.items:
            self.made(found)
        return found

    def items(self, nodes: Iterable[ast.expr], scope: Scope) -> list[Item]:
        """Elements of a display or positional arguments, stars written out."""
        items: list[Item] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                items += self.elements(self.value(node.value, scope))
            else:
                items.append(Item(self.value(node, scope)))
        return items

    def elements(self, value: Value) -> Sequence[Item]:
        """What a value gives element by element."""
        if isinstance(value, Listing):
            return value.items
        if isinstance(value, Table) and not value.rest:
            return [Item(Text((Part(entry.written),)), entry.presence) for entry in value.entries]
        if isinstance(value, Choice) and all(isinstance(option, Listing) for option in value.options):
            return [maybe(item) for option in value.options for item in self.elements(option)]
        return [hole(shown(value))]

    def dictionary(self, node: ast.Dict, scope: Scope) -> Value:
        entries: list[Entry] = []
        rest: list[Mapped] = []
        for key, value in zip(node.keys, node.values, strict=True):
            inner = self.value(value, scope)
            if key is None:
                self._merge(inner, entries, rest)
                continue
            written = self.value(key, scope)
            text = written.known if isinstance(written, Text) else None
            if text is None:
                rest.append(shown(written))
            else:
                entries.append(Entry(text, placed(text_of(written)), inner))
        return table(entries, self.place(node), rest)

    def keywords(self, node: ast.Call, scope: Scope) -> Table:
        """The keyword arguments of a call."""
        entries: list[Entry] = []
        rest: list[Mapped] = []
        for keyword in node.keywords:
            inner = self.value(keyword.value, scope)
            if keyword.arg is None:
                self._merge(inner, entries, rest)
                continue
            start = self.source.span(keyword).start
            entries.append(Entry(keyword.arg, Mapped.identity(keyword.arg, start), inner))
        return table(entries, self.place(node), rest)

    @staticmethod
    def _merge(value: Value, entries: list[Entry], rest: list[Mapped]) -> None:
        if isinstance(value, Table):
            entries += value.entries
            rest += value.rest
        else:
            rest.append(shown(value))

    def operation(self, node: ast.BinOp, scope: Scope) -> Value:
        """Sums of lists and of strings; ``+`` of many is no deep expression here."""
        chain: list[ast.BinOp] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
            chain.append(left)
            left = left.left
        if not chain:
            return self._other_operation(node, scope)
        value = self.value(left, scope)
        for link in reversed(chain):
            value = self.sum(value, self.value(link.right, scope), link)
        return value

    def sum(self, left: Value, right: Value, node: ast.AST) -> Value:
        if isinstance(left, Listing) or isinstance(right, Listing):
            span = left.span if isinstance(left, Listing) else span_of(right)
            first = left.first if isinstance(left, Listing) else self.statement
            return listing((*self.elements(left), *self.elements(right)), span, first)
        if isinstance(left, Text) or isinstance(right, Text):
            return joined((text_of(left), text_of(right)), span_of(left).start)
        return Unknown(Mapped.whole("?", self.place(node)))

    def _other_operation(self, node: ast.BinOp, scope: Scope) -> Value:
        left = self.value(node.left, scope)
        right = self.value(node.right, scope)
        if isinstance(node.op, ast.Mod) and isinstance(left, Text):
            from .python_format import percent

            return percent(left, right)
        return self.unknown(node)

    def condition(self, node: ast.IfExp, scope: Scope) -> Value:
        self.value(node.test, scope)
        found = merged(self.value(node.body, scope), self.value(node.orelse, scope))
        return found if isinstance(found, Listing | Table) else self._one_of(found, node)

    def alternatives(self, node: ast.BoolOp, scope: Scope) -> Value:
        values = [self.value(part, scope) for part in node.values]
        if isinstance(node.op, ast.Or) and isinstance(values[-1], Listing):
            return listing([hole(shown(values[0])), *map(maybe, values[-1].items)], self.place(node), self.statement)
        return self.unknown(node)

    def _one_of(self, value: Value, node: ast.expr) -> Value:
        if isinstance(value, Choice) and any(isinstance(option, Listing) for option in value.options):
            return value
        return self.unknown(node) if isinstance(value, Choice) else value

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, scope: Scope) -> Value:
        first = node.generators[0]
        turns = self.elements(self.value(first.iter, scope))
        is_plain = len(node.generators) == 1 and not first.ifs and self._turns * len(turns) <= MAX_TURNS_INSIDE
        if not is_plain or any(turn.many for turn in turns):
            inner = Scope(scope)
            self.forget(first.target, inner)
            self.value(node.elt, inner)
            return listing([hole(shown(self.unknown(node)))], self.place(node), self.statement)
        items: list[Item] = []
        before, self._turns = self._turns, max(self._turns * len(turns), 1)
        for turn in turns:
            inner = Scope(scope)
            self.bind(first.target, turn.value, inner)
            items.append(Item(self.value(node.elt, inner), turn.presence))
        self._turns = before
        return listing(items, self.place(node), self.statement)

    def bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Give the names of an assignment's target their values."""
        if isinstance(target, ast.Name):
            scope.set(target.id, value)
        elif isinstance(target, ast.Attribute):
            scope.set(self.path(target, scope), value)
        elif isinstance(target, ast.Subscript):
            self._put(target, value, scope)
        elif isinstance(target, ast.Tuple | ast.List):
            items = value.items if isinstance(value, Listing) else ()
            if len(items) == len(target.elts) and not any(item.many for item in items):
                for inner, item in zip(target.elts, items, strict=True):
                    self.bind(inner, item.value, scope)
            else:
                self.forget(target, scope)
        elif isinstance(target, ast.Starred):
            self.forget(target.value, scope)

    def forget(self, target: ast.expr, scope: Scope) -> None:
        """The names of a target have values that are not known."""
        if isinstance(target, ast.Tuple | ast.List):
            for inner in target.elts:
                self.forget(inner, scope)
        else:
            self.bind(target, Unknown(shown(self.unknown(target))), scope)

    def _put(self, target: ast.Subscript, value: Value, scope: Scope) -> None:
        """``name[key] = value``."""
        name = self.path(target.value, scope)
        before = scope.get(name)
        key = self.value(target.slice, scope)
        text = key.known if isinstance(key, Text) else None
        if before is None and name == ENVIRONMENT:
            before = table((), self.place(target))
        if isinstance(before, Table) and text is not None:
            kept = [entry for entry in before.entries if entry.key != text]
            entry = Entry(text, placed(text_of(key)), value)
            scope.grow(name, table((*kept, entry), before.span, before.rest))
        elif isinstance(before, Table):
            scope.grow(name, table(before.entries, before.span, (*before.rest, shown(key))))
        elif isinstance(before, Listing):
            items = [*map(maybe, before.items), hole(shown(value))]
            scope.grow(name, listing(items, before.span, before.first))

    def call(self, node: ast.Call, scope: Scope) -> Value:
        return self.called(node, self.path(node.func, scope), scope)

    def subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        owner = self.value(node.value, scope)
        if isinstance(node.slice, ast.Slice):
            whole = node.slice.lower is None and node.slice.upper is None and node.slice.step is None
            return owner if whole and isinstance(owner, Listing) else self._sliced(owner, node)
        key = self.value(node.slice, scope)
        if isinstance(owner, Table) and isinstance(key, Text) and key.known is not None:
            found = owner.get(key.known)
            if found is not None:
                return named(found, key.known, self.place(node))
        if isinstance(owner, Listing) and isinstance(key, Constant) and isinstance(key.value, int):
            items = owner.items
            plain = not any(item.many or item.presence == "maybe" for item in items)
            if plain and -len(items) <= key.value < len(items):
                return items[key.value].value
        return self.unknown(node)

    def _sliced(self, owner: Value, node: ast.Subscript) -> Value:
        if isinstance(owner, Listing):
            return listing([hole(shown(self.unknown(node)))], self.place(node), self.statement)
        return self.unknown(node)

    def waited(self, node: ast.Await | ast.NamedExpr, scope: Scope) -> Value:
        value = self.value(node.value, scope)
        if isinstance(node, ast.NamedExpr):
            self.bind(node.target, value, scope)
        return value

    def inert(self, node: ast.expr, scope: Scope) -> Value:
        """Functions without a name and comparisons start nothing."""
        return self.unknown(node)


_READERS: dict[type, Callable[..., Value]] = {
    ast.Constant: Expressions.constant,
    ast.JoinedStr: Expressions.formatted,
    ast.Name: Expressions.name,
    ast.Attribute: Expressions.attribute,
    ast.List: Expressions.display,
    ast.Tuple: Expressions.display,
    ast.Dict: Expressions.dictionary,
    ast.BinOp: Expressions.operation,
    ast.IfExp: Expressions.condition,
    ast.BoolOp: Expressions.alternatives,
    ast.ListComp: Expressions.comprehension,
    ast.GeneratorExp: Expressions.comprehension,
    ast.Call: Expressions.call,
    ast.Subscript: Expressions.subscript,
    ast.Await: Expressions.waited,
    ast.NamedExpr: Expressions.waited,
    ast.Compare: Expressions.inert,
    ast.Lambda: Expressions.inert,
}
