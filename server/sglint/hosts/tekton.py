"""Tekton tasks and pipelines: ``$(params.x)``, in words of a step and in its script.

Source: the documentation of Tekton ("Variable substitutions", "Propagated parameters"). A parameter is what the run or
the pipeline around the task gives it, else its default.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from ..launch.model import EnvVar, Word
from ..records import replace
from .expansion import Fill, Replacement
from .references import UNDECIDED, Kept, Language, value_of
from .scopes import Scope
from .yaml_tree import Item
from .yaml_words import list_words

_PARAMETER = re.compile(
    r"\$\((?:inputs\.)?params(?:\.([\w-]+)|\[(['\"])([^'\"\]]+)\2\])(?:\[(\d{1,3}|\*)\]|\.([\w-]+))?\)"
)
_LISTS = (("params",), ("inputs", "params"))
MAX_SPREAD = 10_000
"""Words that the arrays of one document give; more are not told apart."""

_OURS = re.compile(r"\$\((?:inputs|params|tasks|results|context|workspaces|steps|outputs|finally|step)[.\[]")


class Tekton(Language):
    """The references of one task, pipeline or run."""

    def __init__(self) -> None:
        self._kept = Kept()
        self._spread = 0

    def fill(self, scope: Scope) -> Fill:
        return partial(self._reference, scope)

    def environment(self, scope: Scope, own: Mapping[str, EnvVar]) -> Mapping[str, EnvVar]:
        from .surroundings import environment_of

        template = scope.parent.get("stepTemplate") if scope.key == "steps" and scope.parent is not None else None
        if template is None or scope.parent is None:
            return own
        return {**environment_of(Scope(scope.tree, template, "stepTemplate", scope.parent)), **own}

    def spread(self, scope: Scope, text: str) -> Sequence[Word] | None:
        found = _PARAMETER.fullmatch(text)
        if found is None or found[4] != "*":
            return None
        inside, item = self._parameter(scope, found[1] or found[3])
        if inside is None or item is None or item.kind != "sequence":
            return ()
        self._spread += len(item.node.value)
        if self._spread > MAX_SPREAD:
            return ()
        return list_words(inside.tree, item)

    def _reference(self, scope: Scope, written: str) -> Replacement | None:
        found = _PARAMETER.fullmatch(written)
        if found is None:
            return UNDECIDED if _OURS.match(written) else None
        name = found[1] or found[3]
        return self._kept.answer(
            (id(scope.item.node), name, found[4], found[5]), lambda: self._value(scope, name, found[4], found[5])
        )

    def _value(self, scope: Scope, name: str, index: str | None, key: str | None) -> Replacement:
        inside, item = self._parameter(scope, name)
        if inside is None or item is None or index == "*":
            return UNDECIDED
        if index is not None:
            items = inside.tree.items(item)
            item = items[int(index)] if int(index) < len(items) else None
        elif key is not None:
            item = inside.tree.get(item, key)
        outside = inside.parent if inside.parent is not None else inside
        return value_of(inside, item, f"params.{name}", self.fill(outside))

    def _parameter(self, scope: Scope, name: str) -> tuple[Scope | None, Item | None]:
        """The value that the nearest run or pipeline task gives a parameter, else the nearest default.

        With the mapping it is written in, whose parent is where references in it are looked up.
        """
        default: tuple[Scope | None, Item | None] = (None, None)
        for around in scope.outward():
            for keys in _LISTS:
                one = self._kept.named(around, *keys).get(name)
                if one is None:
                    continue
                given = one.get("value")
                if given is not None:
                    return replace(one, parent=around.parent), given
                if default[1] is None and one.get("default") is not None:
                    default = replace(one, parent=around.parent), one.get("default")
            if around.key == "tasks" and name in self._kept.named(around, "matrix", "params"):
                return None, None
        return default
