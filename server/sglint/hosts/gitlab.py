"""GitLab CI: ``variables:`` of the pipeline and of a job, which its ``script:`` reads as a shell's variables.

Source: GitLab's CI/CD YAML syntax reference and its page on where variables can be used. A job's own variables win over
those of jobs that it extends, these over the pipeline's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath

from ..launch.model import Definition, EnvVar, Place
from ..records import replace
from .expansion import Expand, Replacement, replaced
from .references import MAX_CHARACTERS, MAX_VARIABLES, UNDECIDED, Kept, Language, printed, variable
from .scopes import Scope
from .yaml_tree import Tree, text_of

MAX_EXTENDED = 50
"""Jobs that one extends, taken together; GitLab itself allows eleven levels."""

_USE = re.compile(r"\$(?:\$|\{?([A-Za-z_]\w*)\}?)")


def is_gitlab(tree: Tree, path: str) -> bool:
    """Whether a document has GitLab's jobs: maps at its top with a ``script``."""
    if ".gitlab-ci" in PurePath(path).name:
        return True
    return any(tree.get(entry.value, "script") is not None for entry in tree.entries(tree.top))


class GitLab(Language):
    """The variables of one pipeline."""

    def __init__(self, tree: Tree) -> None:
        self._top = Scope(tree, tree.top)
        self._extends: dict[str, list[Scope]] | None = None
        self._shared: dict[str, Replacement] | None = None

    def image(self, scope: Scope) -> Expand:
        known = self.environment(scope, {})

        def value(match: re.Match[str]) -> Replacement | None:
            found = known.get(match[1] or "")
            if found is None or found.value is None or found.place is None:
                return None
            return Replacement(found.value, Definition(found.name, found.place))

        return lambda mapped: replaced(mapped, _USE, value)

    def environment(self, scope: Scope, own: Mapping[str, EnvVar]) -> Mapping[str, EnvVar]:
        job = next((one for one in scope.outward() if one.parent is not None and one.parent.parent is None), None)
        if self._shared is None:
            self._shared = dict(_variables(self._top))
        found = dict(self._shared)
        if job is not None:
            for one in (*reversed(self._extended(job)), job):
                found.update(_variables(one))
            for name in self._decided_elsewhere(job):
                found[name] = replace(found.get(name, UNDECIDED), text=None)
        found = dict(list(found.items())[-MAX_VARIABLES:])
        whole = _Whole(found)
        return {**own, **{name: variable(name, whole.value(name)) for name in found}}

    def _extended(self, job: Scope) -> Sequence[Scope]:
        """The jobs that a job extends, the nearest first."""
        found: dict[str, Scope] = {}
        waiting = [job]
        for one in waiting:
            for name in reversed(_names(one)):
                base = self._top.get(name)
                if base is not None and name not in found and name != job.key and len(found) < MAX_EXTENDED:
                    found[name] = Scope(self._top.tree, base, name, self._top)
                    waiting.append(found[name])
        return list(found.values())

    def _decided_elsewhere(self, job: Scope) -> Iterator[str]:
        """Names that rules, a matrix or the jobs that extend this one give other values."""
        for one in (job, *self._extended(job)):
            for rule in one.items("rules"):
                yield from _keys(rule, "variables")
            for combination in one.items("parallel", "matrix"):
                yield from (entry.key for entry in combination.tree.entries(combination.item))
        for other in self._extending(job.key):
            yield from _keys(other, "variables")

    def _extending(self, name: str) -> Sequence[Scope]:
        """The jobs that extend the one of a name."""
        if self._extends is None:
            self._extends = {}
            for entry in self._top.tree.entries(self._top.item):
                job = Scope(self._top.tree, entry.value, entry.key, self._top)
                for base in _names(job):
                    self._extends.setdefault(base, []).append(job)
        return self._extends.get(name, ())


def _names(job: Scope) -> list[str]:
    """What a job says that it extends."""
    one = job.text("extends")
    found = [one] if one is not None else [text_of(item.item) for item in job.items("extends")]
    return [name for name in found if name]


def _keys(scope: Scope, key: str) -> Iterator[str]:
    block = scope.get(key)
    return (entry.key for entry in scope.tree.entries(block)) if block is not None else iter(())


def _variables(scope: Scope) -> Iterator[tuple[str, Replacement]]:
    """The variables of the pipeline or of a job; a value may stand beside its description."""
    block = scope.get("variables")
    for entry in scope.tree.entries(block) if block is not None else ():
        item = scope.tree.get(entry.value, "value") if entry.value.kind == "mapping" else entry.value
        text = printed(item)
        place = Place(scope.tree.mapped(item).span()) if item is not None and item.kind == "scalar" else None
        yield entry.key, Replacement(text, Definition(entry.key, place) if place else None)


class _Whole:
    """Variables with the variables in their values put in."""

    def __init__(self, written: Mapping[str, Replacement]) -> None:
        self._written = written
        self._kept = Kept()

    def value(self, name: str) -> Replacement:
        return self._kept.answer(name, lambda: self._expanded(self._written.get(name, UNDECIDED)))

    def _expanded(self, value: Replacement) -> Replacement:
        text = value.text
        if text is None or "$" not in text:
            return value
        parts: list[str] = []
        at = length = 0
        for use in _USE.finditer(text):
            inner = "$" if use[1] is None else self.value(use[1]).text
            length += len(inner or "")
            if inner is None or length > MAX_CHARACTERS:
                return replace(value, text=None)
            parts += [text[at : use.start()], inner]
            at = use.end()
        return replace(value, text="".join((*parts, text[at:])))
