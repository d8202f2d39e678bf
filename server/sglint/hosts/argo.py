"""Argo Workflows: ``{{inputs.parameters.x}}``, ``{{workflow.parameters.x}}``, ``{{item}}``.

Source: the documentation of Argo Workflows ("Workflow Variables", "Parameters"). Arguments of the one step that calls
a template win over what its inputs say; the entrypoint gets the workflow's own arguments. A template that several
steps call with arguments of their own is not known to get any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ..records import dataclass
from .expansion import Fill, Replacement
from .references import UNDECIDED, Kept, Language, value_of
from .scopes import Scope
from .yaml_tree import Item, Tree

_PARAMETER = re.compile(r"\{\{=?\s*(inputs|workflow)\.parameters(?:\.([\w-]+)|\[['\"]([\w-]+)['\"]\])\s*\}\}")


@dataclass(frozen=True)
class _Call:
    """A call of a template: its arguments, and the template that it stands in (None for the workflow's own)."""

    arguments: Mapping[str, Scope]
    caller: Scope | None


class Argo(Language):
    """The references of one workflow, workflow template or cron workflow."""

    def __init__(self, tree: Tree) -> None:
        top = Scope(tree, tree.top)
        spec = tree.get(tree.top, "spec", "workflowSpec") or tree.get(tree.top, "spec") or tree.top
        self._spec = Scope(tree, spec, "spec", top)
        self._kept = Kept()
        self._calls: dict[str, list[_Call]] | None = None

    def fill(self, scope: Scope) -> Fill:
        return self._fill(_template(scope))

    def _fill(self, template: Scope | None) -> Fill:
        return partial(self._reference, template)

    def _reference(self, template: Scope | None, written: str) -> Replacement | None:
        if not written.endswith("}}"):
            return None
        found = _PARAMETER.fullmatch(written)
        if found is None:
            return UNDECIDED
        name = found[2] or found[3]
        if found[1] == "workflow":
            return self._kept.answer(("workflow", name), lambda: self._of_workflow(name))
        declaring = [one for one in _around(template) if name in self._kept.named(one, "inputs", "parameters")]
        if len(declaring) != 1:
            # A template inside a step may name what the one around it gets; which of two is meant is not known.
            return UNDECIDED
        (owner,) = declaring
        return self._kept.answer((id(owner.item.node), name), lambda: self._input(owner, name))

    def _of_workflow(self, name: str) -> Replacement:
        parameters = self._kept.named(self._spec, "arguments", "parameters")
        return self._value(parameters.get(name), None, f"workflow.parameters.{name}")

    def _value(self, parameter: Scope | None, template: Scope | None, name: str) -> Replacement:
        if parameter is None:
            return UNDECIDED
        return value_of(parameter, parameter.get("value"), name, self._fill(template))

    def _input(self, template: Scope, name: str) -> Replacement:
        declared = self._kept.named(template, "inputs", "parameters").get(name)
        title = f"inputs.parameters.{name}"
        calls = self._calls_of(template)
        given = [(call, argument) for call in calls if (argument := call.arguments.get(name)) is not None]
        if not given:
            return self._own(declared, template, title)
        if len(calls) > 1:
            return UNDECIDED
        call, argument = given[0]
        return self._value(argument, call.caller, title)

    def _own(self, declared: Scope | None, template: Scope, title: str) -> Replacement:
        """What an input says itself, where no call gives it anything."""
        if declared is None or declared.get("valueFrom") is not None:
            return UNDECIDED
        written = declared.get("value") or declared.get("default")
        return value_of(declared, written, title, self._fill(template))

    def _calls_of(self, template: Scope) -> Sequence[_Call]:
        if template.key == "inline" and template.parent is not None:
            return [self._call(template.parent)]
        if self._calls is None:
            self._calls = {}
            for name, call in self._all_calls():
                self._calls.setdefault(name, []).append(call)
        return self._calls.get(template.text("name") or "", ())

    def _call(self, step: Scope) -> _Call:
        return _Call(self._kept.named(step, "arguments", "parameters"), _template(step))

    def _all_calls(self) -> Iterator[tuple[str, _Call]]:
        own = _Call(self._kept.named(self._spec, "arguments", "parameters"), None)
        for key in ("entrypoint", "onExit"):
            name = self._spec.text(key)
            if name is not None:
                yield name, own
        for template in self._spec.items("templates"):
            for step in _steps(template):
                name = step.text("template")
                if name is not None:
                    yield name, self._call(step)


def _template(scope: Scope) -> Scope | None:
    """The template that a mapping is a part of."""
    return next((one for one in scope.outward() if one.key in ("templates", "inline")), None)


def _around(template: Scope | None) -> Iterator[Scope]:
    """A template, and those that it stands in."""
    while template is not None:
        yield template
        template = _template(template.parent) if template.parent is not None else None


def _steps(template: Scope) -> Iterator[Scope]:
    """Steps and tasks of a template, one after the other and side by side."""
    yield from template.items("dag", "tasks")
    for group in template.items("steps"):
        yield group
        yield from (Scope(group.tree, one, "steps", template) for one in _children(group.tree, group.item))


def _children(tree: Tree, item: Item) -> Sequence[Item]:
    return tree.items(item) if item.kind == "sequence" else ()
