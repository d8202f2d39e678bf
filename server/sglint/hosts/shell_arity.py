"""Whether an unquoted unknown word is one value or any number of words.

``--model-path $MODEL`` leaves no doubt where the flag takes one value; ``$EXTRA`` behind a complete option may bring
any number of words. Which it is depends on the flag before it, so the catalogue is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..launch.model import Word
from ..records import replace
from .origins import HOLE, UNKNOWN

_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)")
"""``{1,2}`` is surely several words."""


def settle(words: Sequence[Word], release: str | None) -> tuple[Word, ...]:
    """The words, with a hole that stands where a flag needs its one value taken as that value."""
    found = list(words)
    for index, word in enumerate(found):
        if not word.many or index == 0 or not _is_variable(word):
            continue
        before = found[index - 1]
        if before.text is not None and _needs_value(before.text, release):
            found[index] = replace(word, many=False)
    return tuple(found)


def settle_fields(words: Sequence[Word], release: str | None) -> tuple[Word, ...]:
    """As :func:`settle`, where a notation around the shell puts in text: alone between blanks it may be any words."""
    loose = [replace(word, many=True) if _is_field(word) else word for word in words]
    return settle(loose, release)


def _is_field(word: Word) -> bool:
    return word.text is None and word.mapped is not None and word.mapped.text == UNKNOWN


def _is_variable(word: Word) -> bool:
    text = word.mapped.text if word.mapped is not None else ""
    if text.startswith((HOLE, "$@", "$*", "${@", "${*")) or _BRACES.match(text):
        return False
    return "[@]" not in text and ":+" not in text


def _needs_value(text: str, release: str | None) -> bool:
    if not text.startswith("--") or "=" in text:
        return False
    from .. import catalogue

    newest = catalogue.releases()[-1]
    table = catalogue.load(catalogue.nearest(release) if release else newest)
    names = table.candidates(text) or catalogue.load(newest).candidates(text)
    if not names:
        return True
    flag = table.by_name.get(names[0]) or catalogue.load(newest).by_name[names[0]]
    return flag.takes_value
