"""A launch whose rest is written elsewhere: the container that a patch changes, the service that another extends."""

from __future__ import annotations

from collections.abc import Iterator

from ..launch.model import EnvVar, Evidence, Image, Launch, Place, Word
from ..records import replace
from ..text import Span
from .scopes import Scope


def completed(launch: Launch, base: Launch, scope: Scope, replaced: str, path: str | None) -> Launch:
    """``launch`` with what ``base`` has beyond it; ``path`` is the base's file where that is another one.

    The launch's words stand for the base's list ``replaced`` of the mapping ``scope``; the base's other words stay.
    """
    bare = launch.launcher == "none"
    kept = tuple(_kept_words(base, scope, replaced, path)) if bare else ()
    env = {variable.name: variable for variable in (*(_variable_there(one, path) for one in base.env), *launch.env)}
    return replace(
        launch,
        launcher=base.launcher if bare else launch.launcher,
        words=(*kept, *launch.words),
        env=tuple(env.values()),
        image=launch.image or image_there(base.image, path),
        release=launch.release or evidence_there(base.release, path),
        gpu=launch.gpu or evidence_there(base.gpu, path),
        gpu_count=launch.gpu_count or evidence_there(base.gpu_count, path),
        role=launch.role or base.role,
    )


def _kept_words(base: Launch, scope: Scope, replaced: str, path: str | None) -> Iterator[Word]:
    item = scope.get(replaced)
    node = item.node if item is not None else None
    gone = scope.tree.place(node.start_mark.index, node.end_mark.index) if node is not None else Span(0, 0)
    for word in base.words:
        if not (gone.start <= word.span.start < gone.end):
            yield word_there(word, path)


def word_there(word: Word, path: str | None) -> Word:
    """A word of another file. Its editing key is one of that file, which this launch's editor does not edit."""
    return word if path is None else replace(word, path=word.path or path, handle=None)


def place_there(place: Place, path: str | None) -> Place:
    return place if path is None or place.path is not None else replace(place, path=path)


def evidence_there(evidence: Evidence | None, path: str | None) -> Evidence | None:
    if evidence is None or evidence.place is None:
        return evidence
    return replace(evidence, place=place_there(evidence.place, path))


def image_there(image: Image | None, path: str | None) -> Image | None:
    if image is None:
        return None
    tag = place_there(image.tag_place, path) if image.tag_place is not None else None
    return replace(image, place=place_there(image.place, path), tag_place=tag)


def _variable_there(variable: EnvVar, path: str | None) -> EnvVar:
    return variable if variable.place is None else replace(variable, place=place_there(variable.place, path))
