"""What the expressions of a template give with a chart's own values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence

from ..launch.model import Definition
from ..records import dataclass, field, replace
from ..text import Mapped
from .helm_functions import FUNCTIONS, literal
from .helm_lists import at_key, copied, merged
from .helm_syntax import Call, Expression, Literal, Member, Path, TemplateError, parse
from .helm_syntax import Node as Syntax
from .helm_texts import known
from .helm_values import (
    NOT_KNOWN,
    NOTHING,
    Choice,
    DictValue,
    Doubts,
    Fragment,
    ListValue,
    Missing,
    Node,
    Rich,
    Top,
    Value,
    is_true,
    part,
    within,
)
from .helm_yaml import rich

MAX_INCLUDES = 30
_TPL = "\0tpl"
"""Stands for the path of a text that is rendered as a template, until its pieces are brought to where it is written."""

_CHANGING = frozenset(("set", "unset", "merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite"))
"""Functions that change the map they get."""


@dataclass(frozen=True)
class Template:
    """A file of templates: its path, text and nodes."""

    path: str
    text: str
    nodes: Sequence[Syntax]


@dataclass
class Chart:
    """What templates can see: values, ``Chart.yaml``, other files, and all named templates with their files.

    ``file`` gives the text of a file of the chart by its path inside, with the path it is read from.
    """

    values: Node | None
    about: Node | None
    named: dict[str, tuple[Template, Sequence[Syntax]]] = field(default_factory=dict)
    file: Callable[[str], tuple[str, str] | None] = field(default=lambda name: None)


@dataclass
class Variable:
    """``outside``: its value rests on what users may override; ``doubts`` are the conditions it was declared under."""

    value: Value
    outside: bool
    doubts: Doubts


@dataclass
class Frame:
    """Where rendering stands: file, dot, variables, the conditions around; ``of_image``: in the name of an image."""

    template: Template
    dot: Value
    variables: dict[str, Variable]
    doubts: Doubts = ()
    depth: int = 0
    dot_outside: bool = False
    of_image: bool = False

    def inside(self, doubts: Doubts | None = None) -> Frame:
        """The frame of a block: variables it declares are its own, those it assigns are shared."""
        return replace(self, variables=dict(self.variables), doubts=self.doubts if doubts is None else doubts)


class Evaluator:
    """Values of expressions; ``outside`` says whether the last one looked at something that users may override."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.outside = False
        self._changed: dict[tuple[int, str], Value] = {}

    @abstractmethod
    def body(self, nodes: Sequence[Syntax], frame: Frame) -> list[Fragment]:
        """The pieces that nodes render to."""

    def assign(self, name: str, value: Value, frame: Frame, *, is_new: bool) -> None:
        """``$name := value``, or ``=`` of a variable that is there."""
        before = frame.variables.get(name)
        if is_new or before is None:
            frame.variables[name] = Variable(value, self.outside, frame.doubts)
            return
        before.outside = before.outside or self.outside
        own = frame.doubts[len(before.doubts) :]
        if not own:
            before.value = value
        elif isinstance(before.value, ListValue) and isinstance(value, ListValue):
            before.value = _grown(before.value, value, frame.doubts)
        else:
            before.value = NOT_KNOWN

    def value(self, expression: Expression, frame: Frame) -> Value:
        if isinstance(expression, Literal):
            return literal(expression.value, expression.span, frame.template.path, is_number=expression.is_number)
        if isinstance(expression, Path):
            return self._path(expression, frame)
        if isinstance(expression, Member):
            return self._fields(self.value(expression.of, frame), expression.fields)
        special = _SPECIAL.get(expression.name)
        if special is not None:
            return special(self, expression, frame)
        before = self.outside
        operands = [self._as_changed(self.value(operand, frame)) for operand in expression.operands]
        function = FUNCTIONS.get(expression.name)
        if function is None:
            self.outside = True
            return NOT_KNOWN
        if _asks_for_form(expression):
            self.outside = before
        if expression.name == "printf":
            operands = operands[:1] + [
                self._argument(value, operand, frame)
                for value, operand in zip(operands[1:], expression.operands[1:], strict=True)
            ]
        return function(operands, frame.template.path)

    def _argument(self, value: Value, operand: Expression, frame: Frame) -> Value:
        """An argument of ``printf`` stands where it is named, unless a loop gives it a place of its own."""
        text = rich(value)
        if text is None or not text.text or any(piece.own for piece in text.fragments):
            return value
        definitions: tuple[Definition, ...] = tuple(one for piece in text.fragments for one in piece.definitions)
        if not definitions:
            return value
        mapped = Mapped.whole(text.text, operand.span)
        piece = Fragment(mapped, frame.template.path, text.known, definitions=definitions, origin=text.fragments)
        return Rich((piece,), text.kind)

    def _as_changed(self, value: Value) -> Value:
        """A map with what the template changed in it."""
        return copied(value, self._changed) if self._changed else value

    def _path(self, path: Path, frame: Frame) -> Value:
        if path.root == ".":
            value = frame.dot
            self.outside |= frame.dot_outside
        elif path.root == "$":
            value = Top() if "$" not in frame.variables else frame.variables["$"].value
        else:
            variable = frame.variables.get(path.root)
            value = variable.value if variable is not None else NOT_KNOWN
            self.outside |= variable is None or variable.outside
        return self._fields(value, path.fields)

    def _fields(self, value: Value, names: Sequence[str]) -> Value:
        self._look(value)
        for name in names:
            value = self._field(value, name)
            self._look(value)
        return value

    def _look(self, value: Value) -> None:
        is_given = isinstance(value, Node) and not value.in_loop
        self.outside |= is_given or isinstance(value, (Top, Choice)) or (isinstance(value, Missing) and not value.known)

    def _field(self, value: Value, name: str) -> Value:
        if isinstance(value, Top):
            if name == "Values" and self.chart.values is not None:
                return self.chart.values
            return self.chart.about if name == "Chart" and self.chart.about is not None else NOT_KNOWN
        if isinstance(value, DictValue) and name in value.outside:
            self.outside = True
        if isinstance(value, Node):
            if value is self.chart.about:
                name = name[:1].lower() + name[1:]
            changed = self._changed.get((id(value.item.node), name))
            if changed is not None:
                return changed
        return at_key(value, name)

    # functions that see more than their operands -----------------------------------------------------------

    def _include(self, call: Call, frame: Frame) -> Value:
        name = known(self.value(call.operands[0], frame)) if call.operands else None
        named = self.chart.named.get(name) if name is not None else None
        if named is None or frame.depth > MAX_INCLUDES:
            self.outside = True
            return NOT_KNOWN
        before, self.outside = self.outside, False
        dot = self.value(call.operands[1], frame) if len(call.operands) > 1 else NOTHING
        outside, self.outside = self.outside and not isinstance(dot, (DictValue, Top)), before
        template, nodes = named
        variables = {"$": Variable(dot, outside, frame.doubts)}
        of_image = frame.of_image or "image" in (name or "").lower()
        inner = Frame(template, dot, variables, frame.doubts, frame.depth + 1, outside, of_image)
        body = self.body(nodes, inner)
        self.outside = True
        return Rich(tuple(replace(piece, own=True) for piece in body))

    def _ternary(self, call: Call, frame: Frame) -> Value:
        """One of two values; which one is a condition, not known where users may decide it."""
        before, self.outside = self.outside, False
        truth = is_true(self.value(call.operands[2], frame)) if len(call.operands) == 3 else None
        if truth is None or self.outside:
            self.outside = True
            return NOT_KNOWN
        self.outside = before
        return self.value(call.operands[0 if truth else 1], frame)

    def _tpl(self, call: Call, frame: Frame) -> Value:
        """A text of the values rendered as a template of its own, each piece standing where it is written there."""
        operands = [self.value(operand, frame) for operand in call.operands]
        text = rich(operands[0]) if len(operands) == 2 else None
        if text is None or not text.known or frame.depth > MAX_INCLUDES:
            return NOT_KNOWN
        if "{{" not in text.text:
            return text
        # Words of their own are read; a value put together this way is as good as one from a variable.
        if not is_pasted(text):
            self.outside = True
            return NOT_KNOWN
        try:
            template = Template(_TPL, text.text, parse(text.text))
        except TemplateError:
            return NOT_KNOWN
        dot = operands[1]
        body = self.body(template.nodes, Frame(template, dot, {}, frame.doubts, frame.depth + 1))
        return Rich(tuple(found for piece in body for found in _brought(piece, text)))

    def _dict(self, call: Call, frame: Frame) -> Value:
        """A map that knows which of its values users may override."""
        before = self.outside
        operands: list[Value] = []
        outside: set[str] = set()
        for number, operand in enumerate(call.operands):
            self.outside = False
            operands.append(self.value(operand, frame))
            key = known(operands[number - 1]) if number % 2 else None
            if key is not None and self.outside and not isinstance(operands[-1], Node):
                outside.add(key)
        self.outside = before
        found = FUNCTIONS["dict"](operands, frame.template.path)
        return replace(found, outside=outside) if isinstance(found, DictValue) else found

    def _change(self, call: Call, frame: Frame) -> Value:
        """``set``, ``unset`` and ``merge``: their first operand is changed for all that see it later."""
        operands = [self.value(operand, frame) for operand in call.operands]
        if not operands:
            return NOT_KNOWN
        target = operands[0]
        if call.name in ("set", "unset"):
            key = known(operands[1]) if len(operands) > 1 else None
            new = operands[2] if call.name == "set" and len(operands) == 3 else NOTHING
            if key is None:
                return NOT_KNOWN
            self._put(target, key, NOT_KNOWN if frame.doubts else new)
            return target
        result = merged(operands, last_wins="Overwrite" in call.name)
        if isinstance(result, DictValue):
            for key, value in result.items.items():
                self._put(target, key, NOT_KNOWN if frame.doubts else value)
        return result

    def _put(self, target: Value, key: str, value: Value) -> None:
        if isinstance(target, DictValue):
            target.items[key] = value
            if self.outside:
                target.outside.add(key)
        elif isinstance(target, Node):
            self._changed[id(target.item.node), key] = value

    def _file(self, call: Call, frame: Frame) -> Value:
        name = known(self.value(call.operands[0], frame)) if len(call.operands) == 1 else None
        found = self.chart.file(name) if name is not None else None
        if found is None:
            self.outside = True
            return NOT_KNOWN
        text, path = found
        return Rich((Fragment(Mapped.identity(text), path, own=True),))


_SPECIAL: dict[str, Callable[[Evaluator, Call, Frame], Value]] = {
    "include": Evaluator._include,
    "template": Evaluator._include,
    "ternary": Evaluator._ternary,
    "tpl": Evaluator._tpl,
    "dict": Evaluator._dict,
    ".Files.Get": Evaluator._file,
    **dict.fromkeys(_CHANGING, Evaluator._change),
}


_FORMS = frozenset(("kindIs", "typeIs", "kindOf", "typeOf"))


def _asks_for_form(call: Call) -> bool:
    """Whether a condition is about the form of a value, which users keep when they override it."""
    first = call.operands[0] if call.operands else None
    about_actions = call.name == "contains" and isinstance(first, Literal) and first.value == "{{"
    return call.name in _FORMS or about_actions


def _grown(before: ListValue, after: ListValue, doubts: Doubts) -> Value:
    """A list that got items under a condition; not known when it got anything else."""
    kept = len(before.items)
    if after.items[:kept] != before.items:
        return NOT_KNOWN
    return ListValue(after.items, (*before.doubts, *(within(doubts, one) for one in after.doubts[kept:])))


def _brought(piece: Fragment, whole: Rich) -> Sequence[Fragment]:
    """A piece of a text that was rendered as a template, standing where that text is written."""
    used = piece.used if piece.used is None or piece.used.path != _TPL else None
    if piece.path != _TPL:
        return [replace(piece, used=used)]
    span = piece.mapped.span()
    there = part(whole, *span).fragments
    if all(run.exact for run in piece.mapped.runs):
        return [replace(one, own=True, doubts=within(piece.doubts, one.doubts)) for one in there]
    homes = [one for one in there if one.slot is not None] or there[:1]
    if not homes:
        return [replace(piece, path=whole.fragments[0].path, used=used)]
    home = homes[0]
    place = home.mapped.span().hull(homes[-1].mapped.span()) if homes[-1].path == home.path else home.mapped.span()
    mapped = Mapped.whole(piece.text, place)
    return [replace(piece, mapped=mapped, path=home.path, own=True, used=used or home.used, slot=home.slot)]


def is_pasted(text: Rich) -> bool:
    """Several words of a values file: they stand where they are written."""
    inside = text.text.strip()
    return "\n" in inside or (inside.startswith("-") and len(inside.split()) > 1)
