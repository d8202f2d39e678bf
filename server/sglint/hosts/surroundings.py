"""What stands around a launch in YAML: image, environment, GPUs and role, looked for from the inside out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..launch.model import EnvVar, Evidence, Image, Place
from ..patterns import lazy
from ..records import dataclass
from ..text import Mapped
from .evidence import image_of, release_in_tag, release_of_image, release_of_requirement
from .expansion import Expand, Expanded, as_written, expanded_env
from .hardware_hints import gpu_count_around, gpu_kind_around, memory_limit_around
from .scopes import Scope
from .yaml_tree import Item, text_of

ENV_KEYS = ("env", "envs", "environment", "extraEnv", "extraEnvVars")
REFERENCES = ("configMapRef", "configMapKeyRef", "secretRef")
"""How a container takes variables from elsewhere."""

_LEADER = frozenset(("leaderTemplate", "leader", "entryTemplate", "patchLeaderTemplate"))
_WORKER = frozenset(("workerTemplate", "workerSpec", "patchWorkerTemplate"))
_PATCHES = frozenset(("patchLeaderTemplate", "patchWorkerTemplate"))
"""Changes to the containers of the ``template`` that stands beside them or further out."""
_ENGINE_VERSIONS = (("backendName", "version"), ("backend", "backend_version"), ("engine", "engineVersion"))
"""Where a mapping names its engine, and the version of it."""
_ROLES = frozenset(("prefill", "decode", "leader", "worker"))
_JOB_IMAGE_PATHS = (("container", "image"), ("container",))
"""Where a job of GitHub Actions names the image that its steps run in."""
_IMAGE_PATHS = (
    ("image",),
    ("image", "name"),
    ("base_image", "image"),
    ("model", "container"),
    ("default", "image"),
    ("default", "image", "name"),
)
_INSTALL_KEYS = ("setup", "install", "setup_commands", "build_commands")
_ASSIGNED = lazy(r"([A-Za-z_]\w*)(?:=(.*))?$", re.DOTALL)


@dataclass(frozen=True)
class Surroundings:
    """Evidence for one launch.

    ``environment`` holds what the container declares, expanded, by name; ``path`` is where it stands, by names.
    """

    environment: Mapping[str, EnvVar]
    image: Image | None = None
    release: Evidence | None = None
    gpu: Evidence | None = None
    gpu_count: Evidence | None = None
    role: str | None = None
    container: str | None = None
    path: str | None = None
    memory_limit: Evidence | None = None


def surroundings(
    scope: Scope, environment: Mapping[str, EnvVar] | None = None, expand: Expand = as_written
) -> Surroundings:
    """What the mappings around ``scope`` say about a launch in it. ``expand`` reads image references."""
    image, release = _image(scope, expand)
    patched = _patched(scope)
    if patched is not None and image is None:
        image, release = _image(patched, expand)
    return Surroundings(
        environment_of(scope) if environment is None else environment,
        image,
        release or _kustomize_release(scope, image) or _engine_release(scope) or _installed_release(scope),
        gpu_kind_around(scope) or (gpu_kind_around(patched) if patched is not None else None),
        gpu_count_around(scope, ENV_KEYS) or (gpu_count_around(patched, ENV_KEYS) if patched is not None else None),
        _role(scope),
        scope.text("name") or (scope.key if scope.parent is not None and scope.parent.key == "services" else None),
        scope.path() or None,
        memory_limit_around(scope),
    )


def environment_of(scope: Scope) -> Mapping[str, EnvVar]:
    """The expanded environment that the mapping of ``scope`` itself declares."""
    known = scope.tree.environments
    key = id(scope.item.node)
    if key not in known:
        known[key] = _environment(scope)
    return known[key]


def _environment(scope: Scope) -> dict[str, EnvVar]:
    found: dict[str, tuple[Mapped | None, EnvVar]] = {}
    shared_maps = scope.tree.config_maps
    for source in scope.items("envFrom") if shared_maps else ():
        secret = source.text("secretRef", "name")
        other = source.text("configMapRef", "name") if secret is None else f"secret/{secret}"
        for name, variable in shared_maps.get(other or "", {}).items():
            prefixed = (source.text("prefix") or "") + name
            found[prefixed] = (None, EnvVar(prefixed, variable.value, variable.place))
    for key in ENV_KEYS:
        for value, variable in _variables(scope, key):
            found[variable.name] = (value, variable)
        for listed in scope.items(key) if shared_maps else ():
            own, shared = listed.text("name"), _from_config_map(listed)
            if own is not None and shared is not None:
                found[own] = (None, EnvVar(own, shared.value, shared.place))
    language = scope.tree.language
    if language is None:
        return expanded_env(found)
    return dict(language.environment(scope, expanded_env(found, language.fill(scope))))


def _from_config_map(variable: Scope) -> EnvVar | None:
    """``valueFrom.configMapKeyRef`` of a ConfigMap that is known: one of the same file, or one built beside it."""
    reference = ("valueFrom", "configMapKeyRef")
    values = variable.tree.config_maps.get(variable.text(*reference, "name") or "", {})
    return values.get(variable.text(*reference, "key") or "")


_Variable = tuple["Mapped | None", EnvVar]
"""A variable, with its text's places where other variables may have to be put into it."""


def _variables(scope: Scope, key: str) -> Iterator[_Variable]:
    block = scope.get(key)
    if block is None:
        return
    for variable in scope.items(key):
        found = _assigned(variable) if variable.item.kind == "scalar" else _named(variable)
        if found:
            yield found
    for entry in scope.tree.entries(block):
        if text_of(entry.value) is None:
            yield None, EnvVar(entry.key, None, Place(scope.tree.span(entry.key_node)))
        else:
            yield _valued(entry.key, scope.tree.mapped(entry.value))


def _valued(name: str, value: Mapped) -> _Variable:
    return value, EnvVar(name, value.text, Place(value.span()))


def _named(variable: Scope) -> _Variable | None:
    """``{name: X, value: Y}``; a value from elsewhere is not known."""
    pair = variable.tree.name_and_value(variable.item)
    if pair is not None:
        return None, EnvVar(pair[0], pair[1], Place(pair[2]))
    name = variable.get("name")
    text = text_of(name)
    if name is None or text is None:
        return None
    value = variable.mapped("value")
    return _valued(text, value) if value else (None, EnvVar(text, None, Place(variable.tree.mapped(name).span())))


def _assigned(variable: Scope) -> _Variable | None:
    """``X=Y``, or ``X`` handed through, as a list item."""
    text = variable.tree.mapped(variable.item)
    match = _ASSIGNED.match(text.text)
    if match is None:
        return None
    if match[2] is None:
        return None, EnvVar(match[1], None, Place(text.span()))
    return _valued(match[1], text.slice(match.start(2)))


def _image(scope: Scope, expand: Expand) -> tuple[Image | None, Evidence | None]:
    for around in scope.outward():
        for path in _IMAGE_PATHS if around.get("runs-on") is None else _JOB_IMAGE_PATHS:
            written = around.get(*path)
            if written is None:
                continue
            if written.kind == "mapping":
                image = _split_image(Scope(around.tree, written, path[-1], around))
                if image is not None:
                    return image, release_of_image(image)
            elif text_of(written) is not None:
                return _reference(around, around.tree.embedding(written).mapped, expand)
    return None, None


def _patched(scope: Scope) -> Scope | None:
    """The container that a patch of a group's template changes: the one of its name."""
    outward = list(scope.outward())
    patch = next((number for number, around in enumerate(outward) if around.key in _PATCHES), None)
    for around in outward[patch + 1 :] if patch is not None else ():
        for container in around.items("template", "spec", "containers"):
            if container.text("name") == scope.text("name"):
                return container
    return None


def _engine_release(scope: Scope) -> Evidence | None:
    """The version of the engine beside its name, where no image says more."""
    for around in scope.outward():
        for engine, key in _ENGINE_VERSIONS:
            version = around.mapped(key)
            if version is not None and (around.text(engine) or "").lower() == "sglang":
                release = release_in_tag("sglang", version.text)
                return Evidence(release, "version key", Place(version.span())) if release else None
    return None


def _reference(around: Scope, written: Mapped, expand: Expand) -> tuple[Image | None, Evidence | None]:
    expanded = expand(written)
    if expanded.text is None:
        return None, None
    image = image_of(_where_written(expanded))
    return image, release_of_image(image) or _version_key(around, image)


def _where_written(expanded: Expanded) -> Mapped:
    """The text with each variable's text placed where it is defined: that is what an edit has to change."""
    parts: list[Mapped] = []
    done = 0
    for piece in expanded.pieces:
        if piece.definition is None or piece.definition.place.path is not None:
            continue
        text = expanded.mapped.text[piece.start : piece.end]
        span = piece.definition.place.span
        exact = span.end - span.start == len(text)
        parts.append(expanded.mapped.slice(done, piece.start))
        parts.append(Mapped.identity(text, span.start) if exact else Mapped.whole(text, span))
        done = piece.end
    parts.append(expanded.mapped.slice(done))
    return Mapped.join(parts, anchor=expanded.mapped.anchor)


def _split_image(written: Scope) -> Image | None:
    """``{repository: ..., tag: ...}`` as charts write it; without a repository it is the chart's own, SGLang's."""
    tag = written.mapped("tag")
    if tag is None:
        return None
    place = Place(tag.span())
    return Image(f"{written.text('repository') or 'sglang'}:{tag.text}", place, tag.text, place)


def _version_key(around: Scope, image: Image) -> Evidence | None:
    """``version:`` beside an image without a tag."""
    version = around.mapped("version")
    if version is None or image.tag is not None:
        return None
    release = release_in_tag(image.text, version.text)
    return Evidence(release, "version key", Place(version.span())) if release else None


def _kustomize_release(scope: Scope, image: Image | None) -> Evidence | None:
    """``images:`` of the kustomization that a patch stands in."""
    for around in scope.outward():
        for override in around.items("images"):
            name, tag = override.text("name"), override.mapped("newTag")
            if name is None or tag is None:
                continue
            release = release_in_tag(override.text("newName") or name, tag.text)
            if release and (image is None or image.text.partition(":")[0] == name):
                return Evidence(release, "kustomize images", Place(tag.span()))
    return None


def _installed_release(scope: Scope) -> Evidence | None:
    """A pinned ``pip install`` in the commands that prepare the machine."""
    for around in scope.outward():
        for key in _INSTALL_KEYS:
            commands = around.mapped(key)
            found = release_of_requirement(commands) if commands is not None else None
            if found:
                return found
    return None


def _role(scope: Scope) -> str | None:
    for around in scope.outward():
        if around.key in _LEADER:
            return "leader"
        if around.key in _WORKER:
            return "worker"
        if around.key in ("roles", "services") and around.text("name") in _ROLES:
            return around.text("name")
        if around.key in _ROLES:
            return around.key
    return None


def sibling_environment(scope: Scope, item: Item, key: str) -> dict[str, EnvVar]:
    """Variables that a recipe sets for one role beside its flags: ``prefill_environment`` for ``prefill``."""
    for around in scope.outward():
        block = around.get(f"{key}_environment")
        if block is not None and block.kind == "mapping":
            return {name: EnvVar(name, text, place) for name, text, place in _plain_entries(around, block)}
    return {}


def _plain_entries(around: Scope, block: Item) -> Iterator[tuple[str, str, Place]]:
    for entry in around.tree.entries(block):
        text = text_of(entry.value)
        if text is not None:
            yield entry.key, text, around.place(entry.value)
