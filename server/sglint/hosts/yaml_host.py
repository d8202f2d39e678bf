"""YAML files: manifests, compose files, chart values, recipes, ``--config`` files; read document by document."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from pathlib import PurePath
from threading import Lock
from types import MappingProxyType

from ..launch.model import EnvVar, Launch, NotLaunch, Problem, Reading
from ..records import dataclass, replace
from ..text import Document, Sources, Span
from . import flag_maps, yaml_documents
from .compose_variables import dotenv, interpolation
from .directives import DirectiveSet, read_directives
from .embedding import Embedding
from .expansion import script
from .gate import launchers, may_hold_launch
from .references import language_of
from .scopes import Scope
from .surroundings import REFERENCES
from .yaml_documents import Chunk
from .yaml_reader import AliasBomb, DocumentReader, Notation
from .yaml_tree import Entry, Item, Tree, text_of

KEPT_DOCUMENTS = 256
MAX_MOUNTED = 1_000
"""Launches of mounted scripts that are told for their containers; more are told where the scripts stand only."""
ConfigMaps = Mapping[str, Mapping[str, EnvVar]]
"""The variables of ConfigMaps by name."""


def read(document: Document, sources: Sources, outside: ConfigMaps = MappingProxyType({})) -> Reading:
    """The launches of a YAML text, document by document; ``outside`` are ConfigMaps that are built beside it."""
    directives = read_directives(document)
    launches: list[Launch] = []
    others: list[NotLaunch] = []
    problems: list[Problem] = list(directives.problems)
    chunks = tuple(yaml_documents.chunks(document.text))
    mounted = 0
    for chunk in chunks:
        if may_hold_launch(chunk.text) or (_mounts(chunk) and may_hold_launch(document.text)):
            found = _read_kept(
                document, directives, sources, chunk, _shared(chunk, chunks), outside, mounts=mounted < MAX_MOUNTED
            )
            mounted += sum(launch.mounted for launch in found.launches)
            launches += found.launches
            others += found.others
            problems += found.problems
    return Reading(document, _told_once(launches), tuple(others), tuple(problems), directives.ignores)


def _told_once(launches: Sequence[Launch]) -> tuple[Launch, ...]:
    """Launches of a ConfigMap's script as the containers that start it have them; the same words once."""
    started = {launch.launcher_span for launch in launches if launch.mounted}
    if not started:
        return tuple(launches)
    found: dict[object, Launch] = {}
    for number, launch in enumerate(launches):
        if launch.mounted:
            found.setdefault((launch.launcher_span, *(word.text for word in launch.words)), launch)
        elif launch.launcher_span not in started:
            found[number] = launch
    return tuple(sorted(found.values(), key=lambda launch: launch.span))


def read_config(document: Document, release: str | None) -> Launch | None:
    """A ``--config`` file that a launch of ``release`` names; None where it is no map. Its words carry its path."""
    composed = yaml_documents.compose(document.text)
    if composed.root is None or composed.root.id != "mapping":
        return None
    tree = Tree(document.text, 0, composed.root, path=document.path)
    reader = DocumentReader(document, read_directives(document), Notation("yaml"))
    reader.flag_map(Scope(tree, tree.top), tree.top, host="config-file", release=release)
    launch = next(iter(reader.found.launches), None)
    if launch is None:
        return None
    words = tuple(replace(word, path=document.path) for word in launch.words)
    return replace(launch, words=words, merging=flag_maps.merger_of(tree, tree.top, release, document.path))


@dataclass(frozen=True)
class _Found:
    launches: Sequence[Launch] = ()
    others: Sequence[NotLaunch] = ()
    problems: Sequence[Problem] = ()


_kept: OrderedDict[Hashable, _Found] = OrderedDict()
_lock = Lock()


def _takes_variables(chunk: Chunk) -> bool:
    return any(reference in chunk.text for reference in REFERENCES)


def _mounts(chunk: Chunk) -> bool:
    return "volumeMounts" in chunk.text and "configMap" in chunk.text


def _shared(chunk: Chunk, chunks: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """The documents from which a container of ``chunk`` may take variables and scripts."""
    if not _takes_variables(chunk) and not _mounts(chunk):
        return ()
    return tuple(other for other in chunks if "ConfigMap" in other.text)


def _entries(shared: Sequence[Chunk]) -> Iterator[tuple[str, Scope, Entry]]:
    """The texts of ConfigMaps, with their names."""
    for chunk in shared:
        root = yaml_documents.compose(chunk.text).root
        if root is None:
            continue
        top = Scope(Tree(chunk.text, chunk.base, root), Item(root))
        for one in (top, *top.items("items")):
            name, data = one.text("metadata", "name"), one.get("data")
            if one.text("kind") == "ConfigMap" and name is not None and data is not None:
                yield from ((name, one, entry) for entry in one.tree.entries(data) if entry.value.kind == "scalar")


def _config_maps(shared: Sequence[Chunk]) -> dict[str, dict[str, EnvVar]]:
    found: dict[str, dict[str, EnvVar]] = {}
    for name, scope, entry in _entries(shared):
        variable = EnvVar(entry.key, text_of(entry.value), scope.place(entry.value))
        found.setdefault(name, {})[entry.key] = variable
    return found


def _scripts(shared: Sequence[Chunk]) -> dict[str, dict[str, Embedding]]:
    """Texts of ConfigMaps that may start a server."""
    found: dict[str, dict[str, Embedding]] = {}
    for name, scope, entry in _entries(shared):
        if may_hold_launch(text_of(entry.value) or ""):
            found.setdefault(name, {})[entry.key] = scope.tree.embedding(entry.value)
    return found


def _read_kept(
    document: Document,
    directives: DirectiveSet,
    sources: Sources,
    chunk: Chunk,
    shared: tuple[Chunk, ...],
    outside: ConfigMaps,
    *,
    mounts: bool,
) -> _Found:
    """What one document holds, read anew only when its text, its place or the file's directives changed."""
    whole_file = tuple(item for item in directives.directives if item.whole_file)
    variables = _dotenv(document.path, sources) if _may_be_compose(chunk.text) else {}
    outside = outside if _takes_variables(chunk) else {}
    given = tuple((name, tuple(values.values())) for name, values in outside.items())
    key = (document.path, chunk, whole_file, tuple(variables.values()), shared, given, mounts, launchers())
    with _lock:
        found = _kept.pop(key, None)
    if found is None:
        scripts = _scripts(shared) if mounts and _mounts(chunk) else {}
        found = _read_chunk(document, directives, variables, chunk, {**_config_maps(shared), **outside}, scripts)
    if len(chunk.text) <= yaml_documents.KEPT_CHARACTERS:
        with _lock:
            _kept[key] = found
            while len(_kept) > KEPT_DOCUMENTS:
                _kept.popitem(last=False)
    return found


def _read_chunk(
    document: Document,
    directives: DirectiveSet,
    variables: Mapping[str, EnvVar],
    chunk: Chunk,
    config_maps: ConfigMaps,
    scripts: Mapping[str, Mapping[str, Embedding]],
) -> _Found:
    composed = yaml_documents.compose(chunk.text)
    if composed.error is not None:
        return _Found(problems=(yaml_documents.problem(chunk, composed),))
    if composed.root is None:
        return _Found()
    tree = Tree(chunk.text, chunk.base, composed.root, config_maps=config_maps, scripts=scripts)
    tree.language = language_of(tree, document.path)
    reader = DocumentReader(document, directives, _notation(document, variables, tree))
    problems: tuple[Problem, ...] = ()
    try:
        _read_root(tree, reader)
    except AliasBomb:
        problems = (_bomb(chunk),)
    return _Found(reader.found.told_once(), reader.found.others, problems)


def _bomb(chunk: Chunk) -> Problem:
    message = "The aliases of this YAML document multiply beyond what SGLint reads; the rest of it is not checked."
    return Problem("SGL002", "too-large", "warning", message, Span(chunk.base, chunk.base + 1))


def _read_root(tree: Tree, reader: DocumentReader) -> None:
    """Read a whole document: a file of flags at its root, else whatever it holds."""
    if reader.notation.host == "yaml" and flag_maps.is_config_file(tree, tree.top):
        reader.flag_map(Scope(tree, tree.top), tree.top, host="config-file")
    else:
        reader.walk(tree, tree.top)


def _notation(document: Document, variables: Mapping[str, EnvVar], tree: Tree) -> Notation:
    if text_of(tree.get(tree.top, "apiVersion")) and text_of(tree.get(tree.top, "kind")):
        return Notation("kubernetes")
    if _is_compose(tree):
        return Notation(
            "compose",
            argument=lambda env, fill: interpolation(variables, in_text=False),
            text=lambda env, fill: interpolation(variables, in_text=True),
            strings=True,
            image=interpolation(variables, in_text=False),
        )
    if re.search(r"values", PurePath(document.path).name, re.IGNORECASE):
        return Notation("helm-values")
    return Notation("yaml", text=lambda env, fill: script(None, fill))


def _may_be_compose(text: str) -> bool:
    return "$" in text and re.search(r"^services[ \t]*:", text, re.MULTILINE) is not None


def _is_compose(tree: Tree) -> bool:
    services = tree.get(tree.top, "services")
    if services is None or services.kind != "mapping":
        return False
    keys = {key.key for entry in tree.entries(services) for key in tree.entries(entry.value)}
    return bool(keys & {"image", "build", "extends"})


def _dotenv(path: str, sources: Sources) -> dict[str, EnvVar]:
    beside = str(PurePath(path).with_name(".env"))
    text = sources.text(beside)
    return dotenv(text, beside) if text else {}
