"""What stands around a launch in YAML: image, environment, GPUs and role, looked for from the inside out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..launch.model import EnvVar, Evidence, Image, Place
from ..text import Mapped
from .evidence import gpu_of_label, image_of, normal_release, release_in_tag, release_of_image, visible_devices
from .expansion import expanded_env
from .yaml_tree import Item, Tree, text_of

ENV_KEYS = ("env", "envs", "environment", "extraEnv", "extraEnvVars")
_VISIBLE = "CUDA_VISIBLE_DEVICES"
_GPU_RESOURCE = re.compile(r"(?:^|[./-])gpu$")
_LEADER = frozenset(("leaderTemplate", "leader", "entryTemplate"))
_WORKER = frozenset(("workerTemplate",))
_ROLES = frozenset(("prefill", "decode", "leader", "worker"))


@dataclass(frozen=True)
class Scope:
    """A mapping on the way from the document's root to a launch, and the key it was found under."""

    item: Item
    key: str = ""
    parent: Scope | None = None

    def outward(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


@dataclass(frozen=True)
class Surroundings:
    """Evidence for one launch; ``environment`` holds what the container declares, expanded, by name."""

    environment: Mapping[str, EnvVar]
    image: Image | None = None
    release: Evidence | None = None
    gpu: Evidence | None = None
    gpu_count: Evidence | None = None
    role: str | None = None
    container: str | None = None


def surroundings(tree: Tree, scope: Scope, environment: Mapping[str, EnvVar] | None = None) -> Surroundings:
    """What the mappings around ``scope`` say about a launch in it."""
    image, release = _image(tree, scope)
    return Surroundings(
        environment_of(tree, scope) if environment is None else environment,
        image,
        release or _kustomize_release(tree, scope, image),
        _gpu(tree, scope),
        _visible_devices(tree, scope) or _gpu_count(tree, scope),
        _role(tree, scope),
        text_of(tree.get(scope.item, "name")),
    )


def environment_of(tree: Tree, scope: Scope) -> dict[str, EnvVar]:
    """The expanded environment that the mapping of ``scope`` itself declares."""
    return expanded_env(_variables(tree, scope))


_Variables = dict[str, "tuple[Mapped | None, EnvVar]"]


def _variables(tree: Tree, scope: Scope) -> _Variables:
    found: dict[str, tuple[Mapped | None, EnvVar]] = {}
    for key in ENV_KEYS:
        block = tree.get(scope.item, key)
        if block is None:
            continue
        named = [_named_variable(tree, item) for item in tree.items(block)]
        for name, value, place in filter(None, (*named, *_mapped_variables(tree, block))):
            mapped = tree.embedding(value).mapped if value is not None else None
            found[name] = (mapped, EnvVar(name, mapped.text if mapped else None, place))
    return found


_Variable = tuple[str, "Item | None", Place]


def _named_variable(tree: Tree, item: Item) -> _Variable | None:
    """``{name: X, value: Y}``, or ``X=Y`` and ``X`` as compose lists write it."""
    name = tree.get(item, "name")
    text = text_of(name)
    if name is None or text is None:
        return None
    value = tree.get(item, "value")
    if value is None or value.kind != "scalar":
        return text, None, Place(tree.span(name.node))
    return text, value, Place(tree.embedding(value).mapped.span())


def _mapped_variables(tree: Tree, block: Item) -> Iterator[_Variable]:
    for entry in tree.entries(block):
        if text_of(entry.value) is None:
            yield entry.key, None, Place(tree.span(entry.key_node))
        else:
            yield entry.key, entry.value, Place(tree.embedding(entry.value).mapped.span())


def _image(tree: Tree, scope: Scope) -> tuple[Image | None, Evidence | None]:
    for around in scope.outward():
        written = tree.get(around.item, "image")
        if written is None:
            continue
        if written.kind == "mapping":
            image = _split_image(tree, written)
            if image is None:
                continue
            return image, release_of_image(image)
        if text_of(written) is None:
            return None, None
        image = image_of(tree.embedding(written).mapped)
        return image, release_of_image(image) or _version_key(tree, around.item, image)
    return None, None


def _split_image(tree: Tree, written: Item) -> Image | None:
    """``{repository: ..., tag: ...}`` as charts write it; without a repository it is the chart's own, SGLang's."""
    tag = tree.get(written, "tag")
    text = text_of(tag)
    if tag is None or text is None:
        return None
    place = Place(tree.embedding(tag).mapped.span())
    repository = text_of(tree.get(written, "repository")) or "sglang"
    return Image(f"{repository}:{text}", place, text, place)


def _version_key(tree: Tree, around: Item, image: Image) -> Evidence | None:
    """``version:`` beside an image without a tag."""
    version = tree.get(around, "version")
    text = text_of(version)
    if version is None or text is None or image.tag is not None or release_in_tag(image.text, text) is None:
        return None
    return Evidence(normal_release(text), "version key", Place(tree.embedding(version).mapped.span()))


def _kustomize_release(tree: Tree, scope: Scope, image: Image | None) -> Evidence | None:
    """``images:`` of the kustomization a patch stands in."""
    for around in scope.outward():
        overrides = tree.get(around.item, "images")
        for override in tree.items(overrides) if overrides else ():
            name, tag = text_of(tree.get(override, "name")), tree.get(override, "newTag")
            text = text_of(tag)
            if name is None or tag is None or text is None:
                continue
            release = release_in_tag(text_of(tree.get(override, "newName")) or name, text)
            if release and (image is None or image.text.partition(":")[0] == name):
                return Evidence(release, "kustomize images", Place(tree.embedding(tag).mapped.span()))
    return None


def _gpu(tree: Tree, scope: Scope) -> Evidence | None:
    for around in scope.outward():
        selector = tree.get(around.item, "nodeSelector")
        values = [entry.value for entry in tree.entries(selector)] if selector else []
        affinity = tree.get(around.item, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
        if affinity:
            values += _required_labels(tree, affinity)
        found = [evidence for value in values if (evidence := _label(tree, value))]
        if found:
            return found[0] if len({evidence.value for evidence in found}) == 1 else None
    return None


def _required_labels(tree: Tree, affinity: Item) -> Iterable[Item]:
    terms = tree.get(affinity, "nodeSelectorTerms")
    for term in tree.items(terms) if terms else ():
        expressions = tree.get(term, "matchExpressions")
        for expression in tree.items(expressions) if expressions else ():
            if text_of(tree.get(expression, "operator")) == "In":
                values = tree.get(expression, "values")
                yield from tree.items(values) if values else ()


def _label(tree: Tree, value: Item) -> Evidence | None:
    return None if text_of(value) is None else gpu_of_label(tree.embedding(value).mapped)


def _visible_devices(tree: Tree, scope: Scope) -> Evidence | None:
    for key in ENV_KEYS:
        block = tree.get(scope.item, key)
        if block is None:
            continue
        value = tree.get(block, _VISIBLE)
        for item in tree.items(block):
            if text_of(tree.get(item, "name")) == _VISIBLE:
                value = tree.get(item, "value")
        if value is not None and text_of(value) is not None:
            return visible_devices(tree.embedding(value).mapped)
    return None


def _gpu_count(tree: Tree, scope: Scope) -> Evidence | None:
    for around in scope.outward():
        for kind in ("limits", "requests"):
            resources = tree.get(around.item, "resources", kind)
            for entry in tree.entries(resources) if resources else ():
                text = text_of(entry.value)
                if text and text.isdecimal() and _GPU_RESOURCE.search(entry.key):
                    place = Place(tree.embedding(entry.value).mapped.span())
                    return Evidence(int(text), f"resources.{kind}", place)
    return None


def _role(tree: Tree, scope: Scope) -> str | None:
    for around in scope.outward():
        if around.key in _LEADER:
            return "leader"
        if around.key in _WORKER:
            return "worker"
        if around.key in ("roles", "services"):
            name = text_of(tree.get(around.item, "name"))
            return name if name in _ROLES else None
        if around.key in _ROLES:
            return around.key
    return None
