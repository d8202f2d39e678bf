"""Maps of flags: ``--config`` files, recipes and chart values whose keys are flag names.

The words are those SGLang's own merger makes of a ``--config`` file.
Source: 0.5.18, srt/server_args_config_parser.py, ConfigArgumentMerger (``launch.config_file`` knows the releases).
"""

from __future__ import annotations

from typing import Any

import yaml

from .. import catalogue
from ..catalogue import FlagTable
from ..launch.config_file import is_bare
from ..launch.model import Dropped, Place, Word
from ..patterns import lazy
from ..records import dataclass, replace
from ..text import Mapped, Span
from .embedding import Embedding
from .programs import SERVER_ONLY_FLAGS
from .yaml_documents import LOADER
from .yaml_tree import Entry, Item, Tree, is_null
from .yaml_words import MERGED, MapSlot

_FLAG_KEY = lazy(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$")

_PLACEHOLDER = lazy(r"\{[A-Za-z_]\w*\}")

_MAX_PARTS = 5000


def is_flag_map(tree: Tree, item: Item, *, snake: bool) -> bool:
    """Whether a map's keys are flags: two or more that only SGLang has. ``snake`` takes underscores for dashes."""
    names = {"--" + (entry.key.replace("_", "-") if snake else entry.key) for entry in tree.entries(item)}
    return len(names & SERVER_ONLY_FLAGS) >= 2


def is_config_file(tree: Tree, item: Item) -> bool:
    """Whether a whole file is one for ``--config``: as any map of flags, or one that only SGLang has among nothing but
    flags and their abbreviations."""
    if is_flag_map(tree, item, snake=True):
        return True
    keys = [entry.key for entry in tree.entries(item)]
    if not any(f"--{key.replace('_', '-')}" in SERVER_ONLY_FLAGS for key in keys):
        return False
    flags = catalogue.load(catalogue.releases()[-1]).by_name
    return len(keys) > 1 and all(any(flag.startswith(f"--{key}") for flag in flags) for key in keys)


def map_words(
    tree: Tree, item: Item, release: str | None = None, *, rendered: bool = False
) -> tuple[list[Word], list[Dropped]]:
    """The words of a flag map, in the order of its keys, as ``release`` (the newest when None) merges them.

    Entries that give no word are told beside. ``rendered``: a chart or a recipe's tool makes the words, not SGLang:
    underscores in keys stand for dashes, ``true`` is a flag alone and ``false`` and ``null`` no word, whatever the flag
    is; so is an empty text behind a switch. Several values of a flag that takes one, or none, are tried in turn there,
    so the value is one that is not known; so is what a ``{name}`` alone stands for.
    """
    table = catalogue.load(catalogue.nearest(release) if release else catalogue.releases()[-1])
    places = {id(key): index for index, (key, _) in enumerate(item.node.value)}
    words: list[Word] = []
    dropped: list[Dropped] = []
    for entry in tree.entries(item):
        if _FLAG_KEY.match(entry.key):
            found = _entry_words(tree, item, places.get(id(entry.key_node), MERGED), entry, table, rendered)
            words += [_dashed(found[0]), *found[1:]] if rendered and found else found
            if not found:
                dropped.append(_dropped(tree, entry))
    return words, dropped


@dataclass(frozen=True)
class Merger:
    """Makes the words of a ``--config`` file anew; ``path`` is the file's where it is not the one being read."""

    tree: Tree
    item: Item
    release: str
    path: str | None = None

    def words(self, release: str) -> tuple[Word, ...]:
        found, _ = map_words(self.tree, self.item, release)
        return tuple(replace(word, path=self.path) for word in found)


def merger_of(tree: Tree, item: Item, release: str | None, path: str | None = None) -> Merger:
    """What makes the words of a ``--config`` file that were made as ``release`` (the newest when None) does."""
    return Merger(tree, item, catalogue.nearest(release) if release else catalogue.releases()[-1], path)


def _dropped(tree: Tree, entry: Entry) -> Dropped:
    span = tree.span(entry.key_node)
    if entry.value.alias is None and not entry.merged:
        span = span.hull(tree.span(entry.value.node))
    why = "a flag without a value that is set to false"
    if entry.value.kind == "sequence":
        why = "an empty list"
    elif is_null(entry.value):
        why = "a null"
    return Dropped(f"{why} adds no word", f"{entry.key}: {_shown(entry.value)}", Place(span))


def _shown(value: Item) -> str:
    return "[]" if value.kind == "sequence" else str(value.node.value)


def _dashed(flag: Word) -> Word:
    """A flag whose key has underscores for dashes."""
    if flag.text is None or flag.mapped is None or "_" not in flag.text:
        return flag
    text = flag.text.replace("_", "-")
    start = flag.span.start
    mapped = Mapped.join((Mapped.whole("--", Span(start, start)), Mapped.whole(text[2:], flag.span)))
    return replace(flag, text=text, mapped=mapped)


def _entry_words(tree: Tree, mapping: Item, index: int, entry: Entry, table: FlagTable, rendered: bool) -> list[Word]:
    value = entry.value
    key = Item(entry.key_node, None, mapping.node)
    key_embedding = tree.embedding(key)
    start = key_embedding.mapped.span().start
    key_mapped = Mapped.join((Mapped.whole("--", Span(start, start)), key_embedding.mapped))
    flag = Word(
        "--" + entry.key,
        key_embedding.mapped.span(),
        key_mapped,
        handle=MapSlot(tree, mapping, index, True, key, key_embedding),
    )
    if value.kind == "sequence":
        children = tree.items(value)
        if rendered and len(children) > 1:
            known = table.by_name.get("--" + entry.key.replace("_", "-"))
            if known is not None and known.nargs == 0:
                return [replace(flag, presence="maybe")]
            if known is not None and known.nargs is None:
                return [flag, _unknown_word(tree, mapping, index, value)]
        items = [_value_word(tree, mapping, index, child) for child in children]
        return [flag, *items] if items else []
    if value.kind == "mapping":
        return [flag, _json_word(tree, mapping, index, value)]
    if rendered and is_null(value):
        return []
    plain = _python_value(value)
    if isinstance(plain, bool) and (rendered or is_bare(entry.key, table)):
        return [replace(flag, stated=tree.embedding(value).mapped.span())] if plain else []
    if rendered and plain == "":
        known = table.by_name.get("--" + entry.key.replace("_", "-"))
        if known is not None and known.nargs == 0:
            return [flag]
    if rendered and _PLACEHOLDER.fullmatch(str(plain)):
        return [flag, _unknown_word(tree, mapping, index, value)]
    return [flag, _value_word(tree, mapping, index, value)]


def _value_word(tree: Tree, mapping: Item, index: int, item: Item) -> Word:
    if item.kind != "scalar":
        return _json_word(tree, mapping, index, item)
    embedding = tree.embedding(item)
    plain = _python_value(item)
    text = str(plain).lower() if isinstance(plain, bool) else str(plain)
    mapped = embedding.mapped if text == embedding.text else Mapped.whole(text, embedding.mapped.span())
    slot = MapSlot(tree, mapping, index, False, item, embedding)
    return Word(text, embedding.mapped.span(), mapped, handle=slot)


def _json_word(tree: Tree, mapping: Item, index: int, item: Item) -> Word:
    import json

    unknown = _unknown_word(tree, mapping, index, item)
    if not _is_small(item.node):
        return unknown
    try:
        text = json.dumps(_python_value(item))
    except (TypeError, ValueError):
        return unknown
    return replace(unknown, text=text, mapped=Mapped.whole(text, unknown.span))


def _unknown_word(tree: Tree, mapping: Item, index: int, item: Item) -> Word:
    span = tree.span(item.node)
    return Word(None, span, handle=MapSlot(tree, mapping, index, False, item, Embedding(Mapped.whole("", span))))


def _is_small(node: Any) -> bool:
    """Whether a node, aliases written out, has few enough parts to be one argument."""
    parts, waiting = 0, [node]
    while waiting:
        part = waiting.pop()
        parts += 1
        if parts > _MAX_PARTS:
            return False
        if part.id == "mapping":
            waiting += [child for pair in part.value for child in pair]
        elif part.id == "sequence":
            waiting += part.value
    return True


def _python_value(item: Item) -> Any:
    """The value a YAML loader makes of a node."""
    loader = LOADER("")
    try:
        return loader.construct_document(item.node)
    except yaml.YAMLError:
        return None
    finally:
        loader.dispose()
