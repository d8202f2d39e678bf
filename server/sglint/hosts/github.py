"""GitHub Actions: ``${{ env.X }}``, ``${{ matrix.x }}``, ``${{ inputs.x }}``, and the variables of a step's shell.

Source: the documentation of GitHub Actions ("Expressions", "Contexts", "Workflow syntax"). ``a || 'b'`` is read like a
shell's ``${a:-b}``: what nothing in the file gives is taken for not given. Other expressions are not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ..launch.model import EnvVar
from ..records import replace
from .expansion import Fill, Replacement
from .references import MAX_VARIABLES, UNDECIDED, Kept, Language, value_of, variable
from .scopes import Scope
from .yaml_tree import Item, Tree

_EXPRESSION = re.compile(r"\$\{\{(.*)\}\}", re.DOTALL)
_OPERAND = re.compile(r"\s*(?:'((?:[^']|'')*)'|(-?\d{1,9})|([A-Za-z_][\w-]*(?:\.[\w-]+|\['[^']+'\])*))\s*(\|\||\Z)")
_STEP = re.compile(r"\.([\w-]+)|\['([^']+)'\]")
_ASSIGNED = re.compile(r"(?<!\w)([A-Za-z_]\w*)(?:=|<<)")
_FALSY = frozenset(("", "0", "false"))
_ABSENT = Replacement("")
"""Nothing in the file gives it a value."""

_MAX_OPERANDS = 20


class GitHub(Language):
    """The references of one workflow or composite action."""

    def __init__(self, tree: Tree) -> None:
        self._top = Scope(tree, tree.top)
        self._kept = Kept()
        self._set: dict[int, frozenset[str]] = {}
        self._last: dict[int, tuple[object, Mapping[str, EnvVar]]] = {}

    def fill(self, scope: Scope) -> Fill:
        return partial(self._reference, scope)

    def environment(self, scope: Scope, own: Mapping[str, EnvVar]) -> Mapping[str, EnvVar]:
        around = {} if scope.parent is None else self._around(scope.parent)
        return {**around, **dict(self._declared(scope))}

    def _around(self, scope: Scope) -> Mapping[str, EnvVar]:
        """The variables of a job, or of what stands around it, as steps behind its others have them."""
        depth = sum(1 for _ in scope.outward())
        kept, found = self._last.get(depth, (None, {}))
        if kept is scope.item.node:
            return found
        merged = dict(() if scope.parent is None else self._around(scope.parent))
        merged.update(self._declared(scope))
        for name in self._set_by(scope) & merged.keys():
            merged[name] = replace(merged[name], value=None)
        # Of thousands that nobody writes, those that are left out are not known.
        found = dict(list(merged.items())[-MAX_VARIABLES:])
        self._last[depth] = scope.item.node, found
        return found

    def _declared(self, around: Scope) -> Iterator[tuple[str, EnvVar]]:
        """The variables that a mapping declares."""
        for keys in (("container", "env"), ("env",)):
            block = around.get(*keys)
            for entry in around.tree.entries(block) if block is not None else ():
                given = variable(entry.key, self._value(around, entry.key, entry.value))
                yield entry.key, given if given.place else EnvVar(entry.key, None, around.place(entry.value))

    def _value(self, around: Scope, name: str, item: Item) -> Replacement:
        """What a variable declared in a mapping comes to; references in it are those of what stands around that."""
        fill = self.fill(around.parent) if around.parent is not None else _nothing
        return self._kept.answer(("env", id(item.node)), lambda: value_of(around, item, name, fill))

    def _reference(self, scope: Scope, written: str) -> Replacement | None:
        found = _EXPRESSION.fullmatch(written)
        if found is None:
            return None
        answer = UNDECIDED
        text = found[1]
        at = 0
        for _ in range(_MAX_OPERANDS):
            operand = _OPERAND.match(text, at)
            if operand is None:
                return UNDECIDED
            answer = self._operand(scope, operand)
            if not operand[4]:
                return UNDECIDED if answer is _ABSENT else answer
            if answer.text is None or (answer.text in _FALSY and answer.text):
                return UNDECIDED
            if answer.text:
                return answer
            at = operand.end()
        return UNDECIDED

    def _operand(self, scope: Scope, operand: re.Match[str]) -> Replacement:
        if operand[1] is not None:
            return Replacement(operand[1].replace("''", "'"))
        if operand[2] is not None:
            return Replacement(operand[2])
        context = re.match(r"[\w-]+", operand[3])
        assert context is not None
        steps = [one or other for one, other in _STEP.findall(operand[3], context.end())]
        if context[0] == "github" and steps[:2] == ["event", "inputs"]:
            return self._input(steps[2:])
        if context[0] == "env" and len(steps) == 1:
            return self._env(scope, steps[0])
        if context[0] == "inputs":
            return self._input(steps)
        if context[0] == "matrix":
            return self._matrix(scope, steps)
        return _ABSENT if context[0] == "vars" else UNDECIDED

    def _env(self, scope: Scope, name: str) -> Replacement:
        for around in scope.outward():
            item = around.get("env", name)
            if item is not None:
                is_set = self._is_set_by_steps(scope, around, name)
                return UNDECIDED if is_set else self._value(around, name, item)
        return _ABSENT if not self._is_set_by_steps(scope, self._top, name) else UNDECIDED

    def _is_set_by_steps(self, scope: Scope, around: Scope, name: str) -> bool:
        """Whether a step before may give the variable another value, which counts more than the job's."""
        if around.key == "steps" or "GITHUB_ENV" not in self._top.tree.text:
            return False
        return any(name in self._set_by(outer) for outer in scope.outward())

    def _set_by(self, job: Scope) -> frozenset[str]:
        """The variables that a job's steps may set for the steps behind them."""
        key = id(job.item.node)
        if key not in self._set:
            scripts = (step.text("run") or "" for step in job.items("steps"))
            self._set[key] = frozenset(
                name for script in scripts if "GITHUB_ENV" in script for name in _ASSIGNED.findall(script)
            )
        return self._set[key]

    def _input(self, steps: Sequence[str]) -> Replacement:
        if len(steps) != 1:
            return UNDECIDED
        return self._kept.answer(("input", steps[0]), lambda: self._declared_input(steps[0]))

    def _declared_input(self, name: str) -> Replacement:
        """The default of an input; nothing is known of one that triggers give different ones."""
        found: list[Replacement] = []
        for keys in (("on", "workflow_dispatch", "inputs"), ("on", "workflow_call", "inputs"), ("inputs",)):
            declared = self._top.get(*keys, name)
            if declared is None:
                continue
            inside = Scope(self._top.tree, declared, name, self._top)
            if inside.text("default"):
                found.append(value_of(inside, inside.get("default"), f"inputs.{name}", _nothing))
            else:
                found.append(UNDECIDED if inside.text("required") == "true" else _ABSENT)
        if not found or any(one.text != found[0].text for one in found):
            return UNDECIDED
        return found[0]

    def _matrix(self, scope: Scope, steps: Sequence[str]) -> Replacement:
        job = next((one for one in scope.outward() if one.get("strategy", "matrix") is not None), None)
        if job is None or not steps:
            return UNDECIDED
        return self._kept.answer((id(job.item.node), *steps), lambda: self._only_value(job, steps))

    def _only_value(self, job: Scope, steps: Sequence[str]) -> Replacement:
        values = list(_matrix_values(job, steps[0]))
        if len(values) != 1:
            return UNDECIDED
        item = job.tree.get(values[0], *steps[1:]) if len(steps) > 1 else values[0]
        return value_of(job, item, ".".join(("matrix", *steps)), self.fill(self._top))


def _matrix_values(job: Scope, name: str) -> Iterator[Item]:
    """Every value that a matrix may give a name."""
    matrix = job.get("strategy", "matrix")
    listed = job.get("strategy", "matrix", name)
    if matrix is not None and listed is not None:
        yield from job.tree.items(listed) if listed.kind == "sequence" else (listed, listed)
    for one in job.items("strategy", "matrix", "include"):
        value = one.get(name)
        if value is not None:
            yield value
    if job.get("strategy", "matrix", "include") is not None and listed is None and len(_included(job)) > 1:
        # Combinations that do not have the name have no value for it.
        yield from (one.item for one in _included(job) if one.get(name) is None)


def _included(job: Scope) -> Sequence[Scope]:
    return job.items("strategy", "matrix", "include")


def _nothing(written: str) -> Replacement | None:
    return UNDECIDED
