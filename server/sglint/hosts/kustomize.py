"""What the ``kustomization.yaml`` of a manifest's folder makes of its launches: other images, patched arguments.

A strategic patch replaces a list of arguments as a whole, so that of a patched container the patch has the words and
the resource the rest. Source: the documentation of Kustomize (``images``, ``patches``, ``patchesStrategicMerge``).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ..launch.model import Evidence, Image, Launch, NotLaunch, Place, Reading
from ..records import dataclass, replace
from ..text import Document, Sources
from . import yaml_documents
from .completion import completed
from .evidence import image_of, release_in_tag, release_of_image
from .scopes import Scope
from .yaml_tree import Item, Tree, text_of

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS = ("containers", "initContainers")
_MAX_DEPTH = 20
_MAX_FOLDERS = 5


@dataclass(frozen=True)
class _Kustomization:
    """A kustomization at ``path``, and the paths of the files that it lists."""

    path: str
    top: Scope
    resources: tuple[str, ...]
    patches: tuple[str, ...]


def with_kustomization(reading: Reading, sources: Sources) -> Reading:
    """``reading`` of a manifest as its folder's kustomization changes it, if that lists it."""
    if not any(launch.host == "kubernetes" for launch in reading.launches):
        return reading
    path = _slashed(reading.document.path)
    if path.name in NAMES:
        return reading
    found = _kustomization(path.parent, sources)
    if found is None:
        return reading
    if str(path) in found.resources:
        return _patched(reading, found, sources)
    if str(path) in found.patches:
        bases = tuple(_bases(found, sources))
        launches = tuple(_completed(launch, bases) for launch in reading.launches)
        return replace(reading, launches=tuple(_with_image(launch, found) for launch in launches))
    return reading


def _slashed(path: str) -> PurePosixPath:
    return PurePosixPath(path.replace("\\", "/"))


def _kustomization(folder: PurePosixPath, sources: Sources) -> _Kustomization | None:
    for name in NAMES:
        path = str(folder / name)
        text = sources.text(path)
        top = _top(text, path) if text is not None else None
        if top is None:
            continue
        listed = [text_of(item.item) for key in ("resources", "bases") for item in top.items(key)]
        patches = [text_of(item.item) or item.text("path") for item in _patch_items(top)]
        return _Kustomization(path, top, _below(folder, listed), _below(folder, patches))
    return None


def _patch_items(top: Scope) -> Iterator[Scope]:
    for key in ("patches", "patchesStrategicMerge"):
        yield from top.items(key)


def _top(text: str, path: str | None) -> Scope | None:
    composed = yaml_documents.compose(text)
    if composed.root is None or composed.root.id != "mapping":
        return None
    return Scope(Tree(text, 0, composed.root, path=path), Item(composed.root))


def _below(folder: PurePosixPath, names: Sequence[str | None]) -> tuple[str, ...]:
    local = (name for name in names if name is not None and "\n" not in name and "://" not in name)
    return tuple(posixpath.normpath(str(folder / name)) for name in local)


# resources -------------------------------------------------------------------------------------------------


def _patched(reading: Reading, found: _Kustomization, sources: Sources) -> Reading:
    """A resource: launches whose arguments a patch replaces are told at the patch."""
    patches = list(_patch_containers(found, sources))
    launches: list[Launch] = []
    others = list(reading.not_launches)
    for launch in reading.launches:
        own = [scope for scope in patches if _same_container(scope.path(), launch.structure)]
        if any(scope.get(key) is not None for scope in own for key in ("command", "args")):
            others.append(NotLaunch("replaced by a patch", launch.launcher_span or launch.span))
            continue
        for scope in own:
            launch = _with_reference(launch, scope)
        launches.append(_with_image(launch, found))
    return replace(reading, launches=tuple(launches), not_launches=tuple(others))


def _patch_containers(found: _Kustomization, sources: Sources) -> Iterator[Scope]:
    for path in found.patches:
        yield from _containers_in(sources.text(path), path)
    for item in _patch_items(found.top):
        written = item.get("patch") if item.item.kind == "mapping" else item.item
        if written is not None and "\n" in (text_of(written) or ""):
            outer = item.tree.embedding(written)
            composed = yaml_documents.compose(outer.text)
            if composed.root is not None:
                yield from _containers(Scope(Tree(outer.text, 0, composed.root, outer), Item(composed.root)), 0)


def _containers_in(text: str | None, path: str) -> Iterator[Scope]:
    for chunk in yaml_documents.chunks(text or ""):
        composed = yaml_documents.compose(chunk.text)
        if composed.root is not None:
            tree = Tree(chunk.text, chunk.base, composed.root, path=path)
            yield from _containers(Scope(tree, tree.top), 0)


def _containers(scope: Scope, depth: int) -> Iterator[Scope]:
    if depth > _MAX_DEPTH or scope.item.kind != "mapping":
        return
    for entry in scope.tree.entries(scope.item):
        if entry.key in _LISTS:
            yield from scope.items(entry.key)
        elif entry.value.kind == "mapping":
            yield from _containers(Scope(scope.tree, entry.value, entry.key, scope), depth + 1)


def _same_container(one: str, other: str | None) -> bool:
    return other is not None and _without_namespace(one) == _without_namespace(other)


def _without_namespace(structure: str) -> str:
    owner, _, steps = structure.partition(": ")
    kind, _, name = owner.partition("/")
    return f"{kind}/{name.rpartition('/')[2]}: {steps}"


# images ----------------------------------------------------------------------------------------------------


def _with_reference(launch: Launch, patch: Scope) -> Launch:
    """The launch with the image that a patch gives its container."""
    written = patch.mapped("image")
    if written is None:
        return launch
    image = image_of(written, patch.tree.path)
    return _on(launch, image, release_of_image(image))


def _with_image(launch: Launch, found: _Kustomization) -> Launch:
    """The launch with the name and tag that ``images:`` gives its image."""
    image = launch.image
    if image is None:
        return launch
    name = image.text.partition("@")[0]
    name = name.removesuffix(f":{image.tag}") if image.tag is not None else name
    for override in found.top.items("images"):
        if override.text("name") != name:
            continue
        name, tag = override.text("newName") or name, override.mapped("newTag")
        if override.text("digest") is not None:
            return _on(launch, Image(f"{name}@{override.text('digest')}", image.place), None)
        if tag is None:
            continue
        place = Place(tag.span(), found.path)
        release = release_in_tag(name, tag.text)
        evidence = Evidence(release, "kustomize images", place) if release else None
        return _on(launch, Image(f"{name}:{tag.text}", place, tag.text, place), evidence)
    return launch


def _on(launch: Launch, image: Image, release: Evidence | None) -> Launch:
    """The launch on another image; a comment that names the release wins over it."""
    return replace(launch, image=image, release=launch.directives.release or release)


# patches ---------------------------------------------------------------------------------------------------


def _bases(found: _Kustomization, sources: Sources, depth: int = 0) -> Iterator[tuple[str, Launch, Scope]]:
    """Launches of the resources with their containers, those of listed folders included."""
    from . import yaml_host

    for path in found.resources:
        text = sources.text(path)
        if text is None:
            inner = _kustomization(PurePosixPath(path), sources) if depth < _MAX_FOLDERS else None
            if inner is not None:
                yield from _bases(inner, sources, depth + 1)
            continue
        scopes = list(_containers_in(text, path))
        for launch in yaml_host.read(Document(path, text, "yaml"), sources).launches:
            scope = next((one for one in scopes if one.path() == launch.structure), None)
            if scope is not None:
                yield path, launch, scope


def _completed(launch: Launch, bases: Sequence[tuple[str, Launch, Scope]]) -> Launch:
    """A patch's launch with what the container that it patches has and the patch leaves alone."""
    for path, base, scope in bases:
        if _same_container(launch.structure or "", base.structure):
            return completed(launch, base, scope, "args", path)
    return launch
