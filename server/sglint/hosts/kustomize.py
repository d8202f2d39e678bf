"""Launches of manifests that a ``kustomization.yaml`` changes: other images, patched arguments.

A launch is told once: at the patch that has words of it, at the kustomization of another folder that changes it, else
where it is written. Source: the documentation of Kustomize.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from ..launch.model import (
    CannotEdit,
    Change,
    Directives,
    Editor,
    EnvVar,
    Evidence,
    Launch,
    NotLaunch,
    Place,
    Reading,
    SetValue,
)
from ..records import dataclass, replace
from ..text import Document, Edit, Sources
from . import kustomize_build as builder
from .completion import evidence_there
from .gate import is_kustomization
from .helm_values import Rich, Value
from .helm_yaml import written
from .kustomize_build import Kustomization
from .kustomize_generators import config_maps
from .kustomize_manifests import Manifest
from .surroundings import REFERENCES

_SERVER_KEYS = ("command", "args")
ConfigMaps = Mapping[str, Mapping[str, EnvVar]]


def with_kustomization(reading: Reading, sources: Sources) -> Reading:
    """``reading`` of a YAML file as the kustomization of its folder changes it, or as its own that it is."""
    document = reading.document
    path = PurePosixPath(document.path.replace("\\", "/"))
    if is_kustomization(path.name):
        own = builder.kustomization_of(str(path), document.text)
        return reading if own is None else _overlay(reading, own, sources)
    may_patch = "op:" in document.text or "kind:" in document.text
    if not may_patch and not any(launch.host == "kubernetes" for launch in reading.launches):
        return reading
    found = builder.kustomization(path.parent, sources)
    if found is None or not (_takes_variables(document) or _may_change(found)):
        return reading
    if str(path) in found.resources:
        return _resource(reading, found, sources)
    return _patch(reading, found, sources) if str(path) in found.patches else reading


_CHANGES = (
    "images",
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "configMapGenerator",
    "secretGenerator",
    "replacements",
    "vars",
)


def _takes_variables(document: Document) -> bool:
    """Whether containers take variables from ConfigMaps, which may stand in other files of the folder."""
    return any(reference in document.text for reference in REFERENCES)


def _may_change(found: Kustomization) -> bool:
    return bool(found.patches or found.components or any(found.top.get(key) for key in _CHANGES))


def _overlay(reading: Reading, found: Kustomization, sources: Sources) -> Reading:
    """A kustomization: launches of which it writes words, and those of other folders in which it has any part.

    Also those that it changes with texts that are written in none of its own files.
    """
    built: list[Launch] = []
    told = _words_below(found, sources, reading.document) if found.mixes else {}
    for variant in _variants(found, sources, reading.document):
        launch, is_far = variant.launch, variant.manifest.is_far
        if _has_words_here(launch) or (is_far and _has_part_here(launch)):
            built.append(launch)
        elif is_far and told.get(launch.structure, _texts(launch)) != _texts(launch):
            built.append(replace(launch, span=found.mixes[0]))
    return _with_built(reading, built)


def _words_below(found: Kustomization, sources: Sources, document: Document) -> dict[str | None, list[str]]:
    """The words of each launch as the folders that a kustomization lists build it."""
    below = (builder.kustomization(PurePosixPath(folder), sources) for folder in found.resources)
    return {
        variant.launch.structure: _texts(variant.launch)
        for one in below
        if one is not None and one.path != found.path
        for variant in _variants(one, sources, document)
    }


def _texts(launch: Launch) -> list[str]:
    return sorted(word.text or "" for word in launch.words)


def _patch(reading: Reading, found: Kustomization, sources: Sources) -> Reading:
    """A patch: the launches in which it has a part, completed by what it leaves alone."""
    variants = _variants(found, sources, reading.document)
    return _with_built(reading, [one.launch for one in variants if _has_part_here(one.launch)])


def _resource(reading: Reading, found: Kustomization, sources: Sources) -> Reading:
    """A resource: launches with words of a patch are told there."""
    if _takes_variables(reading.document):
        from . import yaml_host

        maps = _here(config_maps(builder.build(found, sources)), reading.document)
        reading = yaml_host.read(reading.document, sources, maps) if maps else reading
    variants = {variant.launch.structure: variant.launch for variant in _variants(found, sources, reading.document)}
    launches: list[Launch] = []
    others = list(reading.not_launches)
    for launch in reading.launches:
        variant = variants.get(launch.structure)
        if variant is None:
            launches.append(launch)
        elif any(word.path is not None for word in variant.words):
            others.append(NotLaunch("replaced by a patch", launch.launcher_span or launch.span))
        elif [word.text for word in variant.words] != [word.text for word in launch.words]:
            launches.append(variant)
        else:
            release = launch.directives.release or variant.release
            launches.append(replace(launch, image=variant.image, release=release, env=variant.env))
    return replace(reading, launches=tuple(launches), not_launches=tuple(others))


def _here(maps: ConfigMaps, document: Document) -> ConfigMaps:
    """The variables of ConfigMaps with places as seen from ``document``."""

    def place(variable: EnvVar) -> EnvVar:
        if variable.place is None or variable.place.path != document.path:
            return variable
        return replace(variable, place=replace(variable.place, path=None))

    return {name: {key: place(one) for key, one in values.items()} for name, values in maps.items()}


def _with_built(reading: Reading, built: Sequence[Launch]) -> Reading:
    """The launches as they are built instead of what the file has of them."""
    spans = [word.span for launch in built for word in launch.words if word.path is None]
    kept = (one for one in reading.launches if not any(word.span in spans for word in one.words))
    return replace(reading, launches=(*kept, *built))


def _has_words_here(launch: Launch) -> bool:
    return any(word.path is None for word in launch.words)


def _has_part_here(launch: Launch) -> bool:
    evidence = (launch.release, launch.gpu, launch.gpu_count)
    places = [one.place for one in evidence if one is not None and one.place is not None]
    places += [one.place for one in launch.env if one.place is not None]
    places += [one.place for word in launch.words for one in word.defined_at]
    return _has_words_here(launch) or any(place.path is None for place in places)


# variants --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Variant:
    """A launch as a kustomization builds it, and the manifest it stands in."""

    launch: Launch
    manifest: Manifest


def _variants(found: Kustomization, sources: Sources, document: Document) -> Iterator[_Variant]:
    """The launches that a kustomization builds, with places as seen from ``document``."""
    manifests = builder.build(found, sources)
    maps = config_maps(manifests)
    noted: dict[str, dict[str | None, Directives]] = {}
    for manifest in manifests:
        text = written(manifest.value, document.path, as_written=True) if _may_start(manifest.value) else None
        if text is not None:
            for launch in _launches(text, document, maps):
                if manifest.path not in noted:
                    noted[manifest.path] = _notes(manifest.path, sources, document)
                own = noted[manifest.path].get(launch.structure)
                yield _Variant(_completed(launch, manifest, found, document, own), manifest)


def _may_start(value: Value) -> bool:
    """Whether a manifest has containers; custom resources may have them anywhere."""
    from .helm_lists import pairs_of
    from .helm_yaml import items

    waiting = [value]
    for one in waiting:
        pairs = pairs_of(one)
        if pairs is not None and any(key in _SERVER_KEYS for key, _ in pairs):
            return True
        found = items(one)
        waiting += [inner for _, inner in pairs] if pairs is not None else found.items if found is not None else ()
        if len(waiting) > _MOST_VALUES:
            return True
    return False


_MOST_VALUES = 3000


def _launches(text: Rich, document: Document, maps: ConfigMaps) -> Sequence[Launch]:
    from .helm_host import read_rendered
    from .helm_places import Rendered
    from .yaml_reader import Notation

    rendered = Rendered.of(document.path, "", text.fragments)
    return read_rendered(document, rendered, Notation("kubernetes"), maps).launches


def _completed(
    launch: Launch, manifest: Manifest, found: Kustomization, document: Document, noted: Directives | None
) -> Launch:
    """What rendering leaves out: comments of the resource's file, and which file an image comes from."""
    release = launch.release
    if release is not None and _is_of_images(release.place, found, document):
        release = Evidence(release.value, "kustomize images", release.place)
    directives = _directives(launch, manifest, document, noted)
    own = {document.path, found.path, *found.patches, *found.resources}
    return replace(
        launch,
        directives=directives,
        release=directives.release or release,
        gpu=directives.gpu or launch.gpu,
        gpu_count=directives.gpu_count or launch.gpu_count,
        printed_by=manifest.path if manifest.path != document.path else None,
        editor=_Editor(launch.editor, frozenset(own)),
    )


def _is_of_images(place: Place | None, found: Kustomization, document: Document) -> bool:
    if place is None or (place.path or document.path) != found.path:
        return False
    tags = [item.mapped("newTag") for item in found.top.items("images")]
    return any(tag is not None and tag.span() == place.span for tag in tags)


def _notes(path: str, sources: Sources, document: Document) -> dict[str | None, Directives]:
    """The comments of a resource's file about each of its launches, by where that stands."""
    from . import yaml_host

    text = document.text if path == document.path else sources.text(path)
    base = yaml_host.read(Document(path, text or "", "yaml"), sources)
    return {one.structure: one.directives for one in reversed(base.launches)}


def _directives(launch: Launch, manifest: Manifest, document: Document, own: Directives | None) -> Directives:
    """The comments of the resource that the launch is made of, as seen from ``document``."""
    if own is None or manifest.path == document.path:
        return own or launch.directives
    names = ("release", "gpu", "model", "draft", "gpu_count")
    ignores = tuple(replace(one, place=replace(one.place, path=manifest.path)) for one in own.ignores)
    there = {name: evidence_there(getattr(own, name), manifest.path) for name in names}
    return Directives(ignores=ignores, **there)


@dataclass(frozen=True)
class _Editor:
    """Edits of the files of one folder; a base that other folders may build on is left alone."""

    inner: Editor
    own: frozenset[str]

    def edits(self, launch: Launch, changes: Sequence[Change]) -> tuple[Edit, ...]:
        """Raises CannotEdit."""
        for word in (word for change in changes if isinstance(change, SetValue) for word in change.words):
            source = next((one.name for one in word.defined_at if "/" in one.name), None)
            if source is not None:
                raise CannotEdit(f"the kustomization puts `{source}` in here; change it there")
        found = self.inner.edits(launch, changes)
        for edit in found:
            if edit.path is not None and edit.path not in self.own:
                raise CannotEdit(f"it is written in `{edit.path}`, on which others may build")
        return found
