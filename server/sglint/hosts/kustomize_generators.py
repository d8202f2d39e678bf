"""ConfigMaps and Secrets that a kustomization makes of literals, files of variables and whole files.

Source: the documentation of Kustomize ("configMapGenerator", "secretGenerator"). The hash that Kustomize puts behind
their names is left away, there and in the references to them. What a Secret holds is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePosixPath

from ..launch.model import EnvVar, Place
from ..records import replace
from ..text import Mapped, Sources
from .helm_lists import at_key, pairs_of
from .helm_texts import known
from .helm_values import DictValue, Fragment, Rich, Value, structure
from .helm_yaml import rich
from .kustomize_manifests import Manifest, below
from .scopes import Scope
from .yaml_tree import text_of

_KINDS = {"configMapGenerator": "ConfigMap", "secretGenerator": "Secret"}
_LINE = re.compile(r"^[ \t]*([A-Za-z_.-][\w.-]*)(?:=([^\r\n]*?))?\r?$", re.MULTILINE)
MAX_FILES = 50
MAX_ENTRIES = 500
MAX_CHARACTERS = 200_000
"""Longer files are data, not variables or scripts."""


def with_generated(manifests: Sequence[Manifest], top: Scope, path: str, sources: Sources) -> list[Manifest]:
    """The manifests with those that the generators of a kustomization make, or change."""
    found = list(manifests)
    for key, kind in _KINDS.items():
        for generator in top.items(key)[:MAX_FILES]:
            name = generator.text("name")
            if name is not None:
                data = dict(islice(_data(generator, path, sources), MAX_ENTRIES))
                found = _put(found, kind, name, generator.text("behavior") or "create", data, path)
    return found


def _put(
    manifests: list[Manifest], kind: str, name: str, behavior: str, data: dict[str, Value], path: str
) -> list[Manifest]:
    at = next((at for at, one in enumerate(manifests) if _is(one, kind, name)), None)
    if at is None or behavior == "create":
        return [*manifests, Manifest(_manifest(kind, name, data, path), path)]
    before = dict(pairs_of(at_key(manifests[at].value, "data")) or ()) if behavior == "merge" else {}
    changed = replace(manifests[at], value=_manifest(kind, name, {**before, **data}, path))
    return [*manifests[:at], changed, *manifests[at + 1 :]]


def _is(manifest: Manifest, kind: str, name: str) -> bool:
    return manifest.text("kind") == kind and manifest.text("metadata", "name") == name


def _manifest(kind: str, name: str, data: dict[str, Value], path: str) -> Value:
    def text(value: str) -> Rich:
        return Rich((structure(value, None, path),))

    metadata = DictValue({"name": text(name)}, set())
    return DictValue(
        {"apiVersion": text("v1"), "kind": text(kind), "metadata": metadata, "data": DictValue(data, set())}, set()
    )


def _data(generator: Scope, path: str, sources: Sources) -> Iterator[tuple[str, Value]]:
    folder = PurePosixPath(path).parent
    envs = [text_of(item.item) for item in generator.items("envs")]
    for file in below(folder, [*envs, generator.text("env")])[:MAX_FILES]:
        yield from _lines(file, sources)
    for item in generator.items("literals"):
        literal = item.tree.mapped(item.item) if text_of(item.item) is not None else None
        name, equals, value = literal.text.partition("=") if literal is not None else ("", "", "")
        if literal is not None and name and equals:
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
            start = len(name) + 1 + quoted
            yield name, _text(literal.slice(start, len(literal.text) - quoted), path)
    for item in generator.items("files")[:MAX_FILES]:
        name, equals, file = (text_of(item.item) or "").partition("=")
        for one in below(folder, [file if equals else name]):
            content = sources.text(one)
            if content is not None and len(content) <= MAX_CHARACTERS:
                yield (name if equals else one.rpartition("/")[2]), _text(Mapped.identity(content), one)


def _lines(file: str, sources: Sources) -> Iterator[tuple[str, Value]]:
    """The variables of a file, whose values have no quotes around them."""
    content = sources.text(file) or ""
    for line in _LINE.finditer(content if len(content) <= MAX_CHARACTERS else ""):
        value = Mapped.identity(line[2], line.start(2)) if line[2] is not None else Mapped("", (), line.end())
        yield line[1], _text(value, file)


def _text(mapped: Mapped, path: str) -> Rich:
    return Rich((Fragment(mapped, path, own=True),))


def config_maps(manifests: Sequence[Manifest]) -> Mapping[str, Mapping[str, EnvVar]]:
    """The variables of ConfigMaps by name, with their files; those of Secrets, as ``secret/NAME``, have no values."""
    found: dict[str, dict[str, EnvVar]] = {}
    for manifest in manifests:
        kind, name = manifest.text("kind"), manifest.text("metadata", "name")
        if kind in ("ConfigMap", "Secret") and name:
            keys = [pairs_of(at_key(manifest.value, key)) or () for key in ("data", "stringData")]
            variables = [_variable(key, value, kind) for pairs in keys for key, value in pairs]
            found[name if kind == "ConfigMap" else f"secret/{name}"] = {one.name: one for one in variables}
    return found


def _variable(name: str, value: Value, kind: str) -> EnvVar:
    text = rich(value)
    if text is None or not text.fragments or kind == "Secret":
        return EnvVar(name, None)
    first = text.fragments[0]
    return EnvVar(name, known(value), Place(first.mapped.span(), first.path))
