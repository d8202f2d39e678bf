"""Renders a chart's template with the chart's own values, keeping where every piece of text was written.

What a condition decides is rendered and marked, whatever the condition says; what cannot be told stands as one
private character (see ``origins``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..launch.model import Place
from ..records import replace
from ..text import Mapped, Span
from .helm_evaluate import Chart as Chart
from .helm_evaluate import Evaluator, Frame, Variable, is_pasted
from .helm_evaluate import Template as Template
from .helm_lists import agreed
from .helm_syntax import Block, Branch, Call, Expression, Literal, Member, Output, Path, Text
from .helm_syntax import Node as Syntax
from .helm_texts import MAX_INDENT, known
from .helm_values import (
    NOT_KNOWN,
    DictValue,
    Doubt,
    Doubts,
    Fragment,
    ListValue,
    Missing,
    Node,
    Top,
    Truth,
    Value,
    children,
    constant,
    is_true,
    key_text,
    owned,
    structure,
    unknown,
    within,
)
from .helm_yaml import items, rich
from .origins import HOLE, UNKNOWN
from .programs import mentions_launcher

MAX_FRAGMENTS = 30_000
_LOOKED_BACK = 2000
_ONLY_ACTIONS = re.compile(r"(?:\{\{(?:\"(?:[^\"\\]|\\.)*\"|`[^`]*`|(?!\}\})[^\"`])*\}\}\s*)+|\{\{-?")
_CONTAINER = re.compile(r"^[ \t-]*(?:kind|containers|command|image)[ \t]*:", re.MULTILINE)
_IMAGE_LINE = re.compile(r"[ \t-]*\"?image\"?[ \t]*:")
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*$")


class TooMuch(Exception):
    """The template renders to more than SGLint reads."""


class Renderer(Evaluator):
    def __init__(self, chart: Chart) -> None:
        super().__init__(chart)
        self._count = 0

    def render(self, template: Template) -> list[Fragment]:
        """The pieces that a template renders to. Raises TooMuch."""
        return self.body(template.nodes, Frame(template, Top(), {}))

    def body(self, nodes: Sequence[Syntax], frame: Frame) -> list[Fragment]:
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

    # outputs -----------------------------------------------------------------------------------------------

    def _output(self, node: Output, frame: Frame) -> Sequence[Fragment]:
        self.outside = False
        value = self.value(node.expression, frame)
        if node.variable is not None:
            self.assign(node.variable, value, frame, is_new=node.is_new)
            return ()
        place = Place(node.span, frame.template.path)
        if isinstance(value, Truth) and value.text is not None:
            value = constant(value.text, node.span, frame.template.path)
        text = rich(value)
        if text is None:
            return self._nothing(value, node, frame)
        if frame.depth == 0 and HOLE in text.text:
            text = replace(text, fragments=tuple(_lone(text.fragments, frame.template.text, node.span.start)))
        if is_pasted(text) and not any(piece.own for piece in text.fragments):
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
        doubts = max((within(frame.doubts, piece.doubts) for piece in text.fragments), key=len)
        return [Fragment(mapped, path, text.known, False, doubts, definitions, origin=text.fragments)]

    def _nothing(self, value: Value, node: Output, frame: Frame) -> Sequence[Fragment]:
        if isinstance(value, Missing) and value.known and not self.outside:
            return ()
        path, text, at = frame.template.path, frame.template.text, node.span.start
        pasted = self._pasted_at(node.expression, frame)
        if pasted is None and _stands_alone(text, node.span):
            pasted = "" if not _is_in_text(text, at) else None
            if pasted is None:
                return [replace(piece, doubts=frame.doubts) for piece in unknown(HOLE, node.span, path).fragments]
        if pasted is not None:
            if frame.depth:
                # Whether it stands in a list is told where the named template is included.
                lead, mark = [structure(pasted, None, path, at)] if pasted else [], HOLE
                return [
                    replace(piece, doubts=frame.doubts) for piece in (*lead, *unknown(mark, node.span, path).fragments)
                ]
            if not _is_in_list(text, at):
                return ()
            lead, mark = [structure(pasted + "- ", None, path, at)], HOLE
        else:
            lead, mark = [], HOLE if isinstance(value, (ListValue, Node, DictValue)) else UNKNOWN
        found = (*lead, *unknown(mark, node.span, path).fragments)
        return [replace(piece, doubts=frame.doubts) for piece in found]

    def _pasted_at(self, expression: Expression, frame: Frame) -> str | None:
        """What ``nindent`` puts before lines of YAML that are not known; None for any other expression."""
        if not isinstance(expression, Call) or expression.name != "nindent" or not expression.operands:
            return None
        width = known(self.value(expression.operands[0], frame))
        return "\n" + " " * min(int(width), MAX_INDENT) if width is not None and width.isdecimal() else None

    # blocks ------------------------------------------------------------------------------------------------

    def _block(self, block: Block, frame: Frame) -> list[Fragment]:
        if block.kind == "define":
            return []
        if block.kind == "range":
            return self._range(block, frame)
        if block.kind == "block":
            return self.body(block.branches[0].body, frame)
        return self._condition(block, frame)

    def _condition(self, block: Block, frame: Frame) -> list[Fragment]:
        arms: list[tuple[list[Fragment], bool | None]] = []
        left: bool | None = True
        passed: list[str] = []
        for branch in block.branches:
            self.outside = False
            value = self.value(branch.condition, frame) if branch.condition is not None else Top()
            outside, truth = self.outside, is_true(value)
            if truth is not None and not outside and branch.condition is not None:
                if truth:
                    arms.append((self._arm(block, branch, value, frame, _when(frame, arms, left, passed)), left))
                    break
                continue
            said = _said(branch.condition, block, frame)
            if branch.condition is None and not arms:
                return self.body(branch.body, frame.inside())
            if block.kind == "with" and branch.condition is not None and not truth:
                value = NOT_KNOWN
            taken = Doubt(_both(left, truth), " and ".join((*passed, said) if branch.condition else passed))
            arms.append((self._arm(block, branch, value, frame, (*frame.doubts, taken)), truth))
            left = _both(left, None if truth is None else not truth)
            passed.append(f"not({said})")
        return _chosen(arms, block, frame)

    def _arm(self, block: Block, branch: Branch, value: Value, frame: Frame, doubts: Doubts) -> list[Fragment]:
        inner = frame.inside(doubts)
        if block.kind == "with" and branch.condition is not None:
            outside = self.outside and not isinstance(value, Node)
            inner = replace(inner, dot=value, dot_outside=outside)
            if block.variables:
                inner.variables[block.variables[0]] = Variable(value, outside, doubts)
        return self.body(branch.body, inner)

    # loops -------------------------------------------------------------------------------------------------

    def _range(self, block: Block, frame: Frame) -> list[Fragment]:
        condition = block.branches[0].condition
        value = self.value(condition, frame) if condition is not None else NOT_KNOWN
        rounds = self._rounds(self._as_changed(value), Place(block.span, frame.template.path))
        if rounds is None:
            return self._unknown_rounds(block, frame)
        if not rounds and len(block.branches) > 1:
            return self.body(block.branches[1].body, frame.inside())
        if len(rounds) > 1 and self._starts_server(block, rounds[0], frame):
            rounds = [(agreed([key for key, _ in rounds]), agreed([item for _, item in rounds]))]
        return [piece for one in rounds for piece in self._round(block, *one, frame)]

    def _round(
        self, block: Block, key: Value, item: Value, frame: Frame, doubts: Doubts | None = None
    ) -> list[Fragment]:
        self._count += 1
        inner = replace(frame.inside(doubts), dot=item, dot_outside=False)
        for name, value in zip(reversed(block.variables), (item, key), strict=False):
            inner.variables[name] = Variable(value, False, inner.doubts)
        return self.body(block.branches[0].body, inner)

    def _unknown_rounds(self, block: Block, frame: Frame) -> list[Fragment]:
        """One round for any number of them: its words may be there, and its values are any number of words."""
        unknown_item = (NOT_KNOWN, NOT_KNOWN)
        if self._starts_server(block, unknown_item, frame):
            return self._round(block, *unknown_item, frame)
        doubt = Doubt(None, _place_of(block, frame))
        found = self._round(block, *unknown_item, frame, (*frame.doubts, doubt))
        return [piece if UNKNOWN not in piece.text else _any_words(piece) for piece in found]

    def _starts_server(self, block: Block, first: tuple[Value, Value], frame: Frame) -> bool:
        """Whether a loop makes containers, so that its rounds are one launch whose values differ."""
        trial = replace(frame, variables={name: replace(one) for name, one in frame.variables.items()})
        text = "".join(piece.text for piece in self._round(block, *first, trial))
        return _CONTAINER.search(text) is not None or mentions_launcher(text) is not None

    def _rounds(self, value: Value, block: Place) -> list[tuple[Value, Value]] | None:
        """Key and item of each round; None where they are not known."""
        if isinstance(value, Missing):
            return [] if value.known else None
        if isinstance(value, Node) and value.item.kind == "mapping":
            entries = sorted(children(value), key=lambda entry: entry.key)
            return [(key_text(entry, block), replace(entry.node, in_loop=True, used=block)) for entry in entries]
        if isinstance(value, DictValue):
            return [(constant(key, Span(0, 0), block.path or ""), one) for key, one in sorted(value.items.items())]
        count = rich(value)
        if count is not None and count.kind in ("int", "int64") and count.text.isdecimal():
            return [(NOT_KNOWN, one) for one in _counted(int(count.text))]
        found = items(value)
        if found is None or any(found.doubts):
            return None
        return list(zip(_counted(len(found.items)), found.items, strict=False))


def _lone(pieces: Sequence[Fragment], text: str, at: int) -> Iterator[Fragment]:
    """The pieces of an included text, in which lines that are not known become items of a list, if there is one."""
    before = ""
    for piece in pieces:
        line = before.rpartition("\n")[2]
        if piece.text == HOLE and not line.strip():
            if _is_in_list(text, at):
                yield structure("- ", piece, piece.path)
                yield piece
        else:
            yield piece
        before = line + piece.text


def _counted(count: int) -> list[Value]:
    return [constant(str(number), Span(0, 0), "", "int") for number in range(min(count, MAX_INDENT))]


def _any_words(piece: Fragment) -> Fragment:
    mapped = piece.mapped
    return replace(piece, mapped=Mapped(mapped.text.replace(UNKNOWN, HOLE), mapped.runs, mapped.anchor))


def _stands_alone(text: str, span: Span) -> bool:
    """Whether an action has a line for itself, save for a shell's sign that the line goes on."""
    before = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    end = text.find("\n", span.end)
    after = text[span.end : end if end >= 0 else len(text)]
    return not before.strip() and after.strip() in ("", "\\")


def _lines_before(text: str, at: int) -> list[str]:
    return [line for line in text[max(0, at - _LOOKED_BACK) : at].splitlines() if line.strip()]


def _is_in_text(text: str, at: int) -> bool:
    """Whether a line at ``at`` is one of a block of text: under a line that ends in ``|`` or ``>``."""
    width = at - (text.rfind("\n", 0, at) + 1)
    for line in reversed(_lines_before(text, at)):
        own = len(line) - len(line.lstrip())
        if own < width and not _ONLY_ACTIONS.fullmatch(line.strip()):
            if _BLOCK_SCALAR.search(line.rstrip()):
                return True
            width = own
    return False


def _is_in_list(text: str, at: int) -> bool:
    """Whether lines pasted at ``at`` are items of an argv: they follow an item, or the key of one."""
    lines = (line.strip() for line in reversed(_lines_before(text, at)))
    before = next((line for line in lines if not _ONLY_ACTIONS.fullmatch(line)), "")
    return before.startswith("- ") or before in ("args:", "command:")


def _names_image(block: Block, frame: Frame) -> bool:
    text, at = frame.template.text, block.span.start
    return frame.of_image or _IMAGE_LINE.match(text, text.rfind("\n", 0, at) + 1, at) is not None


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _when(frame: Frame, arms: Sequence[object], left: bool | None, passed: Sequence[str]) -> Doubts:
    """The conditions of an arm that is certain once it is reached."""
    return (*frame.doubts, Doubt(left, " and ".join(passed))) if arms else frame.doubts


def _said(condition: Expression | None, block: Block, frame: Frame) -> str:
    """A condition's name: the same for conditions that ask the same of the chart's values, whichever block has them."""
    said = _in_words(condition, frame) if condition is not None else None
    return said if said is not None else _place_of(block, frame)


def _place_of(block: Block, frame: Frame) -> str:
    return f"{frame.template.path}:{block.span.start}"


def _in_words(expression: Expression, frame: Frame) -> str | None:
    """What an expression asks of the chart's values; None where it asks for anything else."""
    if isinstance(expression, Literal):
        return repr(expression.value)
    if isinstance(expression, Path):
        dollar = frame.variables.get("$")
        root = frame.dot if expression.root == "." else dollar.value if dollar is not None else Top()
        is_root = expression.root in (".", "$") and isinstance(root, Top)
        return "." + ".".join(expression.fields) if is_root else None
    if isinstance(expression, Member):
        of = _in_words(expression.of, frame)
        return None if of is None else f"{of}.{'.'.join(expression.fields)}"
    operands = [_in_words(operand, frame) for operand in expression.operands]
    known_operands = [operand for operand in operands if operand is not None]
    if len(known_operands) < len(operands):
        return None
    return f"{expression.name}({', '.join(known_operands)})"


def _chosen(arms: list[tuple[list[Fragment], bool | None]], block: Block, frame: Frame) -> list[Fragment]:
    """All arms where they are words that do not exclude each other in the text; else the likely one.

    Of texts within a word, none is likely, save in an image's name, which says what the chart itself runs.
    """
    texts = ["".join(piece.text for piece in body) for body, _ in arms]
    words = [text.strip() for text in texts]
    if len(arms) < 2 or all(not text or text.startswith("- ") for text in words):
        return [piece for body, _ in arms for piece in body]
    if all(not text or text.startswith("--") for text in words):
        if any("\n" in text for text in texts):
            return [piece for body, _ in arms for piece in body]
        blank = structure(" ", None, frame.template.path, block.span.start)
        return [piece for body, _ in arms for piece in (*body, blank)]
    if not any("\n" in text for text in texts) and not _names_image(block, frame):
        mark = unknown(UNKNOWN, block.span, frame.template.path).fragments
        return [replace(piece, doubts=frame.doubts) for piece in mark]
    likely = next((body for body, truth in arms if truth), arms[0][0])
    return list(likely)
