"""Ansible playbooks: ``{{ name }}`` from the ``vars:`` of the task, its block and its play.

Source: the documentation of Ansible ("Using variables"). ``{{ name | default('x') }}`` gives ``x`` where nothing in the
file sets the name. What tasks register, set or loop over is not known, nor is any other expression.
"""

from __future__ import annotations

import re
from functools import partial

from .expansion import Fill, Replacement
from .references import UNDECIDED, Kept, Language, printed, value_of
from .scopes import Scope
from .yaml_tree import Item, Tree

_VARIABLE = re.compile(
    r"\{\{-?\s*([A-Za-z_]\w*)\s*(?:\|\s*default\(\s*(?:'([^'\\]*)'|\"([^\"\\]*)\"|(\d+))\s*\)\s*)?-?\}\}"
)


class Ansible(Language):
    """The references of one playbook or file of tasks."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._kept = Kept()
        self._others: dict[str, bool] = {}

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
        known = self._others.get(name)
        if known is None:
            text = self._tree.text
            pattern = rf"^[ \t-]*(?:register|loop_var|index_var):[ \t]*['\"]?{name}\b"
            known = re.search(pattern, text, re.MULTILINE) is not None
            if not known and ("set_fact" in text or "vars_prompt" in text):
                known = len(re.findall(rf"^[ \t-]*{name}:", text, re.MULTILINE)) > 1 or f"name: {name}" in text
            self._others[name] = known
        return known
