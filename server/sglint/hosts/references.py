"""References that a workflow's tool fills in before anything runs: what they come to, and where that is written.

Each tool has a module of its own. A value that a caller, a form or a schedule may override counts as written, as the
values of a chart and the defaults of variables do; what the file does not decide is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence

from ..launch.model import Definition, EnvVar, Place, Word
from ..text import Mapped
from .expansion import REFERENCE, Expand, Fill, Replacement, image_reference, replaced
from .scopes import Scope
from .yaml_tree import Item, Tree, text_of

UNDECIDED = Replacement(None)
MAX_CHARACTERS = 10_000
"""Longer values are not put together: references that double each other would never end."""

MAX_VARIABLES = 100
"""Variables that a command has from around it."""

MAX_DEPTH = 25
_WHOLE_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_FRACTION = re.compile(r"(-?(?:0|[1-9]\d{0,9})\.\d{1,9}?)0*")
_TAG = "tag:yaml.org,2002:"


class Language:
    """How one tool writes and fills references; as it stands, one that has none."""

    def fill(self, scope: Scope) -> Fill:
        """What references written in a mapping come to."""
        return lambda written: None

    def image(self, scope: Scope) -> Expand:
        """Expansion of an image reference; what is not known stays as it is written."""
        return image_reference(self.fill(scope))

    def environment(self, scope: Scope, own: Mapping[str, EnvVar]) -> Mapping[str, EnvVar]:
        """The variables of a command in ``scope``, of which it declares ``own`` itself."""
        return own

    def spread(self, scope: Scope, text: str) -> Sequence[Word] | None:
        """The words that a list's item with this text stands for (none: not known); None where it stands for one."""
        return None


def language_of(tree: Tree, path: str) -> Language | None:
    """The tool that a document is written for; its module is loaded when there is one."""
    if tree.top.kind == "sequence":
        from .ansible import Ansible

        return Ansible(tree) if "{{" in tree.text else None
    api = text_of(tree.get(tree.top, "apiVersion")) or ""
    if api.startswith("argoproj.io/"):
        from .argo import Argo

        return Argo(tree)
    if api.startswith("tekton.dev/"):
        from .tekton import Tekton

        return Tekton()
    if api:
        return None
    if _is_github(tree):
        from .github import GitHub

        return GitHub(tree)
    if "script" in tree.text and tree.get(tree.top, "services", "image") is None:
        from .gitlab import GitLab, is_gitlab

        return GitLab(tree) if is_gitlab(tree, path) else None
    return None


def _is_github(tree: Tree) -> bool:
    if tree.get(tree.top, "jobs") is not None and tree.get(tree.top, "on") is not None:
        return True
    return text_of(tree.get(tree.top, "runs", "using")) is not None


def printed(item: Item | None, *, true: str = "true", false: str = "false") -> str | None:
    """A scalar as tools print it that read numbers and truths as such: ``0.90`` becomes ``0.9``.

    None where it is no scalar, or where tools differ about it (dates, ``yes``, numbers in other bases).
    """
    if item is None or item.kind != "scalar":
        return None
    text = str(item.node.value)
    tag = str(item.node.tag).removeprefix(_TAG)
    if tag == "str":
        return text
    if tag == "int":
        return text if _WHOLE_NUMBER.fullmatch(text) else None
    if tag == "float":
        number = _FRACTION.fullmatch(text)
        return number[1].removesuffix(".0") if number and not number[1].endswith(".0") else None
    if tag == "bool":
        return {"true": true, "false": false}.get(text.lower())
    return None


def value_of(scope: Scope, item: Item | None, name: str, fill: Fill, text: str | None = None) -> Replacement:
    """What a value comes to, and where it is written: where the one reference that it is gets its own from, else here.

    ``text``: how the tool prints it, where that is not :func:`printed`.
    """
    text = printed(item) if text is None else text
    if item is None or text is None or len(text) > MAX_CHARACTERS:
        return UNDECIDED
    here = Definition(name, Place(scope.tree.mapped(item).span(), scope.tree.path))
    if "$" not in text and "{{" not in text:
        return Replacement(text, here)
    expanded = replaced(Mapped.whole(text, here.place.span), REFERENCE, lambda match: fill(match[0]))
    if expanded.text is None or len(expanded.text) > MAX_CHARACTERS:
        return UNDECIDED
    only = expanded.pieces[0] if len(expanded.pieces) == 1 else None
    if only is not None and (only.written_from, only.written_to) == (0, len(text)) and only.definition is not None:
        return Replacement(expanded.text, only.definition)
    return Replacement(expanded.text, here)


class Kept:
    """Answers that are worked out once; one that needs itself, or too many others, is not known."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Replacement] = {}
        self._open: set[Hashable] = set()
        self._named: dict[int, dict[str, Scope]] = {}

    def named(self, scope: Scope, *keys: str) -> Mapping[str, Scope]:
        """The items of a list of ``{name: ...}`` by name, of equal names the first."""
        found = scope.get(*keys)
        if found is None:
            return {}
        names = self._named.get(id(found.node))
        if names is None:
            names = self._named[id(found.node)] = {}
            for one in scope.items(*keys):
                names.setdefault(one.text("name") or "", one)
        return names

    def answer(self, key: Hashable, find: Callable[[], Replacement]) -> Replacement:
        found = self._known.get(key)
        if found is not None:
            return found
        if key in self._open or len(self._open) >= MAX_DEPTH:
            return UNDECIDED
        self._open.add(key)
        try:
            found = self._known[key] = find()
        finally:
            self._open.discard(key)
        return found


def variable(name: str, found: Replacement) -> EnvVar:
    """A variable with what a value came to."""
    return EnvVar(name, found.text, found.definition.place if found.definition is not None else None)
