"""Where what stands at a place of a document is written, and what uses it."""

from __future__ import annotations

from collections.abc import Sequence

from .. import hosts
from ..hosts.gate import may_be_of_chart
from ..launch.model import Place, Word
from ..text import Document, Sources, Span


def definition(document: Document, sources: Sources, position: int, launchers: Sequence[str] = ()) -> tuple[Place, ...]:
    """The places where what stands at ``position`` (an offset in code points) is written; each with its path.

    In a chart's template: of a value its keys in the values files, the chart's own first, then those that override it;
    of an included name its ``define``; of a variable where it gets its values. In a values file: the same key of other
    values files. In any launch: where the variables of the word at ``position`` get their text, and the first line of
    the file that ``--config`` names. ``launchers`` as for ``hosts.read``.
    """
    if may_be_of_chart(document.path):
        from ..hosts import helm_links

        found = helm_links.definition(document, sources, position)
        if found:
            return found
    return _of_launches(document, sources, position, launchers)


def references(document: Document, sources: Sources, position: int) -> tuple[Place, ...]:
    """The places of a chart's templates that use the value, named template or variable at ``position``.

    In a values file that is what the templates print of a key, of a part of it, or of the map it is in.
    """
    if not may_be_of_chart(document.path):
        return ()
    from ..hosts import helm_links

    return helm_links.references(document, sources, position)


def _of_launches(document: Document, sources: Sources, position: int, launchers: Sequence[str]) -> tuple[Place, ...]:
    here = Span(position, position)
    found: list[Place] = []
    for launch in hosts.read(document, sources, launchers).launches:
        for before, word in zip((None, *launch.words), launch.words, strict=False):
            if word.path in (None, document.path) and word.span.touches(here):
                found += [definition.place for definition in word.defined_at]
                if _is_config(before) and launch.config:
                    found += [Place(Span(0, 0), path) for path in (launch.config[0].path,) if path is not None]
    return tuple(dict.fromkeys(Place(place.span, place.path or document.path) for place in found))


def _is_config(word: Word | None) -> bool:
    return word is not None and word.text == "--config"
