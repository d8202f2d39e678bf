"""Finds every place in one YAML document that starts a server, whatever kind of object it stands in.

Nothing here depends on the kind of a Kubernetes object: any mapping with ``command`` or ``args`` is a container, so
that a CronJob, a LeaderWorkerSet and tomorrow's operator are all read the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..launch.model import Dropped, EnvVar, Launch, NotLaunch, Place, Word
from ..records import dataclass, field, replace
from ..text import Document, Span
from . import flag_maps, yaml_documents
from .command_keys import COMMAND_KEYS, FLAG_LIST_KEYS, FLAG_MAP_KEYS, LINES_KEYS, are_flags_of_sglang, is_script
from .directives import DirectiveSet
from .embedding import Embedding
from .expansion import Expand, Fill, as_written, kubelet, script
from .gate import may_hold_launch
from .programs import Program, has_server_flags, mentions_launcher, recognise
from .scopes import Scope
from .surroundings import ENV_KEYS, environment_of, sibling_environment
from .yaml_launches import Around, launch_of_words, launches_of_script
from .yaml_strings import cut_off, embedded_word, string_words
from .yaml_tree import Item, Tree, text_of
from .yaml_words import ListSlot, list_words

DOCUMENT_KEYS = frozenset(("patch", "values", "valuesContent", "manifest"))
"""Keys of strings that are YAML documents: patches, values of charts, objects to create."""
RECOMMENDED = "recommendedConfigs"
_PROSE_KEYS = frozenset(("metadata", "annotations", "labels", "status", "description", "managedFields"))
_RELATED = frozenset(
    ("router", "bench", "kill", "grep", "mooncake", "vllm", "dynamo frontend", "dynamo", "sgl_jax", "sglang tool")
)
MAX_DEPTH = 100
MAX_ALIASED = 20_000
"""Nodes visited through aliases in one document: more is an alias bomb."""

MAX_MOUNTED_CHARACTERS = 100_000
"""Scripts that containers of one document start, taken together: more are read where they stand only."""


class AliasBomb(Exception):
    """The aliases of a document multiply beyond reason."""


@dataclass
class Findings:
    launches: list[Launch] = field(default_factory=list)
    others: list[NotLaunch] = field(default_factory=list)

    def told_once(self) -> list[Launch]:
        """The launches without texts of flags, in variables, whose words another launch has."""
        texts = [launch.span for launch in self.launches if launch.launcher == "none"]
        if not texts:
            return self.launches
        taken = [word.span for one in self.launches if one.launcher != "none" for word in one.words if not word.path]
        used = {text for text in texts if any(text.contains(span) for span in taken)}
        return [launch for launch in self.launches if launch.launcher != "none" or launch.span not in used]


@dataclass(frozen=True)
class Notation:
    """How one kind of YAML file is read.

    argument, text
        expansion of a list item; of a string that is split into words or run by a shell. Both get the variables
        (None: nobody expands any before the shell) and what fills the document's own references in, if anything.
    strings
        whether ``command`` and ``entrypoint`` strings are split without a shell, as Compose does.
    """

    host: str
    argument: Any = kubelet
    text: Any = script
    strings: bool = False
    image: Expand = as_written


class DocumentReader:
    """Walks one document and gathers what it starts."""

    def __init__(self, document: Document, directives: DirectiveSet, notation: Notation) -> None:
        self.document = document
        self.directives = directives
        self.notation = notation
        self.found = Findings()
        self._has_entry_points = "ntryPoint" in document.text
        self._aliased = 0
        self._mounted_characters = 0
        self._inside: set[int] = set()

    def walk(self, tree: Tree, item: Item, key: str = "", parent: Scope | None = None, depth: int = 0) -> None:
        """Read ``item`` and all it holds. Raises AliasBomb."""
        if item.alias is not None:
            self._aliased += 1
            if self._aliased > MAX_ALIASED:
                raise AliasBomb
        # An anchor may hold an alias of itself.
        if depth > MAX_DEPTH or id(item.node) in self._inside:
            return
        if depth == 1 and key.startswith("x-") and self.notation.host == "compose":
            # No service: what others take from it is read with them.
            return
        self._inside.add(id(item.node))
        self._walk(tree, item, key, parent, depth)
        self._inside.discard(id(item.node))

    def _walk(self, tree: Tree, item: Item, key: str, parent: Scope | None, depth: int) -> None:
        if item.kind == "sequence":
            if key in ENV_KEYS and _is_plain(tree, item):
                return
            for child in tree.items(item):
                if child.kind != "scalar":
                    self.walk(tree, child, key, parent, depth + 1)
            if parent is not None and _is_argv(tree, item) and _may_start(tree, item):
                words = self._words(parent, [item])
                last = words[-1].text or ""
                # A launcher without words gets them from somewhere else.
                if mentions_launcher(last) != (0, len(last)):
                    self._argv(parent, words, first=item.node)
        elif item.kind == "mapping":
            self._mapping(Scope(tree, item, key, parent), depth)

    def flag_map(
        self,
        scope: Scope,
        value: Item,
        key: str = "",
        host: str | None = None,
        file: str | None = None,
        release: str | None = None,
    ) -> None:
        """A map whose keys are flags; ``file`` is its name when it is a ``--config`` file inside another one.

        ``release`` is that of the launch which reads it, else what stands around it counts.
        """
        around = self._around(scope, value.node, sibling_environment(scope, value, key), host)
        found = around.evidence().release
        rendered = host != "config-file"
        release = release or (found.value if found else None)
        words, dropped = flag_maps.map_words(scope.tree, value, release, rendered=rendered)
        if words:
            if any(_CHANGES_ANOTHER.match(outer.key) for outer in scope.outward()):
                end = words[-1].span.end
                words.append(Word(None, Span(end, end), many=True))
            launch = launch_of_words(around, "config", None, words, dropped=dropped)
            role = launch.role or (key if key in _ROLE_KEYS else None)
            merging = None if rendered else flag_maps.merger_of(scope.tree, value, release)
            self.found.launches.append(replace(launch, role=role, config_file=file, merging=merging))

    def _mapping(self, scope: Scope, depth: int) -> None:
        done = self._container(scope)
        for entry in scope.tree.entries(scope.item):
            value = entry.value
            if entry.key in done or (depth and entry.key in _PROSE_KEYS):
                continue
            if entry.key in FLAG_LIST_KEYS and _is_argv(scope.tree, value):
                self._argv(scope, self._words(scope, [value]), first=entry.key_node)
            elif entry.key in LINES_KEYS and _is_argv(scope.tree, value):
                self._lines(scope, entry.key, value)
            elif value.kind == "mapping" and flag_maps.is_flag_map(scope.tree, value, snake=entry.key in FLAG_MAP_KEYS):
                self.flag_map(scope, value, entry.key)
            elif value.kind == "scalar":
                self._scalar(scope, entry.key, value)
            else:
                self.walk(scope.tree, value, entry.key, scope, depth + 1)

    def _container(self, scope: Scope) -> frozenset[str]:
        """Read ``entrypoint``, ``command`` and ``args`` as one argv; the keys that were read."""
        keys = ("entrypoint", "command") if self.notation.strings else self._keys_of_command(scope)
        found: dict[str, Item] = {}
        for key in keys:
            value = scope.get(key)
            if value is not None and (_is_argv(scope.tree, value) or (self.notation.strings and text_of(value))):
                found[key] = value
        if not found:
            return frozenset()
        values = list(found.values())
        words = self._words(scope, values)
        recommended = scope.items(RECOMMENDED)
        if recommended and "args" not in found:
            args = recommended[0].get("args")
            words += self._words(scope, [args]) if args is not None else []
            found[RECOMMENDED] = scope.item
        self._argv(scope, words, first=scope.item.node, dropped=self._cut_off(scope, values))
        return frozenset(found)

    def _keys_of_command(self, scope: Scope) -> Sequence[str]:
        others = COMMAND_KEYS[1:] if self._has_entry_points else ()
        return next((keys for keys in others if scope.get(keys[0]) is not None), COMMAND_KEYS[0])

    def _cut_off(self, scope: Scope, values: Sequence[Item]) -> Iterator[Dropped]:
        for value in values:
            if value.kind == "scalar":
                expanded = self._text(scope, environment_of(scope))(scope.tree.embedding(value).mapped)
                rest = cut_off(expanded)
                if rest is not None:
                    yield Dropped("splitting into words ends at this sign", rest.text, Place(rest.span()))

    def _words(self, scope: Scope, values: Sequence[Item]) -> list[Word]:
        environment = environment_of(scope)
        language = scope.tree.language
        spread = partial(language.spread, scope) if language is not None else None
        words: list[Word] = []
        for value in values:
            if value.kind == "sequence":
                words += list_words(scope.tree, value, self.notation.argument(environment, _fill(scope)), spread)
            else:
                embedding = scope.tree.embedding(value)
                expanded = self._text(scope, environment)(embedding.mapped)
                words += string_words(scope.tree, value, embedding, expanded)
        return words

    def _around(
        self, scope: Scope, first: Any, environment: Mapping[str, EnvVar] | None = None, host: str | None = None
    ) -> Around:
        language = scope.tree.language
        image = self.notation.image if language is None else language.image(scope)
        return Around(self.document, self.directives, scope, host or self.notation.host, first, environment, image)

    def _text(self, scope: Scope, environment: Mapping[str, EnvVar] | None) -> Expand:
        found: Expand = self.notation.text(environment, _fill(scope))
        return found

    def _argv(self, scope: Scope, words: Sequence[Word], first: Any, dropped: Iterable[Dropped] = ()) -> None:
        environment = environment_of(scope)
        program = recognise(words)
        around = self._around(scope, first, environment)
        mounted = self._mounted(scope, words, program) if scope.tree.scripts else None
        if mounted is not None:
            embedding, parameters = mounted
            self._add(launches_of_script(around, embedding, as_written, parameters, mounted=True))
        elif program is not None and program.kind == "shell":
            self._script(around, program.script[0], program.words, environment)
        elif program is not None and program.kind == "server":
            launch = launch_of_words(around, program.name, program.span, program.words, program.env, tuple(dropped))
            self.found.launches.append(launch)
        elif program is not None and program.name in _RELATED and program.span is not None:
            self.found.others.append(NotLaunch(program.name, program.span))
        elif has_server_flags(words) or are_flags_of_sglang(scope, words):
            own = _from_first_flag(words)
            self.found.launches.append(launch_of_words(around, "none", None, own, dropped=tuple(dropped)))

    def _mounted(
        self, scope: Scope, words: Sequence[Word], program: Program | None
    ) -> tuple[Embedding, Sequence[Word]] | None:
        """The ConfigMap's script that an argv starts, and what it gets as ``$0``, ``$1`` ..."""
        from .mounted import mounted_script

        start: Sequence[Word] = words
        if program is not None and program.kind in ("file", "shell"):
            start = (program.script[0], *program.words)
        elif program is not None:
            behind = (at for at, word in enumerate(words) if word.span == program.span)
            start = words[next(behind, 0) :]
        text = start[0].text if start else None
        named = _STARTS.fullmatch(text or "")
        found = mounted_script(scope, named[1]) if named is not None else None
        self._mounted_characters += len(found.text) if found is not None else 0
        if found is None or self._mounted_characters > MAX_MOUNTED_CHARACTERS:
            return None
        return found, start

    def _script(
        self, around: Around, word: Word, parameters: Sequence[Word], environment: Mapping[str, EnvVar]
    ) -> None:
        """A script that a container's shell gets as an argument."""
        slot = word.handle
        if isinstance(slot, ListSlot):
            text = self._text(around.scope, environment)
            self._add(launches_of_script(around, slot.embedding, text, parameters))
        elif word.mapped is not None:
            self._add(launches_of_script(around, embedded_word(word, word.mapped), as_written, parameters))

    def _add(self, found: tuple[Sequence[Launch], Sequence[NotLaunch]]) -> None:
        self.found.launches += found[0]
        self.found.others += found[1]

    def _scalar(self, scope: Scope, key: str, value: Item) -> None:
        """A string that a shell runs, that holds flags, or that holds YAML of its own."""
        text = text_of(value)
        if text is None or not may_hold_launch(text):
            return
        if is_script(scope, key, text):
            if mentions_launcher(text) is not None:
                around = self._around(scope, value.node)
                embedding = scope.tree.embedding(value)
                # Nobody but its shell expands the script of a ConfigMap or a step.
                self._add(launches_of_script(around, embedding, self._text(scope, None)))
        elif text.lstrip().startswith("--"):
            self._flag_string(scope, value)
        elif key in DOCUMENT_KEYS or key.endswith((".yaml", ".yml")):
            self._embedded(scope, key, value)

    def _lines(self, scope: Scope, key: str, value: Item) -> None:
        """Lines that one shell runs one after the other, each an item of a list."""
        script, before = scope.get("script"), scope.get("before_script")
        is_argv = any((text_of(item) or "").startswith("-") for item in scope.tree.items(value))
        if is_argv or (key == "before_script" and script is not None):
            return
        from .yaml_lines import lines_of

        embedding = lines_of(scope.tree, [value] if key != "script" or before is None else [before, value])
        if mentions_launcher(embedding.text) is not None:
            self._add(launches_of_script(self._around(scope, value.node), embedding, self._text(scope, None)))

    def _flag_string(self, scope: Scope, value: Item) -> None:
        words = self._words(scope, [value])
        if has_server_flags(words):
            self.found.launches.append(launch_of_words(self._around(scope, value.node), "none", None, words))

    def _embedded(self, scope: Scope, key: str, value: Item) -> None:
        """Configuration files, patches, values of a chart and manifests in a string."""
        outer = scope.tree.embedding(value)
        for chunk in yaml_documents.chunks(outer.text):
            composed = yaml_documents.compose(chunk.text)
            if composed.root is None:
                continue
            inner = Tree(chunk.text, chunk.base, composed.root, outer)
            if flag_maps.is_config_file(inner, inner.top):
                name = re.sub(r"\.ya?ml$", "", key)
                inside = Scope(inner, inner.top, name, scope)
                self.flag_map(inside, inner.top, name, host="config-file", file=key)
            else:
                self.walk(inner, inner.top, key, scope, 1)


def _fill(scope: Scope) -> Fill | None:
    language = scope.tree.language
    return None if language is None else language.fill(scope)


_STARTS = re.compile(r"\s*(?:exec\s+)?(?:(?:/bin/|/usr/bin/)?(?:ba|da|)sh\s+)?([\w./@+-]+)\s*")
"""A path alone, as a word or as all that a shell is told to run."""

_CHANGES_ANOTHER = re.compile(r"(?:[a-z]+_)?overrides?(?:_|$)")
"""Keys of maps that a recipe's tool lays over another map, which has the rest of the words."""

_ROLE_KEYS = frozenset(("prefill", "decode", "leader", "worker"))


def _is_argv(tree: Tree, value: Item) -> bool:
    children = tree.items(value)
    return bool(children) and sum(child.kind == "scalar" for child in children) * 2 > len(children)


def _may_start(tree: Tree, item: Item) -> bool:
    """Whether a list under a key that says nothing may be a command: one of its items names what starts servers."""
    return any(mentions_launcher(text_of(child) or "") is not None for child in tree.items(item))


def _is_plain(tree: Tree, item: Item) -> bool:
    """Whether nothing in a list of variables can start a server; such lists are long and many."""
    written = tree.text[item.node.start_mark.index : item.node.end_mark.index]
    return "*" not in written and not may_hold_launch(written)


def _from_first_flag(words: Sequence[Word]) -> Sequence[Word]:
    start = next((index for index, word in enumerate(words) if word.known_prefix.startswith("-")), 0)
    return words[start:]
