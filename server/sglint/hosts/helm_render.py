"""Renders a chart's template with the chart's own values, keeping where every piece of text was written.

What a condition decides is rendered and marked *maybe*, whatever the condition says; what cannot be told stands as
one private character (see ``origins``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..launch.model import Definition, Place
from ..records import dataclass, field, replace
from ..text import Mapped
from .helm_functions import FUNCTIONS, MAX_INDENT, at_key, literal
from .helm_syntax import Block, Branch, Call, Expression, Literal, Member, Output, Path, TemplateError, Text, parse
from .helm_syntax import Node as Syntax
from .helm_values import (
    NOT_KNOWN,
    NOTHING,
    DictValue,
    Doubts,
    Fragment,
    ListValue,
    Missing,
    Node,
    Rich,
    Top,
    Value,
    children,
    is_true,
    key_text,
    owned,
    structure,
    unknown,
    within,
)
from .helm_yaml import items, rich
from .origins import HOLE, UNKNOWN

MAX_FRAGMENTS = 30_000
MAX_INCLUDES = 30
_LOOKED_BACK = 2000
_ONLY_ACTIONS = re.compile(r"(\{\{.*?\}\}\s*)+|\{\{-?")


class TooMuch(Exception):
    """The template renders to more than SGLint reads."""


@dataclass(frozen=True)
class Template:
    """A file of templates: its path, text and nodes."""

    path: str
    text: str
    nodes: Sequence[Syntax]


@dataclass
class Chart:
    """What templates can see: values, ``Chart.yaml``, and all named templates with their files."""

    values: Node | None
    about: Node | None
    named: dict[str, tuple[Template, Sequence[Syntax]]] = field(default_factory=dict)


@dataclass
class _Frame:
    """Where rendering stands: file, dot, variables, whether a condition decides."""

    template: Template
    dot: Value
    variables: dict[str, Value]
    doubts: Doubts = ()
    depth: int = 0


class Renderer:
    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self._count = 0
        self._outside = False
        """Whether the expression just evaluated looked at something that users may override."""

    def render(self, template: Template) -> list[Fragment]:
        """The pieces that a template renders to. Raises TooMuch."""
        return self._body(template.nodes, _Frame(template, Top(), {}))

    def _body(self, nodes: Sequence[Syntax], frame: _Frame) -> list[Fragment]:
        found: list[Fragment] = []
        for node in nodes:
            if isinstance(node, Text):
                text = frame.template.text[node.span.start : node.span.end]
                mapped = Mapped.identity(text, node.span.start)
                found.append(Fragment(mapped, frame.template.path, doubts=frame.doubts))
            elif isinstance(node, Output):
                found += self._output(node, frame)
            else:
                found += self._block(node, frame)
            self._count += 1
            if self._count + len(found) > MAX_FRAGMENTS:
                raise TooMuch
        return found

    def _output(self, node: Output, frame: _Frame) -> Sequence[Fragment]:
        value = self._value(node.expression, frame)
        if node.variable is not None:
            self._assign(node.variable, value, frame)
            return ()
        place = Place(node.span, frame.template.path)
        text = rich(value)
        if text is None:
            return self._nothing(value, node, frame)
        if _is_pasted(text) and not any(piece.own for piece in text.fragments):
            text = owned(text)
        if any(piece.own for piece in text.fragments):
            return [
                replace(piece, own=True, used=piece.used or place, doubts=within(frame.doubts, piece.doubts))
                if piece.own or piece.path != frame.template.path
                else replace(piece, doubts=within(frame.doubts, piece.doubts))
                for piece in text.fragments
            ]
        if not text.text:
            return ()
        definitions = tuple(definition for piece in text.fragments for definition in piece.definitions)
        mapped = Mapped.whole(text.text if text.known else UNKNOWN, node.span)
        path = frame.template.path
        return [Fragment(mapped, path, text.known, False, frame.doubts, definitions, origin=text.fragments)]

    def _nothing(self, value: Value, node: Output, frame: _Frame) -> Sequence[Fragment]:
        if isinstance(value, Missing) and value.known and not self._outside:
            return ()
        path = frame.template.path
        pasted = self._pasted_at(node.expression, frame)
        if pasted is not None:
            if not _is_in_list(frame.template.text, node.span.start):
                return ()
            lead, mark = [structure(pasted + "- ", None, path, node.span.start)], HOLE
        else:
            lead, mark = [], HOLE if isinstance(value, (ListValue, Node)) else UNKNOWN
        found = (*lead, *unknown(mark, node.span, path).fragments)
        return [replace(piece, doubts=frame.doubts) for piece in found]

    def _pasted_at(self, expression: Expression, frame: _Frame) -> str | None:
        """What ``nindent`` puts before lines of YAML that are not known; None for any other expression."""
        if not isinstance(expression, Call) or expression.name != "nindent" or not expression.operands:
            return None
        width = rich(self._value(expression.operands[0], frame))
        return "\n" + " " * min(int(width.text), MAX_INDENT) if width is not None and width.text.isdecimal() else None

    def _assign(self, name: str, value: Value, frame: _Frame) -> None:
        before = frame.variables.get(name)
        if frame.doubts and isinstance(before, ListValue) and isinstance(value, ListValue):
            kept = len(before.items)
            doubts = (*before.doubts, *(within(frame.doubts, one) for one in value.doubts[kept:]))
            value = ListValue(value.items, doubts) if value.items[:kept] == before.items else NOT_KNOWN
        elif frame.doubts and before is not None:
            value = NOT_KNOWN
        frame.variables[name] = value

    def _block(self, block: Block, frame: _Frame) -> list[Fragment]:
        if block.kind == "define":
            return []
        if block.kind == "range":
            return self._range(block, frame)
        if block.kind == "block":
            return self._body(block.branches[0].body, frame)
        return self._condition(block, frame)

    def _condition(self, block: Block, frame: _Frame) -> list[Fragment]:
        arms: list[tuple[list[Fragment], bool | None]] = []
        left: bool | None = True
        for branch in block.branches:
            self._outside = False
            value = self._value(branch.condition, frame) if branch.condition is not None else Top()
            outside, truth = self._outside, is_true(value)
            if truth is not None and not outside and branch.condition is not None:
                if truth:
                    return self._arm(block, branch, value, frame, frame.doubts)
                continue
            if branch.condition is None and not arms:
                return self._body(branch.body, frame)
            if block.kind == "with" and branch.condition is not None and not truth:
                value = NOT_KNOWN
            taken = _both(left, truth)
            arms.append((self._arm(block, branch, value, frame, (*frame.doubts, taken)), truth))
            left = _both(left, None if truth is None else not truth)
        return _chosen(arms)

    def _arm(self, block: Block, branch: Branch, value: Value, frame: _Frame, doubts: Doubts) -> list[Fragment]:
        dot = value if block.kind == "with" and branch.condition is not None else frame.dot
        # Variables are the block's own when it declares them; assignments inside reach outside.
        inner = _Frame(frame.template, dot, frame.variables, doubts, frame.depth)
        if block.variables and block.kind == "with":
            inner.variables[block.variables[0]] = value
        return self._body(branch.body, inner)

    def _range(self, block: Block, frame: _Frame) -> list[Fragment]:
        condition = block.branches[0].condition
        value = self._value(condition, frame) if condition is not None else NOT_KNOWN
        rounds = self._rounds(value, Place(block.span, frame.template.path))
        if rounds is None:
            rounds = [(NOT_KNOWN, NOT_KNOWN)]
        found: list[Fragment] = []
        for key, item in rounds:
            self._count += 1
            variables = dict(frame.variables)
            if len(block.variables) == 2:
                variables.update(zip(block.variables, (key, item), strict=True))
            elif block.variables:
                variables[block.variables[0]] = item
            inner = _Frame(frame.template, item, variables, frame.doubts, frame.depth)
            found += self._body(block.branches[0].body, inner)
            for name in frame.variables:
                frame.variables[name] = variables[name]
        return found

    def _rounds(self, value: Value, block: Place) -> list[tuple[Value, Value]] | None:
        """Key and item of each round of a loop over texts; None where it is not known or goes over more than texts."""
        if isinstance(value, Missing):
            return [] if value.known else None
        if isinstance(value, Node) and value.item.kind == "mapping":
            entries = sorted(children(value), key=lambda entry: entry.key)
            if not all(entry.node.item.kind == "scalar" for entry in entries):
                return None
            return [(key_text(entry, block), replace(entry.node, in_loop=True, used=block)) for entry in entries]
        found = items(value)
        if found is None:
            return None
        if not all(rich(item) is not None for item in found.items):
            return None if found.items else []
        return [(NOT_KNOWN, item) for item in found.items]

    # expressions -------------------------------------------------------------------------------------------

    def _value(self, expression: Expression, frame: _Frame) -> Value:
        if isinstance(expression, Literal):
            return literal(expression.value, expression.span, frame.template.path)
        if isinstance(expression, Path):
            return self._path(expression, frame)
        if isinstance(expression, Member):
            value = self._value(expression.of, frame)
            for name in expression.fields:
                value = self._field(value, name)
            return value
        if expression.name == "include":
            return self._include(expression, frame)
        if expression.name == "tpl":
            return self._tpl(expression, frame)
        if expression.name == "ternary":
            return self._ternary(expression, frame)
        operands = [self._value(operand, frame) for operand in expression.operands]
        function = FUNCTIONS.get(expression.name)
        if function is None:
            self._outside = True
            return NOT_KNOWN
        if expression.name == "printf":
            operands = operands[:1] + [
                self._argument(value, operand, frame)
                for value, operand in zip(operands[1:], expression.operands[1:], strict=True)
            ]
        return function(operands, frame.template.path)

    def _argument(self, value: Value, operand: Expression, frame: _Frame) -> Value:
        """An argument of ``printf`` stands where it is named, unless a loop gives it a place of its own."""
        text = rich(value)
        if text is None or not text.text or any(piece.own for piece in text.fragments):
            return value
        definitions: tuple[Definition, ...] = tuple(one for piece in text.fragments for one in piece.definitions)
        if not definitions:
            return value
        mapped = Mapped.whole(text.text, operand.span)
        return Rich((Fragment(mapped, frame.template.path, definitions=definitions, origin=text.fragments),))

    def _path(self, path: Path, frame: _Frame) -> Value:
        value: Value = frame.dot if path.root == "." else Top() if path.root == "$" else NOT_KNOWN
        if path.root.startswith("$") and path.root != "$":
            value = frame.variables.get(path.root, NOT_KNOWN)
        for name in path.fields:
            value = self._field(value, name)
        if isinstance(value, Missing) and not value.known:
            self._outside = True
        return value

    def _field(self, value: Value, name: str) -> Value:
        if isinstance(value, Top):
            self._outside = True
            if name == "Values" and self.chart.values is not None:
                return self.chart.values
            return self.chart.about if name == "Chart" and self.chart.about is not None else NOT_KNOWN
        if isinstance(value, DictValue):
            return at_key(value, name)
        if not isinstance(value, Node):
            return NOT_KNOWN
        if value is self.chart.about:
            name = name[:1].lower() + name[1:]
        return at_key(value, name)

    def _include(self, call: Call, frame: _Frame) -> Value:
        name = self._value(call.operands[0], frame) if call.operands else NOT_KNOWN
        text = rich(name)
        named = self.chart.named.get(text.text) if text is not None else None
        if named is None or frame.depth > MAX_INCLUDES:
            self._outside = True
            return NOT_KNOWN
        dot = self._value(call.operands[1], frame) if len(call.operands) > 1 else NOTHING
        template, nodes = named
        body = self._body(nodes, _Frame(template, dot, {}, frame.doubts, frame.depth + 1))
        return Rich(tuple(replace(piece, own=True) for piece in body))

    def _ternary(self, call: Call, frame: _Frame) -> Value:
        """One of two values; which one is a condition, not known where users may decide it."""
        before, self._outside = self._outside, False
        truth = is_true(self._value(call.operands[2], frame)) if len(call.operands) == 3 else None
        if truth is None or self._outside:
            self._outside = True
            return NOT_KNOWN
        self._outside = before
        return self._value(call.operands[0 if truth else 1], frame)

    def _tpl(self, call: Call, frame: _Frame) -> Value:
        """A text of the values rendered as a template of its own, each piece standing where it is written there."""
        operands = [self._value(operand, frame) for operand in call.operands]
        text = rich(operands[0]) if len(operands) == 2 else None
        if text is None or not text.known or frame.depth > MAX_INCLUDES:
            return NOT_KNOWN
        if "{{" not in text.text:
            return text
        # Words of their own are read; a value put together this way is as good as one from a variable.
        if len(text.fragments) != 1 or not _is_pasted(text):
            self._outside = True
            return NOT_KNOWN
        whole = text.fragments[0]
        try:
            template = Template(_TPL, whole.text, parse(whole.text))
        except TemplateError:
            return NOT_KNOWN
        body = self._body(template.nodes, _Frame(template, operands[1], {}, frame.doubts, frame.depth + 1))
        return Rich(tuple(_brought(piece, whole) for piece in body))


_TPL = "\0tpl"
"""Stands for the path of a text that is rendered as a template, until its pieces are brought to where it is written."""


def _brought(piece: Fragment, whole: Fragment) -> Fragment:
    used = piece.used if piece.used is None or piece.used.path != _TPL else None
    if piece.path != _TPL:
        return replace(piece, used=used)
    return replace(piece, mapped=piece.mapped.through(whole.mapped), path=whole.path, own=True, used=used)


def _is_pasted(text: Rich) -> bool:
    """Several words of a values file: they stand where they are written."""
    inside = text.text.strip()
    return "\n" in inside or (inside.startswith("-") and len(inside.split()) > 1)


def _is_in_list(text: str, at: int) -> bool:
    """Whether lines pasted at ``at`` are items of an argv: they follow an item, or the key of one."""
    lines = (line.strip() for line in reversed(text[max(0, at - _LOOKED_BACK) : at].splitlines()))
    before = next((line for line in lines if line and not _ONLY_ACTIONS.fullmatch(line)), "")
    return before.startswith("- ") or before in ("args:", "command:")


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _chosen(arms: list[tuple[list[Fragment], bool | None]]) -> list[Fragment]:
    """All arms where they are list items, which do not exclude each other in the text; else the likely one."""
    texts = ["".join(piece.text for piece in body).strip() for body, _ in arms]
    if all(not text or text.startswith("- ") for text in texts):
        return [piece for body, _ in arms for piece in body]
    for body, truth in arms:
        if truth:
            return body
    return arms[0][0] if arms else []
