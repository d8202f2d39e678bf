"""What a ``kustomization.yaml`` builds: resources of files and folders, patched, with other images.

Manifests are the maps that templates of charts work with, so that every text knows the file it is written in.
Source: the documentation of Kustomize, of RFC 6902 and RFC 7386, and of Kubernetes' strategic merge patches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ..records import dataclass, replace
from ..text import Sources, Span
from . import yaml_documents
from .gate import KUSTOMIZATIONS
from .helm_lists import at_key, pairs_of
from .helm_texts import known
from .helm_values import (
    NOTHING,
    DictValue,
    ListValue,
    Missing,
    Node,
    Value,
    certain_list,
    kind_of,
)
from .helm_yaml import items
from .kustomize_generators import with_generated
from .kustomize_images import with_images
from .kustomize_manifests import Manifest, below
from .kustomize_replacements import with_replacements, with_vars
from .scopes import Scope
from .yaml_tree import Item, Tree, first_map, text_of

MAX_FOLDERS = 20
_MAX_DEPTH = 30
_BUILT_IN = frozenset(
    "Deployment StatefulSet DaemonSet ReplicaSet ReplicationController Job CronJob Pod PodTemplate".split()
)
"""Kinds whose lists are merged item by item; of others a patch replaces lists as a whole."""
_MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "env": "name",
    "volumes": "name",
    "volumeMounts": "mountPath",
    "imagePullSecrets": "name",
    "ports": "containerPort",
}


_MIXING = frozenset(("components", "replacements", "vars"))


class PatchFails(Exception):
    """A patch asks for what the resource does not have; Kustomize stops there."""


@dataclass(frozen=True)
class Kustomization:
    """A kustomization at ``path``, with the paths of the files and folders that it lists."""

    path: str
    top: Scope
    resources: tuple[str, ...]
    components: tuple[str, ...]
    patches: tuple[str, ...]

    @property
    def mixes(self) -> tuple[Span, ...]:
        """Where it asks for texts to be put into manifests that may be written in none of its own files."""
        entries = self.top.tree.entries(self.top.item)
        return tuple(self.top.tree.span(entry.key_node) for entry in entries if entry.key in _MIXING)


def kustomization(folder: PurePosixPath, sources: Sources) -> Kustomization | None:
    """The kustomization in a folder."""
    for name in KUSTOMIZATIONS:
        path = str(folder / name)
        text = sources.text(path)
        if text is not None and (found := kustomization_of(path, text)) is not None:
            return found
    return None


def kustomization_of(path: str, text: str) -> Kustomization | None:
    """The kustomization that a file's text is."""
    top = _top(text, path)
    if top is None:
        return None
    folder = PurePosixPath(path).parent
    listed = [text_of(item.item) for key in ("resources", "bases") for item in top.items(key)]
    components = [text_of(item.item) for item in top.items("components")]
    patches = [text_of(item.item) or item.text("path") for item in patch_items(top)]
    return Kustomization(path, top, below(folder, listed), below(folder, components), below(folder, patches))


def patch_items(top: Scope) -> Iterator[Scope]:
    for key in ("patches", "patchesStrategicMerge", "patchesJson6902"):
        yield from top.items(key)


def _top(text: str, path: str | None) -> Scope | None:
    tree = first_map(text, path)
    return None if tree is None else Scope(tree, tree.top)


def build(found: Kustomization, sources: Sources) -> list[Manifest]:
    """The manifests of a kustomization, with all that it makes and changes; a patch that fails is left out."""
    variables: list[Scope] = []
    return with_vars(_built(found, sources, (), variables), variables)


def _built(found: Kustomization, sources: Sources, seen: tuple[str, ...], variables: list[Scope]) -> list[Manifest]:
    if found.path in seen or len(seen) > MAX_FOLDERS:
        return []
    inside = (*seen, found.path)
    manifests = [one for path in found.resources for one in _resource(path, sources, inside, variables)]
    for folder in found.components:
        component = kustomization(PurePosixPath(folder), sources)
        if component is not None and component.path not in seen:
            manifests = _changed(manifests, component, sources)
            variables += component.top.items("vars")
    variables += found.top.items("vars")
    return _changed(manifests, found, sources)


def _resource(path: str, sources: Sources, seen: tuple[str, ...], variables: list[Scope]) -> Iterator[Manifest]:
    text = sources.text(path)
    if text is not None:
        yield from (Manifest(value, path) for value in documents(text, path))
        return
    inner = kustomization(PurePosixPath(path), sources)
    if inner is not None:
        yield from (replace(one, is_far=True) for one in _built(inner, sources, seen, variables))


def documents(text: str, path: str) -> Iterator[Value]:
    """The documents of a file as values that stand where they are written."""
    for chunk in yaml_documents.chunks(text):
        composed = yaml_documents.compose(chunk.text)
        if composed.root is not None and composed.root.id in ("mapping", "sequence"):
            tree = Tree(chunk.text, chunk.base, composed.root, path=path)
            yield Node(tree, tree.top, path, "", in_loop=True)


def _changed(manifests: list[Manifest], by: Kustomization, sources: Sources) -> list[Manifest]:
    manifests = with_generated(manifests, by.top, by.path, sources)
    for patch in _patches(by, sources):
        manifests = [patch.applied(one) for one in manifests]
    images = [item for item in by.top.items("images") if item.text("name")]
    if images:
        manifests = [replace(one, value=with_images(one.value, images, by.path)) for one in manifests]
    return with_replacements(manifests, by.top, by.path, sources)


# patches ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Patch:
    """``value`` is a list of operations (RFC 6902) or a map to merge; ``target`` selects resources, else its names."""

    value: Value
    target: Scope | None

    def applied(self, manifest: Manifest) -> Manifest:
        if not self._is_for(manifest):
            return manifest
        try:
            return replace(manifest, value=self._value(manifest))
        except PatchFails:
            return manifest

    def _value(self, manifest: Manifest) -> Value:
        operations = items(self.value)
        if operations is None:
            return merge(manifest.value, self.value, built_in=manifest.text("kind") in _BUILT_IN)
        value = manifest.value
        for operation in operations.items:
            value = _operated(value, operation)
        return value

    def _is_for(self, manifest: Manifest) -> bool:
        if self.target is None:
            names = (("kind",), ("metadata", "name"))
            own = Manifest(self.value, manifest.path)
            return items(self.value) is None and all(own.text(*keys) == manifest.text(*keys) for keys in names)
        return manifest.is_like(self.target)


def _patches(by: Kustomization, sources: Sources) -> Iterator[Patch]:
    folder = PurePosixPath(by.path).parent
    for item in patch_items(by.top):
        target = Scope(item.tree, inner, "target", item) if (inner := item.get("target")) is not None else None
        written = item.get("patch") if item.item.kind == "mapping" else item.item
        text = text_of(written)
        if written is not None and text is not None and ("\n" in text or item.item.kind == "mapping"):
            yield from (Patch(value, target) for value in _inline(item.tree, written, by.path))
        for path in below(folder, [text or item.text("path")]):
            content = sources.text(path)
            yield from (Patch(value, target) for value in documents(content or "", path))


def _inline(tree: Tree, written: Item, path: str) -> Iterator[Value]:
    outer = tree.embedding(written)
    for chunk in yaml_documents.chunks(outer.text):
        composed = yaml_documents.compose(chunk.text)
        if composed.root is not None and composed.root.id in ("mapping", "sequence"):
            inner = Tree(chunk.text, chunk.base, composed.root, outer, path)
            yield Node(inner, inner.top, path, "", in_loop=True)


def merge(value: Value, patch: Value, *, built_in: bool, depth: int = 0) -> Value:
    """A strategic merge patch of built-in kinds, else a JSON merge patch."""
    own, changes = pairs_of(value), pairs_of(patch)
    if own is None or changes is None or depth > _MAX_DEPTH:
        return patch
    found = dict(own)
    if known(at_key(patch, "$patch")) == "replace":
        found = {}
    for key, change in changes:
        if key.startswith("$"):
            continue
        before = found.get(key)
        if kind_of(change) == "invalid":
            found.pop(key, None)
        elif before is None:
            found[key] = change
        elif key in _MERGE_KEYS and built_in and items(before) is not None and items(change) is not None:
            found[key] = _merged_list(before, change, _MERGE_KEYS[key], depth)
        else:
            found[key] = merge(before, change, built_in=built_in, depth=depth + 1)
    return DictValue(found, set())


def _merged_list(value: Value, patch: Value, key: str, depth: int) -> Value:
    """The items of both lists, those of one name merged; new ones come first, as Kustomize has them."""
    before, changes = items(value), items(patch)
    assert before is not None
    assert changes is not None
    found = list(before.items)
    new: list[Value] = []
    for change in changes.items:
        name = known(at_key(change, key))
        at = next((place for place, one in enumerate(found) if known(at_key(one, key)) == name), None)
        if known(at_key(change, "$patch")) == "delete":
            found = [one for one in found if known(at_key(one, key)) != name]
        elif at is None or name is None:
            new.append(change)
        else:
            found[at] = merge(found[at], change, built_in=True, depth=depth + 1)
    return certain_list([*new, *found])


def _operated(value: Value, operation: Value) -> Value:
    """One operation of RFC 6902. Raises PatchFails."""
    kind, steps = known(at_key(operation, "op")), _steps(known(at_key(operation, "path")))
    new = at_key(operation, "value")
    if kind == "test":
        return value
    if kind in ("move", "copy"):
        start = _steps(known(at_key(operation, "from")))
        new = _at(value, start)
        value = _put(value, start, None, "remove") if kind == "move" else value
        kind = "add"
    if kind not in ("add", "replace", "remove") or not steps:
        raise PatchFails
    return _put(value, steps, new, kind)


def _steps(pointer: str | None) -> list[str]:
    if pointer is None or not pointer.startswith("/"):
        return []
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]


def _at(value: Value, steps: Sequence[str]) -> Value:
    for step in steps:
        found = items(value)
        value = found.items[_place(step, len(found.items) - 1)] if found is not None else at_key(value, step)
    if isinstance(value, Missing):
        raise PatchFails
    return value


def _place(step: str, last: int) -> int:
    """An index of a list. Raises PatchFails."""
    if not re.fullmatch(r"0|[1-9]\d{0,4}", step) or int(step) > last:
        raise PatchFails
    return int(step)


def _put(value: Value, steps: Sequence[str], new: Value | None, kind: str) -> Value:
    step, rest = steps[0], steps[1:]
    found = items(value)
    if found is not None:
        return _put_in_list(found, step, rest, new, kind)
    pairs = pairs_of(value)
    if pairs is None or len(steps) > _MAX_DEPTH:
        raise PatchFails
    own = dict(pairs)
    if rest:
        if step not in own:
            raise PatchFails
        own[step] = _put(own[step], rest, new, kind)
    elif kind == "add":
        own[step] = new if new is not None else NOTHING
    elif step not in own:
        raise PatchFails
    elif kind == "remove":
        del own[step]
    else:
        own[step] = new if new is not None else NOTHING
    return DictValue(own, set())


def _put_in_list(before: ListValue, step: str, rest: Sequence[str], new: Value | None, kind: str) -> Value:
    found = list(before.items)
    if kind == "add" and not rest:
        at = len(found) if step == "-" else _place(step, len(found))
        found.insert(at, new if new is not None else NOTHING)
        return certain_list(found)
    at = _place(step, len(found) - 1)
    if rest:
        found[at] = _put(found[at], rest, new, kind)
    elif kind == "remove":
        del found[at]
    else:
        found[at] = new if new is not None else NOTHING
    return certain_list(found)
