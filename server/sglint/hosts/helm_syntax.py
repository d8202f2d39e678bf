"""Go templates as Helm charts use them: a text split into actions, and the expressions in them.

Source: the documentation of Go's ``text/template``. Spans are offsets of the template's text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..records import dataclass, field
from ..text import Span

_TRIMMED = re.compile(r"\{\{-(?=\s)")
_STRING_OR_END = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`|\}\}')
"""What ends an action, and the strings in which it does not."""
_COMMENT = re.compile(r"\{\{(-\s)?\s*/\*.*?\*/\s*(-)?\}\}", re.DOTALL)
_TOKEN = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*"|`[^`]*`)|(?P<number>[+-]?\d[\w.]*)|(?P<assign>:=|=(?!=))"""
    r"""|(?P<path>\$[A-Za-z_]\w*(?:\.\w+)*|\$(?:\.\w+)*|\.\w+(?:\.\w+)*|\.)|(?P<name>[A-Za-z_]\w*)"""
    r"""|(?P<sign>[|(),]))"""
)
MAX_DEPTH = 60
_BLANK = " \t\r\n"
"""What trim marks take away."""


class TemplateError(Exception):
    """The text is no Go template; ``at`` is the offset."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True)
class Literal:
    """A constant; ``span`` is the text of a string without its quotes. A number is kept as it is written."""

    value: str | bool | None
    span: Span
    is_number: bool = False


@dataclass(frozen=True)
class Path:
    """``.Values.a.b``, ``.``, ``$x.y``: the variable (``.`` or ``$name``) and the fields behind it."""

    root: str
    fields: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class Call:
    """A function and its operands; in a pipeline the last operand is what comes before the bar.

    A method's name is its path, ``.Files.Get``.
    """

    name: str
    operands: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True)
class Member:
    """Fields of what an expression in brackets gives: ``(index .Values.models 0).path``."""

    of: Expression
    fields: tuple[str, ...]
    span: Span


Expression = Literal | Path | Call | Member


@dataclass(frozen=True)
class Text:
    span: Span


@dataclass(frozen=True)
class Output:
    """``{{ pipeline }}``, or ``{{ $x := pipeline }}`` when ``variable`` is set; ``=`` where it is no new variable."""

    expression: Expression
    span: Span
    variable: str | None = None
    is_new: bool = True


@dataclass
class Branch:
    """One arm of a block; ``condition`` None for ``else``."""

    condition: Expression | None
    body: list[Node] = field(default_factory=list)


@dataclass
class Block:
    """``if``, ``with``, ``range``, ``define``, ``block``; ``span`` from its first action to its ``end``."""

    kind: str
    branches: list[Branch]
    span: Span
    variables: tuple[str, ...] = ()
    name: str | None = None


Node = Text | Output | Block


def parse(text: str) -> list[Node]:
    """The nodes of a template. Raises TemplateError."""
    parser = _Parser(text)
    parser.run()
    return parser.root


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.root: list[Node] = []
        self.open: list[Block] = []

    def run(self) -> None:
        at, trim = 0, False
        while (found := self._next(at)) is not None:
            start, end, inside, trims_before, trims_after = found
            self._text(at, start, trim, trims_before)
            if inside is not None:
                self._action(Span(start, end), *inside)
            at, trim = end, trims_after
        self._text(at, len(self.text), trim, False)
        if self.open:
            raise TemplateError(f"`{self.open[-1].kind}` has no `end`", self.open[-1].span.start)

    def _next(self, at: int) -> tuple[int, int, tuple[int, int] | None, bool, bool] | None:
        """Start, end, inside (None for a comment) and trim marks of the next action."""
        start = self.text.find("{{", at)
        if start < 0:
            return None
        comment = _COMMENT.match(self.text, start)
        if comment:
            return start, comment.end(), None, bool(comment[1]), bool(comment[2])
        trims_before = _TRIMMED.match(self.text, start) is not None
        first = start + (3 if trims_before else 2)
        ends = (found for found in _STRING_OR_END.finditer(self.text, first) if found[0] == "}}")
        last = next((found.start() for found in ends), None)
        if last is None:
            raise TemplateError("an action has no end", start)
        trims_after = last - 2 >= first and self.text[last - 1] == "-" and self.text[last - 2].isspace()
        return start, last + 2, (first, last - trims_after), trims_before, trims_after

    def _text(self, start: int, end: int, trim_start: bool, trim_end: bool) -> None:
        piece = self.text[start:end]
        if trim_start:
            start += len(piece) - len(piece.lstrip(_BLANK))
        if trim_end:
            end = start + len(self.text[start:end].rstrip(_BLANK))
        if start < end:
            self._add(Text(Span(start, end)))

    def _add(self, node: Node) -> None:
        (self.open[-1].branches[-1].body if self.open else self.root).append(node)

    def _action(self, span: Span, start: int, end: int) -> None:
        word = re.compile(r"\s*(if|with|range|define|block|else|end|template)\b").match(self.text, start, end)
        keyword = word[1] if word else ""
        rest = (word.end() if word else start, end)
        if keyword == "end":
            if not self.open:
                raise TemplateError("`end` without a block", span.start)
            block = self.open.pop()
            block.span = block.span.hull(span)
        elif keyword == "else":
            self._else(span, *rest)
        elif keyword in ("if", "with", "range", "define", "block"):
            self._begin(keyword, span, *rest)
        elif keyword == "template":
            operands = _Expressions(self.text, *rest).operands()
            self._add(Output(Call("include", tuple(operands), span), span))
        else:
            variables, expression, is_new = _Expressions(self.text, *rest).statement()
            self._add(Output(expression, span, variables[0] if variables else None, is_new))

    def _begin(self, kind: str, span: Span, start: int, end: int) -> None:
        if len(self.open) > MAX_DEPTH:
            raise TemplateError("blocks are nested too deeply", span.start)
        variables, expression, _ = _Expressions(self.text, start, end).statement()
        name = expression.value if isinstance(expression, Literal) and kind in ("define", "block") else None
        block = Block(kind, [Branch(expression)], span, variables, name if isinstance(name, str) else None)
        self._add(block)
        self.open.append(block)

    def _else(self, span: Span, start: int, end: int) -> None:
        if not self.open:
            raise TemplateError("`else` without a block", span.start)
        nested = re.compile(r"\s*(?:if|with)\b").match(self.text, start, end)
        condition = _Expressions(self.text, nested.end(), end).statement()[1] if nested else None
        self.open[-1].branches.append(Branch(condition))


class _Expressions:
    """The expressions inside one action."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.tokens: list[tuple[str, str, Span]] = []
        at = start
        while text[at:end].strip():
            token = _TOKEN.match(text, at, end)
            if token is None or token.lastgroup is None:
                raise TemplateError("an action is not understood", at)
            self.tokens.append((token.lastgroup, token[token.lastgroup], Span(*token.span(token.lastgroup))))
            at = token.end()
        self.at = 0

    def statement(self) -> tuple[tuple[str, ...], Expression, bool]:
        """Assigned variables, the pipeline, and whether the variables are new."""
        assign = next((index for index, token in enumerate(self.tokens) if token[0] == "assign"), None)
        variables: tuple[str, ...] = ()
        if assign is not None:
            variables = tuple(text for kind, text, _ in self.tokens[:assign] if kind == "path")
            self.at = assign + 1
        is_new = assign is None or self.tokens[assign][1] == ":="
        return variables, self._pipeline(0), is_new

    def operands(self) -> list[Expression]:
        found: list[Expression] = []
        while self.at < len(self.tokens) and self.tokens[self.at][1] not in ("|", ")", ","):
            found.append(self._operand(0))
        return found

    def _pipeline(self, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            raise TemplateError("an action is nested too deeply", self.start)
        value = self._command(None, depth)
        while self.at < len(self.tokens) and self.tokens[self.at][1] == "|":
            self.at += 1
            value = self._command(value, depth)
        return value

    def _command(self, before: Expression | None, depth: int) -> Expression:
        if self.at >= len(self.tokens):
            raise TemplateError("an action is empty", self.start)
        kind, text, span = self.tokens[self.at]
        if kind == "name" and text not in ("true", "false", "nil"):
            self.at += 1
            operands: list[Expression] = []
            while self.at < len(self.tokens) and self.tokens[self.at][1] not in ("|", ")", ","):
                operands.append(self._operand(depth))
            last = operands[-1].span if operands else span
            return Call(text, (*operands, *([before] if before is not None else [])), span.hull(last))
        value = self._operand(depth)
        arguments: list[Expression] = []
        while self.at < len(self.tokens) and self.tokens[self.at][1] not in ("|", ")", ","):
            arguments.append(self._operand(depth))
        if not arguments:
            return value
        method = ".".join(("", *value.fields)) if isinstance(value, Path) and value.root in (".", "$") else ""
        return Call(method, tuple(arguments), span.hull(arguments[-1].span))

    def _operand(self, depth: int) -> Expression:
        kind, text, span = self.tokens[self.at]
        self.at += 1
        if kind == "string":
            inside = text[1:-1] if text[0] == "`" else _unescaped(text[1:-1])
            return Literal(inside, Span(span.start + 1, span.end - 1))
        if kind == "number":
            return Literal(text, span, is_number=True)
        if kind == "path":
            root, fields = _fields(text)
            return Path(root, fields, span)
        if kind == "name":
            known: dict[str, bool | None] = {"true": True, "false": False, "nil": None}
            return Literal(known[text], span) if text in known else Call(text, (), span)
        if text == "(":
            value = self._pipeline(depth + 1)
            if self.at < len(self.tokens) and self.tokens[self.at][1] == ")":
                return self._fields_behind(value)
        raise TemplateError("an action is not understood", span.start)

    def _fields_behind(self, value: Expression) -> Expression:
        """The value in brackets that end here, or fields of it when they follow without a blank."""
        close = self.tokens[self.at][2]
        self.at += 1
        if self.at == len(self.tokens):
            return value
        kind, text, span = self.tokens[self.at]
        if kind != "path" or span.start != close.end or not text.startswith(".") or text == ".":
            return value
        self.at += 1
        return Member(value, _fields(text)[1], span)


def _fields(text: str) -> tuple[str, tuple[str, ...]]:
    if text.startswith("$"):
        root, *fields = text.split(".")
        return root, tuple(fields)
    return ".", tuple(part for part in text.split(".") if part)


def _unescaped(text: str) -> str:
    simple = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "r": "\r"}
    return re.sub(r"\\(.)", lambda match: simple.get(match[1], match[0]), text)


def defined(nodes: Sequence[Node]) -> dict[str, list[Node]]:
    """The named templates of a file."""
    return {
        node.name: node.branches[0].body
        for node in nodes
        if isinstance(node, Block) and node.kind in ("define", "block") and node.name
    }
