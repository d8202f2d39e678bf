"""``replacements`` and ``vars`` of a kustomization: a text of one manifest put into others.

Source: the documentation of Kustomize ("replacements", "vars"). The text stands where it is put in, and is defined
where it is written. A replacement that fails stops Kustomize; here it changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath

from ..launch.model import Definition, Place
from ..records import dataclass, replace
from ..text import Mapped, Sources
from .helm_lists import at_key, pairs_of
from .helm_texts import known
from .helm_values import DictValue, Fragment, ListValue, Missing, Rich, Value, certain_list, owned, part, structure
from .helm_yaml import items, rich
from .kustomize_manifests import Manifest, below
from .scopes import Scope
from .yaml_tree import first_map, text_of

_STEP = re.compile(r"\[((?:[^\]\\]|\\.)*)\]|((?:[^.\[\\]|\\.)+)")
_USE = re.compile(r"\$\$|\$\(([-\w.]+)\)")
MAX_DEPTH = 30
MAX_REPLACEMENTS = 100
MAX_LOOKS = 3_000
"""More replacements of one kustomization are not looked at, nor more manifests for them all."""

MAX_CHARACTERS = 20_000
_PLACES = (("kind",), ("metadata", "name"), ("metadata", "namespace"))
_VARIABLE_KEYS = frozenset(("command", "args"))


class Fails(Exception):
    """Kustomize stops at this replacement."""


@dataclass(frozen=True)
class Source:
    """A text to put in, and where it comes from, as ``ConfigMap/llm data.MODEL``."""

    text: Rich
    name: str

    def at(self, place: Fragment | None, path: str, text: str) -> Fragment:
        """The text standing in place of ``place``."""
        own = self.text.fragments[0] if self.text.fragments else None
        if place is None:
            return structure(text, None, path)
        defined = (Definition(self.name, Place(own.mapped.span(), own.path)),) if own is not None else ()
        mapped = Mapped.whole(text, place.mapped.span())
        return replace(place, mapped=mapped, known=self.text.known, definitions=defined, origin=())


def with_replacements(manifests: list[Manifest], top: Scope, path: str, sources: Sources) -> list[Manifest]:
    """The manifests after the replacements of a kustomization, in order."""
    left = MAX_LOOKS
    identities = _identities(manifests)
    for replacement in _replacements(top, path, sources):
        try:
            source = _source(replacement, manifests, identities, path)
            for target in replacement.items("targets")[:MAX_REPLACEMENTS]:
                left -= len(manifests)
                if left < 0:
                    return manifests
                manifests = [_put_into(one, target, source) for one in manifests]
        except Fails:
            continue
    return manifests


def _replacements(top: Scope, path: str, sources: Sources) -> Iterator[Scope]:
    """Each replacement, those of files that the list names among them."""
    for item in top.items("replacements")[:MAX_REPLACEMENTS]:
        file = item.text("path")
        if file is None:
            yield item
            continue
        for name in below(PurePosixPath(path).parent, [file]):
            tree = first_map(sources.text(name) or "", name)
            if tree is not None:
                yield Scope(tree, tree.top)


_Identity = tuple[str, str, str]


def _identities(manifests: Sequence[Manifest]) -> list[_Identity]:
    """Kind, name and namespace of each manifest."""
    return [(one.text(*_PLACES[0]), one.text(*_PLACES[1]), one.text(*_PLACES[2])) for one in manifests]


def _source(replacement: Scope, manifests: Sequence[Manifest], identities: Sequence[_Identity], path: str) -> Source:
    """Raises Fails."""
    literal = replacement.mapped("sourceValue")
    if literal is not None:
        return Source(Rich((Fragment(literal, replacement.tree.path or path, own=True),)), "kustomization/sourceValue")
    wanted = replacement.get("source")
    if wanted is None:
        raise Fails
    selector = Scope(replacement.tree, wanted, "source", replacement)
    found = _selected(selector, manifests, identities)
    if len(found) != 1:
        raise Fails
    field = selector.text("fieldPath") or "metadata.name"
    text = _text_at(found[0].value, steps_of(field))
    delimiter = selector.text("options", "delimiter")
    if delimiter:
        at = _index(selector)
        cuts = list(_cuts(text.text, delimiter))
        if not 0 <= at < len(cuts):
            raise Fails
        text = part(text, *cuts[at])
    return Source(text, f"{found[0].text('kind')}/{found[0].text('metadata', 'name')} {field}")


def _selected(selector: Scope, manifests: Sequence[Manifest], identities: Sequence[_Identity]) -> Sequence[Manifest]:
    """The manifests that a source means; it says their names in full."""
    wanted = [selector.text(key) for key in ("kind", "name", "namespace")]
    return [
        manifest
        for manifest, own in zip(manifests, identities, strict=True)
        if all(text in (None, found) for text, found in zip(wanted, own, strict=True))
    ]


def _text_at(value: Value, steps: Sequence[str]) -> Rich:
    """The one text at a path. Raises Fails."""
    for step in steps:
        inner = items(value)
        value = _item_at(inner, step) if inner is not None else at_key(value, step)
    text = rich(value)
    if text is None or isinstance(value, Missing) or len(text.text) > MAX_CHARACTERS:
        raise Fails
    return owned(text)


def _item_at(listed: ListValue, step: str) -> Value:
    """Raises Fails."""
    places = _places(listed, step)
    if len(places) != 1:
        raise Fails
    return listed.items[places[0]]


def _places(listed: ListValue, step: str) -> list[int]:
    """The items that a step of a path means: ``0``, ``*``, ``name=server``, ``=value``."""
    if step == "*":
        return list(range(len(listed.items)))
    if re.fullmatch(r"0|[1-9]\d{0,4}", step):
        return [int(step)] if int(step) < len(listed.items) else []
    key, equals, wanted = step.partition("=")
    if not equals:
        return []
    texts = [known(at_key(one, key) if key else one) for one in listed.items]
    return [at for at, text in enumerate(texts) if text == wanted]


def _index(selector: Scope) -> int:
    """``options.index``; 0 when there is none. Raises Fails."""
    written = selector.text("options", "index") or "0"
    if not re.fullmatch(r"-?\d{1,6}", written):
        raise Fails
    return int(written)


def _cuts(text: str, delimiter: str) -> Iterator[tuple[int, int]]:
    start = 0
    for piece in text.split(delimiter):
        yield start, start + len(piece)
        start += len(piece) + len(delimiter)


def _put_into(manifest: Manifest, target: Scope, source: Source) -> Manifest:
    """Raises Fails."""
    chosen = target.get("select")
    if chosen is None:
        raise Fails
    if not manifest.is_like(Scope(target.tree, chosen, "select", target)):
        return manifest
    if any(manifest.is_like(reject) for reject in target.items("reject")):
        return manifest
    delimiter, at = target.text("options", "delimiter"), _index(target)
    creates = target.text("options", "create") == "true"

    def change(before: Value | None) -> Value:
        text = rich(before) if before is not None else None
        if before is not None and text is None:
            raise Fails
        return _put_in(text, source, delimiter, at, manifest.path)

    paths = [text_of(item.item) for item in target.items("fieldPaths")] or ["metadata.name"]
    for path in paths:
        if path:
            value = _changed_at(manifest.value, steps_of(path), change, creates=creates)
            manifest = replace(manifest, value=value)
    return manifest


def _put_in(before: Rich | None, source: Source, delimiter: str | None, at: int, path: str) -> Rich:
    """A text with the source's in the place that is meant."""
    if before is None:
        return Rich((source.at(None, path, source.text.text),)) if not source.text.fragments else source.text
    before = owned(before)
    first = before.fragments[0] if before.fragments else None
    if not delimiter:
        return Rich((source.at(first, path, source.text.text),))
    cuts = list(_cuts(before.text, delimiter))
    new = source.text.text
    if at < 0 or at >= len(cuts):
        text = new + delimiter if at < 0 else delimiter + new
        added = source.at(first, path, text)
        return Rich((added, *before.fragments) if at < 0 else (*before.fragments, added))
    start, end = cuts[at]
    pieces = part(before, start, end).fragments or (first,)
    return Rich(
        (
            *part(before, 0, start).fragments,
            source.at(pieces[0], path, new),
            *part(before, end, len(before.text)).fragments,
        )
    )


def steps_of(path: str) -> list[str]:
    """The steps of a field's path, at dots that no backslash and no brackets protect."""
    return [re.sub(r"\\(.)", r"\1", inside or plain) for inside, plain in _STEP.findall(path)]


def _changed_at(value: Value, steps: Sequence[str], change: Callable[[Value | None], Value], *, creates: bool) -> Value:
    """``value`` with what stands at a path changed; as it is where nothing does. Raises Fails."""
    if len(steps) > MAX_DEPTH:
        raise Fails
    if not steps:
        return change(value)
    step, rest = steps[0], steps[1:]
    listed = items(value)
    if listed is not None:
        found = list(listed.items)
        for at in _places(listed, step):
            found[at] = _changed_at(found[at], rest, change, creates=creates)
        return certain_list(found)
    pairs = pairs_of(value)
    if pairs is None:
        return value
    own = dict(pairs)
    if step == "*":
        return DictValue({key: _changed_at(one, rest, change, creates=creates) for key, one in own.items()}, set())
    if step not in own:
        if not creates:
            return value
        own[step] = _changed_at(DictValue({}, set()), rest, change, creates=True) if rest else change(None)
        return DictValue(own, set())
    own[step] = _changed_at(own[step], rest, change, creates=creates)
    return DictValue(own, set())


# vars ------------------------------------------------------------------------------------------------------


def with_vars(manifests: list[Manifest], variables: Sequence[Scope]) -> list[Manifest]:
    """The manifests with ``$(NAME)`` of ``vars`` put into the commands, arguments and variables of containers."""
    sources: dict[str, Source] = {}
    identities = _identities(manifests) if variables else []
    for variable in variables[:MAX_REPLACEMENTS]:
        name, wanted = variable.text("name"), variable.get("objref")
        field = variable.text("fieldref", "fieldpath") or variable.text("fieldref", "fieldPath") or "metadata.name"
        if name is None or wanted is None:
            continue
        selector = Scope(variable.tree, wanted, "objref", variable)
        found = _selected(selector, manifests, identities)
        try:
            text = _text_at(found[0].value, steps_of(field)) if len(found) == 1 else None
        except Fails:
            text = None
        if text is not None:
            sources[name] = Source(text, f"{found[0].text('kind')}/{found[0].text('metadata', 'name')} {field}")
    if not sources:
        return manifests
    return [replace(one, value=_filled(one.value, sources, 0)) for one in manifests]


def _filled(value: Value, sources: dict[str, Source], depth: int) -> Value:
    """A manifest, or a part of it, with the variables put in; the same object where there are none."""
    if depth > MAX_DEPTH:
        return value
    pairs = pairs_of(value)
    if pairs is None:
        listed = items(value)
        if listed is None or not any(pairs_of(one) is not None for one in listed.items):
            return value
        return certain_list([_filled(one, sources, depth + 1) for one in listed.items])
    own: dict[str, Value] = {}
    for key, inner in pairs:
        listed = items(inner)
        if key in _VARIABLE_KEYS and listed is not None:
            own[key] = certain_list([_with_uses(one, sources) for one in listed.items])
        elif key == "env" and listed is not None:
            own[key] = certain_list([_variable(one, sources) for one in listed.items])
        else:
            own[key] = _filled(inner, sources, depth + 1)
    return DictValue(own, set()) if any(own[key] is not inner for key, inner in pairs) else value


def _variable(value: Value, sources: dict[str, Source]) -> Value:
    pairs = pairs_of(value)
    if pairs is None or all(key != "value" for key, _ in pairs):
        return value
    return DictValue({key: _with_uses(one, sources) if key == "value" else one for key, one in pairs}, set())


def _with_uses(value: Value, sources: dict[str, Source]) -> Value:
    text = rich(value)
    if text is None or "$(" not in text.text:
        return value
    whole = owned(text)
    pieces: list[Fragment] = []
    at = 0
    for use in _USE.finditer(whole.text):
        source = sources.get(use[1] or "")
        if source is None:
            continue
        place = part(whole, *use.span()).fragments
        pieces += [*part(whole, at, use.start()).fragments, source.at(place[0], "", source.text.text)]
        at = use.end()
    return Rich((*pieces, *part(whole, at, len(whole.text)).fragments)) if pieces else value
