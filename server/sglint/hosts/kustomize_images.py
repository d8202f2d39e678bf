"""``images:`` of a kustomization: other names, tags and digests in all containers."""

from __future__ import annotations

from collections.abc import Sequence

from .helm_lists import at_key, pairs_of
from .helm_values import DictValue, Fragment, Rich, Value, certain_list, owned, structure
from .helm_yaml import items, rich
from .scopes import Scope

_MAX_DEPTH = 30
_CONTAINERS = ("containers", "initContainers")


def with_images(value: Value, images: Sequence[Scope], path: str, depth: int = 0) -> Value:
    """The value with the names and tags of ``images`` in its containers."""
    pairs = pairs_of(value)
    if depth > _MAX_DEPTH:
        return value
    if pairs is None:
        found = items(value)
        if found is None or not any(pairs_of(one) is not None for one in found.items):
            return value
        return certain_list([with_images(one, images, path, depth + 1) for one in found.items])
    own: dict[str, Value] = {}
    for key, inner in pairs:
        containers = items(inner) if key in _CONTAINERS else None
        if containers is not None:
            own[key] = certain_list([_container(one, images, path) for one in containers.items])
        else:
            own[key] = with_images(inner, images, path, depth + 1)
    return DictValue(own, set()) if any(own[key] is not inner for key, inner in pairs) else value


def _container(value: Value, images: Sequence[Scope], path: str) -> Value:
    image, pairs = rich(at_key(value, "image")), pairs_of(value)
    if image is None or pairs is None or not image.known:
        return value
    name = image.text.partition("@")[0]
    colon = name.rfind(":")
    name = name[:colon] if colon > name.rfind("/") else name
    for override in images:
        if override.text("name") == name:
            return DictValue({**dict(pairs), "image": _image(image, name, override, path)}, set())
    return value


def _image(image: Rich, name: str, override: Scope, path: str) -> Rich:
    """``newName:newTag@digest`` for what an entry of ``images`` gives, the image's own for the rest."""
    tag, digest = _written(override, "newTag", path), _written(override, "digest", path)
    own = owned(image).put_together(name)
    start = _written(override, "newName", path) or own
    rest = owned(image).put_together(image.text[len(name) :]) if tag is digest is None else Rich(())
    if not image.text[len(name) :]:
        rest = Rich(())
    pieces: list[Fragment] = [*start.fragments, *rest.fragments]
    for sign, text in ((":", tag), ("@", digest)):
        if text is not None:
            pieces += [structure(sign, text.fragments[0], path), *text.fragments]
    return Rich(tuple(pieces))


def _written(override: Scope, key: str, path: str) -> Rich | None:
    mapped = override.mapped(key)
    return Rich((Fragment(mapped, path, own=True),)) if mapped is not None and mapped.text else None
