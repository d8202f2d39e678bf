"""Ansible playbooks: ``{{ name }}`` from the ``vars:`` of the task, its block and its play.

Source: the documentation of Ansible ("Using variables"). ``{{ name | default('x') }}`` gives ``x`` where nothing in the
file sets the name. What tasks register, set or loop over is not known, nor is any other expression.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import partial

from .expansion import Fill, Replacement
from .references import UNDECIDED, Kept, Language, printed, value_of
from .scopes import Scope
from .yaml_tree import Item, Tree

_VARIABLE = re.compile(
    r"\{\{-?\s*([A-Za-z_]\w*)\s*(?:\|\s*default\(\s*(?:'([^'\\]*)'|\"([^\"\\]*)\"|(\d+))\s*\)\s*)?-?\}\}"
)

_SET = re.compile(r"^[ \t-]*(?:register|loop_var|index_var):[ \t]*['\"]?(\w+)", re.MULTILINE)
_KEY = re.compile(r"^[ \t-]*(\w+):", re.MULTILINE)
_PROMPTED = re.compile(r"\bname:[ \t]*['\"]?(\w+)")


class Ansible(Language):
    """The references of one playbook or file of tasks."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._kept = Kept()
        self._others: set[str] | None = None

    def fill(self, scope: Scope) -> Fill:
        return partial(self._reference, scope)

    def _reference(self, scope: Scope, written: str) -> Replacement | None:
        found = _VARIABLE.fullmatch(written)
        if found is None:
            return UNDECIDED if written.endswith("}}") else None
        name = found[1]
        if self._is_set_elsewhere(name):
            return UNDECIDED
        for around in scope.outward():
            item = around.get("vars", name)
            if item is not None:
                return self._of(around, item, name)
        default = next((text for text in found.groups()[1:] if text), None)
        return Replacement(default)

    def _of(self, around: Scope, item: Item, name: str) -> Replacement:
        text = printed(item, true="True", false="False")
        key = (id(around.item.node), name)
        return self._kept.answer(key, lambda: value_of(around, item, name, self.fill(around), text))

    def _is_set_elsewhere(self, name: str) -> bool:
        """Whether tasks of the file give the name a value."""
        if self._others is None:
            text = self._tree.text
            self._others = set(_SET.findall(text))
            if "set_fact" in text or "vars_prompt" in text:
                keys = Counter(_KEY.findall(text))
                self._others |= {key for key, count in keys.items() if count > 1} | set(_PROMPTED.findall(text))
        return name in self._others
