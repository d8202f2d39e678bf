"""YAML files: manifests, chart values, recipes. Finds every place that starts a server, whatever kind it stands in.

Nothing here depends on the kind of a Kubernetes object: any mapping with ``command`` or ``args`` is a container, so
that a CronJob, a LeaderWorkerSet and tomorrow's operator are all read the same way.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from threading import Lock

from ..launch.model import EnvVar, Launch, NotLaunch, Problem, Reading, Word
from ..text import Document, Span
from . import flag_maps, yaml_documents
from .directives import DirectiveSet, read_directives
from .embedding import Embedding
from .expansion import kubelet, script
from .gate import may_hold_launch
from .programs import has_server_flags, mentions_launcher, recognise
from .surroundings import Scope, environment_of
from .yaml_documents import Chunk
from .yaml_launches import Around, launch_of_words, launches_of_script
from .yaml_tree import Item, Tree, text_of
from .yaml_words import ListSlot, list_words

FLAG_LIST_KEYS = frozenset(
    """extraArgs extra_args extraArguments serverArgs server_args sglangArgs sglang_args additionalArgs engineArgs
    flags cliArgs commandArgs""".split()
)
FLAG_MAP_KEYS = frozenset("serverArgs server_args sglangArgs sglang_args sglang_server_args extraArgs args".split())
SCRIPT_KEYS = frozenset("run script start_command startCommand command cmd entrypoint shell".split())
_PROSE_KEYS = frozenset(("metadata", "annotations", "labels", "status", "description", "managedFields"))
_RELATED = frozenset(
    ("router", "bench", "kill", "grep", "mooncake", "vllm", "dynamo frontend", "dynamo", "sgl_jax", "sglang tool")
)
KEPT_DOCUMENTS = 256
MAX_DEPTH = 100
MAX_ALIASED = 20_000
"""Nodes visited through aliases in one document: more is an alias bomb."""


class _Bomb(Exception):
    """The aliases of a document multiply beyond reason."""


def read(document: Document) -> Reading:
    """The launches of a YAML text, document by document."""
    directives = read_directives(document)
    launches: list[Launch] = []
    others: list[NotLaunch] = []
    problems: list[Problem] = list(directives.problems)
    for chunk in yaml_documents.chunks(document.text):
        if may_hold_launch(chunk.text):
            found = _read_kept(document, directives, chunk)
            launches += found.launches
            others += found.others
            problems += found.problems
    return Reading(document, tuple(launches), tuple(others), tuple(problems), directives.ignores)


@dataclass(frozen=True)
class _Found:
    launches: Sequence[Launch] = ()
    others: Sequence[NotLaunch] = ()
    problems: Sequence[Problem] = ()


_kept: OrderedDict[Hashable, _Found] = OrderedDict()
_lock = Lock()


def _read_kept(document: Document, directives: DirectiveSet, chunk: Chunk) -> _Found:
    """What one document holds, read anew only when its text, its place or the file's directives changed."""
    whole_file = tuple(item for item in directives.directives if item.whole_file)
    key = (document.path, chunk, whole_file)
    with _lock:
        found = _kept.pop(key, None)
    if found is None:
        found = _read_chunk(document, directives, chunk)
    if len(chunk.text) <= yaml_documents.KEPT_CHARACTERS:
        with _lock:
            _kept[key] = found
            while len(_kept) > KEPT_DOCUMENTS:
                _kept.popitem(last=False)
    return found


def _read_chunk(document: Document, directives: DirectiveSet, chunk: Chunk) -> _Found:
    composed = yaml_documents.compose(chunk.text)
    if composed.error is not None:
        return _Found(problems=(yaml_documents.problem(chunk, composed),))
    if composed.root is None:
        return _Found()
    reader = _DocumentReader(document, directives, Tree(chunk.text, chunk.base, composed.root))
    try:
        reader.read()
    except _Bomb:
        return _Found(reader.launches, reader.others, (_bomb(chunk),))
    return _Found(reader.launches, reader.others)


def _bomb(chunk: Chunk) -> Problem:
    message = "The aliases of this YAML document multiply beyond what SGLint reads; the rest of it is not checked."
    return Problem("SGL002", "too-large", "warning", message, Span(chunk.base, chunk.base + 1))


class _DocumentReader:
    """Walks one document. ``host`` is how its launches are called."""

    def __init__(self, document: Document, directives: DirectiveSet, tree: Tree) -> None:
        self.document = document
        self.directives = directives
        self.tree = tree
        self.host = _host(document.path, tree)
        self.launches: list[Launch] = []
        self.others: list[NotLaunch] = []
        self._aliased = 0

    def read(self) -> None:
        top = self.tree.top
        if self.host == "yaml" and flag_maps.is_flag_map(self.tree, top, snake=True):
            self.host = "config-file"
            self._flag_map(Scope(top), top)
            return
        self._walk(top, "", None, 0)

    def _walk(self, item: Item, key: str, parent: Scope | None, depth: int) -> None:
        if item.alias is not None:
            self._aliased += 1
            if self._aliased > MAX_ALIASED:
                raise _Bomb
        if depth > MAX_DEPTH:
            return
        if item.kind == "sequence":
            for child in self.tree.items(item):
                if child.kind != "scalar":
                    self._walk(child, key, parent, depth + 1)
        elif item.kind == "mapping":
            self._mapping(Scope(item, key, parent), depth)

    def _mapping(self, scope: Scope, depth: int) -> None:
        done = self._container(scope)
        for entry in self.tree.entries(scope.item):
            value = entry.value
            if entry.key in done or (depth and entry.key in _PROSE_KEYS):
                continue
            if entry.key in FLAG_LIST_KEYS and self._is_argv(value):
                self._argv(scope, [value], first=entry.key_node)
            elif value.kind == "mapping" and self._is_flag_map(entry.key, value):
                self._flag_map(scope, value)
            elif value.kind == "scalar":
                self._scalar(scope, entry.key, value)
            else:
                self._walk(value, entry.key, scope, depth + 1)

    def _container(self, scope: Scope) -> frozenset[str]:
        """Read ``command`` and ``args`` as one argv; the keys that were read."""
        lists = {key: self.tree.get(scope.item, key) for key in ("command", "args")}
        found = {key: value for key, value in lists.items() if value is not None and self._is_argv(value)}
        if found:
            self._argv(scope, list(found.values()), first=scope.item.node)
        return frozenset(found)

    def _is_argv(self, value: Item) -> bool:
        children = self.tree.items(value)
        return bool(children) and sum(child.kind == "scalar" for child in children) * 2 > len(children)

    def _is_flag_map(self, key: str, value: Item) -> bool:
        return flag_maps.is_flag_map(self.tree, value, snake=key in FLAG_MAP_KEYS)

    def _argv(self, scope: Scope, lists: Sequence[Item], first: object) -> None:
        environment = environment_of(self.tree, scope)
        expand = kubelet(environment)
        words = [word for item in lists for word in list_words(self.tree, item, expand)]
        program = recognise(words)
        around = Around(self.document, self.tree, self.directives, scope, self.host, first, environment)
        if program is not None and program.kind == "shell":
            self._script(around, program.script[0], program.words, environment)
        elif program is not None and program.kind == "server":
            self.launches.append(launch_of_words(around, program.name, program.span, program.words, program.env))
        elif program is not None and program.name in _RELATED and program.span is not None:
            self.others.append(NotLaunch(program.name, program.span))
        elif has_server_flags(words):
            self.launches.append(launch_of_words(around, "none", None, _from_first_flag(words)))

    def _script(
        self, around: Around, word: Word, parameters: Sequence[Word], environment: Mapping[str, EnvVar]
    ) -> None:
        """A script that a container's shell gets as an argument."""
        slot = word.handle
        if isinstance(slot, ListSlot):
            self._add(launches_of_script(around, slot.embedding, script(environment), parameters))
        elif word.mapped is not None:
            self._add(launches_of_script(around, Embedding(word.mapped), script({}), parameters))

    def _add(self, found: tuple[Sequence[Launch], Sequence[NotLaunch]]) -> None:
        self.launches += found[0]
        self.others += found[1]

    def _flag_map(self, scope: Scope, value: Item) -> None:
        around = Around(self.document, self.tree, self.directives, scope, self.host, value.node)
        self.launches.append(launch_of_words(around, "config", None, flag_maps.map_words(self.tree, value)))

    def _scalar(self, scope: Scope, key: str, value: Item) -> None:
        """A string that a shell runs, or one that holds flags."""
        text = text_of(value)
        if text is None or not (key in SCRIPT_KEYS or key.endswith(".sh") or text.startswith("#!")):
            return
        if mentions_launcher(text) is None:
            return
        around = Around(self.document, self.tree, self.directives, scope, self.host, value.node)
        self._add(launches_of_script(around, self.tree.embedding(value), script(None)))


def _from_first_flag(words: Sequence[Word]) -> Sequence[Word]:
    start = next((index for index, word in enumerate(words) if word.known_prefix.startswith("-")), 0)
    return words[start:]


def _host(path: str, tree: Tree) -> str:
    if text_of(tree.get(tree.top, "apiVersion")) and text_of(tree.get(tree.top, "kind")):
        return "kubernetes"
    if re.search(r"values", PurePath(path).name, re.IGNORECASE):
        return "helm-values"
    return "yaml"
